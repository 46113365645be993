--- orrery tck: the cases of the DMN Technology Compatibility Kit, in the kit's own format.
local core = require "orrery.core"
local feel = require "orrery.feel"
local files = require "orrery.files"
local model = require "orrery.decision.model"

--- The child elements of a name.
local function children(element, name)
  local found = {}
  for _, child in ipairs(element) do
    if child.name == name then found[#found + 1] = child end
  end
  return found
end

local function child(element, name) return children(element, name)[1] end

-- Values of the kit -----------------------------------------------------------------------------------------------------------------

local readers = {
  string = function(text) return text end,
  boolean = function(text) return text == "true" or text == "1" end,
  decimal = function(text) return feel.number(text) end,
  double = function(text) return feel.number(text) or feel.number(tonumber(text) or 0) end,
  date = function(text) return feel.date(text) end,
  time = function(text) return feel.time(text) end,
  dateTime = function(text) return feel.date_time(text) end,
  duration = function(text) return feel.duration(text) end,
}
readers.integer, readers.int, readers.long, readers.float = readers.decimal, readers.decimal, readers.decimal, readers.double

local read

local function read_value(element)
  if element.attributes["nil"] == "true" then return nil end
  local kind = (element.attributes.type or "string"):match "[^:]+$"
  local reader = readers[kind] or readers.string
  return reader(kind == "string" and element.text or element.text:match "^%s*(.-)%s*$")
end

local function read_list(element)
  local items = children(element, "item")
  local list = { n = #items }
  for i, item in ipairs(items) do list[i] = read(item) end
  return feel.list(list)
end

local function read_components(components)
  local context = {}
  for i, component in ipairs(components) do
    local name = component.attributes.name
    context[i] = name
    context[name] = read(component)
  end
  return feel.ctx(context)
end

--- What an element holds: a value, a list, components.
function read(element)
  local components = children(element, "component")
  if #components > 0 then return read_components(components) end
  local list, value = child(element, "list"), child(element, "value")
  if list then return read_list(list) end
  return value and read_value(value)
end

-- Comparing -------------------------------------------------------------------------------------------------------------------------

local NEAR = feel.number "0.00000001" -- the kit's expected numbers are rounded

local same

local function magnitude(number) return number < 0 and feel.neg(number) or number end

local function same_number(got, expected)
  if got == expected then return true end
  local difference = magnitude(feel.sub(got, expected))
  return difference <= NEAR or difference <= feel.mul(magnitude(expected), NEAR)
end

local function same_list(got, expected)
  if got.n ~= expected.n then return false end
  for i = 1, got.n do
    if not same(got[i], expected[i]) then return false end
  end
  return true
end

local function same_context(got, expected)
  if #got ~= #expected then return false end
  for _, key in ipairs(expected) do
    if not same(got[key], expected[key]) then return false end
  end
  return true
end

function same(got, expected)
  local kind = feel.kind(expected)
  if feel.kind(got) ~= kind then return false end
  if kind == "number" then return same_number(got, expected) end
  if kind == "list" then return same_list(got, expected) end
  if kind == "context" then return same_context(got, expected) end
  return feel.same(got, expected)
end

-- Cases -----------------------------------------------------------------------------------------------------------------------------

local function describe(value) return (feel.string(value) or "null"):sub(1, 200) end

local function inputs_of(case)
  local vars = {}
  for _, node in ipairs(children(case, "inputNode")) do vars[node.attributes.name] = read(node) end
  return vars
end

--- The value that the kit asks for: of a decision, of a service's output, of a knowledge model.
local function value_of(loaded, case, result, vars, settings)
  local name, invoked = result.attributes.name, case.attributes.invocableName
  local node = loaded:node(invoked or name)
  if not node then return nil, ("the model has no \"%s\""):format(invoked or name) end
  if node.kind == "knowledge" then return loaded:call(node, vars, settings) end
  local value = loaded:run(node, vars, settings)
  if node.kind == "service" and feel.kind(value) == "context" and #children(case, "resultNode") > 1 then return value[name] end
  return value
end

--- nil when it is as expected, else what is wrong.
local function check_result(loaded, case, result, vars)
  local diagnostics = {}
  local expected = read(child(result, "expected") or result)
  local ok, value, problem = pcall(value_of, loaded, case, result, vars, { now = os.time(), diagnostics = diagnostics })
  if not ok then return ("%s: %s"):format(result.attributes.name, type(value) == "table" and value.message or tostring(value)) end
  if problem then return problem end
  if result.attributes.errorResult == "true" then expected = nil end
  if same(value, expected) then return nil end
  return ("%s: expected %s, got %s%s"):format(result.attributes.name, describe(expected), describe(value),
    diagnostics[1] and " (" .. diagnostics[1] .. ")" or "")
end

local function check_case(loaded, case)
  local vars = inputs_of(case)
  for _, result in ipairs(children(case, "resultNode")) do
    local problem = check_result(loaded, case, result, vars)
    if problem then return problem end
  end
end

-- Files -----------------------------------------------------------------------------------------------------------------------------

local function load_model(resources, name)
  if not resources[name] then return nil, ("there is no %s"):format(name) end
  local compiled = core.decision_compile(resources, name, true)
  for _, p in ipairs(compiled.problems) do
    if not p.warning then return nil, ("%s:%d:%d: %s"):format(name, p.line or 0, p.column or 0, p.message) end
  end
  local ok, loaded = pcall(model.load, compiled.code, name)
  if ok then return loaded end
  return nil, type(loaded) == "table" and loaded.message or tostring(loaded)
end

local function run_file(path, resources, name, out, count)
  local tests, problem = core.xml_parse(resources[name])
  local wanted = tests and child(tests, "modelName")
  local loaded
  if tests and wanted then loaded, problem = load_model(resources, wanted.text:match "^%s*(.-)%s*$") end
  for _, case in ipairs(tests and children(tests, "testCase") or { { attributes = {} } }) do
    local failed = problem or not loaded and "the file names no model" or check_case(loaded, case)
    local id = case.attributes.id or "?"
    if failed then
      count.failed = count.failed + 1
      out:event({ event = "case", file = path .. name, id = id, passed = false, message = failed },
        ("%s%s: case %s: %s"):format(path, name, id, failed))
    else
      count.passed = count.passed + 1
    end
  end
end

local function is_test(name) return name:find "%.xml$" and not name:find "%.dmn11%.xml$" end

--- Each folder with test files is a case of its own, with the models that lie in it.
local function run_folder(path, out, count)
  local resources, folders = {}, {}
  for _, name in ipairs(core.folder(path) or {}) do
    if core.folder(path .. "/" .. name) then folders[#folders + 1] = name
    elseif name:find "%.dmn$" or is_test(name) then resources[name] = files.read(path .. "/" .. name)[name] end
  end
  local names = {}
  for name in pairs(resources) do
    if is_test(name) then names[#names + 1] = name end
  end
  table.sort(names)
  table.sort(folders)
  if names[1] then out:progress("%s", path) end
  for _, name in ipairs(names) do run_file(path:gsub("/*$", "/"), resources, name, out, count) end
  for _, name in ipairs(folders) do run_folder(path .. "/" .. name, out, count) end
end

local function run(options, out)
  local count = { passed = 0, failed = 0 }
  for _, path in ipairs(options) do
    if not core.folder(path) then
      out:problem(("orrery tck: %s is no folder"):format(path))
      return 1
    end
    run_folder(path, out, count)
  end
  out:event({ event = "summary", passed = count.passed, failed = count.failed },
    ("%d passed, %d failed"):format(count.passed, count.failed))
  return count.failed > 0 and 1 or 0
end

return {
  spec = {
    name = "tck", summary = "Runs the cases of the DMN Technology Compatibility Kit below folders and prints each one that fails.",
    arguments = { { "FOLDER", "a folder with models (.dmn) and test files (.xml), or folders of them", many = true } },
    options = { { "--json", "one JSON object a line" } },
  },
  run = run,
}
