-- A thread of the host that used an engine and ends: what it had of it is given back, and the engine goes on.
-- Marks: threads
local models = require "spec.fault.models"
local scenario = require("orrery_inside").scenario

describe("a thread that ends", function()
  local engine
  before_each(function()
    engine = scenario.open {}
    assert(engine:deploy { resources = { ["a.bpmn"] = models.approval, ["j.bpmn"] = models.jobs } })
  end)
  after_each(function()
    assert.same({}, engine:verify())
    assert.equal(0, engine:close()) -- bytes left over
  end)

  local function start() return assert(engine:start { key = "approval", variables = { amount = 1 } })[1] end
  local function instances() return engine:count { verb = "instances" } end

  it("has done what it did", function()
    for _ = 1, 20 do engine:elsewhere(start) end
    assert.equal(20, instances())
    assert.is_true(engine:elsewhere(function()
      for _, task in ipairs(engine:list { verb = "tasks" }) do assert(engine:task_claim { task = task.id, user = "ann" }) end
      return true
    end))
    assert.equal("ann", engine:list({ verb = "tasks" })[1].assignee)
  end)

  it("in the middle of a transaction takes that with it, and leaves no other thread in it", function()
    engine:elsewhere(function()
      assert(engine:begin {})
      start()
      assert.equal(1, instances())
    end)
    assert.equal(0, instances())
    start()
    local message = select(2, engine:commit {})
    assert.matches("transaction", message)
    assert.equal(1, instances())
  end)

  it("behind its own failures, or the engine's, leaves nothing of them", function()
    engine:elsewhere(function()
      assert.is_nil(engine:start { key = "nobody" })
      assert(engine:begin {})
      assert.is_nil(engine:start { key = "nobody" })
    end)
    assert.equal(0, instances())
  end)

  it("beside an executor leaves that its jobs", function()
    assert(engine:start_executor { threads = 2 })
    for _ = 1, 5 do engine:elsewhere(function() return assert(engine:start { key = "jobs", variables = { amount = 1 } }) end) end
    assert.equal(1, engine:wait_idle { seconds = 60 }) -- idle
    assert(engine:stop_executor {})
    assert.is_true(engine:metric "job-started" >= 5)
  end)
end)
