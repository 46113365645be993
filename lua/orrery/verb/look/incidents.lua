--- orrery incidents: lists, retries, annotates and resolves them.
local args = require "orrery.cli.args"
local list = require "orrery.cli.list"
local overview = require "orrery.cli.overview"

local command = {
  verb = "incidents", empty = "no incidents",
  columns = { { "ID", "id" }, { "TYPE", "type" }, { "TIME", list.time "time" }, { "INSTANCE",
    "instance_id" },
    { "BUSINESS KEY", "business_key" }, { "ACTIVITY", "activity_id" },
    { "JOB", "job_id" }, { "MESSAGE", "message" }, { "NOTE", "annotation" } },
  actions = {}, fields = { "business_key" }, of_instance = true, hints = "retry",
}

--- The job at the bottom of the incident: an incident of a calling instance points at the one of the called.
local function job_of(engine, incident)
  local root = incident
  if incident.root_cause_id and incident.root_cause_id ~= incident.id then root = engine:incident(incident.root_cause_id) or incident end
  return root.job_id and engine:job(root.job_id) or error(("incident %s has no job to retry; --resolve closes it"):format(incident.id), 0)
end

function command.actions.retry(engine, incident, options)
  local retries = options.retries or 1
  if not engine:incident(incident.id) then return "resolved with another one" end
  local job = job_of(engine, incident)
  job:set_retries(retries)
  return ("job %s may be tried %s"):format(job.id, list.times(retries))
end

function command.actions.traceback(engine, incident) return job_of(engine, incident):traceback() or incident.message or "no traceback" end

function command.actions.resolve(_, incident)
  incident:resolve()
  return "resolved"
end

function command.actions.annotate(_, incident, options)
  local text = options.text or args.usage "--annotate needs --text; an empty one takes the note away"
  incident:annotate(text ~= "" and text or nil)
  return text ~= "" and "annotated" or "annotation removed"
end

local groups = { { "COUNT", "count" }, { "PROCESS", function(kind)
  return kind.definition_key and ("%s:%d"):format(kind.definition_key, kind.version)
end }, { "ACTIVITY", "activity" }, { "FIRST", list.time "first" }, { "LAST", list.time "last" }, { "SUCH AS", "instance" },
  { "BUSINESS KEY", "business_key" }, { "MESSAGE", "message" } }

--- What is broken, by its cause: definition, activity and message.
local function grouped(engine, options, out)
  local kinds = overview.incidents(engine, { where = options.where, instance_id = options.instance_id })
  local shown = table.move(kinds, 1, math.min(#kinds, options.limit or list.PAGE), 1, {})
  list.print(shown, groups, out, command.empty)
  if #kinds > #shown then out:problem(("%d more; see --limit and --where"):format(#kinds - #shown)) end
  return 0
end

command.views, command.filtered = { groups = grouped }, { groups = "where limit instance" }

return list.command(command, {
  name = "incidents", summary = "Lists a store's incidents and resolves them.",
  options = {
    { "--groups", "what is broken, by process, activity and message, the most frequent first" },
    { "--retry", "let the failed job be tried again, which resolves its incident", value = "ID|all" },
    { "--retries", "with --retry: how often (1)", value = "N", as = "count", with = { "--retry" } },
    { "--traceback", "the failure in full", value = "ID" },
    { "--resolve", "close an incident that no failed job holds open", value = "ID|all" },
    { "--annotate", "set the note of an incident to --text", value = "ID" },
    { "--text", "with --annotate: the note; an empty one takes it away", value = "TEXT", with = { "--annotate" } },
  },
})
