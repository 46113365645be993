--- orrery lint: the problems of models, without deploying them.
local args = require "orrery.cli.args"
local bulk = require "orrery.cli.bulk"
local calls = require "orrery.cli.model.calls"
local orrery = require "orrery"
local core = require "orrery.core"
local files = require "orrery.files"
local problems = require "orrery.cli.problems"
local scenario = require "orrery.cli.scenario"
local stub = require "orrery.testing.stub"

local function count(list)
  local errors, warnings = 0, 0
  for _, p in ipairs(list) do
    local found = 1 + (p.more or 0) -- of its kind, which are not in the list
    if p.warning then warnings = warnings + found else errors = errors + found end
  end
  return errors, warnings
end

--- A decision model may import others, which lie beside it.
local function check_decisions(engine, path, rules)
  local folder, name = path:match "^(.*/)([^/]+)$"
  local resources = files.read(path)
  for _, other in ipairs(core.folder(folder or ".") or {}) do
    if other:find "%.dmn$" and not resources[other] then resources[other] = files.read((folder or "") .. other)[other] end
  end
  local found = {}
  for _, p in ipairs(engine:check(resources, rules)) do
    if p.resource == (name or path) then found[#found + 1] = p end
  end
  return found
end

local function is_model(name)
  return files.is_process_model(name) or files.is_decision_model(name)
end

--- A model with the modules beside it that it asks for.
local function with_modules(path)
  local folder, resources = path:match "^(.*/)" or "", files.read(path)
  for _, file in ipairs(stub.module_files(select(2, next(resources)))) do
    if core.file_type(folder .. file) == "file" then
      resources[file] = select(2, next(files.read(folder .. file)))
    end
  end
  return resources
end

--- What was found in a folder, and how many models are in it.
local function check_folder(engine, path, out, rules)
  local resources, models = files.read(path), 0
  for name in pairs(resources) do
    if is_model(name) then models = models + 1 end
  end
  problems.print_dialects(engine, resources, out, path:gsub("/*$", "/"))
  problems.print_missing(resources, scenario.module_path((path:gsub("/*$", ""))), out, path)
  problems.print_not_called(resources, resources, out, path)
  return engine:check(resources, rules), models
end

--- What is named by itself is meant as a model, whatever its name ends in; as a resource of a deployment it would not be one.
local function check(engine, path, out, rules)
  if core.folder(path) or files.is_archive(path) then return check_folder(engine, path, out, rules) end
  if files.is_process_model(path) then
    local resources = files.read(path)
    problems.print_dialects(engine, resources, out, path:match "^.*/")
    problems.print_missing(resources, scenario.module_path(scenario.folder(path)), out, path)
    problems.print_not_called(resources, calls.models_beside(path), out, path)
    return engine:check(with_modules(path), rules)
  end
  if files.is_decision_model(path) then return check_decisions(engine, path, rules) end
  local name, text = next(files.read(path))
  local found = engine:check({ [name .. ".bpmn"] = text }, rules)
  for _, p in ipairs(found) do p.resource = name end
  found[#found + 1] = { resource = name, severity = "warning", warning = true,
    message = "a deployment takes this for no model: the names of models end in .bpmn or .bpmn20.xml" }
  return found
end

--- Each file or folder is checked as a deployment of its own.
local function run(options, out)
  local engine <close> = orrery.open(nil, { log = "error", dialect = options.dialect })
  local errors, warnings, missing, models = 0, 0, 0, 0
  for i, path in ipairs(options) do
    out:progress("%d of %d: %s", i, #options, path)
    local ok, found, checked = pcall(check, engine, path, out, { no_scripts = options.no_script })
    if ok then
      models = models + (checked or 1)
      local e, w = count(found)
      errors, warnings = errors + e, warnings + w
      problems.print(found, out, (core.folder(path) or files.is_archive(path)) and path:gsub("/*$", "/") or path:match "^(.*/)")
    else
      missing = missing + 1
      out:problem("orrery lint: " .. (type(found) == "table" and found.message or tostring(found)))
    end
  end
  local summary = ("%d checked: %s, %s"):format(models, bulk.count(errors, "errors"),
    bulk.count(warnings, "warnings"))
  out:event({ event = "summary", checked = models, errors = errors, warnings = warnings }, summary)
  return (errors > 0 or missing > 0 or options.strict and warnings > 0) and 1 or 0
end

return {
  spec = {
    name = "lint", summary = "Checks models without running them and prints every problem as file:line:column.",
    arguments = { { "FILE", "a .bpmn, .bpmn20.xml or .dmn file, or a folder of resources", many = true } },
    options = {
      { "--dialect", "camunda, flowable, orrery, or auto (by each model's namespaces)", value = "NAME",
        choices = args.dialects },
      { "--no-script", "for a host in C without Lua: what needs Lua is an error" },
      { "--strict", "warnings count as errors" }, { "--json", "one JSON object a line" },
    },
  },
  run = run,
}
