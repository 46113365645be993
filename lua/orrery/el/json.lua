--- JSON(x) in expressions: a node with the methods that models call on it.
return function(el)
  local fail = el.fail

  local Methods = {}
  local Node = { __index = Methods } -- apart, so that no expression gets hold of what all nodes share

  local function wrap(data) return setmetatable({ data = data }, Node) end

  local function child(node, name)
    if type(node.data) ~= "table" or node.data[name] == nil then return fail("There is no property '%s' in the JSON", el.str(name)) end
    return wrap(node.data[name])
  end

  function Methods:prop(name) return child(self, name) end
  function Methods:hasProp(name) return type(self.data) == "table" and self.data[name] ~= nil end
  function Methods:value()
    if self.data == el.null then return nil end
    return self.data
  end
  function Methods:stringValue()
    return type(self.data) == "string" and self.data or fail("The JSON value is %s, no text", el.describe(self:value()))
  end
  function Methods:numberValue()
    return math.type(self.data) and self.data or fail("The JSON value is %s, no number", el.describe(self:value()))
  end
  function Methods:boolValue()
    if type(self.data) == "boolean" then return self.data end
    return fail("The JSON value is %s, no boolean", el.describe(self:value()))
  end
  function Methods:isNull() return self:value() == nil end
  function Methods:isArray()
    return type(self.data) == "table" and (#self.data > 0 or el.array ~= nil and getmetatable(self.data) == el.array)
  end
  function Methods:isString() return type(self.data) == "string" end
  function Methods:isNumber() return math.type(self.data) ~= nil end
  function Methods:isBoolean() return type(self.data) == "boolean" end
  function Methods:element() return self end
  function Methods:elements()
    local out = {}
    for i, item in ipairs(type(self.data) == "table" and self.data or {}) do out[i] = wrap(item) end
    return out
  end
  Methods.elementList = Methods.elements
  function Methods:size() return el.len(self:value()) end
  function Methods:toString() return el.str(self:value()) end
  Node.__tostring = Methods.toString

  --- "$.orders[0].name", "$['a b']".
  function Methods:jsonPath(path)
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

  local function read(text)
    local value, problem = el.read_json(text)
    if value == nil then fail("The JSON text is wrong: %s", problem) end
    return value
  end

  --- The node of a value; a text is read.
  return function(value)
    if getmetatable(value) == Node then return value end
    if type(value) == "string" then value = read(value) end
    return wrap(value)
  end
end
