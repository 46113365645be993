--- Draws a model as SVG, from the positions that its BPMN DI gives or, without any, from where layout.lua places it: for manuals, and to
--- show where tokens were.
---   local svg = require "orrery.draw".svg(xml, { marks = { pay = "passed", pack = "missed" }, notes = { pay = "3" } })
local canvas = require "orrery.draw.canvas"
local edge = require "orrery.draw.edge"
local errors = require "orrery.errors"
local model = require "orrery.draw.model"
local shape = require "orrery.draw.shape"
local text = require "orrery.draw.text"

local draw = {}

local MARGIN = 12
local PLAIN = { ink = "#22242a" }

--- What an element may be marked as.
draw.marks = {
  passed = { ink = "#14713a", fill = "#dff3e4" },
  missed = { ink = "#b3382c", fill = "#fbe3e0" },
  here = { ink = "#1f4fa8", fill = "#dbe7fb" },
  failed = { ink = "#8c1d18", fill = "#f6b9b3" },
}

--- What lies behind comes first; on a layer of areas large ones, otherwise what the file has first.
local function sorted(plane)
  local items = {}
  for _, item in ipairs(plane.shapes) do
    item.layer = shape.layer(item)
    item.area = item.layer == 2 and item.bounds.width * item.bounds.height or 0
    if item.layer then items[#items + 1] = item end
  end
  for _, item in ipairs(plane.edges) do
    item.layer, item.area = shape.EDGES, 0
    if edge.known(item) then items[#items + 1] = item end
  end
  table.sort(items, function(a, b)
    if a.layer ~= b.layer then return a.layer < b.layer end
    if a.area ~= b.area then return a.area > b.area end
    return a.order < b.order
  end)
  return items
end

--- A note at an element's upper right corner, or at the middle of a flow.
local function note(c, item, words, look)
  local b, points = item.bounds, item.points
  local at = points and points[(#points + 1) // 2]
  local behind = points and points[(#points + 1) // 2 + 1]
  local x, y = b and b.x + b.width or (at.x + behind.x) / 2, b and b.y or (at.y + behind.y) / 2
  local half = math.max(9, text.width(words) / 2 + 5)
  c:add("rect", { x = x - half, y = y - 9, width = 2 * half, height = 18, rx = 9, fill = look.ink })
  c:text(words, { x = x, y = y + text.SIZE * 0.35, text_anchor = "middle", fill = "#ffffff" })
  c:reach(x - half, y - 9, 2 * half, 18)
end

local function look_of(options, id)
  local name = options.marks and options.marks[id]
  if not name then return PLAIN end
  return draw.marks[name] or errors.raise("argument", ('marks: "%s" is marked as "%s", which is none of failed, here, missed, passed')
    :format(id, tostring(name)))
end

local function paint(c, plane, options)
  local items = sorted(plane)
  for _, item in ipairs(items) do
    local look = look_of(options, item.id)
    c:open("g", { id = item.id })
    if item.points then edge.draw(c, item, look, plane.known) else shape.draw(c, item, look) end
    c:close "g"
  end
  for _, item in ipairs(items) do
    local words = options.notes and options.notes[item.id]
    if words then note(c, item, tostring(words), look_of(options, item.id)) end
  end
end

--- The drawing of a BPMN file as SVG. Options: `diagram` (id, name or element of the one that is meant; nil: the first), `marks` (by
--- element id: "passed", "missed", "here" or "failed"), `notes` (by element id: a few letters at its corner), `title`. Raises
--- `deployment` where the file cannot be read, `not_found` where it has nothing to draw.
function draw.svg(xml, options)
  options = options or {}
  local plane = model.read(xml, options.diagram)
  local c = canvas.new()
  paint(c, plane, options)
  if c.left > c.right then errors.raise("not_found", "the model's drawing shows nothing") end
  local left, top = math.floor(c.left) - MARGIN, math.floor(c.top) - MARGIN
  local width, height = math.ceil(c.right) + MARGIN - left, math.ceil(c.bottom) + MARGIN - top
  local head = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="%d %d %d %d" width="%d" height="%d"\n'
    .. '  font-family="Helvetica, Arial, sans-serif" font-size="%d" fill="%s">'):format(left, top, width, height, width, height, text.SIZE,
    PLAIN.ink)
  local title = options.title and ("\n  <title>%s</title>"):format(canvas.escape(options.title)) or ""
  local ground = ('  <rect x="%d" y="%d" width="%d" height="%d" fill="#ffffff"/>'):format(left, top, width, height)
  return table.concat({ head .. title, ground, table.concat(c.lines, "\n"), "</svg>", "" }, "\n")
end

return draw
