--- orrery metrics: the state of a store, once.
local clock = require "orrery.cli.clock"
local overview = require "orrery.cli.overview"
local store = require "orrery.cli.store"

local rows = {
  { "ready", "may run now" }, { "throttled", "ready, but their limit is full" }, { "due", "timers that are just due" },
  { "waiting", "timers and retries to come" }, { "locked", "an executor has them" }, { "exhausted", "failed, without retries" },
}

local function show(s, out)
  for _, row in ipairs(rows) do out:line("jobs %-10s %8d  %s", row[1], s.jobs[row[1]] or 0, row[2]) end
  for _, band in ipairs(s.oldest) do
    out:line("jobs of priority %s: the oldest has waited %s", band.priority, clock.length(band.seconds))
  end
  out:line("%-15s %8d", "instances", s.instances)
  out:line("%-15s %8d  in the last hour", "ended", s.ended_last_hour)
  out:line("%-15s %8d", "tasks", s.tasks)
  out:line("%-15s %8d", "external tasks", s.external_tasks)
  out:line("%-15s %8d", "incidents", s.incidents)
  out:line("%-15s %8d", "executors", #s.executors)
  for _, x in ipairs(s.executors) do
    out:line("  %s", overview.executor(x))
  end
end

--- The gauges of the store alone: the counters belong to a process that has just begun.
local function gauges(text)
  local lines = {}
  for line in text:gmatch "[^\n]+" do
    local name = line:match "^# %u+ (%S+)" or line:match "^[^{ ]+"
    if not name:find "_total$" then lines[#lines + 1] = line .. "\n" end
  end
  return table.concat(lines)
end

local function run(options, out)
  local engine <close> = store.open(options[1], options)
  if options.prometheus then
    out.stdout:write(gauges(engine:metrics_text()))
    return 0
  end
  local s = overview.of(engine)
  if out.json then
    s.event = "standing"
    out:event(s)
  else
    show(s, out)
  end
  return 0
end

return {
  spec = {
    name = "metrics", summary = "Tells how things stand with a store: jobs, executors, instances, incidents.",
    arguments = { { "STORE", "the store's folder" } },
    options = {
      { "--prometheus", "the gauges as a text for Prometheus; what a worker counts, 'orrery work --metrics' tells" },
      { "--json", "one JSON object" },
    },
  },
  run = run,
}
