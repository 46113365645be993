-- What is done with a file of many processes, and with the instances of all of them, costs as much
-- as there is: with twice as many about twice the work. A build that counts its work
-- (spec/counted/) holds the one against the other; the others only do it once.
local folder = require "spec.support.folder"
local orrery = require "orrery"
local counted = require "orrery_inside".work.count

local FEW <const> = 150
local DEARER_MAX <const> = 2.15 -- twice as many cost 1.94 to 2.03 times as much

local HEAD <const> = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:o="urn:orrery:bpmn" targetNamespace="limit">
  <signal id="sg" name="sg"/>]]
--- Each process may be started by hand, by its message and by a signal; or by its timer.
local BY_HAND <const> = [[<startEvent id="s#"/>
  <sequenceFlow id="fs#" sourceRef="s#" targetRef="t#"/>]]
local BY_EVENTS <const> = BY_HAND .. [[
  <startEvent id="m#"><messageEventDefinition messageRef="msg#"/></startEvent>
  <startEvent id="g#"><signalEventDefinition signalRef="sg"/></startEvent>
  <sequenceFlow id="fm#" sourceRef="m#" targetRef="t#"/>
  <sequenceFlow id="fg#" sourceRef="g#" targetRef="t#"/>]]
local BY_TIMER <const> = [[<startEvent id="s#"><timerEventDefinition>
  <timeCycle>R/PT1H</timeCycle></timerEventDefinition></startEvent>
  <sequenceFlow id="fs#" sourceRef="s#" targetRef="t#"/>]]
local TASK <const> = '<userTask id="t#"/>'
local JOB <const> = '<serviceTask id="t#" o:asyncBefore="true" o:class="c"/>'
local TIMER <const> = [[<intermediateCatchEvent id="t#"><timerEventDefinition>
  <timeDuration>PT1H</timeDuration></timerEventDefinition></intermediateCatchEvent>]]

--- A file of so many processes.
local function file(start, waits, n)
  local unit = '<message id="msg#" name="msg#"/><process id="p#" isExecutable="true">' .. start
    .. waits .. "</process>"
  local parts = { HEAD }
  for i = 1, n do parts[#parts + 1] = unit:gsub("#", i) end
  return { ["p.bpmn"] = table.concat(parts) .. "</definitions>" }
end

local function open(path, history)
  local engine = orrery.open(path,
    { log = "none", durability = "none", clock = "manual", history = history })
  engine:register("c", function() end)
  return engine
end

--- The work of `act`. `prepare(n)` answers with an engine, `act`, and what is looked at then.
local function work(prepare, n)
  local engine, act, look = prepare(n)
  local began = counted()
  act()
  local done = began and counted() - began
  if look then look() end
  engine:close()
  return done
end

local function assert_grows_with_number(prepare)
  local few = work(prepare, FEW)
  if not few then return end
  local many = work(prepare, 2 * FEW)
  assert(many < DEARER_MAX * few, ("%d for %d, and %d for twice as many"):format(few, FEW, many))
end

--- An engine with so many versions of a file, and the versions.
local function deployed(n, versions, start, waits, history)
  local engine, made = open(nil, history), {}
  for i = 1, versions do made[i] = engine:deploy(file(start, waits, n)) end
  return engine, table.unpack(made)
end

local function start_each(engine, n)
  for i = 1, n do engine:start("p" .. i) end
end

local function each(deployment, f)
  for _, definition in ipairs(deployment.definitions) do f(definition) end
end

local function left(engine, verb, n)
  return function() assert.equal(n, engine:count(verb)) end
end

describe("A file of many processes, at linear cost,", function()
  for name, start in pairs { ["by messages and signals"] = BY_EVENTS, ["by timers"] = BY_TIMER } do
    it("is deployed again, started " .. name, function()
      assert_grows_with_number(function(n)
        local engine = deployed(n, 1, start, TASK, "full")
        return engine, function() engine:deploy(file(start, TASK, n)) end,
          left(engine, "definitions", 2 * n)
      end)
    end)

    it("is undeployed, and the version before comes back, started " .. name, function()
      assert_grows_with_number(function(n)
        local engine, _, newer = deployed(n, 2, start, TASK, "full")
        local verb, again = "subscriptions", 2 * n
        if start == BY_TIMER then verb, again = "jobs", n end
        return engine, function() engine:undeploy(newer.id) end, left(engine, verb, again)
      end)
    end)
  end

  it("is listed, with its job definitions, counted by its instances, and verified", function()
    assert_grows_with_number(function(n)
      local engine = deployed(n, 2, BY_HAND, JOB)
      start_each(engine, n)
      return engine, function()
        assert.equal(2 * n, #engine:definitions {})
        assert.equal(2 * n, #engine:job_definitions {})
        assert.equal(2 * n, #engine:statistics {})
        assert.same({}, engine:verify())
      end
    end)
  end)
end)

describe("Each definition of a file, with an instance, at linear cost,", function()
  for name, waits in pairs { ["a task"] = TASK, ["a job"] = JOB, ["a timer"] = TIMER } do
    it("is deleted with the file, while it waits for " .. name, function()
      assert_grows_with_number(function(n)
        local engine, deployment = deployed(n, 1, BY_TIMER, waits, "full")
        start_each(engine, n)
        return engine, function()
          engine:as("somebody", function() engine:undeploy(deployment.id, { cascade = true }) end)
        end, left(engine, "history_instances", 0)
      end)
    end)

    it("is suspended and activated, while it waits for " .. name, function()
      assert_grows_with_number(function(n)
        local engine, deployment = deployed(n, 1, BY_HAND, waits)
        start_each(engine, n)
        return engine, function()
          each(deployment, function(d) engine:suspend_definition(d.id, { instances = true }) end)
          assert.equal(n, engine:count("instances", { suspended = true }))
          each(deployment, function(d) engine:activate_definition(d.id, { instances = true }) end)
          engine:suspend_instances { suspended = false }
          engine:activate_instances { suspended = true }
          assert.equal(n, engine:count("instances", { suspended = false }))
        end
      end)
    end)
  end

  it("is deleted with its history, one by one", function()
    assert_grows_with_number(function(n)
      local engine, deployment = deployed(n, 1, BY_HAND, TASK)
      start_each(engine, n)
      return engine, function()
        each(deployment, function(d) engine:delete_definition(d.id, { cascade = true }) end)
      end, left(engine, "history_instances", 0)
    end)
  end)

  it("is restarted when it has ended", function()
    assert_grows_with_number(function(n)
      local engine, deployment = deployed(n, 1, BY_HAND, TASK)
      start_each(engine, n)
      for _, instance in ipairs(engine:instances {}) do instance:delete() end
      return engine, function()
        each(deployment, function(d)
          engine:restart(d.id, { filter = { definition_id = d.id } })
        end)
      end, left(engine, "instances", n)
    end)
  end)

  it("is given a priority, with its jobs", function()
    assert_grows_with_number(function(n)
      local engine = deployed(n, 1, BY_HAND, JOB)
      start_each(engine, n)
      return engine, function()
        for _, of in ipairs(engine:job_definitions {}) do of:set_priority(7, { cascade = true }) end
        assert.equal(n, engine:count("jobs", { priority = 7 }))
      end
    end)
  end)
end)

describe("Each definition of a file that is not in memory, at linear cost,", function()
  local function plan(engine, from, to, i)
    return engine:migration_plan(from.definitions[i].id, to.definitions[i].id, { map_equal = true })
  end

  local stores = {}
  after_each(function()
    while #stores > 0 do folder.remove(table.remove(stores)) end
  end)

  --- So many instances of the older of two versions, in a store that was opened again.
  local function opened_again(n)
    local path = folder.make()
    stores[#stores + 1] = path
    local before, older, newer = open(path), nil, nil
    older = before:deploy(file(BY_HAND, TASK, n))
    start_each(before, n)
    newer = before:deploy(file(BY_HAND, TASK, n))
    before:close()
    return open(path), older, newer
  end

  it("is started", function()
    assert_grows_with_number(function(n)
      local engine = opened_again(n)
      return engine, function() start_each(engine, n) end, left(engine, "instances", 2 * n)
    end)
  end)

  local function moved(engine, newer, n)
    return function() assert.equal(n, engine:count("instances", { deployment_id = newer.id })) end
  end

  it("has its instance migrated, by a plan of its own", function()
    assert_grows_with_number(function(n)
      local engine, older, newer = opened_again(n)
      return engine, function()
        for i = 1, n do
          local filter = { definition_id = older.definitions[i].id }
          plan(engine, older, newer, i):execute { filter = filter }
        end
      end, moved(engine, newer, n)
    end)
  end)

  it("has its instance migrated by a batch of its own", function()
    assert_grows_with_number(function(n)
      local engine, older, newer = opened_again(n)
      return engine, function()
        for i = 1, n do
          engine:batch { action = "migrate", plan = plan(engine, older, newer, i),
            filter = { definition_id = older.definitions[i].id } }
        end
        engine:run_jobs()
      end, moved(engine, newer, n)
    end)
  end)

  it("is deleted, with its instance or when that is gone", function()
    assert_grows_with_number(function(n)
      local engine, older, newer = opened_again(n)
      return engine, function()
        engine:undeploy(older.id, { cascade = true })
        engine:undeploy(newer.id)
      end, left(engine, "definitions", 0)
    end)
  end)
end)

describe("Many instances of one definition, at linear cost,", function()
  local function started(n, waits)
    local engine, older, newer = deployed(1, 2, BY_HAND, waits)
    for _ = 1, n do engine:start_by_id(older.definitions[1].id) end
    return engine, older.definitions[1], newer.definitions[1], older
  end

  for name, waits in pairs { ["a task"] = TASK, ["a job"] = JOB, ["a timer"] = TIMER } do
    it("are migrated together, while they wait for " .. name, function()
      assert_grows_with_number(function(n)
        local engine, from, to = started(n, waits)
        return engine, function()
          engine:migration_plan(from.id, to.id, { map_equal = true })
            :execute { filter = { definition_id = from.id } }
          assert.equal(n, engine:count("instances", { definition_id = to.id }))
        end
      end)
    end)

    it("are suspended and activated together, while they wait for " .. name, function()
      assert_grows_with_number(function(n)
        local engine, from = started(n, waits)
        return engine, function()
          engine:suspend_definition(from.id, { instances = true })
          engine:activate_definition(from.id, { instances = true })
          assert.equal(n, engine:count("instances", { suspended = false }))
        end
      end)
    end)

    it("are deleted with it, while they wait for " .. name, function()
      assert_grows_with_number(function(n)
        local engine, _, _, deployment = started(n, waits)
        return engine, function() engine:undeploy(deployment.id, { cascade = true }) end,
          left(engine, "history_instances", 0)
      end)
    end)
  end

  it("are restarted together when they have ended", function()
    assert_grows_with_number(function(n)
      local engine, from = started(n, TASK)
      for _, instance in ipairs(engine:instances {}) do instance:delete() end
      return engine, function()
        engine:restart(from.id, { filter = { definition_id = from.id } })
      end, left(engine, "instances", n)
    end)
  end)
end)
