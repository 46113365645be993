-- Keeps its thread for as long as a file is there: by computing, which nothing can interrupt from outside, or by awaiting.
local orrery = require "orrery"

local function there(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

return function(execution)
  local path, how = execution:get "path", execution:get "how"
  local function keep()
    local began = assert(io.open(path .. ".began", "w"))
    began:close()
    while there(path) do
      if how == "awaits" then orrery.sleep(0.005) end
    end
  end
  if how == "computes in a coroutine" then coroutine.wrap(function() keep() end)() else keep() end
end
