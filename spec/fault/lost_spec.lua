-- The connection with the store is lost at any call of a job's run: that costs no retry, and the job runs again.
-- Marks: threads
local models = require "spec.fault.models"
local scenario = require("orrery_inside").scenario

local START <const> = 1767225600000 -- the manual clock's first time
local LOCK <const> = 360 * 1000     -- longer than a lock that could not be given back

--- `run(box)` runs what is due, while the n-th call of the store is lost; how many calls there were.
local function lose(n, run)
  local box = assert(scenario.open {})
  box:deploy { resources = { ["model.bpmn"] = models.once } }
  local instance = box:start({ key = "once", variables = { amount = 1 } })[1]
  box:arm { store = n, away = true }
  run(box)
  local _, calls = box:counts()
  box:arm {}
  local job = box:list { verb = "jobs" }[1]
  assert.same({ n, 1 }, { n, job and job.retries or 1 })
  box:set_time { time = START + LOCK }
  box:run_jobs()
  local about = { instance = instance.id }
  assert.same({ n, "completed", 0 }, { n, box:list({ verb = "history_instances", filter = { id = instance.id } })[1].state,
    box:count { verb = "incidents" } })
  for _, row in ipairs(box:list { verb = "history_jobs", filter = about }) do assert.not_equal("failed", row.state) end
  assert.same({}, box:verify())
  box:close()
  return calls
end

describe("a lost connection costs a job no retry", function()
  it("on the caller's thread, at whatever call it is lost", function()
    local n, calls = 0, nil
    repeat
      n = n + 1
      calls = lose(n, function(box) box:run_jobs() end)
    until calls < n
    assert.is_true(n > 20, n)
  end)

  -- an interrupted job rests for a second, so these are few: between the job's beginning and its commit
  it("on a thread of an executor", function()
    local begun = 0
    for n = 38, 58, 6 do
      lose(n, function(box)
        box:start_executor { threads = 1 }
        assert.equal(1, box:wait_idle { seconds = 60 })
        box:stop_executor()
        begun = begun + box:metric "job-started"
      end)
    end
    assert.is_true(begun > 5, begun)
  end)
end)
