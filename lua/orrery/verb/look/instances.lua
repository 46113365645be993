--- orrery instances: lists them, shows one, cancels, suspends and activates.
local clock = require "orrery.cli.clock"
local inspect = require "orrery.inspect"
local list = require "orrery.cli.list"
local waits = require "orrery.cli.waits"
local lookup = require "orrery.cli.lookup"

local command = {
  verb = "instances", empty = "no running instances",
  columns = { { "ID", "id" }, { "PROCESS", "definition_key" }, { "BUSINESS KEY", "business_key" }, { "STATE", "state" }, { "STARTED",
    list.time "started_at" },
    { "CALLED BY", "parent_id" } },
  actions = {}, of_variable = true, find = lookup.instance,
}

function command.actions.cancel(_, instance, options)
  instance:delete(options.reason or "canceled with the orrery command", { skip_listeners = options.skip_listeners })
  return "canceled"
end

function command.actions.suspend(_, instance)
  instance:suspend()
  return "suspended"
end

function command.actions.activate(_, instance)
  instance:activate()
  return "active"
end

local function heading(engine, instance)
  local d = engine:definition(instance.definition_id)
  local words = { ("instance %s of %s version %d"):format(instance.id, d.key, d.version) }
  if instance.business_key then words[#words + 1] = ("business key %q"):format(instance.business_key) end
  words[#words + 1] = ("%s, since %s"):format(instance.state, clock.format(instance.started_at))
  if instance.parent_id then words[#words + 1] = "called by " .. instance.parent_id end
  return table.concat(words, ", ")
end

--- Where its tokens stand, what they wait for, and its variables.
local function show(engine, options, out)
  local instance = lookup.instance(engine, options.show)
  local tree, variables, pending = instance:tree(), instance:variables(), waits.of(engine, instance)
  if out.json then
    out:event { event = "instance", instance = instance, tree = tree, variables = variables, waits = pending }
    return 0
  end
  out:line("%s", out.paint("title", heading(engine, instance)))
  out:block(inspect.tree(tree, out.paint))
  for _, wait in ipairs(pending) do out:line("waits %s: %s", wait.activity or "", wait.text) end
  out:block(inspect.value(variables, out.paint))
  return 0
end

command.views = { show = show }

return list.command(command, {
  name = "instances", one = "--show", summary = "Lists a store's running instances; shows, cancels, suspends or activates them.",
  options = {
    { "--show", "where the tokens stand, what they wait for, and the variables", value = "ID|KEY" },
    { "--cancel", "delete an instance, by id or business key, or all listed", value = "ID|KEY|all" },
    { "--reason", "with --cancel: why", value = "TEXT", with = { "--cancel" } },
    { "--skip-listeners", "with --cancel: no listener hears of it", with = { "--cancel" } },
    { "--suspend", "let nothing of it run", value = "ID|KEY|all" }, { "--activate", "let it run again", value = "ID|KEY|all" },
  },
})
