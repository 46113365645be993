--- Undoes book_hotel: runs when the transaction is canceled, and only if the hotel was booked.
local agency = require "trip.agency"

return function(execution) agency.remove(execution, "hotel in " .. execution:get "city") end
