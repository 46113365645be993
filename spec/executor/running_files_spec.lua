-- The files of executors beside a store: what is left of one that was killed goes, with its locks, also where its name tells nothing of
-- its process, as in another container.
local folder = require "spec.support.folder"
local orrery = require "orrery"
local support = require "spec.support.process"

local child = [[local store, owner = ...
local orrery = require "orrery"
local engine = orrery.open(store, { log = "none" })
engine:register("work", function()
  io.write "runs\n" io.flush()
  while true do require "orrery".sleep(1) end
end)
engine:start_executor { threads = 1, owner = owner, lock_time = 3600 }
while true do orrery.sleep(1) end]]

local function files(path)
  local pipe = assert(io.popen(("ls '%s' | grep -E '^(running|starting)-'"):format(path)))
  local out = {}
  for name in pipe:lines() do out[#out + 1] = name end
  pipe:close()
  return out
end

describe("an executor's file", function()
  local it = folder.only(it, pending, "it lies beside a store on disk")
  -- A map of a file that is only as long ends the process by SIGBUS where the disk turns out to be full.
  it("has all of its room on the disk before it is written", function()
    local room = folder.make()
    finally(function() folder.remove(room) end)
    local engine <close> = orrery.open(room .. "/store", { log = "none", executor = { threads = 1 } })
    local pipe <close> = assert(io.popen(("stat -c '%%b %%B %%s' '%s/store/%s'"):format(room, files(room .. "/store")[1])))
    local blocks, unit, size = pipe:read("a"):match "(%d+) (%d+) (%d+)"
    assert.is_true(blocks * unit >= tonumber(size), ("%s blocks of %s bytes for %s"):format(blocks, unit, size))
    engine:stop_executor()
  end)

  it("outlives a kill, tells that its owner is gone, and goes with the next start", function()
    local room = folder.make()
    finally(function() folder.remove(room) end)
    local path = room .. "/store"
    do
      local engine <close> = orrery.open(path, { log = "none" })
      support.async(engine)
      engine:start "p"
    end
    local file = assert(io.open(room .. "/child.lua", "w"))
    file:write(child)
    file:close()
    local lua = os.getenv "ORRERY_LUA" or "lua5.4"
    local victim = assert(io.popen(("echo $$; exec %s '%s/child.lua' '%s' node-7 2>/dev/null"):format(lua, room, path)))
    local pid = victim:read "l"
    assert.equal("runs", victim:read "l")
    local engine <close> = orrery.open(path, { log = "none" })
    assert.same({ 1, "node-7" }, { #files(path), engine:executors()[1].owner })
    assert.is_nil(engine:jobs({})[1]:why().text:find("is gone", 1, true))
    os.execute("kill -9 " .. pid)
    victim:close()
    assert.equal(1, #files(path))
    assert.same({}, engine:executors())
    assert.matches("is gone", engine:jobs({})[1]:why().text)
    engine:register("work", function() end)
    engine:start_executor { threads = 1 }
    assert.is_true(engine:wait_idle(120))
    assert.equal(0, engine:count "instances")
    assert.equal(1, #files(path)) -- its own
    engine:stop_executor()
    assert.same({}, files(path))
  end)
end)
