--- Acquiring and completing 100,000 ready jobs beside 1,000,000 waiting timers, compared with the same beside 1,000: two workers, without
--- syncs, which would hide what the store's size costs. And job by job in the calling thread, where nothing is shared between commits:
--- 1,000 timers and 1,000 ready jobs against all of them, with the commits a job, and the pages that each of them writes.
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

--- Jobs in the calling thread: seconds, of the clock and of the processor, commits and pages, for each. What a round takes is put back
--- before the next, unmeasured.
local function single_cost(engine, ready)
  support.populate(engine, "ready", ready)
  local each = { seconds = 0, used = 0, commits = 0, pages = 0 }
  for _ = 1, ROUNDS do
    local commits = engine.core:changes()
    each.seconds = each.seconds + support.time(function()
      local used, pages = support.cost(ROUND, function() assert(engine:run_jobs(ROUND) == ROUND) end)
      each.used, each.pages = each.used + used / ROUNDS, each.pages + pages / ROUNDS
    end) / ROUND / ROUNDS
    each.commits = each.commits + (engine.core:changes() - commits) / ROUND / ROUNDS
    support.populate(engine, "ready", ROUND)
  end
  return each
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
  local single = single_cost(engine, ready)
  return single, pool_rate(engine, ready)
end

return function()
  local few, pool_few = rates("backlog-few", FEW, FEW)
  local single, pool = rates("backlog-many", TIMERS, READY)
  support.remove(support.build .. "/bench-store/backlog-many")
  return {
    { name = "backlog", value = pool, unit = "jobs/s", ratio = pool / pool_few, ratio_bar = 0.80 },
    { name = "backlog.single", value = 1 / single.seconds, unit = "jobs/s", ratio = few.seconds / single.seconds },
    { name = "backlog.single.processor", value = single.used, unit = "us/job", ratio = few.used / single.used },
    { name = "backlog.single.commits", value = single.commits, unit = "commits/job" },
    { name = "backlog.single.pages", value = single.pages, unit = "pages/job", ratio = few.pages / single.pages },
  }
end
