--- A seat to the city. An airline that does not answer raises a plain error: the job fails, and is tried again by the model's retry cycle.
local agency = require "trip.agency"

return function(execution)
  agency.reserve_seat()
  agency.add(execution, "flight to " .. execution:get "city")
end
