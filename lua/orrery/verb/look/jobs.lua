--- orrery jobs: lists, repairs and explains jobs.
local args = require "orrery.cli.args"
local clock = require "orrery.cli.clock"
local errors = require "orrery.errors"
local list = require "orrery.cli.list"
local stuck = require "orrery.cli.stuck"
local lookup = require "orrery.cli.lookup"

--- What a job is waiting for, in a word; --stuck says more.
local function state_of(job)
  if job.suspended then return "suspended" end
  if job.retries <= 0 then return "failed" end
  if job.lock_owner then return "locked" end
  if job.due and job.due > os.time() then return job.error and "to retry" or "waiting" end
  return "ready"
end

local command = {
  verb = "jobs", empty = "no jobs",
  columns = { { "ID", "id" }, { "TYPE", "handler" }, { "PROCESS", "definition_key" }, { "ACTIVITY", "activity_id" }, { "INSTANCE",
    "instance_id" }, { "BUSINESS KEY", "business_key" }, { "STATE", state_of }, { "DUE",
      list.time "due" },
    { "RETRIES", "retries" }, { "PRIORITY", "priority" }, { "LOCKED BY", "lock_owner" }, { "ERROR",
      "error" } },
  actions = {}, fields = { "business_key" }, of_instance = true, hints = "retry",
  all = { retry = { no_retries = true } }, none = { retry = "no job has failed for good: there is nothing to retry" },
  alone = { execute = true },
  verbs = { due = "move" },
}

--- A job by its id, or the one job of an instance by the instance's id or business key.
function command.find(engine, word)
  local job = engine:job(word)
  if job then return job end
  local found, instance = pcall(lookup.instance, engine, word)
  if not found and args.is_usage(instance) then error(instance, 0) end
  if not found then errors.raise("not_found", ("none of the jobs has the id %s, and no instance runs by this name"):format(word)) end
  local ids = {}
  for i, one in ipairs(engine:jobs { instance = instance.id }) do ids[i] = one.id end
  if #ids > 1 then args.usage("instance %s has several jobs: %s", instance.id, table.concat(ids, ", ")) end
  return ids[1] and engine:job(ids[1]) or errors.raise("not_found", ("instance %s waits for no job; 'orrery history' tells for what")
    :format(instance.id))
end

--- The option that an action cannot do without.
local function needed(options, name, action) return options[name] or args.usage("--%s needs --%s", action, name) end

function command.actions.retry(_, job, options)
  local retries = options.retries or 1
  if job.retries > 0 and not options.retries then
    error(("has %d of its tries left; --retries sets their number all the same"):format(job.retries), 0)
  end
  job:set_retries(retries)
  return "may be tried " .. list.times(retries)
end

function command.actions.execute(_, job, options)
  local ok, e = pcall(job.execute, job)
  if ok then return "executed" end
  if e.kind == "not_found" and not options.lua then error(("%s (--lua names a file that registers delegates)"):format(e.message), 0) end
  error(e, 0)
end

function command.actions.delete(_, job)
  job:delete()
  return "deleted"
end

function command.actions.suspend(_, job)
  job:suspend()
  return "suspended"
end

function command.actions.activate(_, job)
  job:activate()
  return "active"
end

function command.actions.due(_, job, options)
  local time = needed(options, "at", "due")
  job:set_due(time)
  return "due at " .. clock.format(time)
end

function command.actions.prioritize(_, job, options)
  local priority = needed(options, "priority", "prioritize")
  job:set_priority(priority)
  return ("has priority %d"):format(priority)
end

--- Of any job, one that simply is not due, too.
function command.actions.why(_, job)
  local why = job:why()
  return ("%s: %s\n-> %s"):format(why.reason, why.text, why.cure)
end

function command.actions.traceback(_, job) return job:traceback() or "no traceback" end

command.views, command.filtered = { stuck = stuck }, { stuck = "where limit instance" }

return list.command(command, {
  name = "jobs", one = "--why", summary = "Lists a store's jobs; explains, retries, executes or changes them.",
  options = {
    { "--stuck", "say why jobs do not run that should, by reason, activity and error, and what would help" },
    { "--each", "with --stuck: a line for each job instead of for each kind", with = { "--stuck" } },
    { "--longer", "with --stuck: the jobs that have been on a thread for longer than this, of all processes", value = "DURATION",
      as = "duration", with = { "--stuck" } },
    { "--retry", "let a failed job, or all failed ones that are listed, be tried again", value = "ID|all" },
    { "--retries", "with --retry: how often (1)", value = "N", as = "count", with = { "--retry" } },
    { "--execute", "run a job now, in this process", value = "ID|all" },
    { "--due", "give a job another due date, --at", value = "ID|all" },
    { "--at", "with --due: when", value = "TIME", as = "time", with = { "--due" } },
    { "--prioritize", "give a job another --priority", value = "ID|all" },
    { "--priority", "with --prioritize: which", value = "N", as = "integer", with = { "--prioritize" } },
    { "--suspend", "let a job not run", value = "ID|all" }, { "--activate", "let it run again", value = "ID|all" },
    { "--delete", "delete a job; its token stays", value = "ID" }, { "--traceback", "the last failure in full", value = "ID" },
    { "--why", "why a job does not run, or not yet", value = "ID" },
  },
  notes = "A job's ID may be the id or the business key of its instance, where that has one job alone.\n\n"
    .. "What is suspended with its instance or process definition is activated with 'orrery instances' and 'orrery definitions'.",
})
