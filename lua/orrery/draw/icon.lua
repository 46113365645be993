--- The signs of BPMN: in events (within 36 by 36), gateways (50 by 50), in a task's corner (16 by 16) and at its lower rim (14 by 14).
--- Each is a list of { element, attributes }; `fill = "ink"` is what the sign is drawn with, `"paper"` what it is drawn on.
local canvas = require "orrery.draw.canvas"

local icon = {}

local function outline(path, width) return { "path", { d = path, fill = "none", stroke = "ink", stroke_width = width or 1.5 } } end

local function filled(path) return { "path", { d = path, fill = "ink", stroke = "ink", stroke_width = 1 } } end

local function ring(x, y, r, width, fill)
  return { "circle", { cx = x, cy = y, r = r, fill = fill or "none", stroke = "ink", stroke_width = width or 1.5 } }
end

--- Teeth around a hole, as one path.
local function gear(x, y, inner, outer, teeth)
  local parts = {}
  for i = 0, teeth * 4 - 1 do
    local r = (i % 4 < 2) and outer or inner
    local angle = (i + 0.5) * math.pi * 2 / (teeth * 4)
    parts[#parts + 1] = canvas.path((i == 0 and "M" or "L") .. "%n %n", x + r * math.cos(angle), y + r * math.sin(angle))
  end
  return table.concat(parts) .. "Z"
end

local function ticks()
  local parts = {}
  for hour = 0, 11 do
    local angle = hour * math.pi / 6
    local x, y = math.cos(angle), math.sin(angle)
    parts[#parts + 1] = canvas.path("M%n %nL%n %n", 18 + 8 * x, 18 + 8 * y, 18 + 9.8 * x, 18 + 9.8 * y)
  end
  return table.concat(parts)
end

-- Events. Those with a shape of their own are outlined where they are caught and filled where they are thrown.
local shapes = {
  error = "M10 25.5L14.2 11.5L20.5 19L26 10.5L22 25L15.8 17.5Z",
  signal = "M18 9.5L27 25H9Z",
  escalation = "M18 8.5L25.5 26.5L18 19.5L10.5 26.5Z",
  compensate = "M17.5 12V24L9 18ZM26.5 12V24L18 18Z",
  link = "M9.5 15H18.5V10.5L27.5 18L18.5 25.5V21H9.5Z",
  cancel = "M12.2 9.8L18 15.6L23.8 9.8L26.2 12.2L20.4 18L26.2 23.8L23.8 26.2L18 20.4L12.2 26.2L9.8 23.8L15.6 18L9.8 12.2Z",
  multiple = "M18 9L27 15.5L23.6 26H12.4L9 15.5Z",
  parallelMultiple = "M15.5 9.5H20.5V15.5H26.5V20.5H20.5V26.5H15.5V20.5H9.5V15.5H15.5Z",
}

local own = {
  timer = { ring(18, 18, 10.5), outline(ticks(), 1), outline "M18 18L19.8 11M18 18H23.5" },
  conditional = { outline "M11.5 9.5H24.5V26.5H11.5Z", outline("M13.5 13H22.5M13.5 16.3H22.5M13.5 19.6H22.5M13.5 22.9H22.5", 1.2) },
  terminate = { ring(18, 18, 9, 1, "ink") },
}

local envelope = "M9 11.5H27V24.5H9Z"

--- The sign of an event definition; none for a plain event.
function icon.event(kind, throws)
  if own[kind] then return own[kind] end
  if kind == "message" then
    if not throws then return { outline(envelope), outline("M9 11.5L18 19L27 11.5") } end
    return { filled(envelope), { "path", { d = "M9 11.5L18 19L27 11.5", fill = "none", stroke = "paper", stroke_width = 1.5 } } }
  end
  local shape = shapes[kind]
  return shape and { throws and filled(shape) or outline(shape) } or {}
end

local gateways = {
  exclusiveGateway = { outline("M18 16.5L32 33.5M32 16.5L18 33.5", 3.2) },
  parallelGateway = { outline("M25 14V36M14 25H36", 3.2) },
  inclusiveGateway = { ring(25, 25, 11, 2.6) },
  complexGateway = { outline("M25 13V37M13 25H37M16.5 16.5L33.5 33.5M33.5 16.5L16.5 33.5", 2.6) },
  eventBasedGateway = { ring(25, 25, 13.5, 1), ring(25, 25, 11, 1), outline("M25 17.5L32 22.5L29.4 31H20.6L18 22.5Z", 1.2) },
}

function icon.gateway(type) return gateways[type] or {} end

local tasks = {
  userTask = { ring(8, 5, 3.2, 1.2), outline("M1.8 15V13.2A6.2 4.4 0 0 1 14.2 13.2V15Z", 1.2) },
  serviceTask = { outline(gear(8, 8, 5, 7.2, 8), 1.1), ring(8, 8, 2.2, 1.1) },
  scriptTask = { outline("M4.5 1H14C10.5 5 14.5 10.5 11 15H1.5C5 10.5 1 5 4.5 1Z", 1.1),
    outline("M5.2 4.5H10M5.6 8H10.4M5.8 11.5H10.2", 1) },
  sendTask = { filled "M1 3H15V13H1Z", { "path", { d = "M1 3L8 9L15 3", fill = "none", stroke = "paper", stroke_width = 1.2 } } },
  receiveTask = { outline("M1 3H15V13H1Z", 1.2), outline("M1 3L8 9L15 3", 1.2) },
  manualTask = { outline("M1.5 8.5C1.5 6 3 5.5 4 4.7L7.5 2C8.6 1.2 9.6 2.6 8.6 3.6L6.8 5.4H14A1.1 1.1 0 0 1 14 7.6H9.5H14.5A1.1 1.1 0 0 1 "
    .. "14.5 9.8H9.5H13.5A1.1 1.1 0 0 1 13.5 12H9.5H12.2A1.1 1.1 0 0 1 12.2 14.2H5C2.5 14.2 1.5 12 1.5 8.5Z", 1.1) },
  businessRuleTask = { { "path", { d = "M1 3H15V6H1Z", fill = "ink", stroke = "none" } },
    outline("M1 3H15V13.5H1ZM1 6.5H15M1 10H15M5.5 6.5V13.5", 1.1) },
}

function icon.task(type) return tasks[type] or {} end

local markers = {
  loop = { outline("M5 12.3A5.3 5.3 0 1 1 9.5 12.2M5.6 9.2L5 12.4L1.8 12", 1.4) },
  parallel = { outline("M3 1.5V12.5M7 1.5V12.5M11 1.5V12.5", 2) },
  sequential = { outline("M1.5 3H12.5M1.5 7H12.5M1.5 11H12.5", 2) },
  compensation = { outline("M6.8 2.5V11.5L1 7ZM13 2.5V11.5L7.2 7Z", 1.2) },
  collapsed = { outline("M0.5 0.5H13.5V13.5H0.5Z", 1.1), outline("M7 3V11M3 7H11", 1.3) },
  adhoc = { outline("M1 9C3 4.5 5 4.5 7 7S11 9.5 13 5", 2) },
}

function icon.marker(name) return markers[name] end

--- Draws a sign; `scale` times its size, from x and y on.
function icon.draw(c, sign, x, y, scale, ink, paper)
  if not sign or #sign == 0 then return end
  local place = canvas.path("translate(%n %n)", x, y)
  c:open("g", { transform = scale == 1 and place or place .. (" scale(%.3g)"):format(scale) })
  for _, part in ipairs(sign) do
    local attributes = {}
    for name, value in pairs(part[2]) do attributes[name] = value == "ink" and ink or value == "paper" and paper or value end
    c:add(part[1], attributes)
  end
  c:close "g"
end

return icon
