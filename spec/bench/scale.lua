--- What grows with the store: the same work beside 10,000 and 1,000,000 waiting instances, half of them at a timer, half at a user task,
--- with the default history. In processor time of all threads, which other programs disturb less; without syncs, which would hide it.
--- Other sizes: make bench BENCH="--repeat 1 scale=10000,1000000,10000000".
local support = require "support"

local SIZES = "10000,1000000"
local READY, SINGLE, TASKS, TIMERS, STARTS, LISTS = 20000, 2000, 1000, 2000, 2000, 200
local options = { durability = "none", clock = "manual", now = 1800000000 }

local function wait_for(timer)
  return function()
    return "wait", ('<intermediateCatchEvent id="wait"><timerEventDefinition><timeDuration>%s</timeDuration></timerEventDefinition>' ..
      '</intermediateCatchEvent>'):format(timer)
  end
end

local function populate(path, size)
  local engine <close> = support.open(path, options)
  support.deploy(engine, support.chain("later", 1, wait_for "P1000D"))
  support.deploy(engine, support.chain("soon", 1, wait_for "PT1S"))
  support.deploy(engine, support.chain("hold", 1, function() return "task", '<userTask id="task" o:assignee="${who}"/>' end))
  support.deploy(engine, support.chain("ready", 1, support.service 'o:asyncBefore="true"'))
  support.populate(engine, "later", size // 2)
  local i = 0
  support.populate(engine, "hold", size // 2, function()
    i = i + 1
    return { business_key = "key " .. i, variables = { who = "user " .. i % (size // 20) } }
  end)
end

--- Microseconds of processor time for each of `count`.
local function cost(count, f)
  local used = support.measure.used()
  f()
  return (support.measure.used() - used) * 1e6 / count
end

local function drain(engine)
  engine:start_executor { threads = 2 }
  assert(engine:wait_idle(600))
  engine:stop_executor()
end

local function look(f)
  return cost(LISTS, function() for i = 1, LISTS do f(i) end end)
end

local function measure(size)
  assert(size >= 10000, "sizes from 10,000 on: what is completed and looked for must be there")
  local path = support.directory "scale"
  populate(path, size)
  local out = {}
  local function tell(name, value, unit)
    out[#out + 1] = { name = ("scale.%d.%s"):format(size, name), value = value, unit = unit }
  end
  tell("open", cost(1, function() support.open(path, options):close() end), "us")
  do
    local engine <close> = support.open(path, options)
    tell("start", cost(STARTS, function() for _ = 1, STARTS do engine:start "ready" end end), "us/instance")
    tell("single", cost(SINGLE, function() assert(engine:run_jobs(SINGLE) == SINGLE) end), "us/job")
    support.populate(engine, "ready", READY)
    tell("executor", cost(READY, function() drain(engine) end), "us/job")
    support.populate(engine, "soon", TIMERS)
    engine:advance(2)
    tell("timers", cost(TIMERS, function() drain(engine) end), "us/timer")
    tell("complete", cost(TASKS, function()
      for i = 1, TASKS do engine:task({ assignee = "user " .. i % (size // 20), limit = 1 }):complete() end
    end), "us/task")
    tell("by_key", look(function(i) assert(#engine:instances { business_key = "key " .. size // 4 + i } == 1) end), "us")
    tell("page", look(function() assert(#engine:instances { limit = 50 } == 50) end), "us")
    tell("clean", cost(READY, function() engine:clean_history { ended_before = engine:now() } end), "us/instance")
    tell("verify", cost(size, function() assert(#engine:verify() == 0) end), "us/instance")
  end
  support.remove(path)
  return out
end

return function(sizes)
  local rows = {}
  for size in (sizes or SIZES):gmatch "%d+" do
    for _, row in ipairs(measure(math.tointeger(size))) do rows[#rows + 1] = row end
  end
  return rows
end
