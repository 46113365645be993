-- One node of cluster_spec.lua: works on the store's jobs until its standard input ends, or until it is killed. Argument: the store.
local orrery = require "orrery"

local engine = orrery.open((...), { history = "audit", log = "none" })
engine:start_executor { threads = 2, lock_time = 2, wait_time = 0.01, max_wait = 0.05 }
io.read "a"
engine:close()
