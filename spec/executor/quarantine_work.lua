-- The delegate of quarantine_spec.lua: one letter in `log`, then its process is gone, as by a fault in a C library.
return function(execution)
  local safe = io.open(execution:get "safe")
  if safe then safe:close() end
  if safe or not execution:get "deadly" then return end
  local log = assert(io.open(execution:get "log", "a"))
  log:write "x"
  log:close()
  os.execute "kill -SEGV $PPID"
  while true do end
end
