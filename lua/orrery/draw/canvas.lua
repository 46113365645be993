--- What is drawn becomes lines of SVG. Numbers are rounded to a tenth of a pixel and written without needless digits, so that the same
--- model always gives the same text.
local canvas = {}

local Canvas = {}
Canvas.__index = Canvas

local escapes = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

--- Text between tags and in attributes. Control characters, which XML does not know, become blanks.
function canvas.escape(s) return (s:gsub('[&<>"]', escapes):gsub("[%c\127]", " "):gsub("\xC2[\x80-\x9F]", " ")) end

function canvas.number(n)
  local tenths = math.floor(n * 10 + 0.5)
  if tenths % 10 == 0 then return ("%d"):format(tenths // 10) end
  return ("%.1f"):format(tenths / 10)
end

local function value_of(v) return type(v) == "number" and canvas.number(v) or canvas.escape(v) end

local function attributes_text(attributes)
  local names, parts = {}, {}
  for name in pairs(attributes) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do parts[i] = (' %s="%s"'):format(name:gsub("_", "-"), value_of(attributes[name])) end
  return table.concat(parts)
end

function canvas.new() return setmetatable({ lines = {}, depth = 1, left = math.huge, top = math.huge, right = -math.huge,
  bottom = -math.huge }, Canvas) end

function Canvas:line(format, ...)
  self.lines[#self.lines + 1] = ("  "):rep(self.depth) .. (select("#", ...) > 0 and format:format(...) or format)
end

--- An element without content; `_` in names of attributes stands for `-`.
function Canvas:add(name, attributes) self:line("<%s%s/>", name, attributes_text(attributes)) end

function Canvas:open(name, attributes)
  self:line("<%s%s>", name, attributes_text(attributes))
  self.depth = self.depth + 1
end

function Canvas:close(name)
  self.depth = self.depth - 1
  self:line("</%s>", name)
end

function Canvas:text(s, attributes) self:line("<text%s>%s</text>", attributes_text(attributes), canvas.escape(s)) end

--- A path whose numbers are its arguments: path("M%n %nL%n %n", x, y, …, attributes).
function canvas.path(format, ...)
  local numbers, i = { ... }, 0
  return (format:gsub("%%n", function()
    i = i + 1
    return canvas.number(numbers[i])
  end))
end

--- The drawing reaches that far.
function Canvas:reach(x, y, width, height)
  self.left, self.top = math.min(self.left, x), math.min(self.top, y)
  self.right, self.bottom = math.max(self.right, x + width), math.max(self.bottom, y + height)
end

return canvas
