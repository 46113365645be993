-- Races about tokens and scopes (reliability A6), each in all orders of the two commands' steps.
local race = require "spec.sim.race"
local every, process = race.every, race.process

local function complete(engine, key)
  for _, task in ipairs(engine:list "tasks") do
    if task.key == key then return { "task_complete", { task = task.id } } end
  end
end
local function trigger(engine, activity)
  for _, e in ipairs(engine:list "executions") do
    if e.activity_id == activity then return { "trigger", { execution = e.id } } end
  end
end
local function instance(engine) return engine:only("instances").id end
local function deletion(engine) return { "delete_instance", { instance = instance(engine) } } end
local function modify(engine, ...) return { "modify", { instance = instance(engine), instructions = { ... } } } end

local function both(first, second)
  return function(engine) return complete(engine, first), complete(engine, second) end
end

local TWO = process('<parallelGateway id="fork"/><userTask id="a"/><userTask id="b"/><parallelGateway id="join"/><userTask id="u"/>',
  "s -> fork fork -> a fork -> b a -> join b -> join join -> u")
local ONE = process('<userTask id="a"/><userTask id="u"/><userTask id="v"/>', "s -> a a -> u")
local ALONE = process('<userTask id="a"/><userTask id="v"/>', "s -> a")

describe("Races of tokens:", function()
  it("the last two that reach a join open it once, and not without both", function()
    every("join", TWO, { "conflict ok", "ok conflict", "ok ok" }, both("a", "b"), function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and b and "u" or a and "b" or "a", engine:tasks(), where)
    end)
  end)

  it("the last two that reach an inclusive join open it once, and not without both", function()
    local model = TWO:gsub("parallelGateway", "inclusiveGateway")
    every("inclusive join", model, { "conflict ok", "ok conflict", "ok ok" }, both("a", "b"), function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and b and "u" or a and "b" or "a", engine:tasks(), where)
    end)
  end)

  it("one comes to wait at an inclusive join while the other takes a way around it", function()
    local model = process([[<parallelGateway id="fork"/><receiveTask id="a"/><receiveTask id="b"/><receiveTask id="c"/><userTask id="u"/>
      <exclusiveGateway id="x" default="x-c"/><inclusiveGateway id="join"/>
      <sequenceFlow id="way" sourceRef="x" targetRef="join"><conditionExpression>${yes}</conditionExpression></sequenceFlow>]],
      "s -> fork fork -> a fork -> b a -> join b -> x x -> c join -> u")
    every("way around", model, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      engine:call("set_variables", { scope = instance(engine), variables = { yes = false } })
      return trigger(engine, "a"), trigger(engine, "b")
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and b and "u" or "", engine:tasks(), where)
    end)
  end)

  it("the last two end: the instance ends with the second", function()
    local model = process('<parallelGateway id="fork"/><userTask id="a"/><userTask id="b"/><endEvent id="e"/>',
      "s -> fork fork -> a fork -> b a -> e b -> e")
    every("end", model, { "conflict ok", "ok conflict", "ok ok" }, both("a", "b"), function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and b and 0 or 1, engine:count "instances", where)
    end)
  end)

  it("the last two of a sub-process end it once", function()
    local model = process([[<subProcess id="sub"><startEvent id="s2"/><parallelGateway id="fork"/><userTask id="a"/><userTask id="b"/>
      <sequenceFlow id="f1" sourceRef="s2" targetRef="fork"/><sequenceFlow id="f2" sourceRef="fork" targetRef="a"/>
      <sequenceFlow id="f3" sourceRef="fork" targetRef="b"/></subProcess><userTask id="u"/>]], "s -> sub sub -> u")
    every("sub-process", model, { "conflict ok", "ok conflict", "ok ok" }, both("a", "b"), function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and b and "u" or a and "b" or "a", engine:tasks(), where)
    end)
  end)

  it("the last two instances of a parallel multi-instance complete it once", function()
    local model = process([[<userTask id="a"><multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality>
      </multiInstanceLoopCharacteristics></userTask><userTask id="u"/>]], "s -> a a -> u")
    every("multi-instance", model, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      local tasks = engine:list "tasks"
      return { "task_complete", { task = tasks[1].id } }, { "task_complete", { task = tasks[2].id } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and b and "u" or "a", engine:tasks(), where)
    end)
  end)

  it("an end listener counts once, however often it ran", function()
    local model = process([[<userTask id="a"><extensionElements><camunda:executionListener class="work" event="end"/></extensionElements>
      </userTask><userTask id="u"/>]], "s -> a a -> u")
    local answers = { "conflict ok", "not_found ok", "ok conflict", "ok not_found" }
    every("end listener", model, answers, both("a", "a"), function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.same({ 1, "u" }, { engine:variable "n", engine:tasks() }, where)
      assert.is_true(engine:runs() <= 2, where)
    end)
  end)

  it("an end listener of one path, while the other side is rolled back", function()
    local listener = '<extensionElements><camunda:executionListener class="work" event="end"/></extensionElements>'
    local model = TWO:gsub('<userTask id="([ab])"/>', '<userTask id="%1">' .. listener .. "</userTask>")
    every("end listeners", model, { "conflict ok", "ok conflict", "ok ok" }, both("a", "b"), function(engine, a, b, where)
      assert.is_true(a or b, where)
      local winner = not (a and b)
      assert.same({ winner and 1 or 2, winner and (a and "b" or "a") or "u" }, { engine:variable "n", engine:tasks() }, where)
      if winner then engine:does(table.unpack(complete(engine, a and "b" or "a"))) end
      assert.same({ 2, "u" }, { engine:variable "n", engine:tasks() }, where)
    end)
  end)

  it("a called instance ends while its caller is deleted", function()
    every("call and deletion", nil, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      engine:deploy(process('<userTask id="a"/>', "s -> a", "q"))
      engine:deploy(process('<callActivity id="c" calledElement="q"/><userTask id="u"/>', "s -> c c -> u"))
      local caller = engine:call("start", { key = "p" })[1].id
      return complete(engine, "a"), { "delete_instance", { instance = caller } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.same({ b and 0 or 1, b and "" or "u" }, { engine:count "instances", engine:tasks() }, where)
    end)
  end)

  it("a called instance ends while its caller is suspended", function()
    every("call and suspension", nil, { "conflict ok", "ok conflict", "ok ok", "suspended ok" }, function(engine)
      engine:deploy(process('<userTask id="a"/>', "s -> a", "q"))
      engine:deploy(process('<callActivity id="c" calledElement="q"/><userTask id="u"/>', "s -> c c -> u"))
      local caller = engine:call("start", { key = "p" })[1].id
      return complete(engine, "a"), { "suspend_instance", { instance = caller, suspended = true } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and "u" or "a", engine:tasks(), where)
      if a then assert.equal(b, engine:only("tasks").suspended, where) end
    end)
  end)
end)

describe("Races of a modification:", function()
  it("and the completion of what it cancels: one token goes on", function()
    every("modification and completion", ONE, { "conflict ok", "ok conflict", "ok not_found", "ok ok" }, function(engine)
      return modify(engine, { cancel = "a" }, { start_before = "v" }), complete(engine, "a")
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      -- what is canceled may have gone before; then the start is all that the modification does
      assert.equal(a and b and "u v" or a and "v" or "u", engine:tasks(), where)
    end)
  end)

  it("and the end of the instance", function()
    every("modification and end", ALONE, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      return modify(engine, { start_before = "v" }), complete(engine, "a")
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and b and "v" or a and "a v" or "", engine:tasks(), where)
      assert.equal(a and 1 or 0, engine:count "instances", where)
    end)
  end)

  it("and the trigger of a receive task", function()
    local model = process('<receiveTask id="r"/><userTask id="u"/><userTask id="v"/>', "s -> r r -> u")
    every("modification and trigger", model, { "conflict ok", "ok conflict", "ok not_found", "ok ok" }, function(engine)
      return modify(engine, { cancel = "r" }, { start_before = "v" }), trigger(engine, "r")
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and b and "u v" or a and "v" or "u", engine:tasks(), where)
    end)
  end)

  it("of siblings in three: each is canceled once", function()
    local model = process([[<userTask id="a"><multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality>
      </multiInstanceLoopCharacteristics></userTask><userTask id="u"/>]], "s -> a a -> u")
    every("canceled siblings", model, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      local tasks = engine:list "tasks"
      return modify(engine, { cancel_instance = tasks[1].execution_id }), modify(engine, { cancel_instance = tasks[2].execution_id })
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(3 - (a and 1 or 0) - (b and 1 or 0), engine:count "tasks", where)
    end)
  end)

  it("and the deletion of the instance", function()
    every("modification and deletion", ONE, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      return modify(engine, { start_before = "v" }), deletion(engine)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.same({ b and 0 or 1, b and "" or "a v" }, { engine:count "instances", engine:tasks() }, where)
    end)
  end)
end)

describe("Races of a migration:", function()
  local function migration(engine)
    local list = engine:list("definitions", { order_by = "version" })
    return { "migrate", { source = list[1].id, target = list[2].id, instances = { instance(engine) } } }
  end
  local function second(engine) engine:deploy(process('<userTask id="a"/><userTask id="w"/>', "s -> a a -> w")) end

  it("and a completion: what follows is of the definition that the instance has then", function()
    every("migration and completion", ONE, { "argument ok", "conflict ok", "ok conflict", "ok ok" }, function(engine)
      second(engine)
      return migration(engine), complete(engine, "a")
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and b and "w" or a and "a" or "u", engine:tasks(), where)
      local of = engine:only("instances").definition_id
      assert.equal(of, engine:only("tasks").definition_id, where)
    end)
  end)

  it("and the end of the instance", function()
    every("migration and end", ALONE, { "not_found ok", "conflict ok", "ok conflict", "ok ok" }, function(engine)
      second(engine)
      return migration(engine), complete(engine, "a")
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and b and "w" or a and "a" or "", engine:tasks(), where)
    end)
  end)

  it("and a run of the instance's job", function()
    local model = process('<serviceTask id="a" camunda:class="work" camunda:asyncBefore="true"/><userTask id="u"/>', "s -> a a -> u")
    every("migration and run", model, { "argument ok", "conflict ok", "ok conflict", "ok ok" }, function(engine)
      engine:deploy((model:gsub('"u"', '"w"')))
      return migration(engine), { "run_job", { job = engine:only("jobs").id } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b and 1 or nil, engine:variable "n", where)
      if a and b then assert.equal("w", engine:tasks(), where) end
      engine:run_jobs()
      assert.same({ 1, a and "w" or "u" }, { engine:variable "n", engine:tasks() }, where)
    end)
  end)

  it("and another one", function()
    every("two migrations", ONE, { "argument ok", "conflict ok", "ok argument", "ok conflict" }, function(engine)
      second(engine)
      return migration(engine), migration(engine)
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.equal(2, engine:call("find", { verb = "definitions", id = engine:only("instances").definition_id })[1].version, where)
    end)
  end)
end)
