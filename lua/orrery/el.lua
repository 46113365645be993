--- What compiled expressions call: EL's coercions and operators, names, properties and methods.
--
-- A compiled expression is a chunk `local el, scope = ... return …` (runtime/model/uel/uel.h). `scope` is the host's:
--   scope.get(name)     -> found, value       variables, implicit objects, registered names, in the host's order; with a second
--                                             argument, true, a Date is a declared value (orrery.typed) instead of its seconds
--   scope.bean(name)    -> found, value       optional: the module that a method is asked of, where `get` has
--                                             nothing
--   scope.missing       true: an unknown name is null (the conditions of conditional events); else it is an error
--   scope.now()         -> seconds            the engine's time
--   scope.zone          the engine's time zone; nil: UTC
--   scope.user, scope.groups, scope.task(id)  optional
-- The host sets el.null (its value for a stored null), el.array (what marks arrays), el.format_time, and el.read_json (a text ->
-- its value, or nil and what is wrong).
--
-- Every function here gives exactly one value: their calls are nested as last arguments.
local datetime = require "orrery.el.datetime"
local lazy = require "orrery.lazy"

local el = {}

el.null = nil

local Failure = { __tostring = function(failure) return failure.message end }

--- Raises an error of kind `expression`.
function el.fail(format, ...)
  error(setmetatable({ kind = "expression", message = format:format(...) }, Failure), 0)
end
local fail = el.fail

-- ---- Coercions ---------------------------------------------------------------------------------------------------------------

--- A value for messages: its kind, and itself when it is short.
function el.describe(value)
  local kind = type(value)
  if kind == "table" and datetime.is_date(value) then return "a date" end
  if kind == "string" then return ("'%s'"):format(#value > 40 and value:sub(1, 40) .. "..." or value) end
  if kind == "nil" then return "null" end
  if kind == "number" or kind == "boolean" then return tostring(value) end
  return "a " .. kind
end

--- The host may show tables by views, which read like them but are empty as they stand: the table behind one, else nil.
function el.behind(_) return nil end
local function shown(t) return el.behind(t) or t end

local function plain(value)
  if rawequal(value, el.null) then return nil end
  return value
end

local function to_number(text)
  if text:find "^%s*[-+]?[%d.][%d.eE+-]*%s*$" then return tonumber(text) end
  return nil
end

--- null and "" are 0.
function el.num(value)
  if math.type(value) then return value end
  if value == nil or value == "" then return 0 end
  local number = type(value) == "string" and to_number(value)
    or datetime.is_date(value) and value.seconds
  return number or fail("Cannot coerce %s to a number", el.describe(value))
end
local num = el.num

--- null and "" are false; a text is true when it says so.
function el.truth(value)
  if value == true or value == false then return value end
  if value == nil or value == "" then return false end
  if type(value) == "string" then return value:lower() == "true" end
  return fail("Cannot coerce %s to a boolean", el.describe(value))
end
local truth = el.truth

local function is_array(t) return #t > 0 or next(shown(t)) == nil end
el.is_array = is_array

local function sorted_keys(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = tostring(key) end
  table.sort(keys)
  return keys
end

-- Data may nest; this deep it is cut.
local TEXT_DEPTH_MAX = 64

local function table_text(t, depth)
  t = shown(t)
  local meta = getmetatable(t)
  if type(meta) == "table" and meta.__tostring then return tostring(t) end
  if depth > TEXT_DEPTH_MAX then return "..." end
  local items = {}
  local function text(value) return type(value) == "table" and table_text(value, depth + 1) or el.str(value) end
  if is_array(t) then
    for i, item in ipairs(t) do items[i] = text(item) end
    return "[" .. table.concat(items, ", ") .. "]"
  end
  for i, key in ipairs(sorted_keys(t)) do items[i] = key .. "=" .. text(t[key]) end
  return "{" .. table.concat(items, ", ") .. "}"
end

--- null is "".
function el.str(value)
  value = plain(value)
  if value == nil then return "" end
  if type(value) == "table" then return table_text(value, 1) end
  return tostring(value)
end
local str = el.str

--- A part of a text. What the host keeps from being read (el.opaque) stays as it is, and so does the whole; while el.one_line is set, a
--- part cannot begin another line.
el.opaque = nil
el.one_line = false

function el.part(value)
  if type(value) == "userdata" and el.opaque and el.opaque(value) then return value end
  local text = str(value)
  if el.one_line and text:find "[\r\n]" then return fail("%s has a line's end, which may not stand there", el.describe(text)) end
  return text
end

function el.join(parts)
  if not el.opaque then return table.concat(parts) end
  local out = parts[1]
  for i = 2, #parts do
    if type(parts[i]) == "userdata" or type(out) == "userdata" then
      for j = i, #parts do out = out .. parts[j] end
      return out
    end
    if i == #parts then return table.concat(parts) end
  end
  return out
end

-- `condition and yes or no` may carry null and false in these.
local NULL, FALSE = {}, {}
function el.wrap(value)
  if value == nil then return NULL end
  return value or FALSE
end
function el.unwrap(value)
  if value == NULL then return nil end
  return value ~= FALSE and value
end

-- ---- Operators ---------------------------------------------------------------------------------------------------------------

function el.add(a, b) return num(a) + num(b) end
function el.sub(a, b) return num(a) - num(b) end
function el.mul(a, b) return num(a) * num(b) end
function el.div(a, b) return num(a) / num(b) end
function el.neg(a) return -num(a) end
function el.concat(a, b)
  if el.opaque and (el.opaque(a) or el.opaque(b)) then return el.part(a) .. el.part(b) end
  return str(a) .. str(b)
end
function el.lnot(a) return not truth(a) end

function el.mod(a, b)
  a, b = num(a), num(b)
  if b == 0 and math.type(a) == "integer" and math.type(b) == "integer" then return fail("Division by zero: %d %% 0", a) end
  return math.fmod(a, b)
end

function el.empty(value) return value == nil or value == "" or (type(value) == "table" and next(shown(value)) == nil) end

function el.len(value)
  if value == nil then return 0 end
  if type(value) == "string" then return utf8.len(value) or #value end
  if type(value) == "table" then
    if is_array(value) then return #value end
    local n = 0
    for _ in pairs(value) do n = n + 1 end
    return n
  end
  return fail("%s has no length", el.describe(value))
end

function el.eq(a, b)
  if a == b then return true end
  if a == nil or b == nil then return false end
  local ta, tb = type(a), type(b)
  if ta == tb then return false end
  local dated = datetime.is_date(a) or datetime.is_date(b)
  if dated or ta == "number" or tb == "number" then return num(a) == num(b) end
  if ta == "boolean" or tb == "boolean" then return truth(a) == truth(b) end
  if ta == "string" or tb == "string" then return str(a) == str(b) end
  return false
end
function el.ne(a, b) return not el.eq(a, b) end

--- Both as numbers, or both as texts, or as they are when they know how to compare.
local function comparable(a, b)
  local ta, tb = type(a), type(b)
  local dated = ta ~= tb and (datetime.is_date(a) or datetime.is_date(b))
  if dated or ta == "number" or tb == "number" then return num(a), num(b) end
  if ta == "string" or tb == "string" then return str(a), str(b) end
  local meta = getmetatable(shown(a))
  if ta == tb and type(meta) == "table" and meta.__lt then return a, b end
  return fail("Cannot compare %s with %s", el.describe(a), el.describe(b))
end

function el.lt(a, b)
  if a == nil or b == nil then return false end
  a, b = comparable(a, b)
  return a < b
end
function el.gt(a, b) return el.lt(b, a) end
function el.le(a, b)
  if a == nil or b == nil then return a == b end
  a, b = comparable(a, b)
  return a <= b
end
function el.ge(a, b) return el.le(b, a) end

-- ---- Names, properties, methods ----------------------------------------------------------------------------------------------

function el.name(scope, name)
  local found, value = scope.get(name)
  if found then return plain(value) end
  if scope.missing then return nil end
  return fail("Unknown property used in expression: cannot resolve identifier '%s'", name)
end

--- What a method is asked of: what `get` has under the name, or else the module of this name, a
--- bean.
function el.bean(scope, name)
  local found, value = scope.get(name)
  if not found and scope.bean then found, value = scope.bean(name) end
  if found then return plain(value) end
  return el.name(scope, name)
end

local function capitalized(name) return name:sub(1, 1):upper() .. name:sub(2) end
local function decapitalized(name) return name:sub(1, 1):lower() .. name:sub(2) end

local function is_callable(value)
  if type(value) == "function" then return true end
  local meta = getmetatable(shown(value))
  return type(meta) == "table" and meta.__call ~= nil
end
el.is_callable = is_callable

--- May it be given Dates as they are? Such are the host's objects that set variables; all else
--- knows times as seconds.
function el.takes_dates(object) return type(object) == "userdata" end

--- Arguments of what knows no Dates: their seconds instead.
local function bare(...)
  for i = 1, select("#", ...) do
    if datetime.is_date((select(i, ...))) then
      local all = table.pack(...)
      for k = 1, all.n do all[k] = datetime.bare(all[k]) end
      return table.unpack(all, 1, all.n)
    end
  end
  return ...
end

local java
--- Java's methods are loaded when an expression first calls one.
local function methods()
  java = java or lazy.load "orrery.el.methods"(el)
  return java
end

--- A table with methods, whose properties are known; a plain map may lack any key.
local function is_bean(t)
  t = shown(t)
  local meta = getmetatable(t)
  if type(meta) == "table" and meta.__index then return true end
  for _, value in pairs(t) do
    if type(value) == "function" then return true end
  end
  return false
end

local function getter(object, name)
  for _, prefix in ipairs { "get", "is" } do
    local method = object[prefix .. capitalized(name)]
    if is_callable(method) then return method end
  end
  return nil
end

function el.get(object, name)
  local kind = type(object)
  if object == nil then return fail("Cannot find property '%s': what it is asked of is null", name) end
  if kind ~= "table" and kind ~= "userdata" then return fail("Could not find property '%s' in %s", name, el.describe(object)) end
  local value = object[name]
  local method = (value == nil or is_callable(value)) and getter(object, name) -- execution.variables: what getVariables() gives
  if value ~= nil and not method then return plain(value) end
  if method then return plain((method(object))) end
  local property = kind == "table" and #object > 0 and methods().properties[name]
  if property then return plain((property(object))) end
  if kind == "table" and (#object > 0 or is_bean(object)) then
    return fail("Could not find property '%s' in %s", name, #object > 0 and "an array" or "a bean")
  end
  return nil
end

--- Arrays count from 0, from the end when negative.
local function element(array, key)
  local i = math.tointeger(num(key))
  if not i then return fail("%s is no index", el.describe(key)) end
  return plain(array[i >= 0 and i + 1 or #array + 1 + i])
end

function el.index(object, key)
  if object == nil then return fail("Cannot find element %s: what it is asked of is null", el.describe(key)) end
  if type(object) == "table" then
    local numeric = math.type(key) or (type(key) == "string" and to_number(key))
    if numeric and #object > 0 then return element(object, key) end
    if key == nil then return nil end
    if math.type(key) and object[key] == nil then return plain(object[str(key)]) end
    if math.type(key) then return plain(object[key]) end
  end
  return el.get(object, str(key))
end

--- order.getPrice(), order.isBasic(), order.setPrice(1) of an object that has the field price.
local function property_method(object, name, n, ...)
  local verb, property = name:match "^([a-z]-)(%u.*)$"
  if not property then return false end
  property = decapitalized(property)
  if (verb == "get" or verb == "is") and n == 0 then
    local value = object[property]
    if value ~= nil then return true, plain(value) end
  elseif verb == "set" and n == 1 and object[property] ~= nil then
    object[property] = (...)
    return true, nil
  end
  return false
end

function el.call(object, name, ...)
  local n = select("#", ...)
  if object == nil then return fail("Cannot find method '%s': what it is asked of is null", name) end
  local kind = type(object)
  if kind == "table" or kind == "userdata" then
    local method = object[name]
    if is_callable(method) then
      if el.takes_dates(object) then return plain((method(object, ...))) end
      return plain((method(object, bare(...))))
    end
    local done, value = property_method(object, name, n, bare(...))
    if done then return value end
  end
  local builtin = methods().find(datetime.bare(object), name)
  if builtin then return plain((builtin(datetime.bare(object), bare(...)))) end
  return fail("Cannot find method '%s' with %d argument%s in %s", name, n, n == 1 and "" or "s", el.describe(object))
end

--- `f(a)`: a registered function, called plainly, or one of the language's.
function el.invoke(scope, name, ...)
  local found, value = scope.get(name)
  if found and is_callable(value) then return plain((value(bare(...)))) end
  local builtin = el.functions.plain[name]
  if builtin then return plain((builtin(scope, bare(...)))) end
  -- functions are registered, and no data: a job that calls one that is not there waits for it (runtime/executor/absent.h)
  local message = ("Could not resolve function '%s'"):format(name)
  error(setmetatable({ kind = "expression", message = message, missing_delegate = name }, Failure), 0)
end

--- `prefix:f(a)`.
function el.fn(scope, name, ...)
  local prefix, rest = name:match "^(.-):(.*)$"
  local family = el.functions.prefixed[prefix]
  local builtin = family and family[rest]
  if builtin then return plain((builtin(scope, bare(...)))) end
  local found, value = scope.get(name)
  if found and is_callable(value) then return plain((value(bare(...)))) end
  return fail("Could not resolve function '%s'", name)
end

--- "2026-03-15T10:20:30.123Z" from seconds. The host may put its own here.
function el.format_time(seconds)
  local ms = math.floor(seconds * 1000 + 0.5)
  local text = os.date("!%Y-%m-%dT%H:%M:%S", ms // 1000)
  return ms % 1000 == 0 and text .. "Z" or ("%s.%03dZ"):format(text, ms % 1000)
end

el.functions = require "orrery.el.functions"(el)

return el
