--- Operators: comparison, arithmetic, three-valued logic. What makes no sense is null, with a
-- diagnostic.
local core = require "orrery.core"

local less_text = core.feel.less
local mtype = math.type

return function(f)
  local N, T = f.numbers, f.temporal
  local kind, nothing = f.kind, f.nothing
  local List, Context, Range, Function = f.List, f.Context, f.Range, f.Function
  local Date, Time, DateTime, Days, Months = f.Date, f.Time, f.DateTime, f.Days, f.Months
  local is_temporal = { [Date] = true, [Time] = true, [DateTime] = true, [Days] = true, [Months] = true }

  -- ---- Equality ---------------------------------------------------------------------------------

  local same

  local function same_lists(a, b)
    if a.n ~= b.n then return false end
    f.work(a.n)
    for i = 1, a.n do
      if not same(a[i], b[i]) then return false end
    end
    return true
  end

  local function same_contexts(a, b)
    if #a ~= #b then return false end
    f.work(#a)
    for _, key in ipairs(a) do
      if not f.has(b, key) or not same(a[key], b[key]) then return false end
    end
    return true
  end

  local function same_ranges(a, b)
    return a.low_included == b.low_included and a.high_included == b.high_included and a.no_low == b.no_low and a.no_high == b.no_high
      and a.unequal == b.unequal and same(a.low, b.low) and same(a.high, b.high)
  end

  local comparers = { [List] = same_lists, [Context] = same_contexts, [Range] = same_ranges }

  --- Are they the same value? Always a boolean: null is the same as null, and as nothing else.
  function same(a, b)
    if a == b then return true end -- numbers and temporal values know their equals
    if type(a) ~= "table" or type(b) ~= "table" then return false end
    local meta = getmetatable(a)
    local compare = comparers[meta]
    if not compare or meta ~= getmetatable(b) then return false end
    f.enter() -- values may nest deeply, and hold the same one many times
    local answer = compare(a, b)
    f.leave()
    return answer
  end
  f.same = same

  --- FEEL's `=`: null for values of different kinds, unless one is null.
  local function equal(a, b)
    if a == nil or b == nil then return a == b end
    local ka, kb = kind(a), kind(b)
    if ka ~= kb then return nothing("%s is compared with %s", f.describe(a), f.describe(b)) end
    return same(a, b)
  end
  f.equal, f.eq = equal, equal

  function f.ne(a, b)
    local r = equal(a, b)
    if r == nil then return nil end
    return not r
  end

  -- ---- Order ------------------------------------------------------------------------------------

  --- < 0, 0, > 0; nil where there is no order, with a diagnostic.
  local function compare(a, b)
    if a == nil or b == nil then return nothing("%s is compared with %s", f.describe(a), f.describe(b)) end
    local ka, kb = kind(a), kind(b)
    if ka ~= kb or not f.is_ordered(ka) then return nothing("%s is compared with %s", f.describe(a), f.describe(b)) end
    if ka == "number" then return a < b and -1 or a == b and 0 or 1 end
    if ka == "string" then return a == b and 0 or less_text(a, b) and -1 or 1 end
    return T.compare(a, b)
  end
  f.compare = compare

  function f.lt(a, b)
    if mtype(a) and mtype(b) then return a < b end
    local order = compare(a, b)
    return order and order < 0
  end

  function f.le(a, b)
    if mtype(a) and mtype(b) then return a <= b end
    local order = compare(a, b)
    return order and order <= 0
  end

  function f.gt(a, b) return f.lt(b, a) end
  function f.ge(a, b) return f.le(b, a) end

  local function both(a, b)
    if a == false or b == false then return false end
    if a == nil or b == nil then return nil end
    return true
  end

  function f.between(value, low, high) return both(f.le(low, value), f.le(value, high)) end

  --- Does the value lie between the two, of which each belongs to the range unless it is open?
  function f.within(value, low, high, low_open, high_open)
    local above, below
    if low_open then above = f.lt(low, value) else above = f.le(low, value) end
    if high_open then below = f.lt(value, high) else below = f.le(value, high) end
    return both(above, below)
  end

  --- Does it lie in the range?
  function f.in_range(value, range)
    if range.unequal then return f.ne(value, range.low) end
    if range.equal then return equal(value, range.low) end
    local included = range.high_included
    if range.no_low then
      if included then return f.le(value, range.high) end
      return f.lt(value, range.high)
    end
    if range.no_high then
      if range.low_included then return f.ge(value, range.low) end
      return f.gt(value, range.low)
    end
    return f.within(value, range.low, range.high, not range.low_included, not range.high_included)
  end

  -- ---- Tests ------------------------------------------------------------------------------------

  -- Is it an item of the list, or in a range that is one?
  local function is_in_list(value, list)
    for i = 1, list.n do
      local item = list[i]
      if same(value, item) then return true end
      if getmetatable(item) == Range and type(item) == "table" and kind(value) ~= "range" and f.in_range(value, item) then return true end
    end
    return getmetatable(value) == List and type(value) == "table" and same(value, list)
  end

  --- `value in test`, where the test is a list, a range or what it must equal.
  function f.is_in(value, test)
    local of = kind(test)
    if of == "list" then return is_in_list(value, test) end
    if of == "range" and kind(value) ~= "range" then return f.in_range(value, test) end
    return equal(value, test)
  end

  --- A cell's expression without a `?`: what the input may be, or a condition of its own. In Camunda's
  -- dialect a condition that is true holds for inputs that are false, too, and one that is false is
  -- no comparison with an input of another type.
  function f.test(value, test)
    local camunda = f.state.dialect == "camunda"
    if test == true and (camunda or type(value) ~= "boolean") then return true end
    if test == false and camunda and value ~= false then return false end
    return f.is_in(value, test)
  end

  --- A cell's expression with a `?`: a condition, or what the input may be. In Camunda's dialect it is
  -- a condition.
  function f.test_asking(value, test)
    if type(test) == "boolean" then return test end
    if f.state.dialect == "camunda" then return nothing("a cell's condition is %s", f.describe(test)) end
    return f.is_in(value, test)
  end

  --- Is one of n answers true? null when none is, but one is null.
  function f.any_of(n, ...)
    local answers, result = { ... }, false
    for i = 1, n do
      if answers[i] == true then return true end
      if answers[i] ~= false then result = nil end
    end
    return result
  end

  --- Is none of them true?
  function f.none(n, ...)
    local any = f.any_of(n, ...)
    if any == nil then return nil end
    return not any
  end

  -- ---- Arithmetic -------------------------------------------------------------------------------

  local function no_arithmetic(verb, a, b) return nothing("cannot %s %s and %s", verb, f.describe(a), f.describe(b)) end

  local function concat(a, b)
    f.check_text(#a + #b)
    return a .. b
  end

  local is_duration = { [Days] = true, [Months] = true }

  -- Metatables of temporal values alone.
  local function temporal_class(v)
    local meta = type(v) == "table" and getmetatable(v) or nil
    return is_temporal[meta] and meta or nil
  end

  local function add_temporal(a, b)
    local ma, mb = temporal_class(a), temporal_class(b)
    if not ma or not mb then return nil end
    if is_duration[ma] and ma == mb then return T.add_durations(a, b) end
    if is_duration[mb] and not is_duration[ma] then return T.add(a, b) end
    if is_duration[ma] and not is_duration[mb] then return T.add(b, a) end
    return nil
  end

  function f.add(a, b)
    if mtype(a) == "integer" and mtype(b) == "integer" then
      local sum = a + b
      if (a ~ sum) & (b ~ sum) >= 0 then return sum end
    end
    local ka, kb = kind(a), kind(b)
    local result
    if ka == "number" and kb == "number" then result = N.add(a, b)
    elseif ka == "string" and kb == "string" then return concat(a, b)
    else result = add_temporal(a, b) end
    if result == nil then return no_arithmetic("add", a, b) end
    return result
  end

  -- A date and a date and time: the date is its midnight in UTC.
  local function minus_points(a, b)
    local ma, mb = getmetatable(a), getmetatable(b)
    if ma == Date and mb == DateTime then a = T.at_midnight(a)
    elseif ma == DateTime and mb == Date then b = T.at_midnight(b)
    elseif ma ~= mb then return nil end
    return T.between(b, a)
  end

  local function sub_temporal(a, b)
    local ma, mb = temporal_class(a), temporal_class(b)
    if not ma or not mb then return nil end
    if is_duration[mb] then
      if ma == mb then return T.add_durations(a, T.negate(b)) end
      return not is_duration[ma] and T.add(a, T.negate(b)) or nil
    end
    return not is_duration[ma] and minus_points(a, b) or nil
  end

  function f.sub(a, b)
    local result
    if kind(a) == "number" and kind(b) == "number" then result = N.sub(a, b) else result = sub_temporal(a, b) end
    if result == nil then return no_arithmetic("subtract", a, b) end
    return result
  end

  function f.mul(a, b)
    local ka, kb = kind(a), kind(b)
    local result
    if ka == "number" and kb == "number" then result = N.mul(a, b)
    elseif kb == "number" and is_duration[temporal_class(a)] then result = T.of_amount(getmetatable(a), N.mul(T.amount(a), b))
    elseif ka == "number" and is_duration[temporal_class(b)] then result = T.of_amount(getmetatable(b), N.mul(T.amount(b), a)) end
    if result == nil then return no_arithmetic("multiply", a, b) end
    return result
  end

  function f.div(a, b)
    local ka, kb = kind(a), kind(b)
    local duration = is_duration[temporal_class(a)]
    local result
    if ka == "number" and kb == "number" then result = N.div(a, b)
    elseif kb == "number" and duration then result = T.of_amount(getmetatable(a), N.div(T.amount(a), b))
    elseif duration and ka == kb then result = N.div(T.amount(a), T.amount(b)) end
    if result == nil then return no_arithmetic("divide", a, b) end
    return result
  end

  function f.pow(a, b)
    local result
    if kind(a) == "number" and kind(b) == "number" then result = N.pow(a, b) end
    if result == nil then return no_arithmetic("raise", a, b) end
    return result
  end

  function f.neg(a)
    if kind(a) == "number" then return N.neg(a) end
    if is_duration[temporal_class(a)] then return T.negate(a) end
    return nothing("cannot negate %s", f.describe(a))
  end

  -- Functions are the same when they are one.
  Function.__eq = rawequal
end
