-- A process of its own for serve_spec.lua: runs the executor on a store until it is told to end.
--   lua serving.lua <store> serve|sleep|nap|stop-when <file>
-- serve: until a signal comes; sleep, nap: until its interpreter gets one; stop-when: until the file is there.
local store, how, file = ...
local orrery = require "orrery"

local engine <close> = orrery.open(store, { log = "none", package_path = "spec/job/?.lua;" .. package.path })
local options = { threads = 1, lock_time = 1 }
if how == "serve" then
  print(engine:serve { signals = true, executor = options })
else
  engine:start_executor(options)
  if how == "sleep" then orrery.sleep(60) end
  while how == "nap" do orrery.sleep(0.001) end -- mostly in a timer's function, whose errors stay there
  repeat until io.open(file)
  engine:stop_executor()
end
