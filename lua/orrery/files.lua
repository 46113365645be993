--- Resources of a deployment from the disk.
local core = require "orrery.core"
local errors = require "orrery.errors"

local files = {}

local DEPTH_MAX = 16 -- folders in folders; a link that leads back ends here

local function read_file(path)
  local file, problem = io.open(path, "rb")
  if not file then errors.raise("not_found", problem) end
  local bytes = file:read "a"
  file:close()
  if not bytes then errors.raise("not_found", path .. ": cannot be read") end
  return bytes
end

local function read_folder(path, prefix, depth, out)
  if depth > DEPTH_MAX then errors.raise("limit", path .. ": more than " .. DEPTH_MAX .. " folders deep") end
  for _, name in ipairs(core.folder(path)) do
    local inner = path .. "/" .. name
    if core.folder(inner) then read_folder(inner, prefix .. name .. "/", depth + 1, out)
    else out[prefix .. name] = read_file(inner) end
  end
  return out
end

--- A file, or every file of a folder: a table of names (below the folder) to bytes.
function files.read(path)
  errors.check_text("deploy", 1, path)
  if core.folder(path) then return read_folder(path, "", 1, {}) end
  return { [path:match "[^/]+$" or path] = read_file(path) }
end

return files
