--- Types at run time: what conforms to one, and what is made to.
--
-- A type is { kind =, item =, members = { { name, type }, … }, parameters =, result =, check = }
-- with what applies.
return function(f)
  local kind, nothing = f.kind, f.nothing
  local T = f.temporal
  local types = {}
  f.types = types

  for _, name in ipairs { "Any", "Null", "number", "string", "boolean", "date", "time", "date and time", "days and time duration",
    "years and months duration", "list", "range", "context", "function" } do
    types[name] = { kind = name }
  end

  function types.list_of(item) return { kind = "list", item = item } end
  function types.range_of(item) return { kind = "range", item = item } end
  -- A type itself, any context, and a function that makes one of its members.
  types.context = setmetatable({ kind = "context" }, { __call = function(_, members) return { kind = "context", members = members } end })
  function types.func(parameters, result) return { kind = "function", parameters = parameters, result = result } end

  --- The type, of which only some values are allowed.
  function types.constrained(type, check)
    local out = {}
    for name, value in pairs(type) do out[name] = value end
    local inner = type.check
    out.check = inner and function(value) return inner(value) and check(value) end or check
    return out
  end

  -- ---- Conforming -------------------------------------------------------------------------------

  local conforms

  local as_common, function_conforms

  local function list_conforms(list, type)
    if not type.item then return true end
    local types = type.item.kind == "function" and type.item.parameters and list.n > 1 and as_common(list, type.item.parameters)
    for i = 1, list.n do
      if types then
        if not function_conforms(list[i], type.item, types) then return false end
      elseif not conforms(list[i], type.item) then return false end
    end
    return true
  end

  local function context_conforms(context, type)
    for _, member in ipairs(type.members or {}) do
      if not f.has(context, member[1]) or not conforms(context[member[1]], member[2]) then return false end
    end
    return true
  end

  local function range_conforms(range, type)
    return not type.item or (conforms(range.low, type.item) and conforms(range.high, type.item))
  end

  -- Whatever has the one type has the other, too.
  local function is_subtype(a, b)
    if b.kind == "Any" or a.kind == "Null" then return true end
    if a.kind ~= b.kind then return false end
    if b.item then return a.item ~= nil and is_subtype(a.item, b.item) end
    for _, member in ipairs(b.members or {}) do
      local found = false
      for _, own in ipairs(a.members or {}) do found = found or (own[1] == member[1] and is_subtype(own[2], member[2])) end
      if not found then return false end
    end
    return true
  end

  -- `types`: those of its parameters, when they are not its own.
  function function_conforms(fn, type, types)
    if not type.parameters then return true end
    if fn.n ~= #type.parameters then return false end
    types = types or fn.types or {}
    for i, parameter in ipairs(type.parameters) do
      if types[i] and not is_subtype(parameter, types[i]) then return false end
    end
    if type.result and type.result.kind ~= "Any" and fn.gives then return is_subtype(fn.gives, type.result) end
    return true
  end

  -- The type that the items' parameter has: that of all of them, or none.
  local function common_parameter(list, i)
    local common = list[1].types and list[1].types[i]
    for k = 2, list.n do
      local own = list[k].types and list[k].types[i]
      if not common or not own or not (is_subtype(own, common) and is_subtype(common, own)) then return nil end
    end
    return common
  end

  -- A list of functions is one of what they have in common: a parameter of different types takes any
  -- value, and so what is wanted.
  function as_common(list, parameters)
    local types = {}
    for i = 1, list.n do
      if kind(list[i]) ~= "function" then return nil end
    end
    for i = 1, #parameters do types[i] = common_parameter(list, i) end
    return types
  end

  local by_kind = { list = list_conforms, context = context_conforms, range = range_conforms, ["function"] = function_conforms }

  --- Is it a value of the type? null is one of every type.
  function conforms(value, type)
    if value == nil then return true end
    if type.kind ~= "Any" then
      if kind(value) ~= type.kind then return false end
      local check = by_kind[type.kind]
      if check and not check(value, type) then return false end
    end
    return not type.check or type.check(value) == true
  end
  f.conforms = conforms

  --- `value instance of type`: null is one of Null alone.
  function f.instance_of(value, type)
    if value == nil then return type.kind == "Null" end
    return conforms(value, type)
  end

  -- ---- Making values conform --------------------------------------------------------------------

  local convert

  local function convert_list(value, type)
    local out = { n = value.n }
    for i = 1, value.n do
      local item, wrong = convert(value[i], type.item)
      if wrong then return nil, true end
      out[i] = item
    end
    return f.list(out)
  end

  local function convert_context(value, type)
    local out = {}
    for i, key in ipairs(value) do
      out[i] = key
      out[key] = value[key]
    end
    for _, member in ipairs(type.members) do
      if not f.has(value, member[1]) then return nil, true end
      local of, wrong = convert(value[member[1]], member[2])
      if wrong then return nil, true end
      out[member[1]] = of
    end
    return f.ctx(out)
  end

  -- The value in the type's form; the second result is true when there is none.
  function convert(value, type)
    if conforms(value, type) then return value end
    local of = kind(value)
    local out, wrong = nil, true
    if of == "list" and type.kind ~= "list" then
      if value.n == 1 and conforms(value[1], type) then out, wrong = value[1], nil end
    elseif type.kind == "list" and of ~= "list" then
      if conforms(value, type.item or types.Any) then out, wrong = f.list { n = 1, value }, nil end
    elseif of == "date" and type.kind == "date and time" then
      out, wrong = T.at_midnight(value), nil
    elseif of == "list" and type.item then
      out, wrong = convert_list(value, type)
    elseif of == "context" and type.kind == "context" and type.members then
      out, wrong = convert_context(value, type)
    end
    if not wrong and type.check and type.check(out) ~= true then return nil, true end
    if wrong then return nil, true end
    return out
  end

  --- The value, as the type has it: a list of one item and that item stand for each other, a date
  -- for its midnight. null, with a diagnostic, when it does not conform; the second result is then
  -- true.
  function f.coerce(value, type)
    local out, wrong = convert(value, type)
    if not wrong then return out end
    return nothing("%s is no %s", f.describe(value), type.name or type.kind), true
  end
end
