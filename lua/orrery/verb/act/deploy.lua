--- orrery deploy: models, scripts and forms into a store.
local args = require "orrery.cli.args"
local bulk = require "orrery.cli.bulk"
local core = require "orrery.core"
local files = require "orrery.files"
local problems = require "orrery.cli.problems"
local store = require "orrery.cli.store"
local stub = require "orrery.testing.stub"

--- The resources of all that was named, as one deployment.
local function read_all(first, paths)
  local resources = {}
  for _, path in ipairs(paths) do
    if not core.file_type(path) then
      local swapped = core.file_type(first) == "file"
      args.usage("there is no %s%s", path, swapped and (", and %s is a file: the store comes first"):format(first) or "")
    end
    for name, bytes in pairs(files.read(path)) do
      if resources[name] then args.usage("two files would be the resource %s; deploy the folder above them", name) end
      resources[name] = bytes
    end
  end
  if not next(resources) then args.usage("there is nothing to deploy in %s", table.concat(paths, ", ")) end
  return resources
end

local function base_name(path)
  path = core.real_path(path) or path -- "." has a name, too
  return path:gsub("/+$", ""):match "[^/]+$" or path
end

--- The versions before these that instances still run by.
local function tell_older(engine, definition, out)
  local older = engine:definition { key = definition.key, version = definition.version - 1, tenant = definition.tenant }
  local n = older and engine:count("instances", { definition_id = older.id }) or 0
  if n > 0 then
    out:event({ event = "older", key = older.key, version = older.version, instances = n },
      ("  %s by version %d still; 'orrery migrate' moves %s"):format(
        n == 1 and "1 instance runs" or n .. " instances run", older.version,
        n == 1 and "it" or "them"))
  end
end

local function tell(engine, deployment, resources, known, out)
  if known then
    out:event({ event = "unchanged", deployment = deployment.id, name = deployment.name },
      ("nothing has changed since deployment %s"):format(deployment.id))
    return
  end
  out:event({ event = "deployed", deployment = deployment.id, name = deployment.name },
    ("deployed %s as %s"):format(deployment.name, deployment.id))
  for _, d in ipairs(deployment.definitions) do
    local dialect, reason = engine:model_dialect(resources[d.resource])
    out:event({ event = "definition", id = d.id, key = d.key, version = d.version, resource = d.resource, dialect = dialect,
      reason = reason }, ("  process %s version %d (%s), in the %s dialect: %s"):format(d.key, d.version, d.id, dialect, reason))
    tell_older(engine, d, out)
  end
  for _, d in ipairs(deployment.decisions) do
    out:event({ event = "decision", id = d.id, key = d.key, version = d.version }, ("  decision %s version %d"):format(d.key, d.version))
  end
end

local NOWHERE <const> = "" -- a path of modules: what lies here does not lie beside a worker

--- The delegates that are not deployed: a worker may bring them, but it must be known that it has to.
local function tell_missing(engine, deployment, out)
  local names, files_of = stub.missing(engine, deployment, {}, NOWHERE), {}
  if #names == 0 then return end
  for i, name in ipairs(names) do
    files_of[i] = ("%s (%s.lua)"):format(name, (name:gsub("%.", "/")))
  end
  local one = #names == 1
  out:event({ event = "missing", delegates = names },
    ("  %s not in the deployment: %s; deploy %s with the model, or have 'orrery work' find %s")
    :format(one and "1 delegate is" or #names .. " delegates are", table.concat(files_of, ", "),
      one and "it" or "them", one and "it" or "them"))
end

local function request_of(options)
  local filter = options.only_changed and "changed" or options.skip_unchanged and "true" or nil
  return { name = options.name or base_name(options[2]), tenant = options.tenant,
    filter_duplicates = filter, activate_at = options.activate_at }
end

--- Opens the store. One that is to be made is made only for what a store that goes at the end has
--- taken: a model that is refused leaves nothing behind.
local function open(options, resources)
  local more = { create = options.create, settings = { time_zone = options.time_zone } }
  if options.create and not store.exists(options[1]) then
    local trial <close> = store.open(nil, options, more)
    trial:deploy(resources, request_of(options))
  end
  return store.open(options[1], options, more)
end

local function run(options, out)
  local resources = read_all(options[1], table.move(options, 2, #options, 1, {}))
  local engine <close> = open(options, resources)
  local request = request_of(options)
  local filter, before = request.filter_duplicates, engine:count "deployments"
  local deployment = engine:deploy(resources, request)
  problems.print(deployment.warnings or {}, out)
  tell(engine, deployment, resources, filter and engine:count "deployments" == before, out)
  tell_missing(engine, deployment, out)
  return 0
end

return {
  spec = {
    name = "deploy", summary = "Deploys models, decisions, scripts and forms: all of them, or, when anything is wrong, nothing.",
    arguments = { { "STORE", "the store's folder" }, { "FILE", "a file, or a folder of resources", many = true } },
    options = {
      { "--create", "make the store when it is not there yet" },
      { "--time-zone", "of a store that is made: the zone by which its timers are meant; otherwise UTC", value = "NAME" },
      { "--name", "the deployment's name; otherwise that of the first file", value = "NAME" },
      { "--tenant", "of this tenant", value = "NAME" },
      { "--skip-unchanged", "do nothing when it is what was deployed last by this name" },
      { "--only-changed",
        "deploy what differs from what was deployed last by this name, and what goes with it" },
      { "--activate-at", "suspended until then", value = "TIME", as = "time" },
      { "--json", "one JSON object a line" },
    },
  },
  run = run,
}
