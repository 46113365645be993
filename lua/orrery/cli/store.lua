--- The store that a command looks into: it must be there, because opening would make one.
local args = require "orrery.cli.args"
local orrery = require "orrery"
local scenario = require "orrery.cli.scenario"

local store = {}

function store.exists(path)
  local file = io.open(path .. "/data.mdb", "rb")
  if file then file:close() end
  return file ~= nil
end

--- Opens it, delegates of `options.lua` registered.
function store.open(path, options)
  if not store.exists(path) then args.usage("there is no store in %s", path) end
  local s = scenario.load(options.lua)
  local settings = { log = "error", package_path = scenario.module_path(scenario.folder(options.lua) or ".") }
  for key, value in pairs(s.options or {}) do settings[key] = value end
  local engine = orrery.open(path, settings)
  if s.setup then s.setup(engine) end
  return engine
end

return store
