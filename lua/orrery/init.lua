--- Orrery: a BPMN 2.0 workflow runtime. `local engine <close> = require "orrery".open(path, options)`.
local core = require "orrery.core"
local errors = require "orrery.errors"
local time = require "orrery.time"
local future = require "orrery.future"
local lazy = require "orrery.lazy"

local mail = lazy.module "orrery.outside.mail"
local net = lazy.module "orrery.outside.net"

local orrery = {
  version = core.version,
  null = core.null,
  wait = core.wait, -- what a triggerable delegate returns to keep its task open
  parse_time = time.parse,
  trace_by_signal = core.trace_by_signal,
  format_time = time.format,
  parse_duration = time.duration,
  future = future.new,
  await = future.await,
  sleep = future.sleep,
  defer = future.defer,
  bpmn_error = errors.bpmn_error,
  http = function(request) return net.http(request) end,
  mail = function(message) return mail.send(message) end,
  spawn = function(request) return net.spawn(request) end,
  worker = function(options) return require "orrery.worker" (options) end,
  secret = core.secret,
  json = { encode = core.json_encode, decode = core.json_decode },
}

--- Marks a table as an array, which only an empty one needs.
function orrery.array(t)
  if type(t) ~= "table" then errors.argument("array", 1, "table expected, got " .. type(t)) end
  return setmetatable(t, core.array)
end

--- A value with its type by Camunda's names, for what must know more than Lua's types tell: { type = "Long", value = 5, info = {…} }.
function orrery.typed(t)
  t = errors.check_options("typed", 1, t, { "type", "value", "info", "transient" })
  errors.check_type("typed", 1, t.info, "table", "nil")
  local info = t.info
  if t.transient ~= nil then
    info = {}
    for name, fact in pairs(t.info or {}) do info[name] = fact end
    info.transient = t.transient
  end
  return core.typed(t.type, t.value, info)
end

--- Brings a store on disk that an older version wrote to this version's format: { from =, to =, records =, problems = }.
function orrery.upgrade(path, options)
  errors.check_type("upgrade", 1, path, "string")
  options = errors.check_options("upgrade", 2, options, { "keep", "force", "progress" })
  return core.upgrade(path, options.keep, options.force, errors.check_progress("upgrade", 2, options))
end

local hooks = require "orrery.hooks"
hooks.orrery = require "orrery.sandbox".orrery(orrery)

orrery.open = require "orrery.engine".open
orrery.executor = require "orrery.engine.executor".new

return orrery
