--- What a BPMN file says of its drawing: shapes and edges of a diagram, each with the element that it shows.
local core = require "orrery.core"
local errors = require "orrery.errors"
local layout = require "orrery.draw.layout"

local model = {}

local BPMN, DI = "http://www.omg.org/spec/BPMN/20100524/MODEL", "http://www.omg.org/spec/BPMN/20100524/DI"

--- Where an element begins that the drawing shows by itself; what lies in it, such as an event definition, says how it looks.
local function index(e, known)
  if e.ns == BPMN and e.attributes.id then known[e.attributes.id] = e end
  for _, child in ipairs(e) do
    if child.ns ~= DI then index(child, known) end
  end
  return known
end

local function child_of(e, name)
  for _, child in ipairs(e) do
    if child.name == name then return child end
  end
end

local function number(e, name, what)
  local n = tonumber(e.attributes[name])
  if n and n == n and math.abs(n) < 1e6 then return n end
  errors.raise("deployment", ("line %d: %s of %s is no number of pixels"):format(e.line, name, what))
end

local function bounds_of(e, what)
  local b = e and child_of(e, "Bounds")
  return b and { x = number(b, "x", what), y = number(b, "y", what), width = number(b, "width", what), height = number(b, "height", what) }
end

local function waypoints_of(e, what)
  local points = {}
  for _, child in ipairs(e) do
    if child.name == "waypoint" then points[#points + 1] = { x = number(child, "x", what), y = number(child, "y", what) } end
  end
  return points
end

local function read_plane(plane, known)
  local shapes, edges = {}, {}
  for order, e in ipairs(plane) do
    local id = e.attributes.bpmnElement
    local element = id and known[id:match "[^:]+$"] -- a reference may have a prefix
    local item = element and { id = element.attributes.id, type = element.name, element = element, di = e.attributes, order = order,
      name = element.attributes.name, label = bounds_of(child_of(e, "BPMNLabel"), "the label of " .. id) }
    if item and e.name == "BPMNShape" then
      item.bounds = bounds_of(e, id)
      if item.bounds then shapes[#shapes + 1] = item end
    elseif item and e.name == "BPMNEdge" then
      item.points = waypoints_of(e, id)
      if #item.points > 1 then edges[#edges + 1] = item end
    end
  end
  return { shapes = shapes, edges = edges, known = known, element = plane.attributes.bpmnElement }
end

--- The planes of a file, by their diagrams' ids, names and elements.
local function planes_of(root)
  local planes = {}
  for _, diagram in ipairs(root) do
    local plane = diagram.ns == DI and diagram.name == "BPMNDiagram" and child_of(diagram, "BPMNPlane")
    if plane then planes[#planes + 1] = { plane = plane, diagram = diagram } end
  end
  return planes
end

local function names_of(planes)
  local names = {}
  for i, p in ipairs(planes) do names[i] = p.plane.attributes.bpmnElement or p.diagram.attributes.id or tostring(i) end
  return table.concat(names, ", ")
end

local function choose(planes, wanted)
  if not wanted then return planes[1] end
  for _, p in ipairs(planes) do
    if p.plane.attributes.bpmnElement == wanted or p.diagram.attributes.id == wanted or p.diagram.attributes.name == wanted then
      return p
    end
  end
  errors.raise("not_found", ('there is no diagram "%s", but of %s'):format(wanted, names_of(planes)))
end

--- Reads the first diagram of a BPMN file, or that of this id, name or element: { shapes, edges, known }. A model without diagrams is
--- placed (draw/layout.lua).
function model.read(xml, wanted)
  local root, problem = core.xml_parse(xml)
  if not root then errors.raise("deployment", problem) end
  if root.name ~= "definitions" or root.ns ~= BPMN then errors.raise("deployment", "it is no BPMN model") end
  local planes, known = planes_of(root), index(root, {})
  if planes[1] then return read_plane(choose(planes, wanted).plane, known) end
  if wanted then errors.raise("not_found", ('there is no diagram "%s": the model has none'):format(wanted)) end
  local plane = layout.plane(root)
  if not plane then errors.raise("not_found", "the model has nothing that could be drawn") end
  plane.known = known
  return plane
end

--- What an event waits for or throws, as its definition's name without the ending; nil: nothing.
function model.event_kind(element)
  local kinds = {}
  for _, child in ipairs(element) do
    local kind = child.name:match "^(.*)EventDefinition$" or (child.name == "eventDefinitionRef" and "multiple")
    if kind then kinds[#kinds + 1] = kind end
  end
  if #kinds > 1 then return element.attributes.parallelMultiple == "true" and "parallelMultiple" or "multiple" end
  return kinds[1]
end

--- "loop", "parallel" or "sequential": how an activity repeats.
function model.repetition(element)
  if child_of(element, "standardLoopCharacteristics") then return "loop" end
  local multi = child_of(element, "multiInstanceLoopCharacteristics")
  return multi and (multi.attributes.isSequential == "true" and "sequential" or "parallel")
end

function model.has_condition(element) return child_of(element, "conditionExpression") ~= nil end

function model.text_of(element)
  local t = child_of(element, "text")
  return t and t.text or ""
end

return model
