-- Folders for stores that specs make, and their removal.
local M = {}

function M.make()
  local name = os.tmpname()
  os.remove(name)
  assert(os.execute(("mkdir -p '%s'"):format(name)))
  return name
end

function M.remove(name)
  assert(name:find "^/tmp/" or name:find(os.getenv "TMPDIR" or "^/tmp/"), name)
  os.execute(("rm -rf '%s'"):format(name))
end

--- For specs of what lies beside a store on disk: `it`, or where specs run on stores in PostgreSQL what says by name that one is skipped.
function M.only(it, pending, why)
  if os.getenv "ORRERY_STORE" ~= "postgresql" then return it end
  return function(name) pending(("%s: skipped, %s"):format(name, why)) end
end

function M.read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

function M.write(path, bytes)
  local file <close> = assert(io.open(path, "wb"))
  file:write(bytes)
end

return M
