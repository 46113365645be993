--- Gives the parcel to the carrier: its tracking number becomes a variable.
return function(execution)
  execution:set("tracking", ("parcel-%s to %s"):format(execution.business_key, execution:get "address"))
end
