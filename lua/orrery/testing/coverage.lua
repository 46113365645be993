--- What of the models the tests reached: elements that tokens began, and sequence flows that they took. One collector may serve a whole
--- suite; each test adds what it saw when it closes.
local core = require "orrery.core"
local draw = require "orrery.draw"
local errors = require "orrery.errors"
local fail = require "orrery.testing.fail"
local files = require "orrery.files"
local inspect = require "orrery.inspect"

local Coverage = {}
Coverage.__index = Coverage
Coverage.__name = "orrery.Coverage"

local M = {}

--- models: of the engines that were added; open: the engines that are still to be added.
function M.new() return setmetatable({ models = {}, open = {} }, Coverage) end

-- Models ------------------------------------------------------------------------------------------------------------------------------

local BPMN <const> = "http://www.omg.org/spec/BPMN/20100524/MODEL"

local function is_node(e)
  return e.name:find "Task$" or e.name:find "Event$" or e.name:find "Gateway$" or e.name == "task" or e.name == "subProcess"
    or e.name == "transaction" or e.name == "callActivity" or e.name == "adHocSubProcess"
end

--- The elements of a process that tokens may reach, in the order of the file: { id, kind = "node" | "flow", name }.
local function elements_of(e, out)
  for _, child in ipairs(e) do
    local id = child.ns == BPMN and child.attributes.id
    if id and (is_node(child) or child.name == "sequenceFlow") then
      out[#out + 1] = { id = id, kind = child.name == "sequenceFlow" and "flow" or "node", type = child.name, name = child.attributes.name }
    end
    elements_of(child, out)
  end
  return out
end

local function process_of(xml, key)
  for _, e in ipairs(core.xml_parse(xml) or {}) do
    if e.name == "process" and e.attributes.id == key then return e end
  end
end

--- What is known of a process: its model as it was last deployed, and how often each element was reached.
local function model_of(self, definition, engine)
  local model = self.models[definition.key] or { times = {} }
  self.models[definition.key] = model
  model.xml = engine:resource(definition.deployment_id, definition.resource)
  model.elements = elements_of(process_of(model.xml, definition.key), {})
  return model
end

--- Has a collector count what an engine reaches until it is added.
function M.watch(self, engine) self.open[engine] = true end

--- Adds what an engine's tests reached.
function Coverage:add(engine)
  self.open[engine] = nil
  local flows = core.flows_taken(engine.core)
  for _, definition in ipairs(engine:definitions { latest = true }) do
    local times = model_of(self, definition, engine).times
    for id, taken in pairs(flows[definition.key] or {}) do times[id] = (times[id] or 0) + taken end
  end
  for _, row in ipairs(engine:history_activities {}) do
    local model = self.models[row.definition_key]
    if model then model.times[row.activity_id] = (model.times[row.activity_id] or 0) + 1 end
  end
end

--- The collector with what open engines have reached so far.
local function so_far(self)
  if not next(self.open) then return self end
  local out = M.new()
  for key, model in pairs(self.models) do
    local times = {}
    for id, n in pairs(model.times) do times[id] = n end
    out.models[key] = { xml = model.xml, elements = model.elements, times = times }
  end
  for engine in pairs(self.open) do out:add(engine) end
  return out
end

-- Results -----------------------------------------------------------------------------------------------------------------------------

local function keys_of(self)
  local keys = {}
  for key in pairs(self.models) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

local function known(self, key)
  local keys = keys_of(self)
  if key == nil and #keys == 1 then return self.models[keys[1]], keys[1] end
  local model = self.models[key]
  if model then return model, key end
  errors.raise("not_found", ('no test has deployed a process "%s"; there are %s'):format(tostring(key), fail.list(keys, "none")))
end

--- What was reached of a process: { process, reached, total, ratio, times = { [id] = n }, missing = { id, … } }.
function Coverage:result(key)
  self = so_far(self)
  local model, name = known(self, key)
  local out = { process = name, reached = 0, total = #model.elements, times = {}, missing = {} }
  for _, element in ipairs(model.elements) do
    local times = model.times[element.id] or 0
    out.times[element.id] = times
    if times > 0 then out.reached = out.reached + 1 else out.missing[#out.missing + 1] = element.id end
  end
  out.ratio = out.total > 0 and out.reached / out.total or 1
  return out
end

--- A table as text: a line for each element of a process, or of all of them.
function Coverage:text(key)
  self = so_far(self)
  local lines = {}
  for _, name in ipairs(key and { (select(2, known(self, key))) } or keys_of(self)) do
    local result, model = self:result(name), self.models[name]
    lines[#lines + 1] = ("%s: %d of %d reached (%d %%)"):format(name, result.reached, result.total, result.ratio * 100 // 1)
    lines[#lines + 1] = inspect.rows(model.elements, { { "TIMES", function(e) return result.times[e.id] end },
      { "ELEMENT", function(e) return e.type end }, { "ID", "id" }, { "NAME", "name" } })
  end
  return table.concat(lines, "\n") .. "\n"
end

--- The model's drawing with what was reached and what was not, and how often. A model without a diagram is placed.
function Coverage:svg(key)
  self = so_far(self)
  local model, name = known(self, key)
  local result, marks, notes = self:result(name), {}, {}
  for _, element in ipairs(model.elements) do
    local times = result.times[element.id]
    marks[element.id] = times > 0 and "passed" or "missed"
    notes[element.id] = element.kind == "node" and times > 0 and tostring(times) or nil
  end
  local title = ("%s: %d of %d reached"):format(name, result.reached, result.total)
  return draw.svg(model.xml, { marks = marks, notes = notes, title = title })
end

--- Writes coverage.txt into a folder that is there and each model's drawing as KEY.svg.
function Coverage:write(folder)
  errors.check_text("write", 1, folder)
  self = so_far(self)
  files.write(folder .. "/coverage.txt", self:text())
  for _, key in ipairs(keys_of(self)) do files.write(("%s/%s.svg"):format(folder, key), self:svg(key)) end
end

--- Fails unless at least this part of a process was reached: 1 is all of it.
function Coverage:at_least(ratio, key)
  local result = self:result(key)
  if result.ratio < ratio then
    fail.fail("%s: %d %% should be reached, but %d of %d elements are; missing: %s", result.process, ratio * 100 // 1, result.reached,
      result.total, table.concat(result.missing, ", "))
  end
end

M.Coverage = Coverage

return M
