--- How the command shows times: in UTC, or by the clocks of --zone.
local orrery = require "orrery"

local clock = {}

--- Shows times from here on by a zone's clocks; nil: in UTC. A zone that there is not raises `argument`.
function clock.set_zone(zone)
  if zone then orrery.format_time(0, zone) end
  clock.zone = zone
end

function clock.format(t) return t and orrery.format_time(t, clock.zone) end

function clock.now() return os.time() end

local steps = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" } }

--- A length of time in its two largest units: "3d 4h", "12s".
function clock.length(seconds)
  local left, parts = math.floor(seconds), {}
  for _, step in ipairs(steps) do
    local n = left // step[1]
    left = left % step[1]
    if n > 0 then parts[#parts + 1] = ("%d%s"):format(n, step[2]) end
    if #parts == 2 then break end
  end
  return parts[1] and table.concat(parts, " ") or "0s"
end

return clock
