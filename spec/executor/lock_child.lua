-- Dies in the middle of a job, without a word: its lock stays. Arguments: store, the manual clock's time, lock time, owner's name or "".
local store, now, lock_time, owner = ...
local orrery = require "orrery"
local engine = orrery.open(store, { clock = "manual", now = tonumber(now), log = "none",
  acquisition = { lock_time = tonumber(lock_time), owner = owner ~= "" and owner or nil } })
engine:register("work", function() os.exit(7, false) end)
engine:run_jobs()
