--- A room in the city.
local agency = require "trip.agency"

return function(execution) agency.add(execution, "hotel in " .. execution:get "city") end
