--- Runs any room's specs on stores in PostgreSQL: `ORRERY_STORE=postgresql spec/run release spec/engine`. A private server serves the
--- process; every store that a spec opens, a folder or a private one, is a schema of its own there.
local orrery = require "orrery"
local core = require "orrery.core"
local postgres = require "spec.support.postgres"

local open, schemas = orrery.open, {}

local function url_of(path)
  if path and core.store_is_url(path) then return path end
  if path and schemas[path] then return schemas[path] end
  local url = postgres.shared():schema()
  core.store_make_schema(url)
  if path then schemas[path] = url end
  return url
end

--- A path that is no text is refused as ever.
function orrery.open(path, options)
  if path ~= nil and type(path) ~= "string" then return open(path, options) end
  return open(url_of(path), options)
end
