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

--- Why each job does not run; those that will run by themselves in a moment are left out.
local function stuck(options, out)
  local engine <close> = store.open(options[1], options)
  local rows = {}
  for i, job in ipairs(engine:jobs(list.filter_of(options))) do
    out:progress("%d jobs looked at", i)
    local why = job:why()
    if why.reason ~= "running" then
      rows[#rows + 1] = { id = job.id, activity_id = job.activity_id, definition_key = job.definition_key, instance_id = job.instance_id,
        reason = why.reason, text = why.text, cure = why.cure }
    end
  end
  list.print(rows, { { "ID", "id" }, { "PROCESS", "definition_key" }, { "ACTIVITY", "activity_id" }, { "REASON", "reason" }, { "WHY",
    "text" },
    { "CURE", "cure" } }, out, "no job is stuck")
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
    if options.stuck then return stuck(options, out) end
    return list.run(command, options, out)
  end,
}
