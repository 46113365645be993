--- An executor on a store until the standard input ends, for pg_latency.lua. Arguments: the store, a file that it makes once it looks for
--- jobs.
local orrery = require "orrery"

local url, ready = ...
local engine <close> = orrery.open(url)
engine:start_executor { threads = 2 }
assert(engine:wait_idle(60))
io.open(ready, "w"):close()
io.read "a"
