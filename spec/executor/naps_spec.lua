-- A delegate that sleeps by a manual clock (lua.md "Waiting"): run_jobs leaves its job until the
-- clock has moved far enough.
local orrery = require "orrery"
local support = require "spec.support.process"
local testing = require "orrery.testing"

local started

-- An engine of a process that is one async task of the class "work"; `work` also gets how often it
-- has begun.
local function open(work, attributes)
  local engine, begun = support.engine(), 0
  engine:register("work", function(execution)
    begun = begun + 1
    return work(execution, begun)
  end)
  support.deploy(engine, '<startEvent id="s"/>' .. support.task("t", attributes)
    .. '<userTask id="u"/>', "s -> t t -> u")
  started = engine:start "p"
  return engine
end

describe("run_jobs on a manual clock", function()
  it("leaves a delegate that sleeps, and ends its job once the clock has moved far enough",
    function()
    local engine <close> = open(function(execution)
      execution:set("left", true)
      orrery.sleep "PT1H"
      execution:set("back", true)
    end)
    assert.equal(0, engine:run_jobs())
    assert.same({ "t" }, started:active())
    assert.is_nil(started:get "left") -- nothing is committed while it sleeps
    engine:advance(3599)
    assert.equal(0, engine:run_jobs())
    engine:advance(1)
    assert.equal(1, engine:run_jobs())
    assert.same({ "u" }, started:active())
    assert.is_true(started:get "left" and started:get "back")
  end)

  it("runs what else is due meanwhile, and begins no job twice", function()
    local engine <close> = open(function(execution, begun)
      if begun == 1 then orrery.sleep(60) end
    end)
    local second = engine:start "p"
    assert.equal(1, engine:run_jobs())
    assert.same({ { "t" }, { "u" } }, { started:active(), second:active() })
    assert.equal(0, engine:run_jobs())
    engine:advance "PT1M"
    assert.equal(1, engine:run_jobs())
    assert.same({ "u" }, started:active())
  end)

  it("waits for what else a delegate awaits, before it sleeps and after", function()
    local engine <close> = open(function(execution)
      local first = orrery.await(orrery.spawn { arguments = { "echo", "a" } }).output
      orrery.sleep(60)
      execution:set("said", first .. orrery.await(orrery.spawn { arguments = { "echo",
        "b" } }).output)
    end)
    assert.equal(0, engine:run_jobs())
    engine:advance(60)
    assert.equal(1, engine:run_jobs())
    assert.equal("a\nb\n", started:get "said")
  end)

  it("lets a delegate sleep again from the time that it woke at", function()
    local woke = {}
    local engine <close> = open(function(execution)
      for i = 1, 3 do
        orrery.sleep(60)
        woke[i] = execution.engine:now()
      end
    end)
    local from = engine:now()
    engine:run_jobs()
    for i, step in ipairs { 100, 30, 30, 60 } do
      engine:advance(step)
      assert.equal(i == 4 and 1 or 0, engine:run_jobs())
    end
    assert.same({ 100, 160, 220 }, { woke[1] - from, woke[2] - from, woke[3] - from })
  end)

  it("fails a job whose delegate raises after its sleep, and tries it again", function()
    local engine <close> = open(function(_, begun)
      orrery.sleep(60)
      if begun == 1 then error("not yet", 0) end
    end)
    engine:run_jobs()
    engine:advance(60)
    assert.equal(1, engine:run_jobs())
    assert.equal(2, engine:job({}).retries)
    assert.same({ "t" }, started:active()) -- the second try sleeps, too
    engine:advance(60)
    assert.equal(1, engine:run_jobs())
    assert.same({ "u" }, started:active())
  end)

  it("drops a sleep whose instance is deleted", function()
    local woke = false
    local engine <close> = open(function()
      orrery.sleep(60)
      woke = true
    end)
    engine:run_jobs()
    started:delete "no more"
    engine:advance(60)
    engine:run_jobs()
    assert.is_false(woke)
    assert.equal(0, engine:count "jobs")
  end)

  it("gives what sleeps back when the engine closes", function()
    local engine = open(function() orrery.sleep(60) end)
    engine:run_jobs()
    engine:close()
  end)

  it("still tells of a delegate that awaits what nothing will settle", function()
    local engine <close> = open(function() orrery.await(orrery.future()) end)
    assert.equal(3, engine:run_jobs())
    assert.matches("nothing will settle", engine:job({}).error)
  end)
end)

describe("orrery.testing with a delegate that sleeps", function()
  local function test(work)
    return testing.new { register = { work = work }, deploy = { ["p.bpmn"] = support.model(
      '<startEvent id="s"/>' .. support.task "t" .. support.task "u" .. '<endEvent id="e"/>',
        "s -> t t -> u u -> e") } }
  end

  it("lets it sleep while time passes, and stops where it wakes", function()
    local woke = {}
    local t <close> = test(function(execution)
      orrery.sleep "PT4H"
      woke[#woke + 1] = execution.engine:now()
    end)
    local from, instance = t.engine:now(), t:start "p"
    t:run()
    t:waiting_at(instance, "t")
    assert.equal(from + 4 * 3600, t:next_due())
    t:pass "PT4H"
    t:waiting_at(instance, "u")
    t:pass "P1D"
    t:ended(instance, "e")
    assert.same({ 4 * 3600, 8 * 3600 }, { woke[1] - from, woke[2] - from })
  end)

  it("skips to where it wakes, or what falls due before", function()
    local t <close> = test(function(execution)
      if execution.activity_id == "u" then orrery.sleep(60) end
    end)
    local instance, from = t:start "p", t.engine:now()
    assert.equal(from + 60, t:skip())
    t:ended(instance, "e")
    assert.has_error(function() t:skip() end)
  end)
end)
