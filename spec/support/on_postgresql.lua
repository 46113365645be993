--- Runs any room's specs on stores in PostgreSQL: `ORRERY_STORE=postgresql spec/run release spec/engine`. A private server serves the
--- process; every store that a spec opens, a folder or a private one, is a schema of its own there. Processes that a spec starts find
--- by the same path the same store: which is which stands in the file that ORRERY_STORES names, and on_postgresql_child.lua reads.
local orrery = require "orrery"
local core = require "orrery.core"
local postgres = require "spec.support.postgres"

local open, schemas = orrery.open, {}

local function tell(path, url)
  local file <close> = assert(io.open(os.getenv "ORRERY_STORES", "a"))
  file:write(path, "\n", url, "\n")
end

local function url_of(path)
  if path and core.store_is_url(path) then return path end
  if path and schemas[path] then return schemas[path] end
  local url = postgres.shared():schema()
  core.store_make_schema(url)
  if path then
    schemas[path] = url
    tell(path, url)
  end
  return url
end

--- A path that is no text is refused as ever.
function orrery.open(path, options)
  if path ~= nil and type(path) ~= "string" then return open(path, options) end
  return open(url_of(path), options)
end

local has_inside, inside = pcall(require, "orrery_inside")
if has_inside then
  local open_units = inside.uow.open
  function inside.uow.open(path, ...) return open_units(path and url_of(path), ...) end
end
