-- Owners of locks: one lease for all that each has locked, and what became of locks that it lost sight of.
-- Marks: threads
local race = require "spec.sim.race"

local WORK = race.process([[<serviceTask id="t" camunda:class="work" camunda:asyncBefore="true"/>]], "s -> t")

local function opened()
  local engine = race.open()
  engine:deploy(WORK)
  return engine
end

describe("an owner of locks", function()
  it("is registered once for all that its thread runs, and prolongs its lease by itself when a quarter is over", function()
    local engine <close> = opened()
    for _ = 1, 3 do
      engine:call("start", { key = "p" })
      assert.equal(1, engine:run_jobs())
      assert.equal(1, #engine:owners())
    end
    assert.equal(300 * 1000, engine:owners()[1].left)
    engine:advance(70 * 1000)
    engine:run_jobs()
    assert.equal(230 * 1000, engine:owners()[1].left)
    engine:advance(10 * 1000)
    engine:run_jobs()
    assert.equal(300 * 1000, engine:owners()[1].left)
    engine:advance(3600 * 1000) -- nobody else has looked meanwhile
    engine:run_jobs()
    assert.same({ 1, 300 * 1000 }, { #engine:owners(), engine:owners()[1].left })
    assert.equal(3, engine:runs())
  end)

  it("prolongs all its locks by one record: the jobs are not written", function()
    local engine <close> = opened()
    for _ = 1, 5 do engine:call("start", { key = "p" }) end
    local runs = {}
    for _, job in ipairs(engine:list "jobs") do
      assert.equal("ok", engine:does("lock_job", { job = job.id, owner = "x" }))
      local run = engine.inside:command("run_job", { job = job.id, owner = "x" })
      run:read()
      runs[#runs + 1] = run
    end
    engine:advance(200 * 1000)
    assert.equal("ok", engine:does("renew_owner", { owner = "x" }))
    for _, job in ipairs(engine:list "jobs") do assert.equal("x", job.lock_owner) end
    engine:advance(200 * 1000)
    engine:does("reclaim_jobs", {})
    for _, run in ipairs(runs) do
      for _, step in ipairs { "validate", "commit" } do run[step](run) end
      assert.equal("ok", run:acknowledge()) -- each as it was read
    end
    assert.same({}, engine:call "verify")
  end)

  it("finds what it lost sight of among its own locks, and gives that back", function()
    local engine <close> = opened()
    engine:run_jobs()
    engine:call("start", { key = "p" })
    assert.equal("ok", engine:does("lock_job", { job = engine:only("jobs").id, owner = "thread" }))
    assert.equal(0, engine:run_jobs()) -- locked, it seems
    engine.inside:lose()
    assert.equal(1, engine:run_jobs())
    assert.equal(1, engine:variable "n")
    assert.same({}, engine:call "verify")
  end)

  it("whose own lease is over takes nothing from itself, and prolongs it", function()
    local engine <close> = opened()
    engine:call("start", { key = "p" })
    assert.equal("ok", engine:does("lock_job", { job = engine:only("jobs").id, owner = "x" }))
    engine:advance(301 * 1000)
    assert.equal("ok", engine:does("reclaim_jobs", { owner = "x" }))
    assert.same({ { name = "x", fenced = false, left = -1000 } }, engine:owners())
    assert.equal("ok", engine:does("renew_owner", { owner = "x" }))
    assert.same({ { name = "x", fenced = false, left = 300 * 1000 } }, engine:owners())
    assert.equal("ok", engine:does("run_job", { job = engine:only("jobs").id, owner = "x" }))
    assert.equal(1, engine:variable "n")
  end)

  it("leaves nothing behind when its engine's executor has stopped", function()
    local engine <close> = opened()
    engine.inside:start_executor(10)
    assert.equal(1, #engine:owners())
    engine:call("start", { key = "p" })
    assert.is_true(engine.inside:wait_idle())
    engine:call "stop_executor"
    assert.same({}, engine:owners())
    engine.inside:start_executor(10)
    assert.equal(1, #engine:owners())
  end)
end)
