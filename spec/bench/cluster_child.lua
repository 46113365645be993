--- One process of cluster_nodes.lua: opens the store, says so, waits until its pipe is opened and closed, works until nothing is left, and
--- says how many jobs it did, how many it took, and how many others took first. Arguments: the store, the pipe.
local orrery = require "orrery"

local store, pipe = ...
local engine <close> = orrery.open(store)
io.stdout:write "ready\n"
io.stdout:flush()
assert(io.open(pipe, "r")):close()
engine:start_executor { threads = 2 }
assert(engine:wait_idle(600))
local count = engine:metrics()
print(count["job-successful"], count["job-acquired-success"], count["job-acquired-failure"])
