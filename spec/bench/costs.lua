--- What priorities, exclusive jobs and history cost a job: start -> 3 asynchronous no-op Lua service tasks -> end, durable, two threads;
--- first with none of them, then each alone, then all. The rate falls with whatever else the machine does; the processor time hardly.
local support = require "support"

local INSTANCES, TASKS = 30000, 3

local plain = { exclusive = false, history = "none" }
local variants = {
  { name = "costs.priority", priority = true },
  { name = "costs.exclusive", exclusive = true },
  { name = "costs.activity", history = "activity" },
  { name = "costs.audit", history = "audit" },
  { name = "costs.full", history = "full" },
  { name = "costs.all", priority = true, exclusive = true, history = "audit" },
}

--- Of ten instances one is urgent, so that the order by priority is not that of creation.
local function populate(engine, count)
  local urgent = 0
  support.populate(engine, "costs", count, function()
    urgent = (urgent + 1) % 10
    return { variables = { priority = urgent == 0 and 10 or 1 } }
  end)
end

--- Jobs a second, and the microseconds of processor time that one takes.
local function run(variant)
  local history = variant.history or plain.history
  local path = support.directory "costs"
  local attributes = ('o:asyncBefore="true" o:exclusive="%s" %s'):format(variant.exclusive and "true" or "false",
    variant.priority and 'o:jobPriority="${priority}"' or "")
  local engine <close> = support.open(path, { history = history })
  support.deploy(engine, support.chain("costs", TASKS, support.service(attributes)))
  populate(engine, INSTANCES)
  local used = support.measure.used()
  local seconds = support.time(function()
    engine:start_executor { threads = 2, acquire_by_priority = variant.priority }
    assert(engine:wait_idle(600))
  end)
  assert(engine:count "instances" == 0)
  local jobs = INSTANCES * TASKS
  return jobs / seconds, (support.measure.used() - used) / jobs * 1e6
end

return function()
  local rate, used = run(plain)
  local rows = { { name = "costs.none", value = rate, unit = "jobs/s" }, { name = "costs.none.cpu", value = used, unit = "us/job" } }
  for _, variant in ipairs(variants) do
    local its_rate, its_used = run(variant)
    rows[#rows + 1] = { name = variant.name, value = its_rate, unit = "jobs/s", ratio = its_rate / rate }
    rows[#rows + 1] = { name = variant.name .. ".cpu", value = its_used, unit = "us/job", ratio = its_used / used }
  end
  return rows
end
