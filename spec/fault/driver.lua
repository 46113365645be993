--- Runs a scenario over and over: in the n-th run the n-th allocation, or the n-th call of the store, fails (once, or it and all behind
--- it). A call that meets the fault answers MEMORY or STORE and leaves the store as it was; once the fault is over, calling it again
--- does what it should, and the scenario goes its whole way. Then the store is sound, and no memory is left over.
local assert = require "luassert"
local scenario = require("orrery_inside").scenario

local driver = {}

local MEMORY, STORE = -14, -13

-- These record the failure of a job that met the fault, and keep what other jobs did before it.
local records_failures = { run_jobs = true, job_execute = true }

local Run = {}
Run.__index = function(self, verb)
  return Run[verb] or function(_, arguments) return Run.call(self, verb, arguments) end
end

local function describe_fault(fault)
  local what = fault.memory and "allocation " .. fault.memory or fault.store and "store call " .. fault.store or "no fault"
  return fault.forever and what .. " and all behind it" or what
end

function Run:fails(what, ...) error(("%s: %s"):format(describe_fault(self.fault), what:format(...)), 0) end

--- After a failure: a fault that lasts is over now, and one that came once does not come again.
function Run:recover(verb, message, code)
  if self.hit then self:fails("%s fails again: %s (%s)", verb, message, code) end
  self.hit = true
  local expected = self.fault.memory and MEMORY or STORE
  if code ~= expected then self:fails("%s answers %s (%s)", verb, code, message) end
  if not message then self:fails("%s leaves the error empty", verb) end
  self.box:arm {}
end

function Run:call(verb, arguments)
  local before = not self.hit and self.box:digest()
  local answer, message, code = self.box[verb](self.box, arguments)
  if answer ~= nil then return answer end
  if self.in_transaction then error({ verb = verb, message = message, code = code }, 0) end
  self:recover(verb, message, code)
  if not records_failures[verb] and self.box:digest() ~= before then self:fails("%s failed and changed the store", verb) end
  return self:call(verb, arguments)
end

--- Calls that commit together: when one fails, none has happened.
function Run:transaction(body)
  self:call "begin"
  local before = self.box:digest()
  self.in_transaction = true
  local ok, failure = pcall(function()
    body()
    self:call "commit"
  end)
  self.in_transaction = false
  if ok then return end
  if type(failure) ~= "table" then error(failure, 0) end
  if failure.verb ~= "commit" then self.box:rollback() end
  self:recover(failure.verb, failure.message, failure.code)
  if self.box:digest() ~= before then self:fails("a transaction failed and changed the store") end
  return self:transaction(body)
end

function Run:deploy_model(xml) return self:deploy { resources = { ["model.bpmn"] = xml } }[1] end

--- The one record that a filter finds.
function Run:one(verb, filter)
  local found = self:list { verb = verb, filter = filter }
  if #found ~= 1 then self:fails("%d %s instead of one", #found, verb) end
  return found[1]
end

function Run:expect(what, expected, found)
  local ok, message = pcall(assert.same, expected, found)
  if not ok then self:fails("%s: %s", what, tostring(message)) end
end

local function open(fault)
  local box, message, code = scenario.open(fault)
  if box then return box, false end
  if code ~= (fault.memory and MEMORY or STORE) or not message then error(("opening answers %s (%s)"):format(code, message), 0) end
  return (scenario.open {}), true
end

--- One run. True when the scenario ended before the fault could come.
local function run_once(body, fault)
  local box, hit = open(fault)
  local run = setmetatable({ box = box, fault = fault, hit = hit, in_transaction = false }, Run)
  if not hit then box:arm(fault) end
  body(run)
  local allocations, calls = box:counts()
  local reached = fault.memory and allocations >= fault.memory or fault.store and calls >= fault.store -- and nobody minded
  box:arm {}
  run:expect("findings", {}, box:verify())
  local left = box:close()
  if left ~= 0 then run:fails("%d bytes are left over", left) end
  return not hit and not run.hit and not reached
end

--- Every n from 1 until the scenario no longer meets the fault, in steps; returns how many there are. ORRERY_STEP: the least step.
function driver.every(body, kind, forever, step)
  local n = 1
  local width = math.max(step or 1, tonumber(os.getenv "ORRERY_STEP") or 1)
  while not run_once(body, { [kind] = n, forever = forever }) do n = n + width end
  return n - 1
end

--- One run without a fault over an engine that opens with these options; `done` gets the run at its end.
function driver.plain(body, options, done)
  local run = setmetatable({ box = assert(scenario.open(options)), fault = {}, hit = true, in_transaction = false }, Run)
  body(run)
  run:expect("findings", {}, run.box:verify())
  if done then done(run) end
  run:expect("bytes left over", 0, run.box:close())
end

--- Scenarios by name, in order.
function driver.each(scenarios)
  local names, i = {}, 0
  for name in pairs(scenarios) do names[#names + 1] = name end
  table.sort(names)
  return function()
    i = i + 1
    return names[i], scenarios[names[i]]
  end
end

return driver
