--- Tells the traveler what is booked.
return function(execution)
  execution:set("tickets", ("%s: %s"):format(execution:get "traveler", table.concat(execution:get "booked", ", ")))
end
