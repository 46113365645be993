--- Giving the program's own thread to the engine: until there is nothing to do, or until the program is to end.
local core = require "orrery.core"
local errors = require "orrery.errors"
local future = require "orrery.future"

local serving = {}

local LOOK <const> = 0.05   -- seconds between looks for a signal
local SLICE <const> = 0.25  -- seconds that a signal waits which interrupts a waiting script

function serving.wait_idle(engine, timeout)
  local left = errors.check_type("wait_idle", 1, timeout, "number", "nil") or math.huge
  repeat
    local slice = math.min(left, SLICE)
    if engine.core:wait_idle(slice) then return true end
    core.signals_check()
    left = left - slice
  until left <= 0
  return false
end

--- Why serving ends: a signal's name, "stopped" (the executor has been) or "timeout"; nil while it goes on.
local function reason_to_end(engine, waited, timeout)
  local signal = core.signals_caught()
  return signal or not engine:executor_active() and "stopped" or waited >= timeout and "timeout" or nil
end

local function attend(engine, timeout)
  local waited, reason = 0, nil
  repeat
    future.sleep(LOOK)
    waited = waited + LOOK
    reason = reason_to_end(engine, waited, timeout)
  until reason
  return reason
end

--- Runs the executor (starting it when it does not run yet) until a signal comes, it is stopped, or the time is over; then what runs comes
--- to its end and the rest is given back. Returns why it ended. A second signal ends the process at once.
function serving.serve(engine, options)
  options = errors.check_options("serve", 1, options, { "signals", "timeout", "executor" })
  if core.in_use(engine.core) then errors.raise("state", "an engine cannot be served by what it runs") end
  local timeout = errors.check_type("serve", 1, options.timeout, "number", "nil") or math.huge
  local release = options.signals and core.signals_catch() or function() end
  local ok, reason = pcall(function()
    if not engine:executor_active() then engine:start_executor(options.executor) end
    return attend(engine, timeout)
  end)
  pcall(engine.stop_executor, engine)
  release()
  if not ok then error(reason, 0) end
  return reason
end

return serving
