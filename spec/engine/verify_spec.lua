-- engine:verify names what is wrong with the tokens of an instance; damage to single records and rows is in spec/uow/verify_spec.lua.
local orrery = require "orrery"
local folder = require "spec.support.folder"
local support = require "spec.support.process"
local uow = require("orrery_inside").uow

local store
before_each(function() store = folder.make() end)
after_each(function() folder.remove(store) end)

local function open() return orrery.open(store, { clock = "manual", log = "none" }) end

local function process(key, body, before)
  return support.definitions((before or "") .. ('<process id="%s" isExecutable="true">%s</process>'):format(key, body))
end

local MODEL = process("p", [[
  <startEvent id="s"/><sequenceFlow id="f0" sourceRef="s" targetRef="fork"/><parallelGateway id="fork"/>
  <sequenceFlow id="f1" sourceRef="fork" targetRef="sub"/>
  <subProcess id="sub"><startEvent id="s1"/><sequenceFlow id="f2" sourceRef="s1" targetRef="user"/><userTask id="user"/></subProcess>
  <sequenceFlow id="f3" sourceRef="fork" targetRef="async"/><task id="async" o:asyncBefore="true"/>
  <sequenceFlow id="f4" sourceRef="fork" targetRef="catch"/>
  <intermediateCatchEvent id="catch"><messageEventDefinition messageRef="m"/></intermediateCatchEvent>
  <sequenceFlow id="f5" sourceRef="fork" targetRef="timer"/>
  <intermediateCatchEvent id="timer"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></intermediateCatchEvent>
  <sequenceFlow id="f6" sourceRef="fork" targetRef="join"/><parallelGateway id="join"/>
  <sequenceFlow id="f7" sourceRef="catch" targetRef="join"/>
  <sequenceFlow id="f8" sourceRef="fork" targetRef="call"/><callActivity id="call" calledElement="q"/>
  <sequenceFlow id="f9" sourceRef="fork" targetRef="worker"/>
  <serviceTask id="worker" o:type="external" o:topic="t"/>
  <sequenceFlow id="f10" sourceRef="fork" targetRef="receive"/><receiveTask id="receive"/>]], '<message id="m" name="m"/>')
local CALLED = process("q", '<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/><userTask id="t"/>')

-- The ids of what `change` is about: executions by activity, the instance as `root`, tasks and jobs by theirs.
local function ids_of(engine)
  local ids = { jobs = {}, tasks = {}, subscriptions = {} }
  ids.root = engine:instances { definition_key = "p" }[1].id
  for _, row in ipairs(engine:executions {}) do ids[row.activity_id] = row.id end
  for _, row in ipairs(engine:tasks {}) do ids.tasks[row.key] = row.id end
  for _, row in ipairs(engine:jobs {}) do ids.jobs[row.activity_id] = row.id end
  for _, row in ipairs(engine:subscriptions {}) do ids.subscriptions[row.activity_id] = row.id end
  return ids
end

--- Starts an instance, lets `change(unit, ids)` damage it behind the engine's back, and gives what verify says, with `ids`.
local function findings(change)
  local ids
  do
    local engine <close> = open()
    engine:deploy { ["p.bpmn"] = MODEL, ["q.bpmn"] = CALLED }
    engine:start "p"
    assert.same({}, engine:verify())
    ids = ids_of(engine)
  end
  local source = uow.open(store)
  local unit = source:begin()
  change(unit, ids)
  assert(unit:commit())
  source:close()
  local engine <close> = open()
  return engine:verify(), ids
end

it("wants an exclusive job's owner to have locked its instance", function()
  local now
  do
    local engine <close> = open()
    engine:deploy { ["q.bpmn"] = process("r", [[<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>
      <serviceTask id="t" o:class="work" o:asyncBefore="true"/>]]) }
    engine:start "r"
    now = engine:now()
  end
  require "spec.support.process".die_running(store, now)
  local instance, job
  do
    local engine <close> = open()
    assert.same({}, engine:verify())
    instance, job = engine:instance({}).id, engine:job({}).id
  end
  local source = uow.open(store)
  local unit = source:begin()
  unit:delete("exclusive", { instance })
  assert(unit:commit())
  source:close()
  local engine <close> = open()
  assert.same({ ("job %s is locked by one who has not locked its instance"):format(job) }, engine:verify())
end)

--- Every finding must be one of these, and each of these must be found.
local function finds(expected, change)
  local found, ids = findings(change)
  local function fill(text) return (text:gsub("<([^<>]+)>", function(path)
    local at = ids
    for name in path:gmatch "%w+" do at = at[name] end
    return tostring(at)
  end)) end
  for i, text in ipairs(expected) do expected[i] = fill(text) end
  table.sort(expected)
  table.sort(found)
  assert.same(expected, found)
end

describe("verify", function()
  it("counts the children of an instance", function()
    finds({ "process instance <root> counts 9 children and has 8" }, function(unit, ids)
      unit:set("instance", ids.root, { children = 9 })
    end)
  end)

  it("counts the children of a scope", function()
    finds({ "execution <sub> counts 0 children and has 1" }, function(unit, ids) unit:set("execution", ids.sub, { children = 0 }) end)
  end)

  it("finds a token whose task is gone, and a scope that is empty", function()
    finds({ 'execution <user> at "user" (userTask) waits for nothing' }, function(unit, ids)
      unit:set("execution", ids.user, { task_id = 0 })
      unit:delete("task", ids.tasks.user)
    end)
    folder.remove(store)
    finds({ "execution <sub> counts 1 children and has 0", 'execution <sub> at "sub" (subProcess) waits for nothing' }, function(unit, ids)
      unit:delete("task", ids.tasks.user)
      unit:delete("execution", ids.user)
    end)
  end)

  it("finds a task and a job that their token does not know", function()
    finds({ 'execution <user> at "user" (userTask) waits for nothing', "task <tasks.user>: execution <user> does not wait for it",
      'execution <async> at "async" (task) waits for nothing', "job <jobs.async>: execution <async> does not wait for it",
      'execution <worker> at "worker" (serviceTask) waits for nothing' }, function(unit, ids)
      unit:set("execution", ids.user, { task_id = 0 })
      unit:set("execution", ids.async, { job_id = 0 })
      unit:delete("external_task", unit:get("execution", ids.worker).task_id)
      unit:set("execution", ids.worker, { task_id = 0 })
    end)
  end)

  it("finds a token whose event will not come", function()
    finds({ 'execution <catch> at "catch" (intermediateCatchEvent) waits for nothing' }, function(unit, ids)
      unit:delete("subscription", ids.subscriptions.catch)
    end)
    folder.remove(store)
    finds({ 'execution <timer> at "timer" (intermediateCatchEvent) waits for nothing' }, function(unit, ids)
      unit:delete("job", ids.jobs.timer)
    end)
  end)

  it("finds a token that its join forgot, and one that a join names in vain", function()
    finds({ 'execution <join> at "join" (parallelGateway) waits for nothing',
      "a join in <root> names execution <user>, which does not wait there" }, function(unit, ids)
      local row
      for _, found in ipairs(unit:find_all "join") do
        if #found.waiting > 0 then row = found end
      end
      unit:set("join", { row.scope, row.node, row.flow }, { waiting = { ids.user } })
    end)
  end)

  it("finds a call that does not know what it called", function()
    finds({ 'execution <call> at "call" (callActivity) waits for nothing',
      "process instance <called>: execution <call> does not wait for it" }, function(unit, ids)
      ids.called = unit:get("execution", ids.call).called_id
      unit:set("execution", ids.call, { called_id = 0 })
    end)
  end)

  it("finds a token that stands nowhere, or in no state to rest in", function()
    finds({ 'execution <receive> stands at node 1000, which "p" does not have', 'execution <user> at "user" (userTask) waits for nothing' },
      function(unit, ids)
        unit:set("execution", ids.receive, { node = 1000 })
        unit:set("execution", ids.user, { state = 5 })
      end)
  end)

  it("finds an instance without tokens", function()
    finds({ "process instance <root> waits for nothing" }, function(unit, ids)
      unit:set("instance", ids.root, { children = 0 })
      for _, kind in ipairs { "instance", "execution", "task", "external_task", "job", "subscription" } do
        for _, row in ipairs(unit:find_all(kind)) do
          if tostring(row.id) ~= ids.root then unit:delete(kind, row.id) end
        end
      end
      for _, row in ipairs(unit:find_all "join") do unit:delete("join", { row.scope, row.node, row.flow }) end
    end)
  end)

  it("says of which instance the tokens cannot be read", function()
    local found, ids = findings(function(unit, ids) unit:delete("definition", unit:get("instance", ids.root).definition_id) end)
    assert.matches("process instance " .. ids.root .. " cannot be checked: ", table.concat(found, "\n"))
  end)
end)
