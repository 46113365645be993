--- The Java methods that models call on texts, numbers, lists and maps. Positions count from 0, characters are Unicode ones.
return function(el)
  local fail, str = el.fail, el.str

  -- ---- Texts ---------------------------------------------------------------------------------------------------------------

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

  local CLASSES = { d = "%d", D = "%D", w = "[%w_]", W = "[^%w_]", s = "%s", S = "%S" }

  --- A regular expression without groups, alternatives or counts, as a Lua pattern.
  local function pattern_of(regex)
    local out, in_class, i = {}, false, 1
    while i <= #regex do
      local c = regex:sub(i, i)
      if c == "\\" then
        i = i + 1
        c = regex:sub(i, i)
        local class = CLASSES[c]
        if in_class and class == "[%w_]" then class = "%w_" end
        out[#out + 1] = class or "%" .. c
      elseif not in_class and c:find "[|(){}]" then
        return fail("'%s' in the regular expression %s is not supported", c, el.describe(regex))
      elseif c == "%" or (c == "-" and not in_class) then
        out[#out + 1] = "%" .. c
      else
        in_class = c == "[" or (in_class and c ~= "]")
        out[#out + 1] = c
      end
      i = i + 1
    end
    return table.concat(out)
  end

  local texts = {
    equals = function(s, other) return s == other end,
    equalsIgnoreCase = function(s, other) return type(other) == "string" and s:lower() == other:lower() end,
    compareTo = function(s, other)
      other = str(other)
      return s == other and 0 or (s < other and -1 or 1)
    end,
    concat = function(s, other) return s .. str(other) end,
    length = length,
    isEmpty = function(s) return s == "" end,
    isBlank = function(s) return not s:find "%S" end,
    toString = function(s) return s end,
    toUpperCase = string.upper,
    toLowerCase = string.lower,
    trim = function(s)
      local first = s:find "%S"
      return first and s:match(".*%S", first) or ""
    end,
    contains = function(s, part) return s:find(str(part), 1, true) ~= nil end,
    startsWith = function(s, part) return s:sub(1, #str(part)) == str(part) end,
    endsWith = function(s, part) return part == "" or s:sub(-#str(part)) == str(part) end,
    indexOf = function(s, part)
      local at = s:find(str(part), 1, true)
      return at and char_of(s, at) or -1
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
    matches = function(s, regex) return el.find(s, "^" .. pattern_of(str(regex)) .. "$") ~= nil end,
    split = function(s, regex)
      local pattern, parts, from = pattern_of(str(regex)), {}, 1
      while true do
        local first, last = el.find(s, pattern, from)
        if not first or last < first then break end
        parts[#parts + 1] = s:sub(from, first - 1)
        from = last + 1
      end
      parts[#parts + 1] = s:sub(from)
      while #parts > 1 and parts[#parts] == "" do parts[#parts] = nil end -- as Java does
      return parts
    end,
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
    isEmpty = function(t) return next(t) == nil end,
    get = function(t, key) return (el.index(t, key)) end,
    contains = function(t, value) return place(t, value) ~= nil end,
    containsKey = function(t, key) return t[key] ~= nil end,
    containsValue = function(t, value)
      local _, values = map_values(t)
      return place(values, value) ~= nil
    end,
    indexOf = function(t, value) return (place(t, value) or 0) - 1 end,
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
    add = function(t, value)
      t[#t + 1] = value
      return true
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
