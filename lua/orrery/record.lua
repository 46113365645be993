--- Records: snapshots with the methods of their kind. What a list gives and what a command returns are the same thing.
local core = require "orrery.core"
local errors = require "orrery.errors"

local records = {}

--- nil for a stored null.
function records.plain(value)
  if value == core.null then return nil end
  return value
end

--- Adds what every kind has. `verb` is the list that the records of a class come from; `ended` where they go.
function records.class(verb, ended)
  local Class = {}
  --- Brings the snapshot up to date; returns it, or nil when there is no such record any more.
  function Class:reload()
    local fresh = self.engine.core:find(verb, self.id)[1] or (ended and self.engine.core:find(ended, self.id)[1])
    if not fresh then return nil end
    for key in pairs(self) do
      if fresh[key] == nil and Class.kept[key] == nil then rawset(self, key, nil) end
    end
    for key, value in pairs(fresh) do rawset(self, key, value) end
    return self
  end
  Class.kept = {}
  return Class
end

--- Adds get, set, ... for what has variables.
function records.variables(Class)
  local function named(verb, name) return errors.check_text(verb, 1, name) end
  function Class:get(name) return records.plain(self.engine.core:get_variable(self.id, named("get", name), false)) end
  function Class:get_local(name) return records.plain(self.engine.core:get_variable(self.id, named("get_local", name), true)) end

  local function typed(described) return described and core.typed(described.type, described.value, described.info) end
  --- With its type and what was declared of it: an object with type, value, info, transient, as orrery.typed makes.
  function Class:get_typed(name) return typed(self.engine.core:get_variable_typed(self.id, named("get_typed", name), false)) end
  function Class:get_local_typed(name)
    return typed(self.engine.core:get_variable_typed(self.id, named("get_local_typed", name), true))
  end
  local function typed_map(described)
    for name, one in pairs(described) do described[name] = typed(one) end
    return described
  end
  function Class:typed_variables() return typed_map(self.engine.core:get_variables_typed(self.id, false)) end
  function Class:local_typed_variables() return typed_map(self.engine.core:get_variables_typed(self.id, true)) end

  local function entry(verb, name, value)
    named(verb, name)
    if value == nil then value = core.null end
    return { [name] = value }
  end
  local function called(verb, value, more)
    core.called(("engine:scope:%s%s"):format(verb, more))
    return value
  end
  function Class:set(name, value) self.engine.core:set_variables(self.id, called("set", entry("set", name, value), "+1"), false) end
  function Class:set_local(name, value)
    self.engine.core:set_variables(self.id, called("set_local", entry("set_local", name, value), "+1"), true)
  end
  local function all(verb, variables) return called(verb, errors.check_type(verb, 1, variables, "table"), "") end
  function Class:set_all(variables) self.engine.core:set_variables(self.id, all("set_all", variables), false) end
  function Class:set_all_local(variables) self.engine.core:set_variables(self.id, all("set_all_local", variables), true) end
  function Class:remove(name) self.engine.core:remove_variable(self.id, named("remove", name), false) end
  function Class:remove_local(name) self.engine.core:remove_variable(self.id, named("remove_local", name), true) end
  function Class:variables() return self.engine.core:get_variables(self.id, false) end
  function Class:local_variables() return self.engine.core:get_variables(self.id, true) end
end

--- What a task without a process is made of.
records.new_task = { "name", "description", "assignee", "owner", "priority", "due", "follow_up", "category", "delegation", "parent_id",
  "tenant", "own_id" }

--- The user and the group of a link's table: one of them.
function records.link_of(name, link)
  link = errors.check_options(name, 2, link, { "user", "group" })
  if (link.user == nil) == (link.group == nil) then errors.argument(name, 2, "either user or group expected") end
  return link.user, link.group
end

local rooms = {}
for _, kind in ipairs { "instance", "execution", "task", "job", "job_definition", "deployment", "definition", "incident",
  "external_task", "batch" } do rooms[kind] = "orrery.record." .. kind end

--- What a record has, then its class, then what the class makes of a name that neither has.
local function index_of(Class, own)
  if not Class.spelling then return own end
  return function(self, key)
    local value = own[key]
    if value == nil then value = Class.spelling(self, key) end
    return value
  end
end

local own = {} -- by kind: the metatables of its records, one for each engine
local classes = {} -- by kind: kept here, since a test framework may drop what package.loaded has

local METHOD <const> = "orrery.Method"

--- `instance.variables.x` is easily written for `instance:variables().x`. Of a plain function Lua would only say that it has no fields.
local function reads_like_field(method, kind, name)
  local function refuse(_, key)
    errors.raise("argument", ('%s.%s is a method: %s:get "%s" is the variable, %s:%s() gives all'):format(kind, name, kind, tostring(key),
      kind, name))
  end
  return setmetatable({}, { __call = function(_, ...) return method(...) end, __index = refuse, __newindex = refuse,
    __name = METHOD })
end

--- Whether it is such an object, which is called as a function is.
function records.is_method(value)
  local meta = type(value) == "table" and debug.getmetatable(value)
  return type(meta) == "table" and rawget(meta, "__name") == METHOD
end

--- The class of a kind, whose methods know when they are called without ':'.
local function class_of(kind, room)
  if classes[kind] then return classes[kind] end
  local Class = require(room)
  own[kind] = setmetatable({}, { __mode = "k" })
  errors.guard_methods(Class, kind, own[kind])
  for _, name in ipairs { "variables", "local_variables" } do
    if Class[name] then Class[name] = reads_like_field(Class[name], kind, name) end
  end
  classes[kind] = Class
  return Class
end

--- The classes by kind.
function records.classes()
  local out = {}
  for kind, room in pairs(rooms) do out[kind] = class_of(kind, room) end
  return out
end

--- Records without methods: that they are records shows at the prompt.
local plain_kinds = {}
for _, kind in pairs(require "orrery.gen.lists") do
  if not rooms[kind] then plain_kinds[kind] = { __name = "orrery." .. kind, __shown = "kept" } end
end

--- The metatables by kind for one engine: methods find it as self.engine.
function records.metatables(engine)
  local out = {}
  for kind, metatable in pairs(plain_kinds) do out[kind] = metatable end
  for kind, room in pairs(rooms) do
    local Class = class_of(kind, room)
    out[kind] = {
      __name = "orrery." .. kind,
      __shown = "kept", -- lua/orrery/view.lua
      __index = index_of(Class, setmetatable({ engine = engine }, { __index = Class })),
      __tostring = function(self) return ("orrery.%s(%s)"):format(kind, tostring(rawget(self, "id"))) end,
    }
    own[kind][out[kind]] = true
  end
  return out
end

return records
