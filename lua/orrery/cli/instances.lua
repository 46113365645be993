--- orrery instances: lists them, shows one, cancels, suspends and activates.
local args = require "orrery.cli.args"
local inspect = require "orrery.inspect"
local list = require "orrery.cli.list"
local store = require "orrery.cli.store"
local waits = require "orrery.cli.waits"

local command = {
  verb = "instances", empty = "no running instances",
  columns = { { "ID", "id" }, { "PROCESS", "definition_key" }, { "BUSINESS KEY", "business_key" }, { "STATE", "state" }, { "STARTED",
    list.time "started_at" },
    { "CALLED BY", "parent_id" } },
  actions = {},
}

function command.actions.cancel(_, instance, options)
  instance:delete(options.reason or "cancelled with the orrery command")
  return "cancelled"
end

function command.actions.suspend(_, instance)
  instance:suspend()
  return "suspended"
end

function command.actions.activate(_, instance)
  instance:activate()
  return "active"
end

--- Where its tokens stand, what they wait for, and its variables.
local function show(options, out)
  local engine <close> = store.open(options[1], options)
  local instance = engine:instance(args.id(options.show))
  if not instance then
    out:problem(("orrery instances: there is no running instance %s"):format(options.show))
    return 1
  end
  local tree, variables, pending = instance:tree(), instance:variables(), waits.of(engine, instance)
  if out.json then
    out:event { event = "instance", instance = instance, tree = tree, variables = variables, waits = pending }
    return 0
  end
  out:line("%s", inspect.tree(tree, out.paint))
  for _, wait in ipairs(pending) do out:line("waits %s: %s", wait.activity or "", wait.text) end
  out:line("%s", inspect.value(variables, out.paint))
  return 0
end

command.views = { show = show }

return list.command(command, {
  name = "instances", summary = "Lists a store's running instances; shows, cancels, suspends or activates them.",
  options = {
    { "--show", "where the tokens stand, what they wait for, and the variables", value = "ID" },
    { "--cancel", "delete an instance, or all listed", value = "ID|all" },
    { "--reason", "with --cancel: why", value = "TEXT", with = { "--cancel" } },
    { "--suspend", "let nothing of it run", value = "ID|all" }, { "--activate", "let it run again", value = "ID|all" },
  },
})
