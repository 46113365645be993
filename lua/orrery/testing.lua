--- For tests of processes: an engine with a clock that stands, helpers that run it until nothing moves, and assertions that say what
--- they found. Works with any test framework, or none.
---
---   local testing = require "orrery.testing"
---   local t <close> = testing.new { deploy = "order.bpmn", register = { charge = function(execution) … end } }
---   local order = t:start("order", { variables = { total = 5 } })
---   t:run()
---   t:at(order, "review")
---   t:complete("review", { approved = true })
---   t:ended(order, "delivered")
local core = require "orrery.core"
local coverage = require "orrery.testing.coverage"
local errors = require "orrery.errors"
local fail = require "orrery.testing.fail"
local files = require "orrery.files"
local given = require "orrery.testing.given"
local orrery = require "orrery"
local stub = require "orrery.testing.stub"

local testing = { coverage = coverage.new }

local Test = { __name = "orrery.Test" }
Test.__index = Test
for _, part in ipairs { "orrery.testing.instance", "orrery.testing.things" } do
  for name, method in pairs(require(part)) do Test[name] = method end
end

local JOBS_MAX = 100000 -- a process that makes jobs for ever is a finding, not a reason to hang

-- Setting up --------------------------------------------------------------------------------------------------------------------------

local own = { deploy = true, register = true, stubs = true, coverage = true }
local known = { "deploy", "register", "stubs", "coverage" }
local of_open = require "orrery.engine.options".known
table.move(of_open, 1, #of_open, #known + 1, known)

--- What `deploy` names: a path, resources by name, or a list of paths.
local function resources_of(source)
  if type(source) ~= "table" or source[1] == nil then return source end
  local resources = {}
  for i, path in ipairs(source) do
    if type(path) ~= "string" then
      errors.argument("new", 1, ("deploy[%d]: a path expected, got %s"):format(i, type(path)))
    end
    for name, bytes in pairs(files.read(path)) do
      if resources[name] then
        errors.argument("new", 1, ("deploy: two files would be the resource %s"):format(name))
      end
      resources[name] = bytes
    end
  end
  return resources
end

local function deploy(self, options)
  local deployment = self.engine:deploy(resources_of(options.deploy))
  if not options.stubs then return end
  for _, name in ipairs(stub.missing(self.engine, deployment, options.register or {}, options.package_path)) do self:stub(name) end
end

local function set_up(self, options)
  if self.collector then core.count_flows(self.engine.core) end
  for name, value in pairs(options.register or {}) do self.engine:register(name, value) end
  if options.deploy then deploy(self, options) end
end

--- `options` are those of orrery.open, and: deploy, what engine:deploy takes; register = { name = delegate }; stubs = true, a stub for each
--- delegate that is not there; coverage, a collector or true. The clock is manual.
function testing.new(options)
  options = errors.check_options("new", 1, options, known)
  local settings = { clock = "manual", log = "error" }
  for key, value in pairs(options) do
    if not own[key] then settings[key] = value end
  end
  local collector = options.coverage
  if collector == true then collector = coverage.new() end
  if collector and settings.history == "none" then errors.argument("new", 1, "coverage is read from history, which is off") end
  local self = setmetatable({ engine = orrery.open(nil, settings), collector = collector, stubs = {} }, Test)
  local ok, problem = pcall(set_up, self, options)
  if not ok then
    self.engine:close()
    error(problem, 0)
  end
  if collector then coverage.watch(collector, self.engine) end
  return self
end

--- Fails when there is a stub that nothing deployed asks for: its name is written wrong, and the
--- delegate itself runs.
local function check_stubs(self)
  local names = self.unchecked
  if not names or self.engine:count "deployments" == 0 then return end
  self.unchecked = nil
  local name, hint = stub.unasked(self.engine, names)
  if name then fail.fail('no deployed model asks for "%s", which has a stub%s', name, hint) end
end

--- Closes the engine; what it reached is added to the collector. `raised`: what ends its block.
function Test:close(raised)
  if self.closed then return end
  self.closed = true
  local ok, problem = true, nil
  if raised == nil then ok, problem = pcall(check_stubs, self) end
  if self.collector then
    local added, why = pcall(self.collector.add, self.collector, self.engine)
    if not added then ok, problem = added, why end
  end
  self.engine:close()
  if not ok then error(problem, 0) end
end
Test.__close = Test.close

--- Registers a stand-in for a delegate or listener; returns the list of its calls.
function Test:stub(name, behavior)
  given.a("stub", 1, "name", name, "string")
  local delegate, calls = stub.new(behavior)
  self.engine:register(name, delegate)
  self.stubs[name] = calls
  self.unchecked = self.unchecked or {}
  table.insert(self.unchecked, name)
  return calls
end

--- What this test has reached so far of a process; the key may be left out when there is one.
function Test:coverage(key)
  if not self.collector then errors.raise("state", "coverage is not collected; say testing.new { coverage = true }") end
  local now = coverage.new()
  now:add(self.engine)
  return now:result(key)
end

-- Running -----------------------------------------------------------------------------------------------------------------------------

function Test:start(key, options)
  return self.engine:start(given.a("start", 1, "key", key, "string"), options)
end

function Test:start_by_message(name, options)
  return self.engine:start_by_message(given.a("start_by_message", 1, "name", name, "string"),
    options)
end

--- Runs what is due until nothing is; returns how many jobs ran.
function Test:run()
  check_stubs(self)
  local ran = self.engine:run_jobs(JOBS_MAX)
  if ran >= JOBS_MAX then fail.fail("after %d jobs there are still more due", ran) end
  return ran
end

--- The earliest time in the future at which something falls due, or a delegate that sleeps wakes; or nil.
function Test:next_due()
  local now = self.engine:now()
  local job = self.engine:jobs({ due_after = now, retries_gt = 0, suspended = false, order_by = "due", limit = 1 })[1]
  local wakes = core.sleeps_until(self.engine.core)
  if not (wakes and wakes > now) then return job and job.due end
  return job and math.min(job.due, wakes) or wakes
end

--- Jumps to the next time at which something falls due, and runs it; returns that time. Fails when nothing will.
function Test:skip()
  self:run()
  local due = self:next_due()
  if not due then fail.fail "nothing falls due: no timer and no retry waits, and no delegate sleeps" end
  self.engine:set_time(due)
  self:run()
  return due
end

--- Lets time pass, stopping at everything that falls due on the way, as a running executor would.
function Test:pass(duration)
  given.a("pass", 1, "duration", duration, "string", "number")
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

local LONGEST <const> = "P1Y"

--- Jumps from one thing that falls due to the next until `condition()` holds; returns what it gave. Fails when nothing is left to wait
--- for, or after `longest` (default a year).
function Test:pass_until(condition, longest)
  given.a("pass_until", 1, "condition", condition, "function")
  local start = self.engine:now()
  local goal = start + orrery.parse_duration(longest or LONGEST, start)
  self:run()
  local value = condition()
  while not value do
    local due = self:next_due()
    if not due then fail.fail("the condition does not hold at %s, and nothing falls due", orrery.format_time(self.engine:now())) end
    if due > goal then fail.fail("the condition does not hold within %s", tostring(longest or LONGEST)) end
    self.engine:set_time(due)
    self:run()
    value = condition()
  end
  return value
end

errors.guard_methods(Test, "t", { [Test] = true })
testing.Test = Test

return testing
