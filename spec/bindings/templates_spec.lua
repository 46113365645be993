-- docs/modeler/orrery.json: element templates, by which Camunda Modeler edits Orrery's own
-- attributes.
local json = require("orrery").json
local orrery = require "orrery"
local texts = dofile "bindings/generate/template_texts.lua"

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

local templates = json.decode(read "docs/modeler/orrery.json")

--- The names that extension.def says are read at one of the elements, read here without the
--- generator.
local function table_of(elements)
  local def, out = read "runtime/model/parse/extension.def", {}
  local tasks = def:match 'TASKS "([^"]+)"'
  local row = "EXTENSION_ATTRIBUTE%(([%w-]+),%s+EXTENSION_READ,%s+(.-),%s+[^,]-%)\n"
  for name, hosts in def:gmatch(row) do
    local text = " " .. hosts:gsub("TASKS", tasks):gsub('"', " ") .. " "
    for _, element in ipairs(elements) do
      if text:find(" " .. element .. " ", 1, true) then out[name] = true end
    end
  end
  return out
end

--- "bpmn:ServiceTask" -> the groups and the name by which extension.def calls it
local function hosts_of(kind)
  local element = kind:gsub("^bpmn:(%u)", string.lower)
  return element, (element == "process" or element == "sequenceFlow") and { element }
    or { element, "@node" }
end

--- A process with the element; `attributes` are its own.
local function model(element, attributes)
  local on_process, on_flow = element == "process" and attributes or "", element == "sequenceFlow"
    and attributes or ""
  local node = '<task id="it"/>'
  if element:find "Task$" or element == "callActivity" or element == "task" then
    node = ('<%s id="it" %s>%s</%s>'):format(element, attributes, element == "scriptTask"
      and "<script>return 1</script>" or "", element)
  end
  local start = element == "startEvent" and attributes or ""
  return ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:orrery="urn:orrery:bpmn" targetNamespace="t"><process id="p" isExecutable="true" %s>
    <startEvent id="start" %s/><sequenceFlow id="f" sourceRef="start" targetRef="it" %s/>%s
    <sequenceFlow id="g" sourceRef="it" targetRef="end"/><endEvent id="end"/>
  </process></definitions>]]):format(on_process, start, on_flow, node)
end

describe("the element templates", function()
  it("have exactly the attributes that the elements take, each with a text", function()
    for _, template in ipairs(templates) do
      for _, kind in ipairs(template.appliesTo) do
        local element, hosts = hosts_of(kind)
        local wanted, shown = table_of(hosts), {}
        for name in pairs(texts.left_out) do wanted[name] = nil end
        for _, property in ipairs(template.properties) do
          local name = property.binding.name:match "^orrery:(%w+)$"
          shown[name] = true
          assert.is_true(#property.description > 5, name)
        end
        if element == template.appliesTo[1]:gsub("^bpmn:(%u)",
          string.lower) then assert.same(wanted, shown, kind) end
        for name in pairs(shown) do assert.is_true(wanted[name], kind .. " does not take "
          .. name) end
      end
    end
  end)

  it("leave nothing out but names that the table has", function()
    local all = table_of { "process", "@node", "serviceTask", "sendTask", "businessRuleTask",
      "scriptTask", "userTask", "receiveTask",
      "callActivity", "startEvent", "sequenceFlow" }
    for name in pairs(texts.left_out) do assert.is_true(all[name], name) end
    for name in pairs(texts.attributes) do assert.is_true(all[name], name) end
  end)

  it("name nothing that a deployment does not know, and leave nothing behind that it minds",
    function()
    local engine <close> = orrery.open()
    local function problems(element, attributes)
      local out = {}
      for _, one in ipairs(engine:check { ["m.bpmn"] = model(element, attributes) }) do
        out[#out + 1] = one.message
      end
      return out
    end
    local empty = {} -- what Modeler leaves of fields that were cleared, by element
    for _, template in ipairs(templates) do
      local element = hosts_of(template.appliesTo[1])
      local all = {}
      for i, property in ipairs(template.properties) do all[i] = property.binding.name .. '=""' end
      empty[element] = table.concat(all, " ")
      for _, property in ipairs(template.properties) do
        for _, choice in ipairs(property.choices or {}) do
          local said = table.concat(problems(element, ('%s="%s"'):format(property.binding.name,
            choice.value)), "\n")
          assert.is_nil(said:find "must be" or said:find "unknown"
            or said:find "extension attribute", said)
        end
      end
    end
    assert.same({}, problems("userTask", empty.userTask))
    for _, element in ipairs { "process", "startEvent", "sequenceFlow", "scriptTask",
      "receiveTask", "manualTask" } do
      assert.same({}, problems(element, empty[element]), element)
    end
    for _, element in ipairs { "serviceTask", "sendTask", "businessRuleTask" } do
      local given = empty[element]:gsub('orrery:class=""', 'orrery:class="work"')
      assert.same({}, problems(element, given), element)
      assert.matches("is mandatory", problems(element, empty[element])[1])
    end
    assert.same({}, problems("callActivity", 'calledElement="p" ' .. empty.callActivity))
    assert.matches("unknown", problems("userTask", 'orrery:assignedTo="x"')[1])
  end)
end)
