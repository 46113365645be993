--- Resources of a deployment from the disk.
local core = require "orrery.core"
local errors = require "orrery.errors"

local files = {}

local DEPTH_MAX = 16 -- folders in folders; a link that leads back ends here

local BYTES_MAX = 64 * 1024 * 1024 -- of one resource: what a value holds

local function read_file(path)
  local file, problem = io.open(path, "rb")
  if not file then errors.raise("not_found", problem) end
  local size = file:seek "end"
  if size and size > BYTES_MAX then
    file:close()
    errors.raise("limit", ("%s is of %d bytes; a resource has at most %d"):format(path, size, BYTES_MAX))
  end
  file:seek "set"
  local bytes = file:read "a"
  file:close()
  if not bytes then errors.raise("not_found", path .. ": cannot be read") end
  return bytes
end

--- What is deployed with a folder: models, scripts, forms and what else tasks may read; no program, no archive, no library.
local kinds = {}
for kind in ("bpmn xml dmn lua form json html htm txt md csv svg png jpg jpeg gif css js properties yaml yml xsd wsdl"):gmatch "%S+" do
  kinds[kind] = true
end

--- Hidden files hold secrets and other programs' notes.
local function is_resource(path, name)
  return name:sub(1, 1) ~= "." and kinds[(name:match "%.(%w+)$" or ""):lower()] and core.file_type(path) == "file"
end

--- An engine's own folder: data.mdb lies in it.
local function is_store(names)
  for _, name in ipairs(names) do
    if name == "data.mdb" then return true end
  end
  return false
end

local function read_folder(path, prefix, depth, out)
  if depth > DEPTH_MAX then errors.raise("limit", path .. ": more than " .. DEPTH_MAX .. " folders deep") end
  local names = core.folder(path)
  if is_store(names) then return out end
  for _, name in ipairs(names) do
    local inner = path .. "/" .. name
    if name:sub(1, 1) ~= "." and core.folder(inner) then read_folder(inner, prefix .. name .. "/", depth + 1, out)
    elseif is_resource(inner, name) then out[prefix .. name] = read_file(inner) end
  end
  return out
end

--- Does a deployment take a resource of this name for a model of processes?
function files.is_process_model(name)
  return name:find "%.bpmn$" ~= nil or name:find "%.bpmn20%.xml$" ~= nil
end

--- Does it take it for a model of decisions?
function files.is_decision_model(name)
  return name:find "%.dmn$" ~= nil or name:find "%.dmn11%.xml$" ~= nil
end

--- Is it named as other engines' tools name archives of resources?
function files.is_archive(path) return path:find "%.bar$" ~= nil or path:find "%.zip$" ~= nil end

local function read_archive(path)
  local found, problem = core.archive(read_file(path))
  if not found then errors.raise("argument", ("%s: %s"):format(path, problem)) end
  if not next(found) then errors.raise("argument", path .. ": there is no file in it") end
  return found
end

--- A file, or the resources of a folder or of an archive: a table of names (below the folder) to bytes.
function files.read(path)
  errors.check_text("deploy", 1, path)
  if path:find "^%s*<" then
    errors.argument("deploy", 1, 'a path expected, or names and texts, as { ["order.bpmn"] = text }; this is a model itself')
  end
  if core.folder(path) then return read_folder(path, "", 1, {}) end
  if files.is_archive(path) then return read_archive(path) end
  return { [path:match "[^/]+$" or path] = read_file(path) }
end

--- Writes a file, and makes the folders around it where `around` is true. Raises `argument` with the path and why.
function files.write(path, bytes, around)
  local folder = around and path:match "^(.*)/."
  local made, problem = true, nil
  if folder then made, problem = core.make_folder(folder) end
  local file
  if made then file, problem = io.open(path, "wb") end
  local written = file and file:write(bytes)
  if file then written = file:close() and written end
  if not written then errors.raise("argument", problem or path .. ": cannot be written") end
end

return files
