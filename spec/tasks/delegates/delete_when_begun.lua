-- Deletes the instance `victim` once the file `begun` says that its program runs.
local orrery = require "orrery"

local function has_begun(path)
  local file <close> = io.open(path)
  return file and file:read "n"
end

return function(execution)
  while not has_begun(execution:get "begun") do orrery.sleep(0.01) end
  execution.engine:instance(execution:get "victim"):delete()
end
