-- Races about chains of async jobs, whose steps do not write their instance: in all orders of the two commands' steps.
local race = require "spec.sim.race"
local every = race.every

local function async(id) return ('<serviceTask id="%s" camunda:class="work" camunda:asyncBefore="true"/>'):format(id) end

local CHAIN = race.process(async "t1" .. async "t2" .. async "t3" .. '<userTask id="u"/>', "s -> t1 t1 -> t2 t2 -> t3 t3 -> u")

local function instance(engine) return engine:only("instances").id end
local function step(engine) return { "run_job", { job = engine:only("jobs").id } } end

--- The second step of the chain: the first has made the variable, for which the instance is written.
local function second_step(engine)
  assert.equal("ok", engine:does("run_job", step(engine)[2]))
  return step(engine)
end

-- What is left of the chain runs, and no number was given twice: that would have lost a record, or been refused.
local function ends(engine, where)
  while engine:count "jobs" > 0 do engine:run_jobs() end
  assert.equal("u", engine:tasks(), where)
  assert.equal(3, engine:variable "n", where)
end

describe("Races of chains:", function()
  it("a step does not collide with what takes a number of its instance", function()
    every("comment", CHAIN, { "ok ok" }, function(engine)
      return second_step(engine), { "add_comment", { to = instance(engine), message = "x" } }
    end, function(engine, _, _, where)
      assert.equal(1, engine:count "jobs", where)
      ends(engine, where)
    end)
  end)

  it("a step and a suspension: one is made anew, or the next job is suspended", function()
    every("suspension", CHAIN, { "conflict ok", "ok conflict", "ok ok", "suspended ok" }, function(engine)
      return second_step(engine), { "suspend_instance", { instance = instance(engine), suspended = true } }
    end, function(engine, _, b, where)
      assert.equal(b, engine:only("jobs").suspended, where)
      if b then engine:call("suspend_instance", { instance = instance(engine), suspended = false }) end
      ends(engine, where)
    end)
  end)

  it("a step and the instance's deletion: nothing is left of both", function()
    every("deletion", CHAIN, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      return second_step(engine), { "delete_instance", { instance = instance(engine) } }
    end, function(engine, _, b, where)
      assert.equal(b and 0 or 1, engine:count "jobs", where)
      assert.equal(b and 0 or 1, engine:count "instances", where)
    end)
  end)

  it("a step and a token that is added: the two tokens' numbers differ", function()
    every("modification", CHAIN, { "ok ok" }, function(engine)
      return second_step(engine), { "modify", { instance = instance(engine), instructions = { { start_before = "t1" } } } }
    end, function(engine, _, _, where)
      assert.equal(2, engine:count "jobs", where)
      while engine:count "jobs" > 0 do engine:run_jobs() end
      assert.equal("u u", engine:tasks(), where)
      if engine.history then assert.equal(9, engine:count "history_activities", where) end -- with the start event's
    end)
  end)
end)
