-- Callers on several threads whose commits share a transaction of the store: who writes, what is
-- written together, what each is told.
-- Marks: threads
local inside = require("orrery_inside").callers
local race = require "spec.sim.race"

local MODEL = race.process([[<userTask id="a"/><intermediateCatchEvent id="m1">
  <messageEventDefinition messageRef="m"/></intermediateCatchEvent><endEvent id="end"/>]],
  "s -> a a -> m1 m1 -> end")

local function open()
  local engine = inside.open()
  assert(engine:call("deploy", { resources = { ["p.bpmn"] = MODEL } }))
  assert(engine:call("start", { key = "p" })) -- ids for many are taken from the store
  return engine
end

local function count(engine) return #engine:call("list", { verb = "instances" }) end

local function instance_at_message(engine)
  local instance = engine:call("start", { key = "p" })[1].id
  for _, task in ipairs(engine:call("list", { verb = "tasks" })) do
    local own = task.instance_id == instance
    if own then assert(engine:call("task_complete", { task = task.id })) end
  end
  return instance
end

--- Begins a start whose commit stops at a point.
local function stop(engine, point)
  engine:stop(point)
  local first = engine:begin("start", "first")
  engine:stopped()
  return first
end

--- Begins so many starts more, and waits until their commits wait.
local function wait_behind(engine, n)
  local numbers = {}
  for i = 1, n do numbers[i] = engine:begin("start", "k" .. i) end
  engine:queued(n)
  return numbers
end

local function assert_answers(engine, kind, ...)
  for _, numbers in ipairs { ... } do
    for _, number in ipairs(numbers) do assert.equal(kind, (engine:answer(number))) end
  end
end

describe("A caller", function()
  it("that is alone commits on its own thread", function()
    local engine <close> = open()
    for n = 1, 3 do
      local before = engine:last()
      assert.equal("ok", (engine:answer(engine:begin("start", "k" .. n))))
      assert.same({ before + 1, 1, n }, { engine:last() })
    end
  end)

  it("shares a commit with all that come while another is written", function()
    local engine <close> = open()
    local before, present = engine:last(), count(engine)
    local first = stop(engine, "taken")
    local others = wait_behind(engine, 63)
    engine:release()
    assert_answers(engine, "ok", { first }, others)
    local commits, batches, leader = engine:last()
    assert.same({ before + 2, 63 }, { commits, batches })
    assert.not_equal(first, leader)
    assert.equal(present + 64, count(engine))
  end)

  it("takes those with it that come while it waits for the store", function()
    local engine <close> = open()
    local before = engine:last()
    local first = stop(engine, "waiting")
    local others = {}
    for i = 1, 7 do others[i] = engine:begin("start", "k" .. i) end
    engine:queued(8)
    engine:release()
    assert_answers(engine, "ok", { first }, others)
    assert.same({ before + 1, 8, first }, { engine:last() })
  end)

  it("shares it whatever the others do", function()
    local engine <close> = open()
    local instance = instance_at_message(engine)
    local task = engine:call("list", { verb = "tasks" })[1].id
    local before = engine:last()
    local first = stop(engine, "taken")
    local others = { engine:begin("start", "k"), engine:begin("complete", "", task) }
    others[3] = engine:begin("message", "order", instance)
    engine:queued(3)
    engine:release()
    assert_answers(engine, "ok", { first }, others)
    assert.same({ before + 2, 3 }, { (select(1, engine:last())), (select(2, engine:last())) })
  end)

  it("that loses a race is told so alone", function()
    local engine <close> = open()
    local task = engine:call("list", { verb = "tasks" })[1].id
    local present = count(engine)
    local first = stop(engine, "taken")
    local numbers = {}
    for i = 1, 10 do numbers[i] = engine:begin("complete", "", task) end
    engine:queued(10)
    local starts = {}
    for i = 1, 10 do starts[i] = engine:begin("start", "k" .. i) end
    engine:queued(20)
    engine:release()
    assert_answers(engine, "ok", { first }, starts)
    local told = {}
    for i, number in ipairs(numbers) do
      local kind, message = engine:answer(number)
      told[kind] = (told[kind] or 0) + 1
      if kind ~= "ok" then assert.matches("was changed meanwhile", message, i) end
    end
    assert.same({ ok = 1, conflict = 9 }, told)
    assert.equal(present + 11, count(engine))
  end)

  it("of a group that the store refuses is told why, and the next group goes on", function()
    local engine <close> = open()
    local present = count(engine)
    engine:stop "waiting"
    engine:fail()
    local refused = { engine:begin("start", "a") }
    engine:stopped()
    for i = 2, 4 do refused[i] = engine:begin("start", "a" .. i) end
    engine:queued(4)
    engine:release()
    for _, number in ipairs(refused) do
      assert.same({ "store", "injected fault" }, { engine:answer(number) })
    end
    assert.equal(present, count(engine))
    local first = stop(engine, "taken")
    local others = wait_behind(engine, 3)
    engine:fail() -- looked at by the group in hand
    engine:release()
    assert.equal("store", (engine:answer(first)))
    assert_answers(engine, "ok", others)
    assert.equal(present + 3, count(engine))
  end)

  it("waits for the committer's thread where there is one", function()
    local engine <close> = open()
    engine:share()
    local before = engine:last()
    local first = stop(engine, "taken")
    local others = wait_behind(engine, 20)
    engine:release()
    assert_answers(engine, "ok", { first }, others)
    assert.same({ before + 2, 20 }, { engine:last() }) -- by no caller
  end)
end)

describe("The committer's thread", function()
  it("takes over from callers behind the group in hand", function()
    local engine <close> = open()
    local before, present = engine:last(), count(engine)
    local first = stop(engine, "taken")
    local others = wait_behind(engine, 5)
    engine:share()
    engine:defer("start", { key = "p" })
    engine:queued(6)
    engine:release()
    assert_answers(engine, "ok", { first }, others)
    assert.is_true(engine:told())
    assert.same({ before + 2, 6 }, { engine:last() }) -- by no caller
    assert.equal(present + 7, count(engine))
  end)

  it("is where deferred commits are told of, also when a caller's group could take them", function()
    local engine <close> = open()
    local before = engine:last()
    local first = stop(engine, "waiting")
    local others = { engine:begin("start", "k") }
    engine:queued(2)
    engine:share()
    engine:defer("start", { key = "p" })
    engine:queued(3)
    engine:release()
    assert_answers(engine, "ok", { first }, others)
    assert.is_true(engine:told())
    assert.same({ before + 2, 1 }, { engine:last() })
  end)
end)

describe("The log that hears, at a commit, that the store has gone away", function()
  it("does not commit on the thread that writes, and does not close the engine", function()
    local engine <close> = open()
    local before = count(engine)
    assert.same({ "ok", "state" }, { engine:heard("start", { key = "p" }) }) -- there is no executor to stop
    assert.equal(before, count(engine))
    assert(engine:call("start", { key = "p" }))
    assert.equal(before + 1, count(engine))
  end)

  -- The commit has reserved room at the executor for its job, which a stop waits for.
  it("neither stops the executor nor commits on the committer's thread", function()
    local engine <close> = open()
    local task = '<manualTask id="a" camunda:asyncBefore="true"/>'
    local model = race.process(task, "s -> a", "q")
    assert(engine:call("deploy", { resources = { ["q.bpmn"] = model } }))
    assert(engine:call("start_executor", { threads = 1 }))
    local before = count(engine)
    assert.same({ "state", "state" }, { engine:heard("start", { key = "q" }) })
    assert.equal(before, count(engine))
    assert(engine:call("start", { key = "p" }))
    assert(engine:call "stop_executor")
  end)
end)
