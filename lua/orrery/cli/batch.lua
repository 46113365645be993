--- orrery batch: one thing done to many, by jobs: what a bulk action of the other commands is too large for.
local args = require "orrery.cli.args"
local bulk = require "orrery.cli.bulk"
local list = require "orrery.cli.list"
local store = require "orrery.cli.store"

local function progress(row) return ("%d of %d"):format(row.done, row.total) end

local command = {
  verb = "batches", empty = "no batches",
  columns = { { "ID", "id" }, { "ACTION", "action" }, { "OF", "list" }, { "STATE", "state" }, { "DONE", progress },
    { "SKIPPED", "skipped" }, { "CREATED", list.time "created" }, { "ENDED", list.time "ended_at" }, { "JOB", "job_id" } },
  actions = {},
}

function command.actions.cancel(engine, batch)
  engine:cancel_batch(batch.id)
  return "canceled; what was done stays done"
end

local lists = { retry = "jobs", set_priority = "jobs", suspend = "instances", activate = "instances", cancel = "instances" }

local function make(engine, options, out)
  local action = options["do"]
  local verb = options.jobs and "jobs" or lists[action]
  if not options.where then args.usage "--do needs --where: what is it to be done to?" end
  if action == "set_priority" and not options.value then args.usage "--do set_priority needs --value" end
  local filter = args.assignments(options.where, '--where needs FIELD=VALUE, got "%s"')
  if action == "retry" and filter.no_retries == nil then filter.no_retries = true end
  local n = engine:count(verb, filter)
  local what = bulk.count(n, verb)
  if n == 0 or options.dry_run then
    out:event({ event = "summary", action = action, matched = n, dry_run = options.dry_run or false }, ("%s: %s"):format(action, what))
    return 0
  end
  if not bulk.agreed(("%s %s, by jobs"):format(action, what), options, out) then
    out:problem "nothing was done"
    return 1
  end
  local batch = engine:batch { action = action, list = verb, filter = filter, size = options.size, priority = options.priority,
    retries = options.retries, value = options.value, reason = options.reason }
  out:event({ event = "batch", id = batch.id, action = action, total = batch.total }, ("batch %s: %s %s"):format(batch.id, action, what))
  store.hint_at_work(engine, options[1], out)
  return 0
end

command.views, command.filtered = { ["do"] = make }, { ["do"] = "where" }

return list.command(command, {
  name = "batch", summary = "Does one thing to many by jobs, and lists and cancels such batches.",
  options = {
    { "--do", "what: retry, set_priority (of jobs), suspend, activate, cancel (of instances)", value = "ACTION",
      choices = { "retry", "set_priority", "suspend", "activate", "cancel" } },
    { "--jobs", "with --do suspend or activate: --where is about jobs", with = { "--do" } },
    { "--size", "so many in one job (100)", value = "N", as = "positive", with = { "--do" } },
    { "--priority", "of those jobs", value = "N", as = "integer", with = { "--do" } },
    { "--retries", "with --do retry: how often (1)", value = "N", as = "count", with = { "--do" } },
    { "--value", "with --do set_priority: which", value = "N", as = "integer", with = { "--do" } },
    { "--reason", "with --do cancel: why", value = "TEXT", with = { "--do" } },
    { "--cancel", "end a batch before it is done", value = "ID" },
  },
})
