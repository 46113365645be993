--- Colors of the command's own among text of others. On their way they are marks with a number that is drawn anew for each process, so
--- no text can contain them; where they come out, they become a terminal's sequences, and every other control character an escape.
local core = require "orrery.core"

local paint = {}

local colors = { title = "1", key = "36", string = "32", number = "33", constant = "35", other = "2", good = "32", bad = "31",
  wait = "33" }

--- Digits alone: a mark has the form of the sequence that it stands for, and takes no columns either (inspect.columns).
local function draw_number()
  local file <close> = io.open("/dev/urandom", "rb")
  local bytes = file and file:read(8)
  return ("%d"):format((bytes and ("<I8"):unpack(bytes) or math.random(0)) & math.maxinteger)
end

--- Returns paint(kind, text) and show(text, lines); see core.shown for `lines`. Without `color` nothing is painted.
function paint.new(color)
  if not color then return function(_, text) return text end, core.shown end
  local number = draw_number()
  local mark, find = "\27[" .. number .. ";%sm%s\27[" .. number .. ";0m", "\27%[" .. number .. ";(%d+)m"
  local function painted(kind, text) return colors[kind] and mark:format(colors[kind], text) or text end
  local function show(text, lines)
    local parts, at = {}, 1
    repeat
      local from, to, code = text:find(find, at)
      parts[#parts + 1] = core.shown(text:sub(at, (from or 0) - 1), lines)
      if from then parts[#parts + 1], at = ("\27[%sm"):format(code), to + 1 end
    until not from
    return table.concat(parts)
  end
  return painted, show
end

return paint
