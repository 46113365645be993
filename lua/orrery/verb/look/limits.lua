--- orrery limits: how much may run at once, or start in a second; lists, sets and clears such
--- limits.
local args = require "orrery.cli.args"
local errors = require "orrery.errors"
local list = require "orrery.cli.list"
local lookup = require "orrery.cli.lookup"

local command = { verb = "limits", empty = "no limits", actions = {} }

--- "order charge (12)": the element of a job definition; nil: there is none of this id.
local function element(engine, id)
  local d = engine:job_definition(id)
  return d and ("%s %s (%s)"):format(d.definition_key, d.activity_id, id)
end

--- What a limit is of, in words.
local function of(engine, row)
  if row.topic then return "topic " .. row.topic end
  if row.key then return "key " .. row.key end
  return "jobs of " .. (element(engine, row.job_definition_id) or row.job_definition_id)
end

--- The job definition of KEY[:VERSION]:ACTIVITY.
local function job_definition(engine, text)
  local word, activity = text:match "^(.+):([^:]+)$"
  if not word then
    args.usage('activity= needs PROCESS:ACTIVITY or PROCESS:VERSION:ACTIVITY, got "%s"', text)
  end
  local definition = lookup.definition(engine, word)
  local rows = engine:job_definitions { definition_id = definition.id, activity_id = activity }
  if #rows == 0 then
    errors.raise("not_found", ("%s:%d has no jobs at an activity %s"):format(definition.key,
      definition.version, activity))
  end
  local words = {}
  for i, row in ipairs(rows) do words[i] = ("%s (%s)"):format(row.id, row.handler) end
  if #rows > 1 then
    args.usage("%s has several kinds of jobs, job_definition=ID names one: %s", activity,
      table.concat(words, ", "))
  end
  return rows[1].id
end

--- What --set and --clear are about, as engine:set_limit wants it.
local function subject(engine, option, text)
  local kind, name = text:match "^([%w_]+)=(.+)$"
  if kind == "topic" or kind == "key" then return { [kind] = name } end
  if kind == "job_definition" then return { job_definition = args.id(name) } end
  if kind == "activity" then return { job_definition = job_definition(engine, name) } end
  args.usage('%s needs topic=NAME, key=TEXT, activity=PROCESS:ACTIVITY or job_definition=ID, '
    .. 'got "%s"', option, text)
end

local function row_of(engine, what)
  return engine:limit { topic = what.topic, key = what.key,
    job_definition_id = what.job_definition }
end

command.columns = { { "OF", "of" }, { "AT ONCE", "max" }, { "PER SECOND", "per_second" },
  { "TOGETHER", "burst" } }

--- In the record 0 says that there is no such bound.
function command.shown(engine, row)
  row.of = of(engine, row)
  for _, bound in ipairs { "max", "burst" } do
    if row[bound] == 0 then row[bound] = nil end
  end
end

--- "at most 5 at once, 2 a second, 4 together", of a record that `shown` has completed.
local function told(row)
  local words = {}
  if row.max then words[1] = ("at most %d at once"):format(row.max) end
  if row.per_second then words[#words + 1] = ("%s a second"):format(row.per_second) end
  if row.burst then words[#words + 1] = ("%d together"):format(row.burst) end
  return table.concat(words, ", ")
end

local function set(engine, options, out)
  local what = subject(engine, "--set", options.set)
  if not (options.max
    or options.per_second) then args.usage "--set needs --max, --per-second, or both" end
  engine:set_limit(what, { max = options.max, per_second = options.per_second,
    burst = options.burst })
  local row = row_of(engine, what)
  command.shown(engine, row)
  out:event({ event = "set", limit = row, of = row.of }, ("%s: %s"):format(row.of, told(row)))
  return 0
end

local function clear(engine, options, out)
  local what = subject(engine, "--clear", options.clear)
  local row = row_of(engine, what) or errors.raise("not_found", "there is no limit of "
    .. options.clear)
  local name = of(engine, row)
  engine:clear_limit(what)
  out:event({ event = "cleared", of = name }, name .. ": no limit; what waited for it goes on")
  return 0
end

command.views = { set = set, clear = clear }

return list.command(command, {
  name = "limits",
    summary = "Lists the limits of a store's jobs and external tasks; sets and clears them.",
  options = {
    { "--set", "topic=NAME of external tasks, key=TEXT that limitKey gives, "
      .. "activity=PROCESS[:VERSION]:ACTIVITY or job_definition=ID of jobs", value = "OF" },
    { "--max", "with --set: so many at once", value = "N", as = "positive", with = { "--set" } },
    { "--per-second", "with --set: how many start in a second; 0.5: one every two seconds",
      value = "N",
      as = "number", with = { "--set" } },
    { "--burst", "with --per-second: how many may start at once", value = "N", as = "positive",
      with = { "--per-second" } },
    { "--clear", "take a limit away, named as for --set", value = "OF" },
  },
  notes = "A limit holds at once, for all processes on the store. An activity without a version is the\n"
    .. "latest version's. docs/job-executor.md says how limits work.",
})
