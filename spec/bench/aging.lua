--- Nothing starves: jobs of priority 100 are started for 4 s, so that there are always some hundreds to do, and one of priority 0 among
--- them. With aging by 10 ms a point it is passed by those alone that are made within its first 100 * 10 ms; so it has to run when these
--- are worked off. Under strict priorities the same job waits until the stream ends.
local support = require "support"

local STREAM, LOW_AT = 4, 0.5 -- seconds
local PRIORITY, TAU = 100, 0.01
local BACKLOG, ROUND, QUEUE = 500, 100, 16

local busy = [[
return { execute = function()
  local x = 0
  for i = 1, 5000 do x = x + i end
end }]]

local function deploy(engine, key, priority)
  local task = ('<serviceTask id="task" o:class="busy" o:asyncBefore="true" o:jobPriority="%d"/>'):format(priority)
  support.deploy(engine, support.model(key, {
    '<startEvent id="start"/>', support.flow("start", "task"), task, support.flow("task", "end"), '<endEvent id="end"/>',
  }), { ["busy.lua"] = busy })
end

--- Keeps the backlog up while the stream lasts; answers the low instance.
local function stream(engine)
  local now, low, started = support.measure.now, nil, 0
  local begun = now()
  repeat
    if started - engine:metrics()["job-successful"] < BACKLOG then
      support.populate(engine, "high", ROUND)
      started = started + ROUND
    end
    if not low and now() - begun >= LOW_AT then low = engine:start "low" end
  until now() - begun >= STREAM
  return low
end

--- When each instance was made, when its task began.
local function lives(engine, key)
  local by_id, list = {}, {}
  for _, row in ipairs(engine:history_instances { definition_key = key }) do
    list[#list + 1] = { made = row.started_at }
    by_id[row.id] = list[#list]
  end
  for _, row in ipairs(engine:history_activities { definition_key = key, activity_id = "task" }) do
    by_id[row.instance_id].began = row.started_at
  end
  return list
end

--- Seconds that the low job waited; how long those before it took, its bound; and how many passed it though made too late.
local function wait(name, order)
  local engine <close> = support.open(support.directory(name), {})
  deploy(engine, "high", PRIORITY)
  deploy(engine, "low", 0)
  order.threads, order.queue_size = 2, QUEUE
  engine:start_executor(order)
  stream(engine)
  assert(engine:wait_idle(600))
  local low = lives(engine, "low")[1]
  local limit, bound, passed = low.made + PRIORITY * TAU, 0, 0
  for _, high in ipairs(lives(engine, "high")) do
    if high.made <= limit then bound = math.max(bound, high.began - low.made)
    elseif high.began < low.began then passed = passed + 1 end
  end
  return low.began - low.made, bound, passed
end

return function()
  local aged, bound, passed = wait("aging", { acquire_by_aging = TAU })
  local strict = wait("aging-strict", { acquire_by_priority = true })
  return {
    { name = "aging", value = aged, unit = "s", ratio = aged / bound, ratio_bar = 1.05, most = true },
    { name = "aging.passed", value = passed, unit = "jobs made too late", bar = QUEUE, most = true },
    { name = "aging.strict", value = strict, unit = "s, by priority alone" },
  }
end
