--- What grows with the store: the same work beside 10,000, 1,000,000 and 10,000,000 waiting instances, half of them at a timer, half at a
--- user task, with the default history. In processor time of all threads, which other programs disturb less; without syncs, which would
--- hide it. The largest needs 15 GB of disk and some minutes, most of them for making it and for checking it.
--- Other sizes: make scale SIZES=10000,1000000.
local support = require "support"

local SIZES = "10000,1000000,10000000"
local READY, SINGLE, TASKS, TIMERS, STARTS, LISTS = 20000, 2000, 1000, 2000, 2000, 200
local options = { durability = "none", clock = "manual", now = 1800000000 }

local function wait_for(timer)
  return function()
    return "wait", ('<intermediateCatchEvent id="wait"><timerEventDefinition><timeDuration>%s</timeDuration></timerEventDefinition>' ..
      '</intermediateCatchEvent>'):format(timer)
  end
end

--- Texts that sort as they are made: else each would be put on a page of its own, which takes most of the time to make ten million.
local function key(i) return ("key %08d"):format(i) end
local function user(i, size) return ("user %08d"):format(i % (size // 20)) end

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
    return { business_key = key(i), variables = { who = user(i, size) } }
  end)
end

local function drain(engine)
  engine:start_executor { threads = 2 }
  assert(engine:wait_idle(600))
  engine:stop_executor()
end

local function look(f)
  return (support.cost(LISTS, function() for i = 1, LISTS do f(i) end end))
end

local function measure(size)
  assert(size >= 10000, "sizes from 10,000 on: what is completed and looked for must be there")
  local path = support.directory "scale"
  local out = {}
  local function tell(name, unit, value, pages)
    out[#out + 1] = { name = ("scale.%d.%s"):format(size, name), value = value, unit = unit }
    if pages then out[#out + 1] = { name = ("scale.%d.%s.pages"):format(size, name), value = pages, unit = "pages written" } end
  end
  tell("populate", "us/instance", (support.cost(size, function() populate(path, size) end)))
  tell("open", "us", (support.cost(1, function() support.open(path, options):close() end)))
  do
    local engine <close> = support.open(path, options)
    tell("start", "us/instance", support.cost(STARTS, function() for _ = 1, STARTS do engine:start "ready" end end))
    tell("single", "us/job", support.cost(SINGLE, function() assert(engine:run_jobs(SINGLE) == SINGLE) end))
    support.populate(engine, "ready", READY)
    tell("executor", "us/job", (support.cost(READY, function() drain(engine) end)))
    support.populate(engine, "soon", TIMERS)
    engine:advance(2)
    tell("timers", "us/timer", (support.cost(TIMERS, function() drain(engine) end)))
    tell("complete", "us/task", support.cost(TASKS, function()
      for i = 1, TASKS do engine:task({ assignee = user(i, size), limit = 1 }):complete() end
    end))
    tell("by_key", "us", look(function(i) assert(#engine:instances { business_key = key(size // 4 + i) } == 1) end))
    tell("page", "us", look(function() assert(#engine:instances { limit = 50 } == 50) end))
    tell("clean", "us/instance", (support.cost(READY, function() engine:clean_history { ended_before = engine:now() } end)))
    tell("verify", "us/instance", (support.cost(size, function() assert(#engine:verify() == 0) end)))
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
