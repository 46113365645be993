--- Between FEEL's values and those of Lua programs and of the engine's variables.
local C = require "orrery.feel.calendar"
local core = require "orrery.core"
local behind = core.behind

return function(f)
  local N, T = f.numbers, f.temporal
  local known = { [f.List] = true, [f.Context] = true, [f.Range] = true, [f.Function] = true, [f.Date] = true, [f.Time] = true,
    [f.DateTime] = true, [f.Days] = true, [f.Months] = true }
  local DEPTH_MAX = 64

  local from_lua

  --- Seconds since 1970 as a date and time, by the clocks of the evaluation's zone (UTC without one),
  -- which it does not say: as Camunda has a Date.
  function f.moment(seconds)
    local whole = math.floor(seconds)
    local zone = f.state.zone
    local here = T.from_instant(whole, math.floor((seconds - whole) * 1000 + 0.5) * 1000000, 0,
      zone and C.zone(zone) and zone or nil)
    if here then here.offset, here.zone = nil, nil end
    return here
  end

  --- Seconds since 1970 of a date, whose midnight counts, or of a date and time. One that says no zone
  -- is by the clocks of the evaluation's zone.
  function f.seconds(value)
    local zone = f.state.zone and C.zone(f.state.zone) and f.state.zone or nil
    if getmetatable(value) == f.Date or not value.offset then
      local clock = { hour = value.hour or 0, minute = value.minute or 0, second = value.second or 0, nano = value.nano or 0 }
      clock.zone, clock.offset = zone, not zone and 0 or nil
      value = T.date_time(value, clock)
    end
    local seconds, nano = T.instant(value)
    return nano == 0 and seconds or seconds + nano / 1e9
  end

  local function from_typed(typed, depth)
    local value = typed.value
    if typed.type == "Date" and value then return f.moment(value) end
    if typed.type == "Json" and value then value = core.json_decode(value) end
    return from_lua(value, depth)
  end

  local function is_array(value) return #value > 0 or next(value) == nil or getmetatable(value) == core.array end

  local function list_from(value, depth)
    local out = { n = #value }
    for i = 1, #value do out[i] = from_lua(value[i], depth) end
    return f.list(out)
  end

  local function context_from(value, depth)
    local out = {}
    for key in pairs(value) do
      if type(key) == "string" then out[#out + 1] = key end
    end
    table.sort(out) -- Lua's tables have no order of their own
    for _, key in ipairs(out) do out[key] = from_lua(value[key], depth) end
    return f.ctx(out)
  end

  local function table_from(value, depth)
    value = behind(value) or value
    if known[getmetatable(value)] then return value end
    if depth > DEPTH_MAX then return f.nothing("a table nests more than %d deep", DEPTH_MAX) end
    return is_array(value) and list_from(value, depth + 1) or context_from(value, depth + 1)
  end

  function from_lua(value, depth)
    local kind = type(value)
    if kind == "table" then return table_from(value, depth or 1) end
    if kind == "number" then return f.number(value) end
    if kind == "string" or kind == "boolean" or f.is_number(value) then return value end
    if kind == "function" then
      return f.lambda({}, nil, function() return nil end)
    end
    if kind == "userdata" and core.is_typed(value) then return from_typed(value, depth or 1) end
    return nil -- orrery.null, and what FEEL does not know
  end

  --- A value of FEEL: arrays become lists, other tables contexts with their keys sorted, floats
  -- exact by their shortest text, a declared Date a date and time. A value of FEEL stays as it is.
  function f.from_lua(value) return from_lua(value, 1) end

  local to_plain

  local function list_to(list, options, depth)
    local out = setmetatable({}, core.array)
    f.work(list.n)
    for i = 1, list.n do
      local item = to_plain(list[i], options, depth)
      if item == nil then item = core.null end
      out[i] = item
    end
    return out
  end

  local function context_to(context, options, depth)
    local out = {}
    f.work(#context)
    for _, key in ipairs(context) do
      local item = to_plain(context[key], options, depth)
      if item == nil then item = core.null end
      out[key] = item
    end
    return out
  end

  --- What a Lua program and the engine's variables have for it: numbers as integers and floats, or
  -- with `exact` as texts where they are no integers; temporal values and ranges as texts;
  -- functions as null. With `typed` temporal values stay.
  function to_plain(value, options, depth)
    local kind = f.kind(value)
    if kind == "number" then
      if options.exact and not math.type(value) then return N.text(value) end
      return f.to_lua(value)
    end
    if (kind == "list" or kind == "context") and depth > DEPTH_MAX then f.limit("a value nests more than %d deep", DEPTH_MAX) end
    if kind == "list" then return list_to(value, options, depth + 1) end
    if kind == "context" then return context_to(value, options, depth + 1) end
    if kind == "function" or kind == "unknown" then return nil end
    if type(value) == "table" and not options.typed then return f.string(value) end
    return value
  end

  function f.to_plain(value, options)
    if type(value) ~= "table" then return to_plain(value, options or {}, 1) end
    f.enter()
    local plain = to_plain(value, options or {}, 1)
    f.leave()
    return plain
  end

  -- ---- In the engine's expressions --------------------------------------------------------------

  local shared, n_shared = {}, 0
  local SHARED_MAX = 1000

  --- The constants that a chunk has in common with all chunks of the same ones: the table that the
  -- Lua expression gives.
  function f.shared(text)
    local constants = shared[text]
    if constants then return constants end
    if n_shared >= SHARED_MAX then shared, n_shared = {}, 0 end
    constants = assert(load("local f = ... return " .. text, "=constants", "t"))(f)
    shared[text], n_shared = constants, n_shared + 1
    return constants
  end

  -- Each variable is read once in an evaluation, however often it is named.
  local function reading_once(scope)
    local known, values = {}, {}
    return { get = function(name)
      if known[name] == nil then
        local found, value = scope.get(name, true)
        known[name] = found or false
        if found then values[name] = f.from_lua(value) end
      end
      return known[name], values[name]
    end }
  end

  --- What an expression of the engine gives: with the engine's time, in its process's dialect, and as
  -- a value that a variable can hold.
  function f.host(scope, dialect, evaluate)
    return f.to_plain(f.with({ now = scope.now(), zone = scope.zone, dialect = dialect }, evaluate, reading_once(scope)))
  end
end
