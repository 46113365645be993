--- What 1,000,000 waiting instances take: start -> user task with an assignee; and how long a store with them takes to open.
local support = require "support"

local INSTANCES = 1000000

local function file_bytes(path)
  local pipe = assert(io.popen("du -B1 '" .. path .. "/data.mdb'"))
  local bytes = pipe:read "n"
  pipe:close()
  return bytes
end

return function()
  local path = support.directory "footprint"
  local grown, entries
  do
    local engine <close> = support.open(path, { durability = "none", history = "none" })
    support.deploy(engine, support.chain("hold", 1, function() return "wait", '<userTask id="wait" o:assignee="kermit"/>' end))
    support.populate(engine, "hold", 1000)
    collectgarbage()
    local before = support.measure.resident()
    support.populate(engine, "hold", INSTANCES - 1000)
    collectgarbage()
    grown = support.measure.resident() - before
    entries = engine:count "tasks"
  end
  assert(entries == INSTANCES)
  local opened = support.time(function() support.open(path, {}):close() end)
  local stored = file_bytes(path)
  support.remove(path)
  return {
    { name = "footprint.store", value = stored / INSTANCES, unit = "bytes/instance" },
    { name = "footprint.memory", value = grown / INSTANCES, unit = "bytes/instance" },
    { name = "footprint.open", value = opened * 1000, unit = "ms" },
  }
end
