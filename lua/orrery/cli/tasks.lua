--- orrery tasks: lists, claims, assigns and completes them.
local args = require "orrery.cli.args"
local list = require "orrery.cli.list"

local command = {
  verb = "tasks", empty = "no tasks",
  columns = { { "ID", "id" }, { "KEY", "key" }, { "NAME", "name" }, { "ASSIGNEE", "assignee" }, { "PROCESS", "definition_key" },
    { "INSTANCE", "instance_id" },
    { "CREATED", list.time "created" }, { "DUE", list.time "due" }, { "PRIORITY", "priority" } },
  actions = {},
}

function command.actions.complete(_, task, options)
  task:complete(args.assignments(options.set))
  return "completed"
end

function command.actions.claim(_, task, options)
  task:claim(options.user or args.usage "--claim needs --user")
  return "claimed by " .. options.user
end

function command.actions.assign(_, task, options)
  task:assign(options.user)
  return options.user and "assigned to " .. options.user or "assigned to nobody"
end

return list.command(command, {
  name = "tasks", summary = "Lists a store's user tasks; claims, assigns or completes them.",
  options = {
    { "--complete", "complete a task, or all listed", value = "ID|all" },
    { "--set", "with --complete: a variable of the instance", value = "NAME=VALUE", many = true, with = { "--complete" } },
    { "--claim", "take a task for --user", value = "ID" }, { "--assign", "give a task to --user, or to nobody", value = "ID" },
    { "--user", "who", value = "NAME", with = { "--claim", "--assign" } },
  },
})
