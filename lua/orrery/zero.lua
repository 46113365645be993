--- Options in which 0 means nothing, and in the core's structures "not given". In Lua nil is not given, so 0 is refused or is itself.
local errors = require "orrery.errors"

local zero = {}

--- Raises when one of these is 0.
function zero.refuse(name, n, options, ...)
  for _, key in ipairs { ... } do
    if type(options) == "table" and options[key] == 0 then
      errors.argument(name, n, ("%s: 0 is none; it must be above 0, or nil for the default"):format(key))
    end
  end
end

local SOON <const> = 0.001 -- seconds: the shortest time that there is

--- An executor's options as the core is to see them.
function zero.executor(name, n, options)
  zero.refuse(name, n, options, "threads", "queue_size", "max_jobs_per_acquisition", "lock_time", "wait_time", "max_wait", "backoff_time",
    "max_backoff", "backoff_factor")
  if type(options) ~= "table" or options.drain_time ~= 0 then return options end
  local given = {}
  for key, value in pairs(options) do given[key] = value end
  given.drain_time = SOON -- 0: not at all
  return given
end

return zero
