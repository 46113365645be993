-- The public header as its parts: orrery.h, and the headers that it includes, in the order in which it does.
local header = {}

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

--- @param source string  the project's folder
--- @return table parts  an array of { name = "orrery/jobs.h", text = … }
function header.parts(source)
  local folder = source .. "/runtime/include/"
  local parts = { { name = "orrery.h", text = read(folder .. "orrery.h") } }
  for name in parts[1].text:gmatch '#include "(orrery/[%w_]+%.h)"' do
    parts[#parts + 1] = { name = name, text = read(folder .. name) }
  end
  return parts
end

--- @return string  all of it in one text
function header.text(source)
  local texts = {}
  for i, part in ipairs(header.parts(source)) do texts[i] = part.text end
  return table.concat(texts)
end

return header
