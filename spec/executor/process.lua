-- A process of its own for the specs of this room: runs the executor on a store until nothing is left to do.
--   lua process.lua <store> <threads>
-- Says "idle" when that is so.
local store, threads = ...
local orrery = require "orrery"

local engine <close> = orrery.open(store, { log = "none", package_path = "spec/job/?.lua;" .. package.path })
engine:start_executor { threads = tonumber(threads) }
print(engine:wait_idle(120) and "idle" or "busy")
