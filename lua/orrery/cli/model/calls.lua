--- What models have, and what they call: processes and decisions, by their ids.
local core = require "orrery.core"
local files = require "orrery.files"

local calls = {}

--- A plain id, and no expression that gives one.
local function literal(text)
  text = text and text:match "^%s*(.-)%s*$"
  return text ~= "" and not (text or "${"):find "[$#]{" and text or nil
end

--- Flowable's decision tasks say the decision in a field.
local function field_of(e, name)
  for _, inner in ipairs(e) do
    for _, field in ipairs(inner.name == "extensionElements" and inner or {}) do
      if field.name == "field" and field.attributes.name == name then
        local child = field[1] and field[1].text
        return field.attributes.stringValue or child
      end
    end
  end
end

local function add_calls(e, out)
  local a = e.attributes
  local called = e.name == "callActivity" and a.calledElementType ~= "id"
    and literal(a.calledElement)
  local decided = literal(a.decisionRef) or literal(field_of(e, "decisionTableReferenceKey"))
  if called then out.called[called] = true end
  if decided then out.decided[decided] = true end
  for _, child in ipairs(e) do add_calls(child, out) end
end

local function add_model(root, out)
  for _, e in ipairs(root) do
    if e.name == "process" and e.attributes.id then out.processes[e.attributes.id] = true end
  end
  add_calls(root, out)
end

local function add_decisions(root, out)
  for _, e in ipairs(root) do
    if e.name == "decision" and e.attributes.id then out.decisions[e.attributes.id] = true end
  end
end

--- Sets of ids: `processes` and `decisions` that these resources have, those that are `called` and
--- `decided` by a plain id.
function calls.of(resources)
  local out = { processes = {}, decisions = {}, called = {}, decided = {} }
  for name, text in pairs(resources) do
    local process, decision = files.is_process_model(name), files.is_decision_model(name)
    local root = (process or decision) and core.xml_parse(text)
    if root then (process and add_model or add_decisions)(root, out) end
  end
  return out
end

--- The models of the file's folder: names to bytes.
function calls.models_beside(path)
  local folder, out = path:match "^(.*/)" or "", {}
  for _, name in ipairs(core.folder(folder == "" and "." or folder) or {}) do
    if files.is_process_model(name) or files.is_decision_model(name) then
      out[name] = files.read(folder .. name)[name]
    end
  end
  return out
end

--- What these resources call and do not have, and a model beside the file has: an array of
--- { kind = "process" or "decision", key =, file = }.
function calls.found_beside(resources, path)
  local wanted, found = calls.of(resources), {}
  local function add(kind, called, here, there, file)
    for key in pairs(there) do
      if called[key] and not here[key] then
        found[#found + 1] = { kind = kind, key = key, file = file }
      end
    end
  end
  for file, text in pairs(calls.models_beside(path)) do
    local there = calls.of { [file] = text }
    add("process", wanted.called, wanted.processes, there.processes, file)
    add("decision", wanted.decided, wanted.decisions, there.decisions, file)
  end
  table.sort(found, function(a, b)
    if a.key ~= b.key then return a.key < b.key end
    return a.file < b.file
  end)
  return found
end

return calls
