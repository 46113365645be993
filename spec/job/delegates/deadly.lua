-- Takes its process with it, as a fault in a C library would; where the file named by `lives` is, it does no harm.
return function(execution)
  local file = io.open(execution:get "lives")
  if file then
    file:close()
    return
  end
  os.execute "kill -9 $PPID"
  while true do end
end
