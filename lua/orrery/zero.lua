--- Options in which 0 means nothing, and in the core's structures "not given". In Lua nil is not given, so 0 is refused or is itself.
local errors = require "orrery.errors"
local ids = require "orrery.ids"

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

local NO_TRIES <const> = -1

--- A batch's options as the core is to see them.
function zero.batch(name, n, options)
  local retries, definition = options.retries, options.definition_id
  if options.action == "set_priority" and options.value == nil then errors.argument(name, n, "value must be an integer") end
  if math.type(retries) and retries < 0 then errors.argument(name, n, "retries must be an integer, and not negative") end
  if definition ~= nil and not ids.possible(definition) then
    errors.argument(name, n, "definition_id must be the id of a definition")
  end
  if retries ~= 0 then return options end
  local given = {}
  for key, value in pairs(options) do given[key] = value end
  given.retries = NO_TRIES -- 0: one
  return given
end

return zero
