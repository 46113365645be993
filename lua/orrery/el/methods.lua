--- The Java methods that models call on texts, numbers, lists and maps. Positions count from 0, characters are Unicode ones.
local core = require "orrery.core"

return function(el)
  local fail, str = el.fail, el.str

  -- ---- Texts ---------------------------------------------------------------------------------------------------------------

  local patterns = require "orrery.el.patterns"(el)
  local lower = core.feel.lower

  local function strip(s)
    local first = s:find "%S"
    return first and s:match(".*%S", first) or ""
  end

  local function is_ascii(s) return not s:find "[\128-\255]" end
  local function length(s) return utf8.len(s) or #s end

  --- The byte position of the character at `i` (from 0); the end's is #s + 1.
  local function byte_of(s, i)
    if is_ascii(s) or not utf8.len(s) then return i + 1 end
    return utf8.offset(s, i + 1)
  end

  --- The character position of a byte position.
  local function char_of(s, byte)
    if is_ascii(s) or not utf8.len(s) then return byte - 1 end
    return utf8.len(s, 1, byte) - 1
  end

  local function position(s, value, most)
    local i = math.tointeger(el.num(value))
    if not i or i < 0 or i > most then return fail("Position %s is not within %s", str(value), el.describe(s)) end
    return i
  end

  local function last_index_of(s, part)
    local found, from = -1, 1
    while true do
      local at = s:find(part, from, true)
      if not at then return found < 0 and -1 or char_of(s, found) end
      found, from = at, at + 1
    end
  end

  --- Where the character at `value` begins that a call names, or the text's end; `default` when it names none.
  local function start_at(s, value, default)
    if value == nil then return default end
    return byte_of(s, position(s, value, length(s)))
  end

  local function code_points(s)
    if not utf8.len(s) then return { s:byte(1, -1) } end
    return { utf8.codepoint(s, 1, -1) }
  end

  --- As Java says it: the difference of the first characters that differ, else of the lengths.
  local function compare(s, other)
    local a, b = code_points(s), code_points(other)
    for i = 1, math.min(#a, #b) do
      if a[i] ~= b[i] then return a[i] - b[i] end
    end
    return #a - #b
  end

  --- Java's, over the units of UTF-16, within 32 bits.
  local function hash(s)
    local h = 0
    local function add(unit) h = (h * 31 + unit) & 0xFFFFFFFF end
    for _, c in ipairs(code_points(s)) do
      if c > 0xFFFF then
        add(0xD800 + ((c - 0x10000) >> 10))
        c = 0xDC00 + ((c - 0x10000) & 0x3FF)
      end
      add(c)
    end
    return h < 0x80000000 and h or h - 0x100000000
  end

  local REPEATED_MAX = 64 * 1024 * 1024 -- what a variable holds at most

  local function repeated(s, times)
    local n = math.tointeger(el.num(times))
    if not n or n < 0 then return fail("A text cannot be repeated %s times", str(times)) end
    if n * #s > REPEATED_MAX then return fail("%s repeated %d times is too long", el.describe(s), n) end
    return s:rep(n)
  end

  local texts = {
    equals = function(s, other) return s == other end,
    equalsIgnoreCase = function(s, other) return type(other) == "string" and lower(s) == lower(other) end,
    contentEquals = function(s, other) return s == other end,
    compareTo = function(s, other) return compare(s, str(other)) end,
    compareToIgnoreCase = function(s, other) return compare(lower(s), lower(str(other))) end,
    hashCode = hash,
    codePointAt = function(s, i) return utf8.codepoint(s, byte_of(s, position(s, i, length(s) - 1))) end,
    ["repeat"] = repeated,
    concat = function(s, other) return s .. str(other) end,
    length = length,
    isEmpty = function(s) return s == "" end,
    isBlank = function(s) return not s:find "%S" end,
    toString = function(s) return s end,
    toUpperCase = core.feel.upper,
    toLowerCase = lower,
    trim = strip,
    strip = strip,
    stripLeading = function(s) return s:match "^%s*(.*)$" end,
    stripTrailing = function(s) return strip("." .. s):sub(2) end,
    contains = function(s, part) return s:find(str(part), 1, true) ~= nil end,
    startsWith = function(s, part, at)
      local from = start_at(s, at, 1)
      return s:sub(from, from + #str(part) - 1) == str(part)
    end,
    endsWith = function(s, part) return part == "" or s:sub(-#str(part)) == str(part) end,
    indexOf = function(s, part, at)
      local found = s:find(str(part), start_at(s, at, 1), true)
      return found and char_of(s, found) or -1
    end,
    lastIndexOf = function(s, part) return last_index_of(s, str(part)) end,
    substring = function(s, first, last)
      local n = length(s)
      local to = last == nil and n or position(s, last, n)
      local from = position(s, first, to)
      return s:sub(byte_of(s, from), byte_of(s, to) - 1)
    end,
    charAt = function(s, i)
      i = position(s, i, length(s) - 1)
      return s:sub(byte_of(s, i), byte_of(s, i + 1) - 1)
    end,
    replace = function(s, old, new)
      return (s:gsub(str(old):gsub("%p", "%%%0"), (str(new):gsub("%%", "%%%%"))))
    end,
    matches = patterns.matches,
    split = patterns.split,
    replaceAll = patterns.replace_all,
    replaceFirst = patterns.replace_first,
  }

  -- ---- Numbers and booleans ------------------------------------------------------------------------------------------------

  local function truncate(n)
    local whole = n >= 0 and math.floor(n) or math.ceil(n)
    return math.tointeger(whole) or fail("%s is no integer", str(n))
  end

  local numbers = {
    intValue = truncate,
    longValue = truncate,
    doubleValue = function(n) return n + 0.0 end,
    toString = str,
    equals = function(n, other) return type(other) == "number" and n == other end,
    compareTo = function(n, other) return n == el.num(other) and 0 or (n < el.num(other) and -1 or 1) end,
  }
  local booleans = {
    booleanValue = function(b) return b end,
    toString = str,
    equals = function(b, other) return b == other end,
  }

  -- ---- Lists and maps ------------------------------------------------------------------------------------------------------

  local function same(a, b)
    if a == b then return true end
    if type(a) ~= "table" or type(b) ~= "table" then return false end
    for key, value in pairs(a) do
      if not same(value, b[key]) then return false end
    end
    for key in pairs(b) do
      if a[key] == nil then return false end
    end
    return true
  end

  local function place(list, value)
    for i, item in ipairs(list) do
      if same(item, value) then return i end
    end
    return nil
  end

  local function map_values(t)
    local keys, values = {}, {}
    for key in pairs(t) do keys[#keys + 1] = key end
    table.sort(keys, function(a, b) return str(a) < str(b) end)
    for i, key in ipairs(keys) do values[i] = t[key] end
    return keys, values
  end

  local collections = {
    size = el.len,
    isEmpty = el.empty,
    get = function(t, key) return (el.index(t, key)) end,
    contains = function(t, value) return place(t, value) ~= nil end,
    containsKey = function(t, key) return t[key] ~= nil end,
    containsValue = function(t, value)
      local _, values = map_values(t)
      return place(values, value) ~= nil
    end,
    indexOf = function(t, value) return (place(t, value) or 0) - 1 end,
    lastIndexOf = function(t, value)
      for i = #t, 1, -1 do
        if same(t[i], value) then return i - 1 end
      end
      return -1
    end,
    containsAll = function(t, others)
      for _, value in ipairs(others) do
        if not place(t, value) then return false end
      end
      return true
    end,
    subList = function(t, first, last)
      local to = position(t, last, #t)
      return table.move(t, position(t, first, to) + 1, to, 1, {})
    end,
    entrySet = function(t)
      local keys, values = map_values(t)
      for i, key in ipairs(keys) do keys[i] = { key = key, value = values[i] } end
      return keys
    end,
    getOrDefault = function(t, key, default)
      local value = t[key]
      if value == nil then return default end
      return value
    end,
    keySet = function(t) return (map_values(t)) end,
    values = function(t) return (select(2, map_values(t))) end,
    --- The map itself, as a JSON object's `put` gives it, so that calls chain: no model needs the value that was there before.
    put = function(t, key, value)
      t[key] = value
      return t
    end,
    putAll = function(t, other)
      for key, value in pairs(other) do t[key] = value end
    end,
    putIfAbsent = function(t, key, value)
      if t[key] == nil then t[key] = value end
      return t
    end,
    --- add(value), or add(place, value).
    add = function(t, ...)
      if select("#", ...) == 1 then
        t[#t + 1] = (...)
        return true
      end
      local at, value = ...
      table.insert(t, position(t, at, #t) + 1, value)
    end,
    addAll = function(t, others)
      table.move(others, 1, #others, #t + 1, t)
      return #others > 0
    end,
    set = function(t, at, value)
      local i = position(t, at, #t - 1) + 1
      local old = t[i]
      t[i] = value
      return old
    end,
    clear = function(t)
      for key in pairs(t) do t[key] = nil end
    end,
    remove = function(t, key)
      if math.type(key) == "integer" and #t > 0 then return table.remove(t, key + 1) end
      local i = place(t, key)
      if i then return table.remove(t, i) end
      local old = t[key]
      t[key] = nil
      return old
    end,
    toString = str,
    equals = same,
  }

  -- ---- As JSON nodes: in Flowable's models a variable that is a list or a map is one -------------------------------------------

  --- What is missing on the path is an empty map, so that calls chain.
  function collections.path(t, key)
    local value = el.index(t, key)
    if value == nil then return {} end
    return value
  end
  --- A key that holds null is there.
  function collections.has(t, key) return not el.is_array(t) and t[key] ~= nil or el.index(t, key) ~= nil end
  function collections.hasNonNull(t, key) return el.index(t, key) ~= nil end
  function collections.asText() return "" end
  collections.isArray = el.is_array
  function collections.isObject(t) return not el.is_array(t) end
  function texts.asText(s) return s end
  texts.textValue, texts.stringValue = texts.asText, texts.asText
  numbers.asText, numbers.asInt, numbers.asLong, numbers.asDouble = str, truncate, truncate, numbers.doubleValue
  booleans.asText, booleans.asBoolean = str, booleans.booleanValue

  -- ---- Decision results: an array of tables, one for each rule that hit (Camunda's decisionResult) -----------------------------

  local function entries_of(result)
    local values = {}
    for _, value in pairs(result or {}) do values[#values + 1] = value end
    return values
  end

  local function single(list, what)
    if #list > 1 then return el.fail("the decision has %d %s, not one", #list, what) end
    return list[1]
  end

  function collections.getFirstResult(list) return list[1] end
  function collections.getSingleResult(list) return single(list, "results") end
  function collections.getResultList(list) return list end
  function collections.getFirstEntry(t) return entries_of(el.is_array(t) and t[1] or t)[1] end
  function collections.getSingleEntry(t) return single(entries_of(el.is_array(t) and single(t, "results") or t), "entries") end
  function collections.getEntry(t, name) return t[name] end
  function collections.getEntryMap(t) return t end
  function collections.collectEntries(list, name)
    local values = {}
    for _, result in ipairs(list) do values[#values + 1] = result[name] end
    return values
  end

  --- What may also be read without its get and its brackets.
  local properties = { firstResult = collections.getFirstResult, singleResult = collections.getSingleResult,
    resultList = collections.getResultList, firstEntry = collections.getFirstEntry, singleEntry = collections.getSingleEntry,
    entryMap = collections.getEntryMap }

  local methods = { properties = properties, texts = texts, numbers = numbers, booleans = booleans, collections = collections }

  local by_type = { string = texts, number = numbers, boolean = booleans, table = collections }

  --- The method `name` of a value of this type, or nil.
  function methods.find(value, name)
    local family = by_type[type(value)]
    return family and family[name]
  end

  return methods
end
