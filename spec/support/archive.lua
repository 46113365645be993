--- Archives for the specs: zip files whose files are stored as they are.
local archive = {}

local function crc32(bytes)
  local crc = 0xFFFFFFFF
  for i = 1, #bytes do
    crc = crc ~ bytes:byte(i)
    for _ = 1, 8 do crc = crc >> 1 ~ (0xEDB88320 & -(crc & 1)) end
  end
  return ~crc & 0xFFFFFFFF
end

local VERSION <const>, STORED <const> = 20, 0

--- What the header of a file and its row of the directory share; `says` is the size it pretends to have.
local function described(name, bytes, says)
  return ("<I2I2I2I2I2I4I4I4I2I2"):pack(VERSION, 0, STORED, 0, 0x21, crc32(bytes), #bytes, says or #bytes, #name, 0)
end

--- An archive of files: an array of { name, bytes, the size it says }.
function archive.stored(files)
  local bodies, rows, at = {}, {}, 0
  for i, file in ipairs(files) do
    local name, bytes = file[1], file[2]
    local same = described(name, bytes, file[3])
    bodies[i] = "PK\3\4" .. same .. name .. bytes
    rows[i] = "PK\1\2" .. ("<I2"):pack(VERSION) .. same .. ("<I2I2I2I4I4"):pack(0, 0, 0, 0, at) .. name
    at = at + #bodies[i]
  end
  local directory = table.concat(rows)
  return table.concat(bodies) .. directory .. "PK\5\6" .. ("<I2I2I2I2I4I4I2"):pack(0, 0, #files, #files, #directory, at, 0)
end

return archive
