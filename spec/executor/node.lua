-- A process of its own for the specs of this room: an executor that runs until the file `path` is gone.
--   lua node.lua <store> <path> <executor options as a Lua table>
-- Says "ready" when its first round is over and what it could take is begun.
local store, path, options = ...
local orrery = require "orrery"

local function there(name)
  local file = io.open(name)
  if file then file:close() end
  return file ~= nil
end

local engine <close> = orrery.open(store, { log = "none", package_path = "spec/job/?.lua;" .. package.path })
engine:start_executor(load("return " .. options)())
repeat local idle = engine:wait_idle(0.005) until idle or there(path .. ".began")
io.write "ready\n"
io.flush()
while there(path) do orrery.sleep(0.005) end
