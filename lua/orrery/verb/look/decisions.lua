--- orrery decisions: lists the decisions of a store, deletes versions of them.
local list = require "orrery.cli.list"

local command = {
  verb = "decisions", empty = "no decisions",
  columns = { { "ID", "id" }, { "KEY", "key" }, { "VERSION", "version" }, { "TAG", "version_tag" }, { "NAME", "name" },
    { "KIND", "kind" }, { "DEPLOYMENT", "deployment_id" }, { "RESOURCE", "resource" }, { "TENANT", "tenant" } },
  actions = {},
}

function command.actions.delete(engine, decision)
  engine:delete_decision(decision.id)
  return "deleted; what it decided stays in history"
end

return list.command(command, {
  name = "decisions", summary = "Lists a store's decisions; deletes versions of them.",
  options = { { "--delete", "delete this version; the one before it is the latest then", value = "ID" } },
})
