--- Acquiring and completing 100,000 ready jobs beside 1,000,000 waiting timers, compared with the same beside 1,000: two workers, without
--- syncs, which would hide what the store's size costs. And job by job in the calling thread, where nothing is shared between commits:
--- 1,000 timers and 1,000 ready jobs against all of them.
local support = require "support"

local FEW, TIMERS, READY = 1000, 1000000, 100000
local ROUND, ROUNDS = 1000, 20

local timer = "<timerEventDefinition><timeDuration>P1000D</timeDuration></timerEventDefinition>"

local function open(name, timers)
  local engine = support.open(support.directory(name), { durability = "none", history = "none" })
  support.deploy(engine, support.model("timer", {
    '<startEvent id="start"/>', support.flow("start", "wait"),
    ('<intermediateCatchEvent id="wait">%s</intermediateCatchEvent>'):format(timer),
    support.flow("wait", "end"), '<endEvent id="end"/>',
  }))
  support.deploy(engine, support.chain("ready", 1, support.service 'o:asyncBefore="true"'))
  support.populate(engine, "timer", timers)
  return engine
end

--- Jobs a second in the calling thread: what a round takes is put back before the next, untimed.
local function single_rate(engine, ready)
  support.populate(engine, "ready", ready)
  local seconds = 0
  for _ = 1, ROUNDS do
    seconds = seconds + support.time(function() assert(engine:run_jobs(ROUND) == ROUND) end)
    support.populate(engine, "ready", ROUND)
  end
  return ROUND * ROUNDS / seconds
end

--- Jobs a second of the executor, from its start to its last job.
local function pool_rate(engine, ready)
  support.populate(engine, "ready", READY - ready)
  local seconds = support.time(function()
    engine:start_executor { threads = 2 }
    assert(engine:wait_idle(600))
  end)
  engine:stop_executor()
  return READY / seconds
end

local function rates(name, timers, ready)
  local engine <close> = open(name, timers)
  local single = single_rate(engine, ready)
  return single, pool_rate(engine, ready)
end

return function()
  local single_few, pool_few = rates("backlog-few", FEW, FEW)
  local single, pool = rates("backlog-many", TIMERS, READY)
  support.remove(support.build .. "/bench-store/backlog-many")
  return {
    { name = "backlog", value = pool, unit = "jobs/s", ratio = pool / pool_few, ratio_bar = 0.80 },
    { name = "backlog.single", value = single, unit = "jobs/s", ratio = single / single_few },
  }
end
