-- One process of the soak: starts instances and works on everybody's jobs, until it is told to end or killed.
--   orrery lua node.lua <folder> work|finish
-- finish: starts nothing, and ends when nothing is left to do.
local folder, task = ...
local orrery = require "orrery"
local work = require "spec.fault.soak.work"

local JOBS_MAX <const> = 300 -- that wait, before a process starts no more: what is begun comes to its end

local engine <close> = orrery.open(folder .. "/store", { log = "none", retries = 1000000 })
engine:deploy({ ["soak.bpmn"] = work.model }, { name = "soak", filter_duplicates = true })
math.randomseed()
engine:start_executor { threads = 4, lock_time = 1, wait_time = 0.05, max_wait = 0.2, drain_time = 5 }

local acknowledged = assert(io.open(folder .. "/acknowledged", "a"))
acknowledged:setvbuf "no"

local function start() return engine:start("soak", { variables = { n = 0, ballast = ("x"):rep(math.random(100, 60000)) } }).id end

local function start_some()
  local ids = {}
  if math.random(4) == 1 then
    engine:transaction(function()
      for i = 1, math.random(5) do ids[i] = start() end
    end)
  else ids[1] = start() end
  for _, id in ipairs(ids) do acknowledged:write(id .. "\n") end -- one write each: other nodes append, too
end

--- A lost race is no matter; everything else is, a signal above all.
local function may_lose(f, ...)
  local ok, failure = pcall(f, ...)
  if not ok and not (type(failure) == "table" and failure.kind == "conflict") then error(failure, 0) end
end

--- A job that a process was killed over three times has become an incident, which is right, and is tried again here.
local function retry_lost()
  for _, job in ipairs(engine:jobs { retries = 0 }) do may_lose(job.set_retries, job, 1000000) end
end

if task == "work" then
  while true do
    for _ = 1, 10 do may_lose(start_some) end
    while engine:count("jobs", {}) > JOBS_MAX do orrery.sleep(0.05) end
    if math.random(20) == 1 then retry_lost() end
  end
end
repeat
  retry_lost()
  engine:wait_idle(2)
until engine:count("jobs", {}) == 0
