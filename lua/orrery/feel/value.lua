--- FEEL's values in Lua, and what an evaluation keeps: its clock, its diagnostics, its counts
-- against the limits.
--
-- null is nil; booleans and strings are Lua's; a number is an integer while it is whole and fits,
-- else a decimal (bindings/script/decimal.c). All others are tables, told apart by their metatables, and
-- never change once they were made:
--   list      { n = 3, 1, nil, 3 }
--   context   { "a", "b c", a = 1, ["b c"] = 2 }: the array part holds the keys in order, whatever their values
--   range     { low =, high =, low_included =, high_included =, no_low =, no_high =, equal =, unequal = }
--   date      { year =, month =, day = }
--   time      { hour =, minute =, second =, nano =, offset = seconds or nil, zone = name or nil }
--   date and time: both
--   days and time duration { seconds =, nano = }, years and months duration { months = }
--   function  { names =, n =, call =, … }: call.lua
local core = require "orrery.core"

local limits = core.feel.limits

return function(f)
  local is_decimal = core.feel.decimal.is

  -- ---- Kinds ------------------------------------------------------------------------------------

  local function class(kind)
    return { kind = kind, __name = "FEEL " .. kind, __tostring = function(v) return f.string(v) or "null" end }
  end

  f.List, f.Context, f.Range, f.Function = class "list", class "context", class "range", class "function"
  f.Date, f.Time, f.DateTime = class "date", class "time", class "date and time"
  f.Days, f.Months = class "days and time duration", class "years and months duration"

  local of_lua = { ["nil"] = "null", boolean = "boolean", string = "string", number = "number", userdata = "number" }

  --- "null", "number", "list", "date and time", …; "unknown" for what is no value of FEEL.
  function f.kind(value)
    if type(value) ~= "table" then return of_lua[type(value)] or "unknown" end
    local meta = getmetatable(value)
    return meta and meta.kind or "unknown"
  end

  function f.is_number(value) return math.type(value) == "integer" or is_decimal(value) end

  -- ---- Diagnostics and limits -------------------------------------------------------------------

  -- Of the evaluation that runs: there is one at a time in a Lua state, since none of it yields.
  -- `depth` counts the loops and calls that are under way: while there are any, `steps` and `work`
  -- add up.
  local state = { steps = 0, work = 0, depth = 0 }
  f.state = state

  --- Gives null, and says why.
  function f.nothing(format, ...)
    local list = state.diagnostics
    if list and #list < limits.diagnostics then list[#list + 1] = select("#", ...) > 0 and format:format(...) or format end
    return nil
  end

  local Failure = { __tostring = function(failure) return failure.message end }

  --- Raises an error of kind `limit`: nothing that a decision could go on with.
  function f.limit(format, ...)
    state.steps, state.work, state.depth = 0, 0, 0
    error(setmetatable({ kind = "limit", message = format:format(...) }, Failure), 0)
  end

  --- Raises an error of kind `expression`: what the text itself says must not be.
  function f.fail(message)
    state.steps, state.work, state.depth = 0, 0, 0
    error(setmetatable({ kind = "expression", message = message }, Failure), 0)
  end

  function f.check_length(n)
    if n > limits.list then f.limit("a list of more than %d items", limits.list) end
  end

  --- A value for messages: its kind, and itself when it is short.
  function f.describe(value)
    local kind = f.kind(value)
    if kind == "null" or kind == "boolean" or kind == "number" then return tostring(value == nil and "null" or value) end
    if kind == "string" then return '"' .. (#value > 40 and value:sub(1, 40) .. "…" or value) .. '"' end
    return "a " .. kind
  end

  --- A loop or a call begins; those in each other count together.
  function f.enter()
    local depth = state.depth
    if depth == 0 then state.steps, state.work = 0, 0 end
    if depth >= limits.calls then f.limit("functions call each other, or values nest, more than %d deep", limits.calls) end
    state.depth = depth + 1
  end

  --- It ends.
  function f.leave() state.depth = state.depth - 1 end

  --- One more iteration or call.
  function f.step()
    local steps = state.steps + 1
    state.steps = steps
    if steps > limits.iterations then f.limit("more than %d iterations", limits.iterations) end
  end

  --- Items that are looked at, one after the other, while something is under way.
  function f.work(n)
    if state.depth == 0 then return end
    local work = state.work + n
    state.work = work
    if work > limits.work then f.limit("one evaluation looks at more than %d items", limits.work) end
  end

  --- A text of so many bytes is made. A cache line of it counts as an item.
  function f.check_text(size)
    if size > limits.text then f.limit("a text of more than %d bytes", limits.text) end
    if size > 63 then f.work(size // 64) end
  end

  local function finish(now, zone, dialect, diagnostics, steps, work, depth, ok, ...)
    state.now, state.zone, state.dialect, state.diagnostics = now, zone, dialect, diagnostics
    state.steps, state.work, state.depth = steps, work, depth
    if not ok then error((...), 0) end
    return ...
  end

  --- Runs fn(...) as one evaluation: { now = seconds since 1970, zone = name, dialect = "camunda",
  -- "flowable" or what the standard has, diagnostics = list }.
  function f.with(options, fn, ...)
    local now, zone, dialect, diagnostics = state.now, state.zone, state.dialect, state.diagnostics
    local steps, work, depth = state.steps, state.work, state.depth
    state.now, state.zone, state.dialect, state.diagnostics = options.now, options.zone, options.dialect, options.diagnostics
    state.steps, state.work, state.depth = 0, 0, 0
    return finish(now, zone, dialect, diagnostics, steps, work, depth, pcall(fn, ...))
  end

  core.unwinds(finish)
  core.unwinds(f.with)

  --- Seconds since 1970, UTC.
  function f.clock() return state.now or os.time() end

  -- ---- Lists and contexts -----------------------------------------------------------------------

  local List, Context = f.List, f.Context

  function f.list(items) return setmetatable(items, List) end
  function f.ctx(entries) return setmetatable(entries, Context) end

  function f.is_list(value) return type(value) == "table" and getmetatable(value) == List end
  function f.is_context(value) return type(value) == "table" and getmetatable(value) == Context end

  --- A context of keys, an array, and values by key.
  function f.ctx_of(keys, values)
    local out = {}
    for i, key in ipairs(keys) do
      out[i] = key
      out[key] = values[key]
    end
    return setmetatable(out, Context)
  end

  --- Does the context have the key, though its value may be null?
  function f.has(context, key)
    if context[key] ~= nil then return type(key) == "string" end
    for i = 1, #context do
      if context[i] == key then return true end
    end
    return false
  end

  --- A copy with one entry put in, at its place when it is there.
  function f.put(context, key, value)
    local out = {}
    for i, name in ipairs(context) do
      out[i] = name
      out[name] = context[name]
    end
    if not f.has(context, key) then out[#out + 1] = key end
    out[key] = value
    return setmetatable(out, Context)
  end

  --- The value as a list: itself, or a list of the one value; null stays null.
  function f.as_list(value)
    if value == nil or f.is_list(value) then return value end
    return f.list { n = 1, value }
  end

  --- A list of what is given.
  function f.pack(...) return f.list { n = select("#", ...), ... } end

  -- ---- Ranges -----------------------------------------------------------------------------------

  local ordered = { number = true, string = true, date = true, time = true, ["date and time"] = true, ["days and time duration"] = true,
    ["years and months duration"] = true }

  --- Has the kind an order?
  function f.is_ordered(kind) return ordered[kind] or false end

  function f.range(low_included, low, high, high_included)
    local a, b = f.kind(low), f.kind(high)
    if a ~= b and low ~= nil and high ~= nil then return f.nothing("a range from a %s to a %s", a, b) end
    if not (ordered[a] or low == nil) or not (ordered[b] or high == nil) then return f.nothing("a range of %ss", a) end
    if low ~= nil and high ~= nil and f.compare(low, high) > 0 then
      return f.nothing("a range from %s down to %s", f.string(low), f.string(high))
    end
    return setmetatable({ low = low, high = high, low_included = low_included, high_included = high_included }, f.Range)
  end

  --- `< 10` and its like: ranges with one end, or whatever is not equal.
  function f.half_range(op, bound)
    if op ~= "eq" and op ~= "ne" and not ordered[f.kind(bound)] then
      return f.nothing("a range of a %s", f.kind(bound))
    end
    local range = { low_included = false, high_included = false }
    if op == "lt" or op == "le" then
      range.high, range.high_included, range.no_low = bound, op == "le", true
    elseif op == "gt" or op == "ge" then
      range.low, range.low_included, range.no_high = bound, op == "ge", true
    else
      range.low, range.high, range.low_included, range.high_included = bound, bound, op == "eq", op == "eq"
      range.equal, range.unequal = op == "eq" or nil, op == "ne" or nil
    end
    return setmetatable(range, f.Range)
  end
end
