--- Writes the invoice from what the bank gave for it.
return function(execution)
  execution:set("invoice", ("invoice for %s, %s"):format(execution.business_key, execution:get "receipt"))
end
