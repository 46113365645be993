--- The built-in functions: declaring them, and calling them with what they are given.
--
-- A declaration is a signature and a Lua function: define("substring", "string: string; start
-- position: number; length: number?", fn). "?" marks a parameter that may be left out. A name may
-- have several signatures, tried in the order of their definition. Arguments are made to conform
-- to the parameters' types; where they do not, and for null where the type is not `any`, the call
-- gives null and says why. `items` is a list that may also be given as arguments one by one.
-- Signatures with { camunda = true } are those of Camunda's dialect alone, where they come first.
return function(f)
  local kind, nothing, describe = f.kind, f.nothing, f.describe
  local fn, functions, standard = {}, {}, {}
  f.fn, f.functions, f.standard = fn, functions, standard -- `standard`: as fn, whatever the dialect

  -- ---- Arguments --------------------------------------------------------------------------------

  -- By type: is the value one?
  local is = {
    any = function() return true end,
    list = f.is_list,
    items = f.is_list,
    rest = function() return true end,
    temporal = function(v) return kind(v) == "date" or kind(v) == "date and time" end,
    point = function(v) return v ~= nil and kind(v) ~= "range" and f.is_ordered(kind(v)) end,
    ["number or duration"] = function(v)
      local k = kind(v)
      return k == "number" or k == "days and time duration" or k == "years and months duration"
    end,
    ["string or string list"] = function(v) return type(v) == "string" or f.is_list(v) end,
  }
  for _, name in ipairs { "number", "string", "boolean", "context", "range", "function", "date", "time", "date and time",
    "days and time duration" } do
    is[name] = function(v) return kind(v) == name end
  end

  -- The argument as the parameter has it; the second result is true when it does not fit.
  local function convert(value, parameter)
    local fits = is[parameter.type]
    if fits(value) then
      if fits == f.is_list then f.work(value.n) end
      if fits == is.string and #value > 63 then f.work(#value // 64) end
      return value
    end
    if value == nil then return nil, true end
    if fits == f.is_list then return f.list { n = 1, value } end
    if f.is_list(value) and value.n == 1 and fits(value[1]) then return value[1] end
    return nil, true
  end

  -- ---- Signatures -------------------------------------------------------------------------------

  local function read_parameter(text)
    local name, type, optional = text:match "^%s*(.-):%s*(.-)(%??)%s*$"
    assert(is[type], text)
    return { name = name, type = type, optional = optional ~= "" }
  end

  local function read_signature(text, call, options)
    local signature = { call = call, least = 0, left_out = options and options.left_out, surplus = options and options.surplus }
    for part in text:gmatch "[^;]+" do
      local parameter = read_parameter(part)
      signature[#signature + 1] = parameter
      if not parameter.optional then signature.least = #signature end
      signature.variadic = parameter.type == "items" or parameter.type == "rest"
      signature.packed = parameter.type == "rest"
    end
    return signature
  end

  -- The arguments for a signature, or nil and what is wrong. The last parameter of a variadic one
  -- takes all that is left, unless it is given one list.
  local function fit(signature, n, given)
    local m = #signature
    if signature.variadic and n >= m and (signature.packed or n > m or not f.is_list(given[m])) then
      given[m] = f.list(table.move(given, m, n, 1, { n = n - m + 1 }))
      for i = m + 1, n do given[i] = nil end
      n = m
    end
    if n < signature.least or n > m then return nil, ("%d argument%s"):format(n, n == 1 and "" or "s") end
    for i = 1, n do
      local value, wrong = convert(given[i], signature[i])
      if wrong then return nil, ("%s as its \"%s\""):format(describe(given[i]), signature[i].name) end
      given[i] = value
    end
    return given
  end

  local function call_positional(name, signatures, n, ...)
    local reason
    for _, signature in ipairs(signatures) do
      local given, wrong = fit(signature, n, { ... })
      if given then return (signature.call(table.unpack(given, 1, #signature))) end
      reason = wrong
    end
    if not reason then return nothing("%s is a function of Camunda's dialect", name) end
    return nothing("%s is called with %s", name, reason)
  end

  -- Values in the signature's order, or nil.
  local function ordered(signature, names, ...)
    local values, found = {}, 0
    for i, parameter in ipairs(signature) do
      local given = false
      for k, name in ipairs(names) do
        if name == parameter.name then
          values[i], given, found = (select(k, ...)), true, found + 1
        end
      end
      local may_be_null = parameter.optional or (signature.left_out and parameter.type == "any")
      if not given and not may_be_null then return nil end
    end
    if found ~= #names and not signature.surplus then return nil end
    return values
  end

  local function fit_named(signature, names, values)
    for i, parameter in ipairs(signature) do
      local given = false
      for _, name in ipairs(names) do given = given or name == parameter.name end
      if given then
        local value, wrong = convert(values[i], parameter)
        if wrong then return nil end
        values[i] = parameter.type == "rest" and f.list { n = 1, value } or value
      end
    end
    return values
  end

  local function in_order(signature, names)
    for i, name in ipairs(names) do
      if not signature[i] or signature[i].name ~= name then return false end
    end
    return true
  end

  -- Signatures that have the names in this order come first: before(point:, range:) is not
  -- before(range:, point:).
  local function call_named(name, signatures, names, ...)
    for _, exact in ipairs { true, false } do
      for _, signature in ipairs(signatures) do
        local values = in_order(signature, names) == exact and ordered(signature, names, ...)
        local given = values and fit_named(signature, names, values)
        if given then return (signature.call(table.unpack(given, 1, #signature))) end
      end
    end
    return nothing("%s is called with arguments that do not fit: %s", name, table.concat(names, ", "))
  end

  -- Those that count in this evaluation.
  local function in_dialect(known) return f.state.dialect == "camunda" and known.wide or known end

  local function names_of(signature)
    local names = {}
    for i, parameter in ipairs(signature) do names[i] = parameter.name end
    return names
  end

  -- ---- Declaring --------------------------------------------------------------------------------

  -- `known`: the signatures of all dialects; known.wide: Camunda's, of which `own` come first.
  local function add_signature(known, signature, camunda)
    if camunda then
      known.own = known.own + 1
      table.insert(known.wide, known.own, signature)
    else
      known[#known + 1] = signature
      table.insert(known.wide, signature)
    end
  end

  local function add_function(name, signature)
    local known = { wide = {}, own = 0 }
    local function positional(n, ...) return call_positional(name, in_dialect(known), n, ...) end
    fn[name] = positional
    standard[name] = function(n, ...) return call_positional(name, known, n, ...) end
    functions[name] = setmetatable({
      builtin = name, signatures = known, names = names_of(signature), n = #signature, call = positional,
      call_named = function(names, ...) return call_named(name, in_dialect(known), names, ...) end,
    }, f.Function)
  end

  --- Adds a built-in function, or one more signature of it. With { left_out = true } arguments by
  -- name may lack those of type `any`, which are null then; with { surplus = true } there may be
  -- arguments by other names, which do not count.
  local function define(name, text, call, options)
    local signature = read_signature(text, call, options)
    if not functions[name] then add_function(name, signature) end
    add_signature(functions[name].signatures, signature, options and options.camunda)
  end

  --- A built-in function as a plain one of Lua.
  function f.builtin(name)
    local call = fn[name]
    return call and function(...) return call(select("#", ...), ...) end
  end

  require "orrery.feel.functions.conversion"(f, define)
  require "orrery.feel.functions.strings"(f, define)
  require "orrery.feel.functions.lists"(f, define)
  require "orrery.feel.functions.statistics"(f, define)
  require "orrery.feel.functions.numbers"(f, define)
  require "orrery.feel.functions.times"(f, define)
  require "orrery.feel.functions.ranges"(f, define)
  require "orrery.feel.functions.contexts"(f, define)
  require "orrery.feel.functions.camunda"(f, function(name, text, call) define(name, text, call, { camunda = true }) end)
end
