-- Says in the file named by `begun` that it runs, and keeps its thread until the file named by `release` is there.
return function(execution)
  local function exists(name)
    local file = io.open(execution:get(name))
    if file then file:close() end
    return file ~= nil
  end
  assert(io.open(execution:get "begun", "w")):close()
  repeat until exists "release"
end
