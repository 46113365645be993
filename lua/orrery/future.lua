--- Futures: what a delegate awaits. A waiting delegate yields its coroutine and the thread goes on with others; a caller that is no
--- delegate runs the loop until the future is settled.
local core = require "orrery.core"
local errors = require "orrery.errors"

local future = {}

local Future = {}
Future.__index = Future
Future.__name = "orrery.Future"
Future.__shown = "kept" -- lua/orrery/view.lua
future.Future = Future

function future.new() return setmetatable({ done = false, waiters = {} }, Future) end

local function settle(self, value, failure, failed)
  if self.done then return false end
  self.done, self.value, self.failure, self.failed = true, value, failure, failed
  local waiters = self.waiters
  self.waiters = nil
  for _, token in ipairs(waiters) do
    if type(token) == "function" then token(self) else core.wake(token) end
  end
  return true
end

--- Only the first of resolve and reject counts; they return whether they were it.
function Future:resolve(value) return settle(self, value, nil, false) end

function Future:reject(failure)
  return settle(self, nil, failure == nil and "rejected" or failure, true)
end

--- Cancels it: the call behind it ends, and code that awaits it gets an error of type "canceled".
function Future:cancel()
  if self.done then return false end
  if self.on_cancel then self.on_cancel() end
  return self:reject { type = "canceled", message = "the call was canceled" }
end

--- Calls f(self) once it is settled: at once, or from the loop. What f raises is lost.
function Future:done_then(f)
  if self.done then f(self) else self.waiters[#self.waiters + 1] = f end
end

function Future:await() return future.await(self) end

local own = setmetatable({}, { __mode = "k" }) -- coroutines of future.async

--- Runs f() in a coroutine of its own, which may await: the future of its value. Where nothing is to be awaited it has run already.
function future.async(f)
  local result = future.new()
  local co
  co = coroutine.create(function()
    local ok, value = pcall(f)
    if ok then result:resolve(value) else result:reject(value) end
  end)
  own[co] = true
  coroutine.resume(co)
  return result
end

local function await_in_own(self, co)
  self:done_then(function() coroutine.resume(co) end)
  coroutine.yield()
end

function future.await(self)
  if getmetatable(self) ~= Future then errors.argument("await", 1, "future expected, got " .. type(self)) end
  while not self.done do
    local token, co = core.fiber(), coroutine.running()
    if own[co] then
      await_in_own(self, co)
    elseif token then
      core.begin_await()
      self.waiters[#self.waiters + 1] = token
      coroutine.yield(core.awaits)
      core.awaited()
    elseif not core.run_until(self) then
      errors.raise("state", "nothing will settle this future")
    end
  end
  if self.failed then error(self.failure, 0) end
  return self.value
end

--- Seconds, or an ISO 8601 duration; by the engine's clock when it is a manual one.
function future.sleep(delay)
  local seconds = type(delay) == "string" and core.duration_parse(delay, 0) or errors.check_type("sleep", 1, delay, "number")
  if seconds < 0 or seconds ~= seconds then errors.argument("sleep", 1, "a delay cannot be negative") end
  if seconds >= 1e11 then errors.argument("sleep", 1, "a delay of less than 1e11 seconds expected") end
  local f = future.new()
  core.timer(seconds, function() f:resolve() end)
  return future.await(f)
end

--- Runs a module's function on another thread, in a Lua state of its own. Argument and result are copied.
function future.defer(module, argument)
  errors.check_text("defer", 1, module)
  local f = future.new()
  core.defer(module, argument, package.path, package.cpath, function(value, failure)
    if failure then f:reject(failure) else f:resolve(value) end
  end)
  return f
end

return future
