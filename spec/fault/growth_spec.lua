-- The store's map grows, or another process has grown it, wherever a view is opened or a commit is made. The map moves
-- only while no view is open, so nothing may wait for a commit, for another view or for another thread while it has one.
-- Marks: threads
local driver = require "spec.fault.driver"
local models = require "spec.fault.models"

local MINUTE <const> = 60 * 1000
local START <const> = 1767225600000

local function assert_moved(run)
  local moves, stuck = run.box:moves()
  run:expect("how often the map could not move", 0, stuck)
  assert.is_true(moves > 10, moves)
end

describe("the map moves", function()
  for name, scenario in driver.each(require "spec.fault.scenarios") do
    it("at each commit and each view of scenario " .. name, function() driver.plain(scenario, { moving = true }, assert_moved) end)
  end

  it("while workers run jobs, locks are prolonged, timers become due and others command", function()
    local instances <const> = 30
    driver.plain(function(run)
      run:deploy_model(models.renewed)
      run:start_executor { threads = 3, lock_ms = 1, queue_size = 20 }
      for i = 1, instances do
        run:start { key = "renewed", variables = { amount = i } }
        run:set_time { time = START + i * MINUTE }
      end
      run:transaction(function()
        run:expect("idle", 1, run:wait_idle { seconds = 60 }) -- before its first command
        run:start { key = "renewed", variables = { amount = 0 } }
        run:expect("idle", 1, run:wait_idle { seconds = 60 }) -- as a host program may that has begun a transaction
      end)
      run:expect("idle", 1, run:wait_idle { seconds = 60 })
      run:set_time { time = START + 100 * MINUTE }
      run:expect("idle", 1, run:wait_idle { seconds = 60 })
      run:expect("instances", 0, run:count { verb = "instances" })
      run:expect("incidents", 0, run:count { verb = "incidents" })
      run:stop_executor {}
    end, { moving = true }, assert_moved)
  end)

  it("when an order of acquisition begins, jobs have limits, and a stop gives locks back", function()
    driver.plain(function(run)
      run:deploy_model(models.jobs)
      for i = 1, 40 do run:start { key = "jobs", variables = { amount = i } } end
      local charge = run:list { verb = "job_definitions", filter = { activity = "charge" } }[1].id
      run:set_limit { job_definition = charge, max = 3 }
      run:start_executor { threads = 2, lock_ms = 1, queue_size = 4, by_priority = true }
      for i = 1, 20 do run:set_time { time = START + i * MINUTE } end
      run:clear_limit { job_definition = charge }
      run:stop_executor {}
      run:start_executor { threads = 2, lock_ms = 1 }
      run:set_time { time = START + 60 * MINUTE }
      run:expect("idle", 1, run:wait_idle { seconds = 60 })
      run:stop_executor {}
      run:expect("locked jobs", 0, #run:list { verb = "jobs", filter = { locked = true } })
    end, { moving = true }, assert_moved)
  end)
end)
