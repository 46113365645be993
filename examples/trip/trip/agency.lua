--- The world outside as the example has it: an airline that does not answer at first, and a bank that refuses card 4000. What is booked is
--- a variable of the trip, so that it outlives this program.
local agency = { refused_card = "4000" }

local calls = 0

--- Raises when the airline cannot be reached, which is the case at its first call.
function agency.reserve_seat()
  calls = calls + 1
  if calls == 1 then error("the airline does not answer", 0) end
end

function agency.add(execution, what)
  local booked = execution:get "booked" or {}
  booked[#booked + 1] = what
  execution:set("booked", booked)
end

function agency.remove(execution, what)
  local left = {}
  for _, one in ipairs(execution:get "booked" or {}) do
    if one ~= what then left[#left + 1] = one end
  end
  execution:set("booked", require "orrery".array(left))
end

return agency
