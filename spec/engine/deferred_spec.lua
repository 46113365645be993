-- Commits that a host does not wait for: its command returns, and it is told what became of the commit.
-- Marks: threads
local inside = require("orrery_inside").deferred
local race = require "spec.sim.race"

local MODEL = race.process('<userTask id="a"/><userTask id="b"/><endEvent id="end"/>', "s -> a a -> b b -> end")

local function open(model)
  local engine = inside.open()
  assert(engine:call("deploy", { resources = { ["p.bpmn"] = model or MODEL } }))
  return engine
end

local function task(engine) return engine:call("list", { verb = "tasks" })[1] end

--- Something whose commit holds up all others until engine:release().
local function hold(engine)
  local held = engine:defer("start", { key = "p" }, true)
  assert.equal("ok", (engine:answer(held)))
end

describe("A deferred commit", function()
  it("is deferred, too, where somebody is given a task, who is counted", function()
    local engine <close> = open(race.process('<userTask id="a" camunda:assignee="ann"/>', "s -> a"))
    assert.equal("ok", (engine:answer(assert.is_number((engine:defer("start", { key = "p" }))))))
  end)

  it("is told of once it is done, and seen from then on", function()
    local engine <close> = open()
    hold(engine)
    local number, started = engine:defer("start", { key = "p" })
    assert.is_number(number)
    assert.is_number(started[1].id)
    assert.is_false(engine:told(number))
    assert.equal(1, #engine:call("list", { verb = "instances" })) -- of the one that holds
    engine:release()
    assert.equal("ok", (engine:answer(number)))
    assert.equal(2, #engine:call("list", { verb = "instances" }))
  end)

  it("that loses a race says so, and leaves nothing behind", function()
    local engine <close> = open()
    assert(engine:call("start", { key = "p" }))
    local id = task(engine).id
    hold(engine)
    local first = engine:defer("task_complete", { task = id, variables = { by = "first" } })
    local second = engine:defer("task_complete", { task = id, variables = { by = "second" } })
    engine:release()
    assert.equal("ok", (engine:answer(first)))
    local kind, message = engine:answer(second)
    assert.equal("conflict", kind)
    assert.matches("was changed meanwhile", message)
    local variables = engine:call("list", { verb = "variables" })
    assert.same({ 1, "first" }, { #variables, variables[1].value })
  end)

  it("fails alone: the others of its group are done", function()
    local engine <close> = open()
    assert(engine:call("start", { key = "p" }))
    local id = task(engine).id
    hold(engine)
    local numbers = {}
    for i = 1, 10 do
      numbers[2 * i - 1] = engine:defer("start", { key = "p", business_key = "k" .. i })
      numbers[2 * i] = engine:defer("task_complete", { task = id })
    end
    engine:release()
    for i = 1, 10 do
      assert.equal("ok", (engine:answer(numbers[2 * i - 1])))
      assert.equal(i == 1 and "ok" or "conflict", (engine:answer(numbers[2 * i])))
    end
    assert.equal(12, #engine:call("list", { verb = "instances" }))
  end)

  it("that the store refuses says why", function()
    local engine <close> = open()
    engine:fail()
    local number = engine:defer("start", { key = "p" })
    assert.equal("store", (engine:answer(number)))
    assert.equal(0, #engine:call("list", { verb = "instances" }))
  end)

  it("is the first one's alone: the next command waits for its own", function()
    local engine <close> = open()
    local number = engine:defer("start", { key = "p" })
    assert.equal("ok", (engine:answer(number)))
    assert(engine:call("start", { key = "p" }))
    assert.equal(2, #engine:call("list", { verb = "instances" }))
  end)

  it("is none where a command fails, or has nothing to commit", function()
    local engine <close> = open()
    local number, result, _, code = engine:defer("start", { key = "unknown" })
    assert.is_false(number)
    assert.is_nil(result)
    assert.is_number(code)
    assert.is_false((engine:defer("list", { verb = "tasks" })))
  end)

  it("is refused within a transaction", function()
    local engine <close> = open()
    engine:begin()
    local number, message = engine:defer("start", { key = "p" })
    assert.is_nil(number)
    assert.matches("transaction", message)
    engine:rollback()
  end)

  it("is committed when the engine closes", function()
    local engine = open()
    local number = engine:defer("start", { key = "p" })
    engine:close()
    assert.is_true(engine:told(number))
  end)
end)

describe("A thread whose waits are watched", function()
  it("tells of the commits that it waits for, and of no deferred one", function()
    local engine <close> = open()
    local waited = engine:waits()
    assert(engine:call("start", { key = "p" }))
    assert.same({ waited + 1, waited + 1 }, { engine:waits() })
    assert.equal("ok", (engine:answer(engine:defer("start", { key = "p" }))))
    assert.same({ waited + 1, waited + 1 }, { engine:waits() })
  end)
end)
