--- The store that a command looks into: it must be there, because opening would make one.
local args = require "orrery.cli.args"
local core = require "orrery.core"
local orrery = require "orrery"
local scenario = require "orrery.cli.scenario"

local store = {}

--- Also when it is damaged: opening it says how.
function store.exists(path) return core.file_type(path .. "/data.mdb") ~= nil or core.file_type(path .. "/lock.mdb") ~= nil end

function store.must_exist(path)
  local kind = core.file_type(path)
  if kind and kind ~= "directory" then args.usage("%s is a %s, not a store's folder", path, kind) end
  if not store.exists(path) then args.usage("there is no store in %s", path) end
end

--- Opens it, delegates of `options.lua` registered.
function store.open(path, options)
  store.must_exist(path)
  local s = scenario.load(options.lua)
  local settings = { log = "error", package_path = scenario.module_path(scenario.folder(options.lua) or ".") }
  for key, value in pairs(s.options or {}) do settings[key] = value end
  local engine = orrery.open(path, settings)
  if s.setup then s.setup(engine) end
  return engine
end

return store
