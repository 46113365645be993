-- Writes docs/modeler/orrery.json: element templates by which Camunda Modeler edits Orrery's own
-- attributes. Which element takes which attribute is read from runtime/model/parse/extension.def;
-- what each is for is in template_texts.lua.
local emit = {}

local SCHEMA = "https://unpkg.com/@camunda/element-templates-json-schema/resources/schema.json"

--- The templates: the elements of BPMN that each is for, and what it is called.
emit.TEMPLATES = {
  { id = "process", name = "Process", "process" },
  { id = "service", name = "Service task", "serviceTask" },
  { id = "send", name = "Send task", "sendTask" },
  { id = "rule", name = "Business rule task", "businessRuleTask" },
  { id = "script", name = "Script task", "scriptTask" },
  { id = "user", name = "User task", "userTask" },
  { id = "receive", name = "Receive task", "receiveTask" },
  { id = "call", name = "Call activity", "callActivity" },
  { id = "start", name = "Start event", "startEvent" },
  { id = "node", name = "Activity, event or gateway", "manualTask", "task", "subProcess",
    "intermediateCatchEvent",
    "intermediateThrowEvent", "boundaryEvent", "endEvent", "exclusiveGateway", "inclusiveGateway",
      "parallelGateway",
    "eventBasedGateway" },
  { id = "flow", name = "Sequence flow", "sequenceFlow" },
}

--- Every attribute that Orrery reads, in the table's order: { name, chapter, hosts = { element =
--- true } }.
function emit.attributes(def)
  local tasks = assert(def:match '#define TASKS "([^"]*)"')
  local out, chapter = {}, nil
  for line in def:gsub(",\n%s+", ", "):gmatch "[^\n]+" do
    chapter = line:match "^/%* %-%-%-%- ([^:*]+)" or chapter
    local name, use, hosts = line:match '^EXTENSION_ATTRIBUTE%(([^,]+), ([%u_]+), (.-), [^,]+%)$'
    if use == "EXTENSION_READ" then
      local set = {}
      for host in hosts:gsub("TASKS", tasks):gmatch "[@%w]+" do set[host] = true end
      out[#out + 1] = { name = name, chapter = chapter:match "^(.-)%s*$", hosts = set }
    end
  end
  return out
end

--- Whether an element takes an attribute: by its own name, or because it is a node of the process.
function emit.takes(attribute, element)
  local is_node = element ~= "process" and element ~= "sequenceFlow"
  return attribute.hosts[element] == true or is_node and attribute.hosts["@node"] == true
end

local function words(name)
  local text = name:gsub("%u", function(c) return " " .. c:lower() end)
  return text:sub(1, 1):upper() .. text:sub(2)
end

--- Objects are arrays of { name, value }, so that their members keep their order.
local function property(attribute, text, group)
  local members = { { "label", words(attribute.name) }, { "description", text[1] },
    { "type", text.choices and "Dropdown" or "String" },
    { "group", group } }
  if text.choices then
    local choices = { { { "name", "(not set)" }, { "value", "" } } }
    for _, choice in ipairs(text.choices) do choices[#choices + 1] = { { "name", choice },
      { "value", choice } } end
    members[#members + 1] = { "choices", { array = choices } }
  end
  members[#members + 1] = { "binding", { { "type", "property" }, { "name", "orrery:"
    .. attribute.name } } }
  return members
end

local function template(t, attributes, texts)
  local groups, known, properties, types = {}, {}, {}, {}
  for _, attribute in ipairs(attributes) do
    local text = texts.attributes[attribute.name]
    if text and emit.takes(attribute, t[1]) then
      local id = attribute.chapter:lower():match "^%a+"
      if not known[id] then groups[#groups + 1] = { { "id", id },
        { "label", attribute.chapter } } end
      known[id] = true
      properties[#properties + 1] = property(attribute, text, id)
    end
  end
  for i, element in ipairs(t) do types[i] = "bpmn:" .. element:sub(1, 1):upper()
    .. element:sub(2) end
  return { { "$schema", SCHEMA }, { "name", "Orrery: " .. t.name }, { "id", "orrery." .. t.id },
    { "description", "The attributes that Orrery reads here" },
      { "appliesTo", { array = types } }, { "entriesVisible", true },
    { "groups", { array = groups } }, { "properties", { array = properties } } }
end

local function quoted(text) return '"' .. text:gsub('[\\"]', "\\%0") .. '"' end

local json

local function joined(open, parts, close, indent)
  local text = open .. table.concat(parts, ", ") .. close
  if #indent + #text <= 100 and not text:find "\n" then return text end
  return open .. "\n" .. indent .. "  " .. table.concat(parts, ",\n" .. indent .. "  ") .. "\n"
    .. indent .. close
end

function json(value, indent)
  if type(value) == "string" then return quoted(value) end
  if type(value) ~= "table" then return tostring(value) end
  local parts, deeper = {}, indent .. "  "
  if value.array then
    for i, one in ipairs(value.array) do parts[i] = json(one, deeper) end
    return joined("[", parts, "]", indent)
  end
  for i, member in ipairs(value) do parts[i] = quoted(member[1]) .. ": " .. json(member[2],
    deeper) end
  return joined("{", parts, "}", indent)
end

function emit.source(def, texts)
  local attributes, all = emit.attributes(def), {}
  for i, t in ipairs(emit.TEMPLATES) do all[i] = template(t, attributes, texts) end
  return json({ array = all }, "") .. "\n"
end

return emit
