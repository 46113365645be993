--- 100,000 timers that are due at the same instant, durable, two threads, the system's clock: by how much each fires late, by the
--- history of its instance, which ends with it; and when the last of them is on disk.
local support = require "support"
local orrery = require "orrery"

local TIMERS, PAGE = 100000, 10000
local AHEAD = 10 -- seconds, in which all of them are made

--- The instances' ends, in seconds after `due`, ascending.
local function delays(engine, due)
  local found = {}
  for at = 0, TIMERS - 1, PAGE do
    local rows = engine:history_instances { order_by = "id", limit = PAGE, offset = at }
    for _, row in ipairs(rows) do found[#found + 1] = row.ended_at - due end
  end
  table.sort(found)
  return found
end

return function()
  local engine <close> = support.open(support.directory "timers", { executor = { threads = 2 } })
  local due = math.ceil(engine:now()) + AHEAD
  local timer = "<timerEventDefinition><timeDate>%s</timeDate></timerEventDefinition>"
  support.deploy(engine, support.model("timers", {
    '<startEvent id="start"/>', support.flow("start", "wait"),
    ('<intermediateCatchEvent id="wait">%s</intermediateCatchEvent>'):format(timer:format(os.date("!%Y-%m-%dT%H:%M:%SZ", due))),
    support.flow("wait", "end"), '<endEvent id="end"/>',
  }))
  support.populate(engine, "timers", TIMERS)
  assert(engine:now() < due, "the timers were made too slowly")
  orrery.sleep(due - engine:now() + 0.01) -- until then the executor is idle
  assert(engine:wait_idle(600))
  local last_durable = engine:now() - due
  local late = delays(engine, due)
  assert(#late == TIMERS)
  return {
    { name = "timers.first", value = late[1] * 1000, unit = "ms late", bar = 0 },
    { name = "timers.median", value = support.quantile(late, 0.5) * 1000, unit = "ms late" },
    { name = "timers", value = late[#late], unit = "s, the last", bar = 3, most = true },
    { name = "timers.durable", value = last_durable, unit = "s, the last on disk", bar = 3, most = true },
  }
end
