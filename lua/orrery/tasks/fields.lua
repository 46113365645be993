--- The fields of a task that reaches outside, as their tasks want them: texts, flags, numbers. A secret stays one.
local core = require "orrery.core"
local el = require "orrery.el"
local net = require "orrery.outside.net"

local fields = {}
fields.__index = fields

--- The fields of an execution's task; `prefix` begins the types of its errors: "http".
function fields.of(execution, prefix) return setmetatable({ execution = execution, prefix = prefix }, fields) end

function fields:fail(message, ...) error(net.failure(self.prefix .. ".request", message:format(...)), 0) end

--- What the field gives; nil when it is not given, null or empty.
function fields:value(name)
  local value = self.execution:field(name)
  if value == core.null or value == "" then return nil end
  return value
end

--- A text, trimmed; tables are JSON, as the Java engines write them.
function fields:text(name)
  local value = self:value(name)
  if value == nil or core.is_secret(value) then return value end
  if type(value) == "table" then return core.json_encode(value) end
  value = tostring(value):match "^%s*(.-)%s*$"
  return value ~= "" and value or nil
end

--- A text in which no value can begin a line of its own: headers. A field that is one expression may hold several.
function fields:lines(name)
  el.one_line = true
  local ok, value = pcall(self.text, self, name)
  el.one_line = false
  if ok then return value end
  self:fail("the field '%s': %s", name, type(value) == "table" and value.message or tostring(value))
end

function fields:required(name)
  return self:text(name) or self:fail("the field '%s' is missing or empty", name)
end

--- A flag: true, false, or a text that says so.
function fields:flag(name, otherwise)
  local value = self:value(name)
  if value == nil then return otherwise or false end
  local text = tostring(value):lower()
  if text == "true" or text == "false" then return text == "true" end
  self:fail("the field '%s' is neither true nor false: %s", name, text)
end

--- A number that is not negative.
function fields:number(name)
  local value = self:value(name)
  local number = value ~= nil and tonumber(tostring(value))
  if value ~= nil and (not number or number < 0) then
    self:fail("the field '%s' is no number: %s", name, tostring(value))
  end
  return number or nil
end

--- "a, b;c" or a list: an array of texts.
function fields:list(name)
  local value, out = self:value(name), {}
  if type(value) == "table" then
    for i, item in ipairs(value) do out[i] = tostring(item) end
    return out
  end
  for item in tostring(value or ""):gmatch "[^,]+" do
    item = item:match "^%s*(.-)%s*$"
    if item ~= "" then out[#out + 1] = item end
  end
  return out
end

--- Can the value be kept in a variable? Secrets are shown as what they are.
function fields.storable(value)
  if core.is_secret(value) then return tostring(value) end
  return value
end

return fields
