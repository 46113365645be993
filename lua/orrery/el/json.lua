--- JSON(x) in expressions: a reader, and a node with the methods models call on it.
return function(el)
  local fail = el.fail

  -- ---- Reading -------------------------------------------------------------------------------------------------------------

  -- Values nest as deep as variables may (ORR_VALUE_DEPTH_MAX).
  local DEPTH_MAX = 64

  local NULL = {} -- where the host has no value for null
  local ESCAPES = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }

  local function bad(at, expected) return fail("The JSON text is wrong at position %d: %s expected", at, expected) end

  local function skip(text, at) return text:find("[^ \t\r\n]", at) or #text + 1 end

  local function read_unicode(text, at)
    local code = tonumber(text:match("^%x%x%x%x", at) or bad(at, "four hexadecimal digits"), 16)
    at = at + 4
    local low = code >= 0xD800 and code < 0xDC00 and text:match("^\\u([dD][c-fC-F]%x%x)", at)
    if low then return utf8.char(0x10000 + (code - 0xD800 << 10) + tonumber(low, 16) - 0xDC00), at + 6 end
    return utf8.char(code), at
  end

  local function read_string(text, at)
    local parts, start = {}, at
    while true do
      local stop = text:find('["\\%c]', at) or bad(start - 1, "a text with its closing quote")
      parts[#parts + 1] = text:sub(at, stop - 1)
      local c = text:sub(stop, stop)
      at = stop + 1
      if c == '"' then return table.concat(parts), at end
      if c ~= "\\" then bad(stop, "an escaped control character") end
      local escape = text:sub(at, at)
      at = at + 1
      if escape == "u" then
        parts[#parts + 1], at = read_unicode(text, at)
      else
        parts[#parts + 1] = ESCAPES[escape] or bad(at - 1, "an escape")
      end
    end
  end

  local read_value

  local function read_array(text, at, depth)
    local out = {}
    at = skip(text, at)
    if text:sub(at, at) == "]" then return out, at + 1 end
    while true do
      out[#out + 1], at = read_value(text, at, depth)
      at = skip(text, at)
      local c = text:sub(at, at)
      if c == "]" then return out, at + 1 end
      if c ~= "," then bad(at, "',' or ']'") end
      at = at + 1
    end
  end

  local function read_object(text, at, depth)
    local out = {}
    at = skip(text, at)
    if text:sub(at, at) == "}" then return out, at + 1 end
    while true do
      at = skip(text, at)
      if text:sub(at, at) ~= '"' then bad(at, "a key") end
      local key
      key, at = read_string(text, at + 1)
      at = skip(text, at)
      if text:sub(at, at) ~= ":" then bad(at, "':'") end
      out[key], at = read_value(text, at + 1, depth)
      at = skip(text, at)
      local c = text:sub(at, at)
      if c == "}" then return out, at + 1 end
      if c ~= "," then bad(at, "',' or '}'") end
      at = at + 1
    end
  end

  function read_value(text, at, depth)
    at = skip(text, at)
    local c = text:sub(at, at)
    if depth > DEPTH_MAX then fail("The JSON text nests more than %d deep", DEPTH_MAX) end
    if c == '"' then return read_string(text, at + 1) end
    if c == "[" then return read_array(text, at + 1, depth + 1) end
    if c == "{" then return read_object(text, at + 1, depth + 1) end
    local word = text:match("^%a+", at)
    if word == "true" or word == "false" then return word == "true", at + #word end
    if word == "null" then return el.null or NULL, at + 4 end
    local number = text:match("^-?%d+%.?%d*[eE]?[+-]?%d*", at)
    local value = number and tonumber(number)
    if value == nil then bad(at, "a value") end
    return value, at + #number
  end

  local function read(text)
    local value, at = read_value(text, 1, 1)
    at = skip(text, at)
    if at <= #text then bad(at, "the end") end
    return value
  end

  -- ---- Nodes ---------------------------------------------------------------------------------------------------------------

  local Node = {}
  Node.__index = Node

  local function wrap(data) return setmetatable({ data = data }, Node) end

  local function child(node, name)
    if type(node.data) ~= "table" or node.data[name] == nil then return fail("There is no property '%s' in the JSON", el.str(name)) end
    return wrap(node.data[name])
  end

  function Node:prop(name) return child(self, name) end
  function Node:hasProp(name) return type(self.data) == "table" and self.data[name] ~= nil end
  function Node:value()
    if self.data == NULL or self.data == el.null then return nil end
    return self.data
  end
  function Node:stringValue()
    return type(self.data) == "string" and self.data or fail("The JSON value is %s, no text", el.describe(self:value()))
  end
  function Node:numberValue()
    return math.type(self.data) and self.data or fail("The JSON value is %s, no number", el.describe(self:value()))
  end
  function Node:boolValue()
    if type(self.data) == "boolean" then return self.data end
    return fail("The JSON value is %s, no boolean", el.describe(self:value()))
  end
  function Node:isNull() return self:value() == nil end
  function Node:isArray() return type(self.data) == "table" and #self.data > 0 end
  function Node:isString() return type(self.data) == "string" end
  function Node:isNumber() return math.type(self.data) ~= nil end
  function Node:isBoolean() return type(self.data) == "boolean" end
  function Node:element() return self end
  function Node:elements()
    local out = {}
    for i, item in ipairs(type(self.data) == "table" and self.data or {}) do out[i] = wrap(item) end
    return out
  end
  Node.elementList = Node.elements
  function Node:size() return el.len(self:value()) end
  function Node:toString() return el.str(self:value()) end
  Node.__tostring = Node.toString

  --- "$.orders[0].name", "$['a b']".
  function Node:jsonPath(path)
    local node, at = self, 2
    if path:sub(1, 1) ~= "$" then return fail("JSON path %s: '$' expected at position 1", el.describe(path)) end
    while at <= #path do
      local name, next_at = path:match("^%.([%w_]+)()", at)
      if not name then name, next_at = path:match("^%[['\"](.-)['\"]%]()", at) end
      if name then
        node = child(node, name)
      else
        local i
        i, next_at = path:match("^%[(%d+)%]()", at)
        if not i then return fail("JSON path %s: a name or an index expected at position %d", el.describe(path), at) end
        node = child(node, math.tointeger(tonumber(i)) + 1)
      end
      at = next_at
    end
    return node
  end

  local json = { read = read }

  --- A text is read; anything else is taken as it is.
  function json.node(value)
    if getmetatable(value) == Node then return value end
    return wrap(type(value) == "string" and read(value) or value)
  end

  return json
end
