return function(execution)
  execution:set("tracking", ("parcel-%s to %s"):format(execution.business_key, execution:get "address"))
end
