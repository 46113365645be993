--- orrery decide: a decision of a file, without a store.
local args = require "orrery.cli.args"
local core = require "orrery.core"
local errors = require "orrery.errors"
local files = require "orrery.files"
local orrery = require "orrery"

--- The file, and the models beside it, which it may import.
local function resources_of(path)
  if core.folder(path) then return files.read(path) end
  if files.is_process_model(path) then
    args.usage("%s is a model of processes; decisions are in .dmn files", path)
  end
  local folder, name = path:match "^(.*/)([^/]+)$"
  name = name or path
  local resources = { [name:find "%.dmn$" and name or name .. ".dmn"] = files.read(path)[name] }
  for _, other in ipairs(core.folder(folder or ".") or {}) do
    if other:find "%.dmn$" and other ~= name then
      local found = files.read((folder or "") .. other)[other]
      local compiled = core.decision_compile({ [other] = found }, other, true)
      if compiled.code then resources[other] = found end -- what is broken beside it is none of its business
    end
  end
  return resources, name:find "%.dmn$" and name or name .. ".dmn"
end

--- Deploys them; what is wrong with the file is told by the name that it has.
local function deploy(engine, resources, name, path)
  local ok, result = pcall(engine.deploy, engine, resources)
  if ok then return result end
  for _, p in ipairs(type(result) == "table" and result.problems or {}) do
    if p.resource == name then p.resource = path:match "[^/]+$" end
  end
  error(result, 0)
end

local function names_of(decisions)
  local names = {}
  for i, d in ipairs(decisions) do names[i] = d.name and d.name ~= d.key and ("%s (%s)"):format(d.key, d.name) or d.key end
  return table.concat(names, ", ")
end

--- The decision that is meant: the one that is named, else the only one that no other requires, else the only one.
local function choose(decisions, wanted)
  if wanted then return wanted end
  if #decisions == 1 then return decisions[1].key end
  args.usage("the file has %d decisions: say which with --decision: %s", #decisions, names_of(decisions))
end

local function run(options, out)
  local resources, name = resources_of(options[1])
  local engine <close> = orrery.open(nil, { log = "error", dialect = options.dialect })
  local deployment = deploy(engine, resources, name, options[1])
  local decisions = {}
  for _, d in ipairs(deployment.decisions) do
    if not name or d.resource == name then decisions[#decisions + 1] = d end
  end
  if not decisions[1] then errors.raise("not_found", "there is no decision in " .. options[1]) end
  local diagnostics = {}
  local result = engine:decide(choose(decisions, options.decision), args.assignments(options.set), { diagnostics = diagnostics })
  for _, text in ipairs(diagnostics) do out:problem("orrery decide: " .. text) end
  out:event({ event = "decided", result = result == nil and core.null or result }, core.json_encode(result, true))
  return 0
end

return {
  spec = {
    name = "decide", summary = "Evaluates a decision of a DMN file and prints its result as JSON.",
    arguments = { { "FILE", "a .dmn file, or a folder of them; models beside the file may be imported" } },
    options = {
      { "--decision", "its id or name, when the file has several", value = "KEY" },
      { "--set", "an input", value = "NAME=VALUE", many = true },
      { "--dialect", "camunda, flowable, orrery, or auto (by each model's marks)", value = "NAME", choices = args.dialects },
      { "--json", "one JSON object a line" },
    },
  },
  run = run,
}
