-- Adds a mark to a file when it begins, and awaits until another file is gone.
local orrery = require "orrery"

return function(execution)
  local path = execution:get "path"
  local runs = assert(io.open(path .. ".runs", "a"))
  runs:write "x"
  runs:close()
  repeat
    orrery.sleep(0.005)
    local file = io.open(path)
    if file then file:close() end
  until not file
end
