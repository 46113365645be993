--- Functions as values, and calling them.
--
-- { names = { "a", "b" }, n = 2, call = function(a, b), types =, result =, gives = } is a function that
-- FEEL defines; one with `builtin` is called as call(n, …), n being how many arguments there are.
return function(f)
  local nothing = f.nothing
  local Function = f.Function

  --- A function of FEEL over one of Lua. `types` may lack some, `result` too, which results are made
  -- to be of; `gives` is the type that they have anyway, as far as it is known.
  function f.lambda(names, types, call, result, gives)
    return setmetatable({ names = names, n = #names, call = call, types = types, result = result, gives = result or gives }, Function)
  end

  --- A function in another language, which is never called.
  function f.external(names)
    return f.lambda(names, nil, function() return nothing "external functions (Java, PMML) are not called" end)
  end

  local function coerced(fn, ...)
    local arguments = { ... }
    for i, type in pairs(fn.types) do
      local value, wrong = f.coerce(arguments[i], type)
      if wrong then return nil end
      arguments[i] = value
    end
    return arguments
  end

  --- Calls with n arguments. Whatever does not fit is null.
  function f.apply(fn, n, ...)
    if type(fn) ~= "table" or getmetatable(fn) ~= Function then return nothing("%s is called, and no function", f.describe(fn)) end
    if fn.builtin then return fn.call(n, ...) end
    if n ~= fn.n then return nothing("a function with %d parameters is called with %d arguments", fn.n, n) end
    f.enter()
    f.step()
    local result
    if fn.types then
      local arguments = coerced(fn, ...)
      if arguments then result = fn.call(table.unpack(arguments, 1, n)) end
    else
      result = fn.call(...)
    end
    f.leave()
    if fn.result and result ~= nil then return (f.coerce(result, fn.result)) end
    return result
  end

  --- What is called by a name that a variable and a built-in function have: the variable, but in Camunda's
  -- dialect the function unless the variable holds one.
  function f.callee(value, name)
    if f.state.dialect ~= "camunda" or (type(value) == "table" and getmetatable(value) == Function) then return value end
    return f.functions[name]
  end

  --- Calls any function value.
  function f.call(fn, ...) return f.apply(fn, select("#", ...), ...) end

  local function position(names, name)
    for i, own in ipairs(names) do
      if own == name then return i end
    end
    return nil
  end

  local function reordered(fn, names, ...)
    local values = {}
    for i, name in ipairs(names) do
      local at = position(fn.names, name)
      if not at then return nothing("the function has no parameter \"%s\"", name) end
      values[at] = (select(i, ...))
    end
    return values
  end

  --- Calls with arguments by name: names[i] is that of the i-th value. Parameters of FEEL's own
  -- functions that are not given are null.
  function f.named(fn, names, ...)
    if type(fn) ~= "table" or getmetatable(fn) ~= Function then return nothing("%s is called, and no function", f.describe(fn)) end
    for i, name in ipairs(names) do
      if position(names, name) ~= i then return nothing("the argument \"%s\" is given twice", name) end
    end
    if fn.builtin then return fn.call_named(names, ...) end
    local values = reordered(fn, names, ...)
    return values and f.apply(fn, fn.n, table.unpack(values, 1, fn.n))
  end

  function f.call_named(fn, names, values) return f.named(fn, names, table.unpack(values, 1, values.n or #values)) end
end
