--- orrery tasks: lists, claims, assigns and completes them.
local args = require "orrery.cli.args"
local clock = require "orrery.cli.clock"
local inspect = require "orrery.inspect"
local list = require "orrery.cli.list"
local lookup = require "orrery.cli.lookup"

local command = {
  verb = "tasks", empty = "no tasks",
  columns = { { "ID", "id" }, { "KEY", "key" }, { "NAME", "name" }, { "ASSIGNEE", "assignee" }, { "PROCESS", "definition_key" },
    { "INSTANCE", "instance_id" }, { "BUSINESS KEY", "business_key" },
    { "CREATED", list.time "created" }, { "DUE", list.time "due" }, { "PRIORITY", "priority" } },
  actions = {}, fields = { "business_key" }, of_instance = true, of_variable = true,
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

function command.actions.unclaim(_, task)
  task:unclaim()
  return "claimed by nobody"
end

--- A task by its id, or the one task of an instance by its business key.
function command.find(engine, word)
  return lookup.task(engine, word)
end

--- What it is, whose it may be, and what it sees.
local function show(engine, options, out)
  local task = lookup.task(engine, options.show)
  local links, variables = task:links(), task:variables()
  if out.json then
    out:event { event = "task", task = task, links = links, variables = variables }
    return 0
  end
  out:line("%s", out.paint("title", ("%s  %s of %s, instance %s"):format(task.name or task.key, task.key, task.definition_key or "-",
    task.instance_id or "-")))
  for _, field in ipairs { "description", "assignee", "owner", "delegation", "form_key", "priority" } do
    if task[field] then out:line("%s: %s", field, task[field]) end
  end
  for _, field in ipairs { "created", "due", "follow_up" } do
    if task[field] then out:line("%s: %s", field, clock.format(task[field])) end
  end
  for _, link in ipairs(links) do out:line("%s: %s", link.type, link.user or "group " .. link.group) end
  out:block(inspect.value(variables, out.paint))
  return 0
end

command.views = { show = show }

return list.command(command, {
  name = "tasks", one = "--show", summary = "Lists a store's user tasks; claims, assigns or completes them.",
  options = {
    { "--show", "whose it is or may be, and its variables", value = "ID|KEY" },
    { "--complete", "complete a task, or all listed; by business key where an instance has one task",
      value = "ID|KEY|all" },
    { "--set", "with --complete: a variable of the instance", value = "NAME=VALUE", many = true, with = { "--complete" } },
    { "--claim", "take a task for --user", value = "ID|KEY" },
    { "--unclaim", "give it back", value = "ID|KEY" },
    { "--assign", "give a task, or all listed, to --user, or to nobody", value = "ID|KEY|all" },
    { "--user", "who", value = "NAME", with = { "--claim", "--assign" } },
  },
})
