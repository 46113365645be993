--- Places the order; what it is placed under stays with the instance.
return function(execution)
  execution:set("order_number", ("P-%s"):format(execution.business_key or execution.instance_id))
end
