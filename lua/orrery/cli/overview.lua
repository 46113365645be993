--- The state of a store, as `orrery metrics` and `orrery top` show it: jobs, executors, incidents by cause.
local bulk = require "orrery.cli.bulk"
local clock = require "orrery.cli.clock"
local list = require "orrery.cli.list"

local overview = {}

local HOUR <const> = 3600
local shown = { "business_key" } -- of incidents, beside what they show by themselves
overview.NEWEST = 1000 -- incidents that are grouped where they are looked at again and again

--- The gauges of the store's jobs, by their names in the text for Prometheus.
local function jobs_of(engine)
  local jobs, oldest = {}, {}
  for line in engine:metrics_text():gmatch "[^\n]+" do
    local name, number = line:match "^orrery_jobs_(%l+){[^}]*} (%d+)$"
    if name then jobs[name] = math.tointeger(tonumber(number)) end
    local band, seconds = line:match '^orrery_job_oldest_wait_seconds{.*priority="([^"]+)"} ([%d.]+)$'
    if band then oldest[#oldest + 1] = { priority = band, seconds = tonumber(seconds) } end
  end
  jobs["in"] = nil
  return jobs, oldest
end

local function kind_of(incident)
  return ("%s\0%s\0%s"):format(incident.definition_id or "", incident.activity_id or "",
    (incident.message or ""):match "[^\n]*":gsub("%d+", "0"))
end

--- One of those that the newest incident stands for.
local function new_kind(engine, incident)
  local d = incident.definition_id and engine:definition(incident.definition_id)
  return { count = 0, type = incident.type, definition_key = d and d.key, version = d and d.version, activity = incident.activity_id,
    message = (incident.message or ""):match "[^\n]*", first = incident.time, last = incident.time,
      instance = incident.instance_id,
    business_key = incident.business_key }
end

local function newest(engine)
  local rows, at = engine:incidents { limit = overview.NEWEST, order_by = { { "time", "desc" } },
    with_fields = shown }, 0
  return function()
    at = at + 1
    return rows[at]
  end
end

--- Incidents by definition, activity and message, the most frequent first. Those of calling instances only repeat the one below.
--- `options` says which, as the command's do; nil: the newest.
function overview.incidents(engine, options)
  local kinds, order = {}, {}
  for incident in options and list.each(engine, "incidents", options, { with_fields = shown })
    or newest(engine) do
    if not incident.root_cause_id or incident.root_cause_id == incident.id then
      local key = kind_of(incident)
      local kind = kinds[key] or new_kind(engine, incident)
      if kind.count == 0 then kinds[key], order[#order + 1] = kind, kind end
      if incident.time >= kind.last then
        kind.last, kind.instance, kind.business_key = incident.time, incident.instance_id,
          incident.business_key
      end
      kind.count, kind.first = kind.count + 1, math.min(kind.first, incident.time)
    end
  end
  table.sort(order, function(a, b) return a.count > b.count or a.count == b.count and a.last > b.last end)
  return order
end

--- One line about an executor. Jobs whose delegates await something take no thread.
function overview.executor(x)
  local who = x.pid and ("process %d on %s"):format(x.pid, x.host) or x.owner
  local waits = x.waiting and x.waiting > 0 and (", %d begun and waiting"):format(x.waiting) or ""
  return ("%s: at %s%s%s"):format(who, bulk.count(#x.jobs, "jobs"), waits, x.stopping and ", stopping"
    or x.room and (", room for %d more"):format(x.room) or "")
end

function overview.of(engine)
  local jobs, oldest = jobs_of(engine)
  local hour = clock.now() - HOUR
  return { time = clock.now(), jobs = jobs, oldest = oldest, executors = engine:executors(),
    instances = engine:count "instances", tasks = engine:count "tasks", external_tasks = engine:count "external_tasks",
    incidents = engine:count "incidents", ended_last_hour = engine:count("history_instances", { ended_after = hour }),
    changes = engine.core:changes() }
end

return overview
