-- Deleting an instance while it is told that it goes.
local orrery = require "orrery"
local peers = require "spec.exec.peers"
local support = require "spec.support.process"
local shows, run, kind = peers.shows, peers.run, peers.kind

local LISTENER <const> = '<extensionElements><o:%s event="%s" class="delete"/></extensionElements>'

--- Deletes the instance that a listener belongs to, once more.
local function deletes(engine)
  local told = 0
  engine:register("delete", function(what)
    told = told + 1
    engine:instance(what.instance_id):delete "again"
  end)
  return function() return told end
end

describe("deleting an instance again", function()
  local function probe(head, task)
    return function(engine)
      local told = deletes(engine)
      local instance = run(engine, head .. '<startEvent id="s"/><userTask id="a">' .. task .. "</userTask>", "s -> a")
      return { kind(instance.delete, instance, "first") or "done", told(), #engine:instances {},
        engine:history_instance(instance.id).delete_reason }
    end
  end

  shows("in an activity's end listener is harmless", probe("", LISTENER:format("executionListener", "end")),
    { camunda = { "done", 1, 0, "first" }, flowable = { "done", 0, 0, "first" }, orrery = { "done", 1, 0, "first" } })
  shows("in a task's delete listener is harmless", probe("", LISTENER:format("taskListener", "delete")), { "done", 1, 0, "first" })
  shows("in the process's end listener is harmless", probe(LISTENER:format("executionListener", "end"), ""), { "done", 1, 0, "first" })

  shows("is harmless where it ends by itself", function(engine)
    local told = deletes(engine)
    local instance = run(engine, LISTENER:format("executionListener", "end") .. '<startEvent id="s"/>')
    return { told(), #engine:instances {}, engine:history_instance(instance.id).state }
  end, { 1, 0, "completed" })

  shows("reaches a caller whose called instance goes", function(engine)
    peers.deploy(engine, peers.process('<startEvent id="s"/><callActivity id="c" calledElement="q"/>', "s -> c")
      .. peers.process(LISTENER:format("executionListener", "end") .. '<startEvent id="qs"/><userTask id="qa"/>', "qs -> qa", "q"))
    local caller = engine:start "p"
    engine:register("delete", function() caller:delete "with it" end)
    return { kind(caller.delete, caller, "first") or "done", #engine:instances {} }
  end, { "done", 0 })
end)

-- Whatever a listener starts in an instance that is on its way out goes with it: no token is left without its instance.
describe("what is started in an instance while it goes", function()
  local BODY <const> = [[<startEvent id="s"/><parallelGateway id="f"/>
    <userTask id="u">%s</userTask><userTask id="w"/><userTask id="after"/>
    <boundaryEvent id="bm" attachedToRef="w" cancelActivity="false"><messageEventDefinition messageRef="m2"/></boundaryEvent>
    <subProcess id="es" triggeredByEvent="true"><startEvent id="es1" isInterrupting="false"><messageEventDefinition messageRef="m"/>
      </startEvent><userTask id="v"/><sequenceFlow id="ef" sourceRef="es1" targetRef="v"/></subProcess>]]
  local FLOWS <const> = "s -> f f -> u f -> w w -> after bm -> after"
  local MESSAGES <const> = '<message id="m" name="m"/><message id="m2" name="m2"/>'
  local END <const> = '<extensionElements><camunda:executionListener event="end" class="starts"/></extensionElements>'

  local ways = {
    modification = function(e) e.engine:instance(e.instance_id):modify { { start_before = "after" } } end,
    ["an event sub-process"] = function(e) e.engine:message("m", { instance = e.instance_id }) end,
    ["a boundary event"] = function(e) e.engine:message("m2", { instance = e.instance_id }) end,
  }

  local function gone(engine, pi)
    assert.same({}, engine:verify())
    assert.same({ 0, 0, 0, 0 }, { engine:count "instances", engine:count "executions", engine:count "tasks", engine:count "subscriptions" })
    assert.equal("terminated", engine:history_instance(pi.id).state)
    assert.equal(0, engine:count("history_activities", { instance = pi.id, ended_at = orrery.null }))
  end

  for what, starts in pairs(ways) do
    it("by " .. what .. " goes, too", function()
      local engine <close> = support.engine { history = "full" }
      engine:register("starts", starts)
      support.deploy(engine, BODY:format(END), FLOWS, { before = MESSAGES })
      local pi = engine:start "p"
      pi:delete "enough"
      gone(engine, pi)
    end)
  end

  it("in a scope that goes, too, however that comes about", function()
    local goes = { modification = function(_, pi) pi:modify { { cancel = "sub" }, { start_before = "end" } } end,
      ["a boundary event"] = function(engine) engine:message "leave" end, deletion = function(_, pi) pi:delete() end }
    for what, leave in pairs(goes) do
      for _, message in ipairs { "m", "m2" } do
        local engine <close> = support.engine { history = "full" }
        engine:register("starts", function(e) e.engine:message(message, { instance = e.instance_id }) end)
        support.deploy(engine, [[<startEvent id="s0"/><subProcess id="sub">]] .. BODY:format(END) .. [[
          <sequenceFlow id="i1" sourceRef="s" targetRef="f"/><sequenceFlow id="i2" sourceRef="f" targetRef="u"/>
          <sequenceFlow id="i3" sourceRef="f" targetRef="w"/><sequenceFlow id="i4" sourceRef="bm" targetRef="after"/></subProcess>
          <boundaryEvent id="b" attachedToRef="sub"><messageEventDefinition messageRef="m3"/></boundaryEvent><userTask id="end"/>]],
          "s0 -> sub sub -> end b -> end", { before = MESSAGES .. '<message id="m3" name="leave"/>' })
        local pi = engine:start "p"
        leave(engine, pi)
        assert.same({}, engine:verify(), what)
        assert.same(what == "deletion" and {} or { "end" }, support.fields(engine:tasks {}, "key"), what)
      end
    end
  end)

  it("when the process itself is told of its end", function()
    local engine <close> = support.engine { history = "full" }
    local told = 0
    engine:register("starts", function(e)
      told = told + 1
      if told == 1 then ways.modification(e) end
    end)
    support.deploy(engine, END .. BODY:format "", FLOWS, { before = MESSAGES })
    local pi = engine:start "p"
    pi:delete "enough"
    assert.is_true(told > 0)
    gone(engine, pi)
  end)

  it("again and again is a bound that is met, and nothing has happened", function()
    local engine <close> = support.engine { history = "full", steps_max = 5000 }
    engine:register("starts", function(e) e.engine:instance(e.instance_id):modify { { start_before = "u" } } end)
    support.deploy(engine, BODY:format(END), FLOWS, { before = MESSAGES })
    local pi = engine:start "p"
    support.refused("limit", pi.delete, pi, "enough")
    assert.same({ "u", "w" }, pi:active())
    assert.same({}, engine:verify())
  end)
end)

-- Suspension holds up what goes on; what goes is not held up.
describe("a suspended instance goes", function()
  local TASK <const> = '<extensionElements><o:taskListener event="delete" class="tidy"/></extensionElements>'
  local CONDITION <const> = '<conditionalEventDefinition><condition>${done == 1}</condition></conditionalEventDefinition>'
  local BODY <const> = '<startEvent id="s"/><userTask id="a">' .. TASK .. "</userTask>"

  --- Suspends the instance, in another life of the engine, and lets `leave` do what it does; what is left.
  local function goes(body, path, tidy, leave)
    return function(reopen)
      local engine = reopen()
      engine:register("tidy", tidy)
      local id = run(engine, body, path).id
      engine:instance(id):suspend()
      engine = reopen()
      engine:register("tidy", tidy)
      local refused = kind(leave or function(instance) instance:delete "enough" end, engine:instance(id), engine)
      local history = engine:history_instance(id)
      return { refused or "done", history.state, history.delete_reason, #engine:verify(), engine:count "tasks" }
    end
  end
  local GONE <const> = { "done", "terminated", "enough", 0, 0 }

  peers.survives("when a listener sets variables", goes(BODY, "s -> a", function(task)
    task:set("done", 1)
    task.execution:set_local("mine", 2)
    task.engine:instance(task.instance_id):set("more", 3)
  end), GONE)
  peers.survives("when a listener describes its task, and says who it is for", goes(BODY, "s -> a", function(task)
    task.engine:task(task.id):update { priority = 7, due = "2030-01-01T00:00:00Z" }
    task.engine:task(task.id):update { assignee = "ann", owner = "bob" }
    task.engine:task(task.id):assign "ann"
    task.engine:task(task.id):add_link("candidate", { group = "staff" })
  end), GONE)
  peers.survives("when what a listener sets is a condition that holds", goes(BODY
    .. '<boundaryEvent id="b" attachedToRef="a" cancelActivity="false">' .. CONDITION .. "</boundaryEvent>"
    .. '<subProcess id="es" triggeredByEvent="true"><startEvent id="es1">' .. CONDITION .. "</startEvent></subProcess>", "s -> a",
    function(task) task:set("done", 1) end), GONE)
  peers.survives("when a listener throws a signal that the instance hears", goes(BODY
    .. '<subProcess id="es" triggeredByEvent="true"><startEvent id="es1"><signalEventDefinition signalRef="sig"/></startEvent>'
    .. "</subProcess>", "s -> a", function(task) task.engine:signal "sig" end), GONE)
  peers.survives("in part, by a modification whose listeners set variables", goes(BODY
    .. '<parallelGateway id="f"/><userTask id="b"/>', "s -> f f -> a f -> b", function(task)
    task:set("done", 1)
    task.engine:instance(task.instance_id):set("more", 3)
  end, function(instance) instance:modify { { cancel = "a" } } end), { "done", "suspended", nil, 0, 1 })
end)

describe("an instance is deleted without its listeners", function()
  local EXECUTION <const> = '<extensionElements><o:executionListener event="end" class="%s"/></extensionElements>'
  local TASK <const> = '<extensionElements><o:taskListener event="delete" class="%s"/>'
    .. '<o:executionListener event="end" class="%s"/></extensionElements>'

  --- Deletes it, with its listeners and without them, in another life of the engine; what is left and what was heard.
  local function deletes(body, path, class)
    return function(reopen)
      local heard = 0
      local function ready()
        local engine = reopen()
        engine:register("fails", function()
          heard = heard + 1
          error "no end"
        end)
        return engine
      end
      local engine = ready()
      peers.deploy(engine, peers.process(body:gsub("%%s", class), path)
        .. peers.process((EXECUTION:gsub("%%s", class)) .. '<startEvent id="qs"/><userTask id="qa">' .. TASK:gsub("%%s", class)
          .. "</userTask>", "qs -> qa", "q"))
      local id = engine:start("p").id
      engine = ready()
      local refused = kind(function() engine:instance(id):delete "enough" end) ~= nil
      local before = heard
      engine:instance(id):delete("enough", { skip_listeners = true })
      local row = engine:history_instance(id)
      return { refused, heard - before, row.state, row.delete_reason, engine:count "instances", engine:count "tasks",
        #engine:verify(), engine:count("history_activities", { ended_at = orrery.null }) }
    end
  end
  local GONE <const> = { true, 0, "terminated", "enough", 0, 0, 0, 0 }

  for name, class in pairs { ["that fail"] = "fails", ["that are no more"] = "gone" } do
    peers.survives(name .. ": its own, its activities' and tasks'", deletes(EXECUTION .. '<startEvent id="s"/><userTask id="a">'
      .. TASK .. "</userTask>", "s -> a", class), GONE)
    peers.survives(name .. ": those of what it has called", deletes('<startEvent id="s"/><callActivity id="c" calledElement="q"/>',
      "s -> c", class), GONE)
  end

  peers.shows("alone: others of the same command hear what they should", function(engine)
    local heard = {}
    engine:register("hear", function(what) heard[#heard + 1] = what.activity_id or "process" end)
    run(engine, '<startEvent id="s"/><userTask id="a">' .. EXECUTION:gsub("%%s", "hear") .. "</userTask>", "s -> a")
    run(engine, '<startEvent id="s"/><userTask id="b">' .. EXECUTION:gsub("%%s", "hear") .. "</userTask>", "s -> b")
    engine:transaction(function()
      for _, task in ipairs(engine:tasks { key = "a" }) do
        engine:instance(task.instance_id):delete("enough", { skip_listeners = true })
      end
      engine:task({ key = "b" }):complete()
    end)
    return heard
  end, { "b" })

  it("and an unknown option is refused", function()
    local engine <close> = support.engine()
    support.user_task(engine)
    local pi = engine:start "p"
    support.refused("argument", pi.delete, pi, "enough", { skip_listener = true })
  end)
end)

describe("deleting an instance that has called others", function()
  local INNER <const> = [[<startEvent id="s"/><callActivity id="c" calledElement="inner"/>]]

  -- outer calls middle, which calls inner
  local function calls(options)
    local engine = support.engine(options)
    support.deploy(engine, [[<startEvent id="s"/><userTask id="u"/><endEvent id="e"/>]],
      "s -> u u -> e", { key = "inner" })
    support.deploy(engine, INNER .. '<endEvent id="e"/>', "s -> c c -> e", { key = "middle" })
    support.deploy(engine, INNER:gsub('"inner"', '"middle"'), "s -> c", { key = "outer" })
    local outer = engine:start "outer"
    local middle = engine:instance { parent_id = outer.id }
    return engine, outer, middle, engine:instance { parent_id = middle.id }
  end

  it("takes them along", function()
    local engine <close>, outer = calls()
    outer:delete()
    assert.same({}, engine:instances {})
  end)

  local function go_on(delete, options)
    local engine <close>, outer, middle, inner = calls(options)
    delete(engine, outer)
    assert.is_nil(engine:instance(outer.id))
    local now, below = engine:instance(middle.id), engine:instance(inner.id)
    assert.same({ middle.id }, { now.root_id, now.parent_id })
    assert.same({ middle.id, middle.id }, { below.root_id, below.parent_id })
    assert.equal(2, engine:count("instances", { root_id = middle.id }))
    assert.same({}, engine:verify())
    assert.is_nil(engine:history_instance(middle.id).parent_id)
    assert.equal(middle.id, engine:history_instance(inner.id).root_id)
    engine:task({}):complete()
    assert.same({}, engine:instances {})
    assert.same({ "terminated", "completed", "completed" },
      { engine:history_instance(outer.id).state,
      engine:history_instance(middle.id).state, engine:history_instance(inner.id).state })
    assert.same({}, engine:verify())
  end

  it("lets them go on where it is told to", function()
    go_on(function(_, outer) outer:delete("why", { keep_called = true }) end)
  end)

  it("lets them go on by a batch, too", function()
    go_on(function(engine, outer)
      engine:batch { action = "cancel", filter = { id = outer.id }, keep_called = true }
      engine:run_jobs()
    end)
  end)

  it("without history as well", function()
    local engine <close>, outer, middle = calls { history = "none" }
    outer:delete(nil, { keep_called = true })
    assert.equal(middle.id, engine:instance(middle.id).root_id)
    engine:task({}):complete()
    assert.same({}, engine:instances {})
    assert.same({}, engine:verify())
  end)
end)
