--- Tells the requester that it was refused, and why.
return function(execution)
  execution:set("told", ("%s: %s"):format(execution:get "requester" or "somebody", execution:get "comment" or "no reason is given"))
end
