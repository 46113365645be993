-- What operators change while the executor writes the same records: none of it runs code of the user's, so a command that
-- loses a race is done anew.
-- Marks: threads
local driver = require "spec.fault.driver"
local models = require "spec.fault.models"

local CONFLICT = -7

local function only(run, verb) return run:list({ verb = verb })[1] or {} end
local function job(run) return run:one("jobs", { activity = "fail" }) end

local function a_batch(run)
  return { batch = run:batch({ action = "cancel", list = "instances", filter = {} })[1].id }
end

local function a_job(run) return { job = job(run).id } end

local function batch_now(run) return { only(run, "batches").suspended, only(run, "batches").state } end

local commands = {
  { "batch_suspend", a_batch, { suspended = true }, batch_now, { true, "running" } },
  { "batch_suspend, activating", a_batch, { suspended = false }, batch_now, { false, "running" } },
  { "batch_cancel", a_batch, {}, batch_now, { false, "canceled" } },
  { "delete_batch", a_batch, { cascade = true }, batch_now, {} },
  { "job_set_retries", a_job, { retries = 7 }, function(run) return job(run).retries end, 7 },
  { "job_set_priority", a_job, { priority = 9 }, function(run) return job(run).priority end, 9 },
  { "job_suspend", a_job, { suspended = true }, function(run) return job(run).suspended end, true },
  { "suspend_definition", function() return { key = "jobs" } end, { instances = true, suspended = true },
    function(run) return only(run, "instances").suspended end, true },
}

-- The command, while the store lets commits lose: the next one alone, or all of them.
local function answers(run, command, forever)
  run:deploy_model(models.jobs)
  run:start { key = "jobs", variables = { amount = 1 } }
  local arguments = command[2](run)
  for name, value in pairs(command[3]) do arguments[name] = value end
  local before = run.box:digest()
  run.box:arm { store = 1, call = "race", forever = forever }
  local verb = command[1]:match "^[%l_]+"
  local answer, message, code = run.box[verb](run.box, arguments)
  run.box:arm {}
  return answer, message, code, before == run.box:digest()
end

describe("an operator's command", function()
  for _, command in ipairs(commands) do
    it("that loses a race is done anew: " .. command[1], function()
      driver.plain(function(run)
        local answer, message = answers(run, command, false)
        assert.is_truthy(answer, message)
        assert.same(command[5], command[4](run))
      end, {})
    end)

    it("that loses every race says so, and has changed nothing: " .. command[1], function()
      driver.plain(function(run)
        local answer, message, code, same = answers(run, command, true)
        assert.is_nil(answer)
        assert.equal(CONFLICT, code)
        assert.matches("was changed meanwhile", message)
        assert.is_true(same)
      end, {})
    end)
  end
end)
