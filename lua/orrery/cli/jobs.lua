--- orrery jobs: lists, retries, executes and deletes them, and says why one does not run.
local args = require "orrery.cli.args"
local list = require "orrery.cli.list"
local store = require "orrery.cli.store"

local command = {
  verb = "jobs", empty = "no jobs",
  columns = { { "ID", "id" }, { "TYPE", "handler" }, { "PROCESS", "definition_key" }, { "ACTIVITY", "activity_id" }, { "INSTANCE",
    "instance_id" },
    { "DUE", list.time "due" }, { "RETRIES", "retries" }, { "PRIORITY", "priority" }, { "LOCKED BY", "lock_owner" }, { "ERROR", "error" } },
  actions = {},
}

function command.actions.retry(_, job, options)
  local retries = math.tointeger(tonumber(options.retries or 1)) or args.usage("--retries needs an integer")
  job:set_retries(retries)
  return ("may be tried %d more time(s)"):format(retries)
end

function command.actions.execute(_, job)
  job:execute()
  return "executed"
end

function command.actions.delete(_, job)
  job:delete()
  return "deleted"
end

function command.actions.traceback(_, job) return job:traceback() or "no traceback" end

--- Why each job does not run. Those that wait for nothing but an executor are counted alone: they run as soon as there is one.
local function stuck(options, out)
  local engine <close> = store.open(options[1], options)
  local rows, looked, ready = {}, 0, 0
  for job in list.each(engine, "jobs", options) do
    looked = looked + 1
    out:progress("%d jobs looked at, %d stuck", looked, #rows)
    local why = job:why()
    if why.reason == "no_executor" then ready = ready + 1
    elseif why.reason ~= "running" then
      rows[#rows + 1] = { id = job.id, activity_id = job.activity_id, definition_key = job.definition_key, instance_id = job.instance_id,
        reason = why.reason, text = why.text, cure = why.cure }
    end
  end
  list.print(rows, { { "ID", "id" }, { "PROCESS", "definition_key" }, { "ACTIVITY", "activity_id" }, { "REASON", "reason" }, { "WHY",
    "text" },
    { "CURE", "cure" } }, out, "no job is stuck")
  out:event({ event = "summary", jobs = looked, stuck = #rows, ready = ready },
    ready > 0 and ("%d more job(s) are ready: an executor on this store runs them"):format(ready) or nil)
  return 0
end

return {
  spec = list.spec {
    name = "jobs", summary = "Lists a store's jobs; retries, executes, deletes or explains them.",
    options = {
      { "--stuck", "say of each job why it does not run, and what would help" },
      { "--retry", "let a failed job, or all listed, be tried again", value = "ID|all" }, { "--retries", "with --retry: how often (1)",
        value = "N" },
      { "--execute", "run a job now, in this process", value = "ID|all" }, { "--delete", "delete a job; its token stays", value = "ID" },
      { "--traceback", "the last failure in full", value = "ID" },
    },
  },
  run = function(options, out)
    if options.retries and not options.retry then args.usage "--retries goes with --retry" end
    if options.stuck then return stuck(options, out) end
    return list.run(command, options, out)
  end,
}
