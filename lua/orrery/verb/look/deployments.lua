--- orrery deployments: lists what was deployed, shows what is in one, takes it away.
local args = require "orrery.cli.args"
local bulk = require "orrery.cli.bulk"
local clock = require "orrery.cli.clock"
local errors = require "orrery.errors"
local list = require "orrery.cli.list"

local command = {
  verb = "deployments", empty = "no deployments",
  columns = { { "ID", "id" }, { "NAME", "name" }, { "TIME", list.time "time" }, { "TENANT",
    "tenant" } },
  actions = {},
}

function command.actions.delete(engine, deployment, options)
  engine:undeploy(deployment.id, { cascade = options.cascade })
  return options.cascade and "deleted with its instances and their history" or "deleted"
end

local function found(engine, word)
  return engine:deployment(args.id(word))
    or errors.raise("not_found", "none of the deployments has the id " .. word)
end

--- The bytes as they are, but to a terminal, which they shall not give orders.
local function print_resource(deployment, name, out)
  local bytes = deployment:resource(name)
  if out.is_terminal(io.stdout) then out:block(require "orrery.core".shown(bytes, true))
  else io.stdout:write(bytes) end
  return 0
end

--- What it brought, and what runs by it.
local function show(engine, options, out)
  local deployment = found(engine, options.show)
  if options.resource then return print_resource(deployment, options.resource, out) end
  local definitions = engine:definitions { deployment_id = deployment.id, order_by = "key" }
  local decisions = engine:decisions { deployment_id = deployment.id, order_by = "key" }
  local resources = engine:resources(deployment.id)
  local running = {}
  for i, d in ipairs(definitions) do running[i] = engine:count("instances",
    { definition_id = d.id }) end
  if out.json then
    out:event { event = "deployment", deployment = deployment, definitions = definitions,
      decisions = decisions,
      resources = resources, running = running }
    return 0
  end
  local tenant = deployment.tenant and (", tenant %s"):format(deployment.tenant) or ""
  out:line("%s", out.paint("title", ("deployment %s  %s, %s%s"):format(deployment.id,
    deployment.name or "-",
    clock.format(deployment.time), tenant)))
  for i, d in ipairs(definitions) do
    out:line("process %s version %d (%s)%s: %s running", d.key, d.version, d.id,
      d.suspended and ", suspended" or "", bulk.count(running[i], "instances"))
  end
  for _, d in ipairs(decisions) do out:line("decision %s version %d (%s)", d.key, d.version,
    d.id) end
  for _, name in ipairs(resources) do out:line("resource %s", name) end
  return 0
end

command.views = { show = show }

return list.command(command, {
  name = "deployments", one = "--show",
  summary = "Lists a store's deployments; shows what is in one, or deletes it.",
  options = {
    { "--show", "what it brought, and how many instances run by that", value = "ID" },
    { "--resource", "with --show: print this resource of it, as it was deployed", value = "NAME",
      with = { "--show" } },
    { "--delete", "delete a deployment with its definitions; refused while instances run by them",
      value = "ID",
      words = { "--undeploy" } },
    { "--cascade", "with --delete: its instances, too, and their history", with = { "--delete" } },
  },
})
