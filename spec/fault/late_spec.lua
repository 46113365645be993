-- A commit may take longer than the locks that it gives: acquisition then finds the new jobs' locks expired before the hand-over has
-- queued them.
-- Marks: threads
local driver = require "spec.fault.driver"
local models = require "spec.fault.models"

describe("a job that is handed over after acquisition has taken it", function()
  it("is in flight once, and its run does not lose to the prolonging of its own lock", function()
    driver.plain(function(run)
      run:deploy_model(models.held)
      run:start_executor { threads = 2, lock_ms = 1 }
      run:start { key = "held", variables = { amount = 1 } }
      local job = run:one("jobs", {}).id
      while run.box:metric "job-started" == 0 do end
      assert.equal(1, run.box:hand_over_late(job))
      run.box:release()
      run:expect("idle", 1, run:wait_idle { seconds = 60 })
      run:expect("runs", 1, run.box:metric "job-started")
      run:expect("conflicts", 0, run.box:metric "job-conflict")
      run:expect("instances", 0, run:count { verb = "instances" })
      run:stop_executor {}
    end, {})
  end)
end)

describe("a job that is taken again while its failed run is ending", function()
  it("is tried until it has no retries left", function()
    local instances <const> = 40
    driver.plain(function(run)
      run:deploy_model(models.failing)
      run:start_executor { threads = 2, lock_ms = 1000 }
      for i = 1, instances do run:start { key = "failing", variables = { amount = i } } end
      run:expect("idle", 1, run:wait_idle { seconds = 60 })
      run:expect("runs", 3 * instances, run.box:metric "job-started")
      run:expect("incidents", instances, run:count { verb = "incidents" })
      run:stop_executor {}
    end, { moving = true })
  end)
end)
