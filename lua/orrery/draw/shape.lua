--- Shapes of a drawing: activities, events, gateways, data, pools and texts, each at its bounds.
local canvas = require "orrery.draw.canvas"
local icon = require "orrery.draw.icon"
local model = require "orrery.draw.model"
local text = require "orrery.draw.text"

local shape = {}

local PAPER = "#ffffff"
local LABEL_WIDTH = 90 -- of an event's or a gateway's name that has no bounds of its own

--- Lines of text around a middle; `top`: the first line's upper rim, or nil for lines that lie around y.
local function write(c, lines, x, y, attributes)
  local start = y - (#lines - 1) * text.LINE / 2 + text.SIZE * 0.35
  for i, line in ipairs(lines) do
    local own = { x = x, y = start + (i - 1) * text.LINE, text_anchor = "middle" }
    for key, value in pairs(attributes or {}) do own[key] = value end
    c:text(line, own)
  end
end

--- A name outside of its shape: in its label's bounds, or around x below `top`.
function shape.label(c, item, x, top, width)
  if not item.name or item.name == "" then return end
  local b = item.label
  local lines = text.wrap(item.name, math.max(b and b.width or 0, width or LABEL_WIDTH))
  local middle, first = b and b.x + b.width / 2 or x, b and b.y or top
  local half = 0
  for _, line in ipairs(lines) do half = math.max(half, text.width(line) / 2) end
  -- With a rim of paper, which keeps it readable where a flow runs below it.
  write(c, lines, middle, first + #lines * text.LINE / 2, { stroke = PAPER, stroke_width = 4, stroke_linejoin = "round",
    paint_order = "stroke" })
  c:reach(middle - half, first, 2 * half, #lines * text.LINE)
end

local function box(c, b, look, attributes)
  local all = { x = b.x, y = b.y, width = b.width, height = b.height, fill = look.fill, stroke = look.ink, stroke_width = 1.6 }
  for key, value in pairs(attributes or {}) do all[key] = value end
  c:add("rect", all)
end

local function inner(b, by, radius)
  return { x = b.x + by, y = b.y + by, width = b.width - 2 * by, height = b.height - 2 * by }, radius - by
end

local MARKER, MARKER_GAP = 14, 4

--- The signs at the lower rim, side by side in the middle.
local function markers(c, item, look)
  local names, e = {}, item.element
  local repeats = model.repetition(e)
  if item.collapsed then names[#names + 1] = "collapsed" end
  if repeats then names[#names + 1] = repeats end
  if e.attributes.isForCompensation == "true" then names[#names + 1] = "compensation" end
  if item.type == "adHocSubProcess" then names[#names + 1] = "adhoc" end
  local b = item.bounds
  local x = b.x + (b.width - #names * MARKER - (#names - 1) * MARKER_GAP) / 2
  for i, name in ipairs(names) do
    icon.draw(c, icon.marker(name), x + (i - 1) * (MARKER + MARKER_GAP), b.y + b.height - MARKER - 3, 1, look.ink, look.fill)
  end
end

local function activity_rim(c, item, look)
  local b, e = item.bounds, item.element
  local rim = { rx = 10 }
  if item.type == "callActivity" then rim.stroke_width = 4 end
  if e.attributes.triggeredByEvent == "true" then rim.stroke_dasharray = "1.5 3" end
  box(c, b, look, rim)
  if item.type == "transaction" then
    local within, radius = inner(b, 3, 10)
    box(c, within, { fill = "none", ink = look.ink }, { rx = radius, stroke_width = 1.2 })
  end
end

local function activity(c, item, look)
  local b = item.bounds
  activity_rim(c, item, look)
  icon.draw(c, icon.task(item.type), b.x + 6, b.y + 6, 1, look.ink, look.fill)
  markers(c, item, look)
  local room = math.max(1, math.floor((b.height - 12) / text.LINE))
  local lines = text.wrap(item.name or "", b.width - 10, room)
  local middle = b.y + b.height / 2
  -- Three lines and more would run into the sign in the corner.
  if #lines > 2 and #icon.task(item.type) > 0 then middle = math.min(middle + 8, b.y + b.height - #lines * text.LINE / 2 - 3) end
  write(c, lines, b.x + b.width / 2, middle)
end

--- A sub-process with its content: the name is at the top. A mark colors its rim alone: what is in it has marks of its own.
local function expanded(c, item, look)
  local b = item.bounds
  look = { ink = look.ink, fill = PAPER }
  activity_rim(c, item, look)
  markers(c, item, look)
  local lines = text.wrap(item.name or "", b.width - 20, 2)
  write(c, lines, b.x + b.width / 2, b.y + 8 + #lines * text.LINE / 2)
end

--- An event sub-process that is closed shows what starts it; everything else only looks like what it is.
local function sub_process(c, item, look)
  if item.di.isExpanded == "false" then item.collapsed = true end
  if item.collapsed then activity(c, item, look) else expanded(c, item, look) end
end

local function event(c, item, look)
  local b, e = item.bounds, item.element
  local x, y, r = b.x + b.width / 2, b.y + b.height / 2, math.min(b.width, b.height) / 2
  local ends, starts = item.type == "endEvent", item.type == "startEvent"
  local throws = ends or item.type == "intermediateThrowEvent"
  local waits_only = e.attributes.cancelActivity == "false" or e.attributes.isInterrupting == "false"
  local dashes = waits_only and "5 3" or nil
  c:add("circle", { cx = x, cy = y, r = r, fill = look.fill, stroke = look.ink, stroke_width = ends and 3.6 or 1.6,
    stroke_dasharray = dashes })
  if not ends and not starts then
    c:add("circle", { cx = x, cy = y, r = r - 3, fill = "none", stroke = look.ink, stroke_width = 1.3, stroke_dasharray = dashes })
  end
  icon.draw(c, icon.event(model.event_kind(e), throws), x - r, y - r, r / 18, look.ink, look.fill)
  item.label_at = { x, b.y + b.height + 5 }
end

local function gateway(c, item, look)
  local b = item.bounds
  local x, y = b.x + b.width / 2, b.y + b.height / 2
  c:add("path", { d = canvas.path("M%n %nL%n %nL%n %nL%n %nZ", x, b.y, b.x + b.width, y, x, b.y + b.height, b.x, y), fill = look.fill,
    stroke = look.ink, stroke_width = 1.6, stroke_linejoin = "round" })
  if item.type ~= "exclusiveGateway" or item.di.isMarkerVisible ~= "false" then
    icon.draw(c, icon.gateway(item.type), b.x, b.y, b.width / 50, look.ink, look.fill)
  end
  item.label_at = { x, b.y + b.height + 5 }
end

local function data_object(c, item, look)
  local b, fold = item.bounds, 10
  local right, bottom = b.x + b.width, b.y + b.height
  c:add("path", { d = canvas.path("M%n %nH%nL%n %nV%nH%nZM%n %nV%nH%n", b.x, b.y, right - fold, right, b.y + fold, bottom, b.x,
    right - fold, b.y, b.y + fold, right), fill = look.fill, stroke = look.ink, stroke_width = 1.6, stroke_linejoin = "round" })
  item.label_at = { b.x + b.width / 2, bottom + 4 }
end

local function data_store(c, item, look)
  local b, h = item.bounds, item.bounds.height / 8
  local right, bottom = b.x + b.width, b.y + b.height
  c:add("path", { d = canvas.path("M%n %nV%nC%n %n %n %n %n %nV%nC%n %n %n %n %n %nZ", b.x, b.y + h, bottom - h, b.x, bottom + h, right,
    bottom + h, right, bottom - h, b.y + h, right, b.y - h, b.x, b.y - h, b.x, b.y + h), fill = look.fill, stroke = look.ink,
    stroke_width = 1.6 })
  c:add("path", { d = canvas.path("M%n %nC%n %n %n %n %n %n", b.x, b.y + h, b.x, b.y + 3 * h, right, b.y + 3 * h, right, b.y + h),
    fill = "none", stroke = look.ink, stroke_width = 1.2 })
  item.label_at = { b.x + b.width / 2, bottom + 4 }
end

local POOL_HEAD = 30

local function pool(c, item, look)
  local b = item.bounds
  local lies = item.di.isHorizontal ~= "false"
  box(c, b, look)
  local is_black_box = item.type == "participant" and not item.element.attributes.processRef
  if is_black_box then return write(c, text.wrap(item.name or "", b.width - 10), b.x + b.width / 2, b.y + b.height / 2) end
  if not lies then
    c:add("path", { d = canvas.path("M%n %nH%n", b.x, b.y + POOL_HEAD, b.x + b.width), stroke = look.ink, stroke_width = 1.2 })
    return write(c, text.wrap(item.name or "", b.width - 10, 2), b.x + b.width / 2, b.y + POOL_HEAD / 2)
  end
  if item.type == "participant" then
    c:add("path", { d = canvas.path("M%n %nV%n", b.x + POOL_HEAD, b.y, b.y + b.height), stroke = look.ink, stroke_width = 1.2 })
  end
  local x, y = b.x + POOL_HEAD / 2, b.y + b.height / 2
  write(c, text.wrap(item.name or "", b.height - 10, 2), x, y, { transform = canvas.path("rotate(-90 %n %n)", x, y) })
end

local function annotation(c, item, look)
  local b = item.bounds
  c:add("path", { d = canvas.path("M%n %nH%nV%nH%n", b.x + 10, b.y, b.x, b.y + b.height, b.x + 10), fill = "none", stroke = look.ink,
    stroke_width = 1.3 })
  local lines = text.wrap(model.text_of(item.element), b.width - 12)
  for i, line in ipairs(lines) do c:text(line, { x = b.x + 6, y = b.y + 3 + i * text.LINE - 3 }) end
end

local function group(c, item, look)
  box(c, item.bounds, { fill = "none", ink = look.ink }, { rx = 10, stroke_dasharray = "8 4 1 4" })
  item.label_at = { item.bounds.x + item.bounds.width / 2, item.bounds.y + 4 }
end

-- Which function draws an element, and on which layer: what lies behind comes first.
local POOL, AREA, NODE, BORDER = 1, 2, 4, 5
local drawn = {
  participant = { pool, POOL }, lane = { pool, POOL }, group = { group, AREA }, textAnnotation = { annotation, NODE },
  subProcess = { sub_process, AREA }, transaction = { sub_process, AREA }, adHocSubProcess = { sub_process, AREA },
  dataObjectReference = { data_object, NODE }, dataObject = { data_object, NODE }, dataInput = { data_object, NODE },
  dataOutput = { data_object, NODE }, dataStoreReference = { data_store, NODE }, boundaryEvent = { event, BORDER },
}
for _, name in ipairs { "startEvent", "endEvent", "intermediateCatchEvent", "intermediateThrowEvent" } do drawn[name] = { event, NODE } end
for _, name in ipairs { "task", "userTask", "serviceTask", "scriptTask", "sendTask", "receiveTask", "manualTask", "businessRuleTask",
  "callActivity" } do drawn[name] = { activity, NODE } end
for _, name in ipairs { "exclusiveGateway", "parallelGateway", "inclusiveGateway", "eventBasedGateway", "complexGateway" } do
  drawn[name] = { gateway, NODE }
end

shape.EDGES = 3 -- the layer between areas and nodes
shape.LAYERS = BORDER

--- nil for what has no picture.
function shape.layer(item)
  local entry = drawn[item.type]
  return entry and entry[2]
end

--- Draws one shape; look: { ink =, fill = } (fill nil: paper).
function shape.draw(c, item, look)
  look = { ink = look.ink, fill = look.fill or PAPER }
  c:reach(item.bounds.x, item.bounds.y, item.bounds.width, item.bounds.height)
  drawn[item.type][1](c, item, look)
  if item.label_at then shape.label(c, item, item.label_at[1], item.label_at[2]) end
end

return shape
