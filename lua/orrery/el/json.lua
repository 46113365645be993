--- JSON(x) in expressions: a node with the methods that models call on it.
return function(el)
  local fail = el.fail

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
    if self.data == el.null then return nil end
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
  function Node:isArray()
    return type(self.data) == "table" and (#self.data > 0 or el.array ~= nil and getmetatable(self.data) == el.array)
  end
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
