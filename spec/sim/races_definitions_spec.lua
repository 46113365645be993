-- Races about deployments and definitions (reliability A6), each in all orders of the two commands' steps. What Camunda leaves behind as
-- orphans that the next deployment heals must not come to be.
local race = require "spec.sim.race"
local every, process = race.every, race.process

local USER = process('<userTask id="u"/>', "s -> u")
local CHANGED = process('<userTask id="u2"/>', "s -> u2")

local function deploy(xml, options)
  local arguments = { resources = { ["p.bpmn"] = xml } }
  for key, value in pairs(options or {}) do arguments[key] = value end
  return { "deploy", arguments }
end
local function delete(definition, cascade) return { "delete_definition", { definition = definition.id, cascade = cascade } } end
local function start(more)
  local arguments = { key = "p" }
  for key, value in pairs(more or {}) do arguments[key] = value end
  return { "start", arguments }
end

-- Definitions of the key "p", oldest first.
local function versions(engine) return engine:list("definitions", { key = "p", order_by = "version" }) end

local function latest(engine)
  local list = engine:list("definitions", { key = "p", latest = true })
  assert.is_true(#list <= 1)
  return list[1]
end

describe("Races of deployments:", function()
  it("two versions of one key get different numbers", function()
    every("two deployments", nil, { "conflict ok", "ok conflict", "ok ok" }, function()
      return deploy(USER), deploy(CHANGED)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      local list = versions(engine)
      for i, d in ipairs(list) do assert.equal(i, d.version, where) end
      assert.same({ (a and 1 or 0) + (b and 1 or 0), list[#list].id }, { #list, latest(engine).id }, where)
    end)
  end)

  it("with a duplicate filter there is one deployment", function()
    every("two filtered deployments", nil, { "conflict ok", "ok conflict", "ok ok" }, function()
      local filtered = { name = "n", filter_duplicates = "true" }
      return deploy(USER, filtered), deploy(USER, filtered)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.same({ 1, 1 }, { engine:count "deployments", engine:count "definitions" }, where)
    end)
  end)

  it("a message starts one process only", function()
    local function started(key) return process('<startEvent id="s"><messageEventDefinition messageRef="m"/></startEvent>', "", key) end
    every("one start message", nil, { "conflict ok", "deployment ok", "ok conflict", "ok deployment" }, function()
      return deploy(started "p"), deploy(started "q")
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.equal(1, engine:count "subscriptions", where)
    end)
  end)

  it("a start meanwhile is of the older version or the newer one", function()
    every("deployment and start", USER, { "ok ok" }, function()
      return deploy(CHANGED), start()
    end, function(engine, a, b, where)
      assert.is_true(a and b, where)
      assert.is_true(engine:tasks() == "u u" or engine:tasks() == "u u2", where)
    end)
  end)
end)

describe("Races of definitions that go:", function()
  it("a start finds its definition, or there is no instance", function()
    every("deletion and start", nil, { "conflict ok", "ok conflict", "ok not_found", "state ok" }, function(engine)
      engine:deploy(USER)
      return delete(latest(engine)), start()
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.same({ a and 0 or 1, b and 1 or 0 }, { engine:count "definitions", engine:count "instances" }, where)
    end)
  end)

  it("a deletion with its instances takes those that start meanwhile, or they are not", function()
    every("cascade and start", USER, { "conflict ok", "ok conflict", "ok not_found", "ok ok" }, function(engine)
      return delete(latest(engine), true), start()
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.same({ a and 0 or 1, a and 0 or 2 }, { engine:count "definitions", engine:count "instances" }, where)
    end)
  end)

  it("undeploying, and a start", function()
    every("undeploying and start", nil, { "conflict ok", "ok conflict", "ok not_found", "state ok" }, function(engine)
      return { "undeploy", { deployment = engine:deploy(USER).id } }, start()
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.same({ a and 0 or 1, b and 1 or 0 }, { engine:count "deployments", engine:count "instances" }, where)
    end)
  end)

  it("a call of a definition that goes", function()
    local caller = process('<userTask id="u"/><callActivity id="c" calledElement="q"/>', "s -> u u -> c", "caller")
    every("deletion and call", nil, { "conflict ok", "ok conflict", "ok not_found", "state ok" }, function(engine)
      engine:deploy(process('<userTask id="v"/>', "s -> v", "q"))
      local called = engine:only "definitions"
      engine:deploy(caller)
      engine:call("start", { key = "caller" })
      return delete(called), { "task_complete", { task = engine:only("tasks").id } }
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.equal(b and "v" or "u", engine:tasks(), where)
    end)
  end)

  it("a message that is to start it by a job", function()
    local model = process('<startEvent id="s"><messageEventDefinition messageRef="m"/></startEvent><userTask id="u"/>', "s -> u")
    every("deletion and message", nil, { "conflict ok", "ok conflict", "ok correlation", "ok ok" }, function(engine)
      engine:deploy(model)
      return delete(latest(engine)), { "message", { name = "order", async = true } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      engine:run_jobs()
      assert.equal(a and 0 or 1, engine:count "instances", where)
      assert.equal(0, engine:count "jobs", where)
    end)
  end)

  it("a migration to it", function()
    every("deletion and migration", USER, { "conflict ok", "ok conflict", "ok not_found", "state ok" }, function(engine)
      engine:deploy(process('<userTask id="u"/><userTask id="more"/>', "s -> u u -> more"))
      local list = versions(engine)
      return delete(list[2]), { "migrate", { source = list[1].id, target = list[2].id, instances = { engine:only("instances").id } } }
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.same({ b and 2 or 1, engine:only("instances").definition_id }, { #versions(engine), latest(engine).id }, where)
    end)
  end)

  -- Two versions, each of which begins by the same event; while both go, nothing of theirs stays behind.
  local starts = {
    message = '<startEvent id="s"><messageEventDefinition messageRef="m"/></startEvent>',
    signal = '<startEvent id="s"><signalEventDefinition signalRef="sig"/></startEvent>',
    timer = '<startEvent id="s"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></startEvent>',
    condition = '<startEvent id="s"><conditionalEventDefinition><condition>${x}</condition></conditionalEventDefinition></startEvent>',
  }
  local function listening(engine) return engine:count "subscriptions" + engine:count "jobs" end

  for event, element in pairs(starts) do
    local function deployed(engine, count)
      for i = 1, count do engine:deploy(process(element .. ('<userTask id="u%d"/>'):format(i), "s -> u" .. i)) end
      return versions(engine)
    end

    it("both versions that begin by a " .. event, function()
      every("two deletions", nil, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
        local list = deployed(engine, 2)
        return delete(list[1]), delete(list[2])
      end, function(engine, a, b, where)
        assert.is_true(a or b, where)
        assert.equal(a and b and 0 or 1, engine:count "definitions", where)
        assert.equal(engine:count "definitions", listening(engine), where)
      end)
    end)

    it("two versions above one that stays and begins by a " .. event, function()
      every("two deletions above a third", nil, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
        local list = deployed(engine, 3)
        return delete(list[2]), delete(list[3])
      end, function(engine, a, b, where)
        assert.is_true(a or b, where)
        assert.equal(1, listening(engine), where)
        local heard = engine:list("subscriptions")[1]
        if heard then assert.equal(latest(engine).id, heard.definition_id, where) end
      end)
    end)

    it("the latest version, and a newer one, that begin by a " .. event, function()
      every("deletion and deployment", nil, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
        local list = deployed(engine, 2)
        return delete(list[2]), deploy(process(element .. '<userTask id="u3"/>', "s -> u3"))
      end, function(engine, a, b, where)
        assert.is_true(a or b, where)
        assert.equal(1, listening(engine), where)
        local heard = engine:list("subscriptions")[1]
        if heard then assert.equal(latest(engine).id, heard.definition_id, where) end
      end)
    end)
  end

  it("an earlier version comes back for a message that another process begins by now", function()
    every("restoring and deployment", nil, { "conflict ok", "ok conflict", "ok deployment", "ok ok" }, function(engine)
      engine:deploy(process(starts.message .. '<userTask id="u"/>', "s -> u"))
      engine:deploy(USER)
      return delete(versions(engine)[2]), deploy(process(starts.message .. '<userTask id="u"/>', "s -> u", "q"))
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.is_true(engine:count "subscriptions" <= 1, where)
    end)
  end)
end)

describe("Races of definitions that are suspended:", function()
  local function suspend(instances) return { "suspend_definition", { key = "p", instances = instances, suspended = true } } end

  it("a start is refused, or comes before", function()
    every("suspension and start", nil, { "ok conflict", "ok ok", "ok suspended" }, function(engine)
      engine:deploy(USER)
      return suspend(), start()
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.same({ a, b and 1 or 0 }, { engine:only("definitions").suspended, engine:count "instances" }, where)
    end)
  end)

  it("with its instances: none stays active", function()
    every("suspension of instances and start", USER, { "conflict ok", "ok conflict", "ok ok", "ok suspended" }, function()
      return suspend(true), start()
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b and 2 or 1, engine:count "instances", where)
      if not a then return end
      assert.equal(0, engine:count("instances", { suspended = false }), where)
      assert.equal(0, engine:count("tasks", { suspended = false }), where)
    end)
  end)

  it("a start by a job leaves a suspended job, or none", function()
    every("suspension of instances and a start by a job", nil, { "conflict ok", "ok conflict", "ok ok", "ok suspended" }, function(engine)
      engine:deploy(USER)
      return suspend(true), start { async = true }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      for _, job in ipairs(engine:list "jobs") do assert.equal(a, job.suspended, where) end
      engine:run_jobs()
      assert.equal(a and "" or "u", engine:tasks(), where)
    end)
  end)

  it("an instance that goes on makes suspended tasks, or none", function()
    local two = process('<userTask id="u"/><userTask id="v"/>', "s -> u u -> v")
    every("suspension and completion", two, { "conflict ok", "ok conflict", "ok ok", "ok suspended" }, function(engine)
      return suspend(true), { "task_complete", { task = engine:only("tasks").id } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b and "v" or "u", engine:tasks(), where)
      assert.equal(a, engine:only("tasks").suspended, where)
    end)
  end)

  it("activating and suspending: the last one told ok stands", function()
    every("suspension and activation", USER, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      engine:call("suspend_definition", { key = "p", suspended = true, instances = true })
      return { "suspend_definition", { key = "p", suspended = false, instances = true } },
        { "suspend_instance", { instance = engine:only("instances").id, suspended = false } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.is_false(engine:only("instances").suspended, where)
      assert.equal(not a, engine:only("definitions").suspended, where)
      assert.is_false(engine:only("tasks").suspended, where)
    end)
  end)
end)
