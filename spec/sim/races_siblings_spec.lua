-- Jobs of one instance that run side by side in one process (runtime/uow/siblings.h), in all orders of their steps. What is made first and
-- committed first must not cost the other anything; what is committed the other way round may lose, and must not be lost.
local race = require "spec.sim.race"

local function free(id, class)
  return ('<serviceTask id="%s" camunda:class="%s" camunda:asyncBefore="true" camunda:exclusive="false"/>'):format(id, class or "idle")
end
local function run(job) return { "run_job", { job = job.id, beside = true } } end
local function first_two(engine)
  local jobs = engine:list "jobs"
  return run(jobs[1]), run(jobs[2])
end

-- The place in `order` of the n-th step of `who`.
local function step(order, who, n)
  local at = 0
  for _ = 1, n do at = order:find(who, at + 1, true) end
  return at
end

local LOST = { "conflict ok", "ok conflict", "ok ok" }

-- Both pass where they are committed in the order in which their batches were made.
local function in_turn(engine, a, b, where)
  local order = where:match ", (%a+):"
  local of_a, of_b = step(order, "a", 2) < step(order, "b", 2), step(order, "a", 3) < step(order, "b", 3)
  if of_a == of_b then assert.is_true(a and b, where) end
end

local function branches(n, join, class)
  local behind = join and '<parallelGateway id="join"/><userTask id="u"/>' or ""
  local parts = { '<parallelGateway id="fork"/><endEvent id="e"/>' .. behind }
  local flows = { "s -> fork" .. (join and " join -> u" or "") }
  for i = 1, n do
    parts[#parts + 1] = free("t" .. i, class)
    flows[#flows + 1] = ("fork -> t%d t%d -> %s"):format(i, i, join and "join" or "e")
  end
  return race.process(table.concat(parts), table.concat(flows, " "))
end

describe("Races of siblings:", function()
  -- What lost has kept its tries, and passes now.
  local function finish(engine, where)
    for _, job in ipairs(engine:list "jobs") do assert.same({ 3, nil }, { job.retries, job.lock_owner }, where) end
    engine:run_jobs()
    assert.same({}, engine:list "jobs", where)
  end

  it("two of three that end at one join pass both", function()
    race.every("join of three", branches(3, true), LOST, first_two, function(engine, a, b, where)
      in_turn(engine, a, b, where)
      finish(engine, where)
      assert.equal("u", engine:tasks(), where)
    end)
  end)

  it("the last two that end at one join open it once", function()
    race.every("join of two", branches(2, true), LOST, first_two, function(engine, a, b, where)
      assert.is_true(a or b, where)
      finish(engine, where)
      assert.equal("u", engine:tasks(), where)
      if engine.history then assert.equal(3, #engine:list("history_activities", { type = "parallelGateway" }), where) end
    end)
  end)

  it("two of three whose tokens end pass both", function()
    race.every("ends of three", branches(3), LOST, first_two, function(engine, a, b, where)
      in_turn(engine, a, b, where)
      assert.equal(1, engine:count "instances", where)
      finish(engine, where)
      assert.equal(0, engine:count "instances", where)
    end)
  end)

  it("the last two whose tokens end end the instance once", function()
    race.every("ends of two", branches(2), LOST, first_two, function(engine, a, b, where)
      assert.is_true(a or b, where)
      finish(engine, where)
      assert.equal(0, engine:count "instances", where)
    end)
  end)

  it("two that make their next jobs get ids of their own", function()
    local model = race.process('<parallelGateway id="fork"/>' .. free "a1" .. free "a2" .. free "b1" .. free "b2" ..
      '<userTask id="u"/>', "s -> fork fork -> a1 fork -> b1 fork -> u a1 -> a2 b1 -> b2")
    race.every("chains", model, LOST, first_two, function(engine, a, b, where)
      in_turn(engine, a, b, where)
      finish(engine, where)
      if engine.history then assert.equal(7, #engine:list "history_activities", where) end
    end)
  end)

  local function multi(n)
    return race.process(([[<serviceTask id="t" camunda:class="idle"><multiInstanceLoopCharacteristics camunda:asyncBefore="true"
      camunda:exclusive="false"><loopCardinality>%d</loopCardinality></multiInstanceLoopCharacteristics></serviceTask>
      <userTask id="u"/>]]):format(n), "s -> t t -> u")
  end

  it("two of three instances of a multi-instance count themselves both", function()
    race.every("multi-instance of three", multi(3), LOST, first_two, function(engine, a, b, where)
      in_turn(engine, a, b, where)
      local done = (a and 1 or 0) + (b and 1 or 0)
      for _, e in ipairs(engine:list "executions") do
        local variables = engine:call("get_variables", { scope = e.id })
        if not variables.loopCounter then
          assert.same({ 3, done, 3 - done },
            { variables.nrOfInstances, variables.nrOfCompletedInstances, variables.nrOfActiveInstances }, where)
        end
      end
      finish(engine, where)
      assert.equal("u", engine:tasks(), where)
    end)
  end)

  it("the last two of a multi-instance complete it once", function()
    race.every("multi-instance of two", multi(2), LOST, first_two, function(engine, a, b, where)
      assert.is_true(a or b, where)
      finish(engine, where)
      assert.equal("u", engine:tasks(), where)
    end)
  end)

  it("what both write is written twice, one after the other", function()
    race.every("one variable", branches(3, true, "work"), LOST, function(engine)
      engine:call("set_variables", { scope = engine:only("instances").id, variables = { n = 0 } })
      return first_two(engine)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      finish(engine, where)
      assert.equal(3, engine:variable "n", where)
    end)
  end)

  it("a command of somebody else in between costs a conflict, and no token", function()
    race.every("suspension", branches(3, true), { "conflict ok", "ok ok", "ok conflict", "suspended ok" }, function(engine)
      return run(engine:list("jobs")[1]), { "suspend_instance", { instance = engine:only("instances").id, suspended = true } }
    end, function(engine, _, b, where)
      if b then engine:call("suspend_instance", { instance = engine:only("instances").id, suspended = false }) end
      finish(engine, where)
      assert.equal("u", engine:tasks(), where)
    end)
  end)

  it("one that another process runs beside takes no part, and is found out", function()
    race.every("foreign", branches(3, true), LOST, function(engine)
      local jobs = engine:list "jobs"
      return run(jobs[1]), { "run_job", { job = jobs[2].id } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      finish(engine, where)
      assert.equal("u", engine:tasks(), where)
    end)
  end)

  it("the deletion of the instance and a sibling", function()
    race.every("deletion", branches(3, true), { "conflict ok", "ok conflict", "ok ok", "not_found ok" }, function(engine)
      return run(engine:list("jobs")[1]), { "delete_instance", { instance = engine:only("instances").id } }
    end, function(engine, _, b, where)
      if b then return assert.equal(0, engine:count "instances", where) end
      finish(engine, where)
      assert.equal("u", engine:tasks(), where)
    end)
  end)

  -- In the process, where an inclusive gateway has tokens looked for one by one, a and b change the
  -- count of tokens, and one of two loses. c and d are in the sub-process, and write no more of the
  -- process than the numbers that they take.
  local function flow(from, to)
    return ('<sequenceFlow id="%s-%s" sourceRef="%s" targetRef="%s"/>'):format(from, to, from, to)
  end
  local WATCHED = race.process([[<parallelGateway id="fork"/><parallelGateway id="more"/>
    <inclusiveGateway id="join"/><userTask id="t"/><userTask id="u"/><userTask id="v"/>
    <userTask id="w"/><endEvent id="e"/><subProcess id="sub"><startEvent id="s1"/>
    <parallelGateway id="f1"/><endEvent id="e1"/>]] ..
    free "c" .. free "d" .. free "c2" .. free "d2" .. flow("s1", "f1") .. flow("f1", "c") ..
    flow("f1", "d") .. flow("c", "c2") .. flow("d", "d2") .. flow("c2", "e1") .. flow("d2", "e1") ..
    "</subProcess>" .. free "a" .. free "b",
    "s -> fork fork -> a fork -> b fork -> sub fork -> t a -> e b -> more more -> v more -> w " ..
    "t -> join sub -> join join -> u")

  local function watched(history, order)
    local engine <close> = race.open(history)
    engine:deploy(WATCHED)
    engine:call("start", { key = "p" })
    local answers = race.siblings(engine, order)
    local where = history .. " history, " .. table.concat(order, " ")
    assert.same({}, engine:call "verify", where)
    finish(engine, where)
    assert.same({ {}, "t v w" }, { engine:call "verify", engine:tasks() }, where)
    return answers, where
  end

  it("what builds on one that loses is lost with it, though another has won instead", function()
    local order = {}
    for who in ("c c c a b b a d d b a d b a d c"):gmatch "%a" do order[#order + 1] = who end
    for _, history in ipairs { "default", "none" } do
      local answers, where = watched(history, order)
      assert.same({ a = "conflict", b = "ok", c = "ok", d = "conflict" }, answers, where)
    end
  end)

  it("two jobs of three at an inclusive gateway itself open it once", function()
    local model = race.process([[<parallelGateway id="fork"/><userTask id="t"/><userTask id="u"/>
      <manualTask id="z"/><inclusiveGateway id="join" camunda:asyncBefore="true"
      camunda:exclusive="false"/>]], "s -> fork fork -> t fork -> join fork -> z t -> join " ..
      "z -> join join -> u")
    race.every("gateway", model, LOST, function(engine)
      engine:call("task_complete", { task = engine:only("tasks").id })
      local first, second, third = table.unpack(engine:list "jobs")
      assert.equal("ok", engine:does(table.unpack(run(third))))
      return run(first), run(second)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      finish(engine, where)
      assert.equal("u", engine:tasks(), where)
    end)
  end)

  it("four of them in random orders count right", function()
    local from = require("spec.support.random").seed()
    for seed = from, from + 299 do
      local random = require("spec.sim.random").new(seed)
      local order = race.siblings_order({ "a", "b", "c", "d" },
        function(n) return random:integer(1, n) end)
      watched(seed % 2 == 0 and "default" or "none", order)
    end
  end)
end)
