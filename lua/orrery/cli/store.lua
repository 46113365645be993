--- The store that a command looks into: it must be there, because opening would make one.
local args = require "orrery.cli.args"
local core = require "orrery.core"
local orrery = require "orrery"
local scenario = require "orrery.cli.scenario"

local store = {}

--- Also when it is damaged: opening it says how. So it does of a database.
function store.exists(path)
  return core.store_is_url(path) or core.file_type(path .. "/data.mdb") ~= nil or core.file_type(path .. "/lock.mdb") ~= nil
end

--- A path as it may be shown: of a URL, which may hold a password, only that it is one.
function store.shown(path) return core.store_is_url(path) and "URL" or path end

--- What is to be said of a store that is about to be made; nil: it is there, or goes at the end.
function store.made(path)
  if not path or store.exists(path) then return nil end
  return "made a new store in " .. path
end

function store.must_exist(path)
  local kind = not core.store_is_url(path) and core.file_type(path)
  if kind and kind ~= "directory" then args.usage("%s is a %s, not a store's folder", path, kind) end
  if not store.exists(path) then args.usage("there is no store in %s; 'orrery deploy --create' makes one", path) end
end

--- Who gives the command, for the log of what people did.
local function user() return os.getenv "ORRERY_USER" or os.getenv "USER" or os.getenv "LOGNAME" end

--- Opens it, delegates of `options.lua` registered. `more` (may be nil): create, a store that is not there is made; service, no person
--- acts; settings, beside those of the Lua file; opened, called with the engine before the Lua file sees it.
function store.open(path, options, more)
  if not (more and more.create) then store.must_exist(path) end
  local s = scenario.load(options.lua)
  local settings = { log = "error", package_path = scenario.module_path(scenario.folder(options.lua) or "."),
    user = not (more and more.service) and user() or nil, history = os.getenv "ORRERY_HISTORY" }
  for _, from in ipairs { more and more.settings or {}, s.options or {} } do
    for key, value in pairs(from) do settings[key] = value end
  end
  local engine = orrery.open(path, settings)
  if more and more.opened then more.opened(engine) end
  if s.setup then s.setup(engine) end
  return engine
end

--- Says so when nothing runs the store's jobs, which were just let run.
function store.hint_at_work(engine, path, out)
  if #engine:executors() == 0 and not out.json then
    out:problem(("no executor runs on this store: 'orrery work %s' would"):format(store.shown(path)))
  end
end

return store
