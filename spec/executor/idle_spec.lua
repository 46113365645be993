-- wait_idle: when a round of acquisition shows that an engine has come to rest, and that it is not taken for it before.
-- Marks: threads
local gates = require "spec.executor.gate"
local job = require("orrery_inside").job
local support = require "spec.support.process"

describe("a round of acquisition shows an engine at rest", function()
  local nothing <const> = {}

  it("if it found nothing and nothing was in flight while it looked", function()
    assert.is_true(job.idle(nothing, nothing, nothing))
    assert.is_true(job.idle({ handed = 7 }, nothing, { handed = 7 }))
  end)

  -- The last jobs of a limit may end just after the round has counted them: what waits for the limit was not seen to be free.
  it("not if a job was in flight when it began, though none is any more", function()
    assert.is_false(job.idle({ in_flight = 1 }, nothing, nothing))
    assert.is_false(job.idle({ in_flight = 3 }, nothing, { in_flight = 3 }))
    assert.is_false(job.idle(nothing, nothing, { in_flight = 1 }))
  end)

  it("not if a job was handed over meanwhile, though that is done", function()
    assert.is_false(job.idle({ handed = 7 }, nothing, { handed = 8 }))
  end)

  it("not if it took something, left something, or failed", function()
    assert.is_false(job.idle(nothing, { acquired = 1 }, nothing))
    assert.is_false(job.idle(nothing, { left = 1 }, nothing))
    assert.is_false(job.idle(nothing, { failed = true }, nothing))
  end)
end)

describe("wait_idle", function()
  it("leaves nothing behind that a limit had put aside", function()
    local engine <close> = support.engine { clock = "system" }
    support.single(engine, 'o:limitKey="k"')
    engine:register("work", function() end)
    engine:set_limit({ key = "k" }, { max = 2 })
    engine:start_executor { threads = 4 }
    for _ = 1, 200 do
      for _ = 1, 8 do engine:start "p" end
      assert.is_true(engine:wait_idle(60))
      assert.equal(0, engine:count "jobs")
    end
  end)

  it("waits for what a rate alone holds back", function()
    local engine <close> = support.engine { clock = "system" }
    support.single(engine, 'o:limitKey="k"')
    engine:register("work", function() end)
    engine:set_limit({ key = "k" }, { per_second = 50 })
    engine:start_executor { threads = 2 }
    for _ = 1, 4 do engine:start "p" end
    assert.is_true(engine:wait_idle(60))
    assert.equal(0, engine:count "jobs")
  end)

  it("is not idle while a rate holds a job back for longer than it may wait", function()
    local engine <close> = support.engine() -- whose clock stands still
    support.single(engine, 'o:limitKey="k"')
    engine:register("work", function() end)
    engine:set_limit({ key = "k" }, { per_second = 1 })
    engine:start_executor { threads = 2 }
    for _ = 1, 2 do engine:start "p" end
    gates.until_true(function() return engine:count "jobs" == 1 end) -- which took the token of this second
    assert.is_false(engine:wait_idle(0.2))
    engine:advance(1)
    assert.is_true(engine:wait_idle(60))
    assert.equal(0, engine:count "jobs")
  end)

  it("is in time when a job waits that cannot be taken", function()
    local engine <close> = support.engine { clock = "system" }
    support.single(engine)
    engine:register("work", function() end)
    engine:start("p"):suspend()
    engine:start_executor { threads = 1 }
    assert.is_true(engine:wait_idle(60)) -- what is suspended waits for somebody, not for the executor
    assert.equal(1, engine:count "jobs")
  end)
end)
