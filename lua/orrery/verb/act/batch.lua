--- orrery batch: one thing done to many, by jobs: what a bulk action of the other commands is too large for.
local args = require "orrery.cli.args"
local bulk = require "orrery.cli.bulk"
local list = require "orrery.cli.list"
local store = require "orrery.cli.store"

local function progress(row) return ("%d of %d"):format(row.done, row.total) end
local function state(row) return row.suspended and row.state == "running" and "suspended" or row.state end

local command = {
  verb = "batches", empty = "no batches",
  columns = { { "ID", "id" }, { "ACTION", "action" }, { "OF", "list" }, { "STATE", state }, { "DONE", progress },
    { "FAILED", "failed" }, { "SKIPPED", "skipped" }, { "CREATED", list.time "created" }, { "ENDED", list.time "ended_at" },
    { "JOB", "job_id" } },
  actions = {},
}

function command.actions.cancel(_, batch)
  batch:cancel()
  return "canceled; what was done stays done"
end

function command.actions.suspend(_, batch)
  batch:suspend()
  return "suspended"
end

function command.actions.activate(_, batch)
  batch:activate()
  return "goes on"
end

function command.actions.retry(engine, batch)
  local failed = engine:count("jobs", { batch_id = batch.id, no_retries = true })
  batch:retry()
  return ("%s again"):format(bulk.count(failed, "jobs"))
end

function command.actions.delete(_, batch)
  batch:delete()
  return "deleted"
end

local lists = { retry = "jobs", set_priority = "jobs", suspend = "instances", activate = "instances", cancel = "instances",
  set_variables = "instances", correlate_message = "instances", delete_history = "history_instances" }

--- What an action wants to know, of the options.
local function wanted(action, options)
  if action == "set_priority" and not options.value then args.usage "--do set_priority needs --value" end
  if action == "set_variables" and not options.set then args.usage "--do set_variables needs --set" end
  if action == "correlate_message" and not options.message then args.usage "--do correlate_message needs --message" end
  return { retries = options.retries, value = options.value, reason = options.reason, message = options.message,
    variables = options.set and args.assignments(options.set, '--set needs NAME=VALUE, got "%s"') }
end

local function make(engine, options, out)
  local action = options["do"]
  local verb = options.jobs and "jobs" or lists[action]
  if not (options.where or options.variable) then
    args.usage "--do needs --where or --variable: what is it to be done to?"
  end
  local request = wanted(action, options)
  local filter = list.filter(verb, options)
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
  request.action, request.list, request.filter, request.size, request.priority = action, verb, filter, options.size, options.priority
  local batch = engine:batch(request)
  out:event({ event = "batch", id = batch.id, action = action, total = batch.total }, ("batch %s: %s %s"):format(batch.id, action, what))
  store.hint_at_work(engine, options[1], out)
  return 0
end

command.views, command.filtered = { ["do"] = make }, { ["do"] = "where variable" }

return list.command(command, {
  name = "batch", summary = "Does one thing to many by jobs, and lists, holds up, mends and ends such batches.",
  options = {
    { "--do", "what: retry, set_priority (of jobs), suspend, activate, cancel, set_variables, correlate_message (of instances), "
      .. "delete_history (of ended instances)", value = "ACTION", choices = { "retry", "set_priority", "suspend", "activate", "cancel",
      "set_variables", "correlate_message", "delete_history" } },
    { "--variable", "with --do: " .. list.variable[2], value = list.variable.value, many = true,
      with = { "--do" } },
    { "--jobs", "with --do suspend or activate: --where is about jobs", with = { "--do" } },
    { "--size", "so many in one job (100)", value = "N", as = "positive", with = { "--do" } },
    { "--priority", "of those jobs", value = "N", as = "integer", with = { "--do" } },
    { "--retries", "with --do retry: how often (1)", value = "N", as = "count", with = { "--do" } },
    { "--value", "with --do set_priority: which", value = "N", as = "integer", with = { "--do" } },
    { "--reason", "with --do cancel: why", value = "TEXT", with = { "--do" } },
    { "--set", "with --do set_variables or correlate_message: a variable", value = "NAME=VALUE", many = true, with = { "--do" } },
    { "--message", "with --do correlate_message: its name", value = "NAME", with = { "--do" } },
    { "--cancel", "end a batch before it is done", value = "ID" },
    { "--suspend", "hold a batch up", value = "ID" },
    { "--activate", "let a suspended batch go on", value = "ID" },
    { "--retry", "give the failed jobs of a batch new tries", value = "ID" },
    { "--delete", "delete the record of an ended batch", value = "ID" },
  },
})
