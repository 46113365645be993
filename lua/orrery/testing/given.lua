--- What a test gives to the helpers of orrery.testing: a nil, which a name that is written wrong
--- gives, is named in the error.
local errors = require "orrery.errors"

local given = {}

local function refuse(method, n, name, wanted, value)
  errors.argument(method, n, ("%s: %s expected, got %s"):format(name, wanted, type(value)))
end

--- The value when it has one of these types.
function given.a(method, n, name, value, one, other)
  local kind = type(value)
  if kind == one or kind == other then return value end
  refuse(method, n, name, other and one .. " or " .. other or one, value)
end

--- The names behind the instance, each a text.
function given.names(method, ...)
  for i = 1, select("#", ...) do
    local name = select(i, ...)
    if type(name) ~= "string" then refuse(method, i + 1, "name", "string", name) end
  end
  return { ... }
end

local function found(engine, method, id)
  return engine:instance(id) or engine:history_instance(id)
    or errors.argument(method, 1, ("instance: none has the id %s, now or in history"):format(id))
end

--- The instance that is meant by itself, by its id, or by what belongs to it: what t:message gives,
--- a task, a job.
function given.instance(engine, method, value)
  if type(value) == "string" then return found(engine, method, value) end
  if type(value) ~= "table" then refuse(method, 1, "instance", "an instance, a delivery or an id",
    value) end
  if value.instance_id then return found(engine, method, value.instance_id) end
  if type(value[1]) == "table" then
    errors.argument(method, 1, ("instance: one expected, got a list of %d"):format(#value))
  end
  if value.id then return value end
  errors.argument(method, 1, "instance: this table is no instance, and belongs to none")
end

--- What one thing is found by: a text, a filter, or the thing itself.
function given.which(method, value)
  given.a(method, 1, "which", value, "string", "table")
  local itself = type(value) == "table" and getmetatable(value) and value.id
  return itself and { id = itself } or value
end

return given
