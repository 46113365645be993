--- Undoes book_flight.
local agency = require "trip.agency"

return function(execution) agency.remove(execution, "flight to " .. execution:get "city") end
