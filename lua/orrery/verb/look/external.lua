--- orrery external: external tasks, and what their workers do with them.
local args = require "orrery.cli.args"
local clock = require "orrery.cli.clock"
local list = require "orrery.cli.list"

local WORKER, LOCK <const> = "the orrery command", 60 -- who completes, and for how many seconds the task is its own meanwhile

local function state_of(task)
  if task.suspended then return "suspended" end
  if task.retries and task.retries <= 0 then return "failed" end
  if task.worker and task.lock_expires then return task.lock_expires > clock.now() and "locked" or "lock expired" end
  return "waits"
end

local command = {
  verb = "external_tasks", empty = "no external tasks", plural = "external tasks",
  columns = { { "ID", "id" }, { "TOPIC", "topic" }, { "PROCESS", "definition_key" }, { "ACTIVITY", "activity_id" },
    { "INSTANCE", "instance_id" }, { "BUSINESS KEY", "business_key" }, { "STATE", state_of }, { "WORKER", "worker" },
    { "LOCKED UNTIL", list.time "lock_expires" }, { "CREATED", list.time "created" }, { "RETRIES", "retries" },
    { "PRIORITY", "priority" }, { "ERROR", "error" } },
  actions = {}, of_instance = true, of_variable = true,
  all = { retry = { no_retries = true }, unlock = { locked = true } },
}

function command.actions.retry(_, task, options)
  local retries = options.retries or 1
  task:set_retries(retries)
  return "may be tried " .. list.times(retries)
end

function command.actions.unlock(_, task)
  task:unlock()
  return "unlocked"
end

function command.actions.prioritize(_, task, options)
  task:set_priority(options.priority or args.usage "--prioritize needs --priority")
  return ("has priority %d"):format(options.priority)
end

function command.actions.complete(_, task, options)
  task:lock(WORKER, LOCK)
  task:complete(WORKER, args.assignments(options.set))
  return "completed"
end

function command.actions.details(_, task) return task.details or task.error or "it has not failed" end

local states = { "waits", "locked", "lock expired", "failed", "suspended" }

--- How many of each topic, in each state.
local function topics(engine, options, out)
  local rows, by_topic = {}, {}
  for task in list.each(engine, "external_tasks", { where = options.where, instance_id = options.instance_id }) do
    local row = by_topic[task.topic]
    if not row then
      row = { topic = task.topic, count = 0 }
      for _, state in ipairs(states) do row[state] = 0 end
      by_topic[task.topic], rows[#rows + 1] = row, row
    end
    local state = state_of(task)
    row.count, row[state] = row.count + 1, row[state] + 1
    if state == "waits" and (not row.oldest or task.created < row.oldest) then row.oldest = task.created end
  end
  table.sort(rows, function(a, b) return a.topic < b.topic end)
  list.print(rows, { { "TOPIC", "topic" }, { "TASKS", "count" }, { "WAIT", "waits" }, { "OLDEST", list.time "oldest" },
    { "LOCKED", "locked" }, { "LOCK EXPIRED", "lock expired" }, { "FAILED", "failed" }, { "SUSPENDED", "suspended" } }, out,
    "no external tasks")
  return 0
end

command.views, command.filtered = { topics = topics }, { topics = "where instance" }

return list.command(command, {
  name = "external", summary = "Lists a store's external tasks; retries, unlocks, prioritizes or completes them.",
  options = {
    { "--topics", "how many of each topic wait, are locked, have failed" },
    { "--retry", "let a failed task, or all failed ones, be fetched again", value = "ID|all" },
    { "--retries", "with --retry: how often (1)", value = "N", as = "positive", with = { "--retry" } },
    { "--unlock", "take a task, or all locked ones, from the worker, so that another gets it", value = "ID|all" },
    { "--prioritize", "give a task another --priority", value = "ID|all" },
    { "--priority", "with --prioritize: which", value = "N", as = "integer", with = { "--prioritize" } },
    { "--complete", "complete a task by hand", value = "ID" },
    { "--set", "with --complete: a variable of the instance", value = "NAME=VALUE", many = true, with = { "--complete" } },
    { "--details", "the last failure in full", value = "ID" },
  },
})
