--- Activities a second in one thread: start -> 10 Lua script tasks -> end, each instance in one transaction, history off, durability none.
--- Only the ten tasks are counted, not the two events.
local support = require "support"

local INSTANCES, TASKS = 20000, 10

return function()
  local path = support.directory "steps"
  local engine <close> = support.open(path, { durability = "none", history = "none" })
  support.deploy(engine, support.chain("steps", TASKS, function(i)
    local id = "script" .. i
    return id, ('<scriptTask id="%s" scriptFormat="lua"><script>local x = %d</script></scriptTask>'):format(id, i)
  end))
  support.populate(engine, "steps", 1000) -- caches, compiled scripts
  local seconds = support.time(function()
    for _ = 1, INSTANCES do engine:start "steps" end
  end)
  return { { name = "steps", value = INSTANCES * TASKS / seconds, unit = "activities/s", bar = 300000 } }
end
