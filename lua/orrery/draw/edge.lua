--- Edges of a drawing: sequence and message flows, associations. Their corners are round.
local canvas = require "orrery.draw.canvas"
local model = require "orrery.draw.model"
local shape = require "orrery.draw.shape"
local text = require "orrery.draw.text"

local edge = {}

local CORNER, HEAD = 6, 9 -- pixels: a corner's radius, an arrow's length

--- From a to b: the unit vector and the distance.
local function direction(a, b)
  local x, y = b.x - a.x, b.y - a.y
  local length = math.sqrt(x * x + y * y)
  if length == 0 then return 1, 0, 0 end
  return x / length, y / length, length
end

local function line_of(points)
  local parts = { canvas.path("M%n %n", points[1].x, points[1].y) }
  for i = 2, #points - 1 do
    local before, at, behind = points[i - 1], points[i], points[i + 1]
    local ux, uy, in_length = direction(before, at)
    local vx, vy, out_length = direction(at, behind)
    local r = math.min(CORNER, in_length / 2, out_length / 2)
    parts[#parts + 1] = canvas.path("L%n %nQ%n %n %n %n", at.x - ux * r, at.y - uy * r, at.x, at.y, at.x + vx * r, at.y + vy * r)
  end
  parts[#parts + 1] = canvas.path("L%n %n", points[#points].x, points[#points].y)
  return table.concat(parts)
end

local function arrow(c, from, to, look, open)
  local ux, uy = direction(from, to)
  local bx, by, half = to.x - ux * HEAD, to.y - uy * HEAD, HEAD * 0.45
  c:add("path", { d = canvas.path(open and "M%n %nL%n %nL%n %n" or "M%n %nL%n %nL%n %nZ", bx - uy * half, by + ux * half, to.x, to.y,
    bx + uy * half, by - ux * half), fill = open == "empty" and "#ffffff" or open and "none" or look.ink, stroke = look.ink,
    stroke_width = 1.2, stroke_linejoin = "round" })
end

--- The slash of a default flow, the diamond of a condition at an activity.
local function tail(c, item, look, known)
  local source = known[item.element.attributes.sourceRef or ""]
  if not source then return end
  local from, ux, uy = item.points[1], direction(item.points[1], item.points[2])
  if source.attributes.default == item.id then
    local x, y = from.x + ux * 10, from.y + uy * 10
    c:add("path", { d = canvas.path("M%n %nL%n %n", x - ux * 3 - uy * 5, y - uy * 3 + ux * 5, x + ux * 3 + uy * 5, y + uy * 3 - ux * 5),
      stroke = look.ink, stroke_width = 1.6 })
  elseif model.has_condition(item.element) and not source.name:find "Gateway$" then
    c:add("path", { d = canvas.path("M%n %nL%n %nL%n %nL%n %nZ", from.x, from.y, from.x + ux * 7 - uy * 4, from.y + uy * 7 + ux * 4,
      from.x + ux * 14, from.y + uy * 14, from.x + ux * 7 + uy * 4, from.y + uy * 7 - ux * 4), fill = "#ffffff", stroke = look.ink,
      stroke_width = 1.2 })
  end
end

--- The middle of the longest part, above which a name without bounds is written.
local function label_place(points)
  local best, x, y = -1, 0, 0
  for i = 2, #points do
    local _, _, length = direction(points[i - 1], points[i])
    if length > best then best, x, y = length, (points[i - 1].x + points[i].x) / 2, (points[i - 1].y + points[i].y) / 2 end
  end
  return x, y - text.LINE - 3
end

local looks = {
  sequenceFlow = {}, messageFlow = { dashes = "6 4", head = "empty", start = true }, association = { dashes = "1.5 4" },
  dataInputAssociation = { dashes = "1.5 4", head = "open" }, dataOutputAssociation = { dashes = "1.5 4", head = "open" },
}

--- Is it drawn at all?
function edge.known(item) return looks[item.type] ~= nil end

local function has_head(item, kind)
  if item.type ~= "association" then return kind.head or true end
  return item.element.attributes.associationDirection ~= nil and item.element.attributes.associationDirection ~= "None" and "open"
end

--- Draws one edge; look: { ink = }.
function edge.draw(c, item, look, known)
  local kind, points = looks[item.type], item.points
  c:add("path", { d = line_of(points), fill = "none", stroke = look.ink, stroke_width = 1.6, stroke_dasharray = kind.dashes })
  for _, p in ipairs(points) do c:reach(p.x, p.y, 0, 0) end
  local head = has_head(item, kind)
  if head then arrow(c, points[#points - 1], points[#points], look, head ~= true and head or nil) end
  if kind.start then
    c:add("circle", { cx = points[1].x, cy = points[1].y, r = 3.5, fill = "#ffffff", stroke = look.ink, stroke_width = 1.2 })
  end
  if item.type == "sequenceFlow" then tail(c, item, look, known) end
  local x, y = label_place(points)
  shape.label(c, item, x, y)
end

return edge
