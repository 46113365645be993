--- Times as numbers of seconds, and their ISO 8601 texts.
local core = require "orrery.core"
local errors = require "orrery.errors"

local time = {}

function time.parse(text)
  errors.check_type("parse_time", 1, text, "string", "number")
  return core.time_parse(text)
end

--- In UTC, or by the clocks of a zone such as Europe/Berlin.
function time.format(t, zone)
  errors.check_type("format_time", 1, t, "number", "string")
  if errors.check_type("format_time", 2, zone, "string", "nil") == nil then return core.time_format(t) end
  return core.time_format_local(t, zone)
end

--- Its length in seconds; months and years count from `base` (seconds or text; the epoch when nil).
function time.duration(text, base)
  errors.check_type("parse_duration", 1, text, "string", "number")
  if type(text) == "number" then return text end
  return core.duration_parse(text, base or 0)
end

return time
