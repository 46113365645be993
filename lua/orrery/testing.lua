--- For tests of processes: an engine with a clock that stands, helpers that run it until nothing moves, and assertions that say what
--- they found. Works with any test framework.
---
---   local testing = require "orrery.testing"
---   local t <close> = testing.new { deploy = "order.bpmn", register = { charge = function(execution) … end } }
---   local order = t:start("order", { variables = { total = 5 } })
---   t:run()
---   t:at(order, "review")
---   t:complete("review", { approved = true })
---   t:ended(order, "delivered")
local inspect = require "orrery.inspect"
local orrery = require "orrery"

local testing = {}

local Test = {}
Test.__index = Test

local JOBS_MAX = 100000 -- a process that makes jobs for ever is a finding, not a reason to hang

local own = { deploy = true, register = true }

--- `options` are those of orrery.open, and: deploy = what engine:deploy takes, register = { name = delegate }. The clock is manual.
function testing.new(options)
  local settings = { clock = "manual", log = "error" }
  for key, value in pairs(options or {}) do
    if not own[key] then settings[key] = value end
  end
  local self = setmetatable({ engine = orrery.open(nil, settings) }, Test)
  for name, value in pairs(options and options.register or {}) do self.engine:register(name, value) end
  if options and options.deploy then
    local ok, problem = pcall(self.engine.deploy, self.engine, options.deploy)
    if not ok then
      self.engine:close()
      error(problem, 0)
    end
  end
  return self
end

function Test:close() self.engine:close() end
Test.__close = Test.close

function Test:start(key, options) return self.engine:start(key, options) end

--- Runs what is due until nothing is; returns how many jobs ran.
function Test:run()
  local ran = self.engine:run_jobs(JOBS_MAX)
  if ran >= JOBS_MAX then error(("after %d jobs there are still more due"):format(ran), 2) end
  return ran
end

--- The earliest time in the future at which something falls due, or nil.
function Test:next_due()
  local now, next_time = self.engine:now(), nil
  for _, job in ipairs(self.engine:jobs { due_after = now, retries_gt = 0, suspended = false, order_by = "due", limit = 1 }) do
    next_time = job.due
  end
  return next_time
end

--- Lets time pass, stopping at everything that falls due on the way, as a running executor would.
function Test:pass(duration)
  local goal = self.engine:now() + orrery.parse_duration(duration, self.engine:now())
  self:run()
  local due = self:next_due()
  while due and due <= goal do
    self.engine:set_time(due)
    self:run()
    due = self:next_due()
  end
  if self.engine:now() < goal then self.engine:set_time(goal) end
  self:run()
end

local function fail(level, format, ...) error(format:format(...), level + 1) end

local function where(instance)
  local now = instance:reload()
  if not now or now.ended then return "it has ended" .. (now and now.end_activity and " at " .. now.end_activity or "") end
  return "its tokens stand at\n" .. inspect.tree(now:tree())
end

--- The instance's tokens stand exactly at these activities.
function Test:at(instance, ...)
  local wanted = { ... }
  table.sort(wanted)
  local running = self.engine:instance(instance.id)
  local found = running and running:active() or {}
  if table.concat(found, ", ") ~= table.concat(wanted, ", ") then
    fail(2, "instance %s should be at %s, but %s", instance.id, table.concat(wanted, ", "), where(instance))
  end
end

--- The instance has ended, and with `at` at that end event.
function Test:ended(instance, at)
  local row = self.engine:history_instance(instance.id)
  if not row or not row.ended_at then fail(2, "instance %s should have ended, but %s", instance.id, where(instance)) end
  if at and row.end_activity ~= at then
    fail(2, "instance %s should have ended at %s, but ended at %s", instance.id, at, tostring(row.end_activity))
  end
end

--- The one open task of this key, or of this filter.
function Test:task(which)
  local filter = type(which) == "string" and { key = which } or which
  local found = self.engine:tasks(filter)
  if #found ~= 1 then
    local open = {}
    for i, task in ipairs(self.engine:tasks {}) do open[i] = task.key end
    fail(2, "one task %s expected, found %d; open tasks: %s", inspect.value(filter), #found, #open > 0 and table.concat(open, ", ")
      or "none")
  end
  return found[1]
end

--- Completes the one open task of this key or filter, and runs what that makes due.
function Test:complete(which, variables)
  local task = self:task(which)
  task:complete(variables)
  self:run()
  return task
end

return testing
