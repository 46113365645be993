-- Keeps its thread until its executor is to stop, and does not come to an end even then: whoever waits for the process loses patience.
return function(execution)
  assert(io.open(execution:get "begun", "w")):close()
  repeat until not execution.engine:executor_active()
  os.execute "kill -9 $PPID"
  while true do end
end
