-- Races about variables, tasks and their links (reliability A6), each in all orders of the two commands' steps.
local race = require "spec.sim.race"
local every, process = race.every, race.process

local USER = process('<userTask id="u"/>', "s -> u")
local SUB = process('<subProcess id="sub"><startEvent id="s2"/><userTask id="u"/><sequenceFlow id="f" sourceRef="s2" targetRef="u"/>'
  .. '</subProcess><userTask id="v"/>', "s -> sub sub -> v")

local function set(scope, name, value, is_local)
  return { "set_variables", { scope = scope, variables = { [name] = value }, ["local"] = is_local } }
end
local function complete(engine, more)
  local arguments = { task = engine:only("tasks").id }
  for key, value in pairs(more or {}) do arguments[key] = value end
  return { "task_complete", arguments }
end
local function instance(engine) return engine:only("instances").id end
local function deletion(engine) return { "delete_instance", { instance = instance(engine) } } end

describe("Races of variables:", function()
  it("one variable made twice has the value of a writer that was told ok", function()
    every("two creations", USER, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      return set(instance(engine), "v", 1), set(instance(engine), "v", 2)
    end, function(engine, a, b, where)
      local value = engine:variable "v"
      assert.is_true(value == 1 and a or value == 2 and b, where)
    end)
  end)

  it("one variable updated twice", function()
    every("two updates", USER, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      engine:does(table.unpack(set(instance(engine), "v", 0)))
      return set(instance(engine), "v", 1), set(instance(engine), "v", 2)
    end, function(engine, a, b, where)
      local value = engine:variable "v"
      assert.is_true(value == 1 and a or value == 2 and b, where)
    end)
  end)

  it("its type changed twice", function()
    every("two types", USER, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      engine:does(table.unpack(set(instance(engine), "v", 0)))
      return set(instance(engine), "v", "text"), set(instance(engine), "v", { 1, 2 })
    end, function(engine, a, b, where)
      local value = engine:variable "v"
      assert.is_true(value == "text" and a or type(value) == "table" and #value == 2 and b, where)
    end)
  end)

  it("changed and removed", function()
    every("update and removal", USER, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      engine:does(table.unpack(set(instance(engine), "v", 0)))
      return set(instance(engine), "v", 1), { "remove_variable", { scope = instance(engine), name = "v" } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      local value = engine:variable "v"
      assert.is_true(value == 1 and a or value == nil and b, where)
    end)
  end)

  -- The row of history of a new variable takes a number of its instance, so the later of two is told of a conflict.
  it("two new variables set at once", function()
    local answers = { "conflict ok", "ok conflict", "ok ok" }
    every("two names", USER, answers, function(engine)
      engine:does(table.unpack(set(instance(engine), "other", 0)))
      return set(instance(engine), "v", 1), set(instance(engine), "w", 2)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.same({ a and 1 or nil, b and 2 or nil }, { engine:variable "v", engine:variable "w" }, where)
      if not engine.history then assert.is_true(a and b, where) end
    end)
  end)

  it("two variables changed at once are both there", function()
    every("two changes of two names", USER, { "ok ok" }, function(engine)
      engine:does(table.unpack(set(instance(engine), "v", 0)))
      engine:does(table.unpack(set(instance(engine), "w", 0)))
      return set(instance(engine), "v", 1), set(instance(engine), "w", 2)
    end, function(engine, _, _, where)
      assert.same({ 1, 2 }, { engine:variable "v", engine:variable "w" }, where)
    end)
  end)

  -- With and without another variable beside it: the first one of a scope marks the scope's record, later ones need not.
  for _, first in ipairs { true, false } do
    local function before(engine, scope, is_local)
      if not first then engine:does(table.unpack(set(scope, "other", 0, is_local))) end
    end
    local which = first and "the first variable of its scope" or "one more variable"

    it(which .. " and the end of the instance", function()
      every("creation and completion", USER, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
        before(engine, instance(engine))
        return set(instance(engine), "v", 1), complete(engine)
      end, function(engine, a, b, where)
        assert.is_true(a or b, where)
        assert.equal(b and 0 or 1, engine:count "instances", where)
        if engine.history then assert.equal(a and 1 or nil, engine:variable "v", where) end
      end)
    end)

    it(which .. " and the deletion of the instance", function()
      every("creation and deletion", USER, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
        before(engine, instance(engine))
        return set(instance(engine), "v", 1), deletion(engine)
      end, function(engine, a, b, where)
        assert.is_true(a or b, where)
        assert.equal(b and 0 or 1, engine:count "instances", where)
      end)
    end)

    it(which .. " and the end of a sub-process", function()
      every("creation in a sub-process", SUB, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
        local scope = engine:list("executions", { activity_id = "sub" })[1].id
        before(engine, scope, true)
        return set(scope, "v", 1, true), complete(engine)
      end, function(engine, a, b, where)
        assert.is_true(a or b, where)
        assert.equal(b and "v" or "u", engine:tasks(), where)
        if b then engine:call("task_complete", { task = engine:only("tasks").id }) end -- all goes with the instance
      end)
    end)

    it(which .. " of a task and its completion", function()
      every("a task's variable", USER, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
        local task = engine:only("tasks").id
        before(engine, task, true)
        return set(task, "v", 1, true), complete(engine)
      end, function(engine, a, b, where)
        assert.is_true(a or b, where)
        assert.equal(b and 0 or 1, engine:count "instances", where)
      end)
    end)
  end

  it("a value updated and its instance deleted", function()
    every("update and deletion", USER, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      engine:does(table.unpack(set(instance(engine), "v", ("x"):rep(10000))))
      return set(instance(engine), "v", ("y"):rep(10000)), deletion(engine)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b and 0 or 1, engine:count "instances", where)
    end)
  end)

  it("a variable that makes a condition true, and the token that comes to wait for it", function()
    local model = process([[<userTask id="u"/><intermediateCatchEvent id="c"><conditionalEventDefinition>
      <condition>${x}</condition></conditionalEventDefinition></intermediateCatchEvent><userTask id="v"/>]], "s -> u u -> c c -> v")
    every("condition", model, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      engine:does(table.unpack(set(instance(engine), "x", false)))
      return set(instance(engine), "x", true), complete(engine)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and b and "v" or b and "" or "u", engine:tasks(), where)
    end)
  end)
end)

describe("Races of tasks:", function()
  it("completed twice", function()
    every("two completions", USER, { "conflict ok", "not_found ok", "ok conflict", "ok not_found" }, function(engine)
      return complete(engine), complete(engine)
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.equal(0, engine:count "instances", where)
    end)
  end)

  it("claimed by two users", function()
    every("two claims", USER, { "conflict ok", "ok conflict", "ok state", "state ok" }, function(engine)
      local id = engine:only("tasks").id
      return { "task_claim", { task = id, user = "ann" } }, { "task_claim", { task = id, user = "bob" } }
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.equal(a and "ann" or "bob", engine:only("tasks").assignee, where)
    end)
  end)

  it("completed while its instance is deleted", function()
    every("completion and deletion", USER, { "conflict ok", "not_found ok", "ok conflict", "ok not_found" }, function(engine)
      return complete(engine), deletion(engine)
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.equal(0, engine:count "instances", where)
      if engine.history then assert.equal(a and "completed" or "terminated", engine:only("history_instances").state, where) end
    end)
  end)

  it("completed while the instance is suspended", function()
    local two = process('<userTask id="u"/><userTask id="v"/>', "s -> u u -> v")
    every("completion and suspension", two, { "conflict ok", "ok conflict", "ok ok", "suspended ok" }, function(engine)
      return complete(engine), { "suspend_instance", { instance = instance(engine), suspended = true } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.same({ a and "v" or "u", b, b },
        { engine:tasks(), engine:only("instances").suspended, engine:only("tasks").suspended }, where)
    end)
  end)

  it("given a candidate, and completed", function()
    every("link and completion", USER, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      local id = engine:only("tasks").id
      return { "task_add_link", { task = id, type = "candidate", user = "ann" } }, complete(engine)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b and 0 or 1, engine:count "tasks", where)
      if not b then assert.equal(1, #engine:call("task_links", { task = engine:only("tasks").id }), where) end
    end)
  end)

  it("loses a candidate, and is completed", function()
    every("unlinking and completion", USER, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      local id = engine:only("tasks").id
      engine:call("task_add_link", { task = id, type = "candidate", user = "ann" })
      return { "task_remove_link", { task = id, type = "candidate", user = "ann" } }, complete(engine)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b and 0 or 1, engine:count "tasks", where)
    end)
  end)

  it("changed by two at once", function()
    every("two changes", USER, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      local id = engine:only("tasks").id
      return { "task_update", { task = id, changes = { priority = 7 } } }, { "task_update", { task = id, changes = { owner = "ann" } } }
    end, function(engine, a, b, where)
      local task = engine:only "tasks"
      assert.is_true(a or b, where)
      assert.same({ a and 7 or 50, b and "ann" or nil }, { task.priority, task.owner }, where)
    end)
  end)

  it("completed while it raises an error", function()
    local model = process([[<userTask id="u"/><boundaryEvent id="x" attachedToRef="u"><errorEventDefinition/></boundaryEvent>
      <userTask id="v"/><userTask id="w"/>]], "s -> u u -> v x -> w")
    every("completion and error", model, { "conflict ok", "not_found ok", "ok conflict", "ok not_found" }, function(engine)
      return complete(engine), { "task_bpmn_error", { task = engine:only("tasks").id, code = "E" } }
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.equal(a and "v" or "w", engine:tasks(), where)
    end)
  end)
end)
