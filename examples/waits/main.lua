--- A thousand jobs that each wait a second, on two threads: they finish in little more than a second, because waits overlap.
---   orrery lua examples/waits/main.lua [JOBS] [THREADS]
local orrery = require "orrery"

local jobs, threads = math.tointeger(tonumber(arg[1] or 1000)), math.tointeger(tonumber(arg[2] or 2))
local folder = arg[0]:match "^(.*)/" or "."

local engine <close> = orrery.open(nil, { package_path = folder .. "/?.lua;" .. package.path })
engine:deploy(folder .. "/crawl.bpmn")
engine:transaction(function()
  for _ = 1, jobs do engine:start "crawl" end
end)

local before = engine:now()
engine:start_executor { threads = threads }
assert(engine:wait_idle(60), "the jobs did not finish within a minute")
local seconds = engine:now() - before
engine:stop_executor()

local done = engine:count("history_instances", { state = "completed" })
print(("%d of %d jobs, each a second long, done on %d threads in %.1f seconds"):format(done, jobs, threads, seconds))
