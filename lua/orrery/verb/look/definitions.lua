--- orrery definitions: lists process definitions, suspends and activates them.
local list = require "orrery.cli.list"

local command = {
  verb = "definitions", empty = "no process definitions",
  columns = { { "ID", "id" }, { "KEY", "key" }, { "VERSION", "version" }, { "TAG", "version_tag" }, { "NAME", "name" },
    { "STATE", function(row) return row.suspended and "suspended" or "active" end }, { "DEPLOYMENT", "deployment_id" },
    { "RESOURCE", "resource" }, { "TENANT", "tenant" } },
  actions = {},
}

local function instances_too(options) return { instances = options.instances or nil } end

function command.actions.suspend(engine, definition, options)
  engine:suspend_definition(definition.id, instances_too(options))
  return options.instances and "suspended with its instances" or "suspended: nothing starts, new jobs are suspended"
end

function command.actions.activate(engine, definition, options)
  engine:activate_definition(definition.id, instances_too(options))
  return options.instances and "active with its instances" or "active"
end

return list.command(command, {
  name = "definitions", summary = "Lists a store's process definitions; suspends or activates them.",
  options = {
    { "--suspend", "start nothing of it", value = "ID|all" }, { "--activate", "let it start again", value = "ID|all" },
    { "--instances", "with --suspend or --activate: its running instances, too", with = { "--suspend", "--activate" } },
  },
})
