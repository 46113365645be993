--- Acquiring and completing jobs beside 1,000,000 waiting timers and 100,000 ready jobs, compared with 1,000 of each.
--- Each round acquires and completes 1,000 jobs in the calling thread; without syncs, which would hide what the store's size costs.
local support = require "support"

local ROUND, ROUNDS = 1000, 20

local function open(name, timers)
  local engine = support.open(support.directory(name), { durability = "none", history = "none" })
  support.deploy(engine, support.model("timer", {
    '<startEvent id="start"/>', support.flow("start", "wait"),
    '<intermediateCatchEvent id="wait"><timerEventDefinition><timeDuration>P1000D</timeDuration></timerEventDefinition></intermediateCatchEvent>',
    support.flow("wait", "end"), '<endEvent id="end"/>',
  }))
  support.deploy(engine, support.chain("ready", 1, support.service 'o:asyncBefore="true"'))
  support.populate(engine, "timer", timers)
  return engine
end

--- Rounds run with at least `ready` jobs there: what a round takes is put back before the next, untimed.
local function rate(engine, ready)
  support.populate(engine, "ready", ready)
  local seconds = 0
  for _ = 1, ROUNDS do
    seconds = seconds + support.time(function() assert(engine:run_jobs(ROUND) == ROUND) end)
    support.populate(engine, "ready", ROUND)
  end
  return ROUND * ROUNDS / seconds
end

return function()
  local small, large
  do
    local engine <close> = open("backlog-small", 1000)
    small = rate(engine, 1000)
  end
  do
    local engine <close> = open("backlog-large", 1000000)
    large = rate(engine, 100000)
  end
  return {
    { name = "backlog", value = large, unit = "jobs/s", ratio = large / small, ratio_bar = 0.80 },
    { name = "backlog.small", value = small, unit = "jobs/s" },
  }
end
