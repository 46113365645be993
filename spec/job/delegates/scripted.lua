-- Does what the next word of the file named by `script` says: "dies" with its process, "fails", or anything else: succeeds.
return function(execution)
  local path = execution:get "script"
  local file = assert(io.open(path))
  local word, rest = file:read "a":match "^(%S*)%s*(.*)$"
  file:close()
  file = assert(io.open(path, "w"))
  file:write(rest)
  file:close()
  if word == "dies" then
    os.execute "kill -9 $PPID"
    while true do end
  end
  if word == "fails" then error "as it should" end
end
