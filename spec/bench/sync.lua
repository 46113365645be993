--- Instances a second in one thread: start -> 3 no-op Lua service tasks -> end, each start its own transaction, history off,
--- durability none.
local support = require "support"

local INSTANCES = 100000

return function()
  local path = support.directory "sync"
  local engine <close> = support.open(path, { durability = "none", history = "none" })
  support.deploy(engine, support.chain("sync", 3, support.service()))
  support.populate(engine, "sync", 1000)
  local seconds = support.time(function()
    for _ = 1, INSTANCES do engine:start "sync" end
  end)
  return { { name = "sync", value = INSTANCES / seconds, unit = "instances/s", bar = 100000 } }
end
