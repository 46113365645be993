--- Functions that compare points and ranges, and range(). Each is null where two ends have no
-- order.
return function(f, define)
  local nothing, lt, le = f.nothing, f.lt, f.le

  -- The parts of a comparison are true or false; a null one raises this, and the function gives
  -- null.
  local NULL = {}

  local function sure(answer)
    if answer == nil then error(NULL, 0) end
    return answer
  end

  local function less(a, b) return sure(lt(a, b)) end
  local function equal(a, b) return sure(le(a, b)) and sure(le(b, a)) end

  local function guarded(fn)
    return function(...)
      local ok, answer = pcall(fn, ...)
      if ok then return answer end
      if answer == NULL then return nil end
      error(answer, 0)
    end
  end

  -- Ends that are not there lie beyond all others.
  local function starts_before(a, b)
    if a.no_low or b.no_low then return a.no_low and not b.no_low end
    return less(a.low, b.low)
  end
  local function same_start(a, b)
    if a.no_low or b.no_low then return a.no_low == b.no_low end
    return equal(a.low, b.low)
  end
  local function ends_before(a, b)
    if a.no_high or b.no_high then return b.no_high and not a.no_high or false end
    return less(a.high, b.high)
  end
  local function same_end(a, b)
    if a.no_high or b.no_high then return a.no_high == b.no_high end
    return equal(a.high, b.high)
  end
  -- a's end against b's start.
  local function end_reaches(a, b)
    if a.no_high or b.no_low then return true end
    return less(b.low, a.high) or (a.high_included and b.low_included and equal(a.high, b.low))
  end
  local function touches(a, b)
    if a.no_high or b.no_low then return false end
    return a.high_included and b.low_included and equal(a.high, b.low)
  end

  -- Defines a function and the one with its operands the other way round.
  local function define_pair(name, mirrored, left, right, fn)
    define(name, left .. "; " .. right, guarded(fn))
    define(mirrored, right .. "; " .. left, guarded(function(b, a) return fn(a, b) end))
  end

  local P1, P2, R1, R2 = "point1: point", "point2: point", "range1: range", "range2: range"
  local P, R = "point: point", "range: range"

  -- ---- Before, after ----------------------------------------------------------------------------

  local function point_before_range(p, r)
    if r.no_low then return false end
    return less(p, r.low) or (not r.low_included and equal(p, r.low))
  end
  local function range_before_point(r, p)
    if r.no_high then return false end
    return less(r.high, p) or (not r.high_included and equal(r.high, p))
  end
  local function range_before_range(a, b)
    if a.no_high or b.no_low then return false end
    return less(a.high, b.low) or ((not a.high_included or not b.low_included) and equal(a.high, b.low))
  end

  define("before", P1 .. ";" .. P2, guarded(less))
  define("before", P .. ";" .. R, guarded(point_before_range))
  define("before", R .. ";" .. P, guarded(range_before_point))
  define("before", R1 .. ";" .. R2, guarded(range_before_range))
  define("after", P1 .. ";" .. P2, guarded(function(a, b) return less(b, a) end))
  define("after", P .. ";" .. R, guarded(function(p, r) return range_before_point(r, p) end))
  define("after", R .. ";" .. P, guarded(function(r, p) return point_before_range(p, r) end))
  define("after", R1 .. ";" .. R2, guarded(function(a, b) return range_before_range(b, a) end))

  -- ---- Meets, overlaps --------------------------------------------------------------------------

  define("meets", R1 .. ";" .. R2, guarded(touches))
  define("met by", R1 .. ";" .. R2, guarded(function(a, b) return touches(b, a) end))
  define("overlaps", R1 .. ";" .. R2, guarded(function(a, b) return end_reaches(a, b) and end_reaches(b, a) end))

  local function overlaps_before(a, b)
    local starts = starts_before(a, b) or (same_start(a, b) and a.low_included and not b.low_included)
    local ends = ends_before(a, b) or (same_end(a, b) and (not a.high_included or b.high_included))
    return starts and ends and end_reaches(a, b)
  end

  local function overlaps_after(a, b)
    local starts = starts_before(b, a) or (same_start(a, b) and b.low_included and not a.low_included)
    local ends = ends_before(b, a) or (same_end(a, b) and (not b.high_included or a.high_included))
    return starts and ends and end_reaches(b, a)
  end

  define("overlaps before", R1 .. ";" .. R2, guarded(overlaps_before))
  define("overlaps after", R1 .. ";" .. R2, guarded(overlaps_after))

  -- ---- Finishes, starts -------------------------------------------------------------------------

  local function point_finishes(p, r) return not r.no_high and r.high_included and equal(r.high, p) end

  local function finishes(a, b)
    if a.high_included ~= b.high_included or not same_end(a, b) then return false end
    return starts_before(b, a) or (same_start(a, b) and (not a.low_included or b.low_included))
  end

  define_pair("finishes", "finished by", P, R, point_finishes)
  define("finishes", R1 .. ";" .. R2, guarded(finishes))
  define("finished by", R1 .. ";" .. R2, guarded(function(a, b) return finishes(b, a) end))

  local function point_starts(p, r) return not r.no_low and r.low_included and equal(r.low, p) end

  local function starts(a, b)
    if a.low_included ~= b.low_included or not same_start(a, b) then return false end
    return ends_before(a, b) or (same_end(a, b) and (not a.high_included or b.high_included))
  end

  define_pair("starts", "started by", P, R, point_starts)
  define("starts", R1 .. ";" .. R2, guarded(starts))
  define("started by", R1 .. ";" .. R2, guarded(function(a, b) return starts(b, a) end))

  -- ---- Includes, coincides ----------------------------------------------------------------------

  local function includes_point(r, p) return sure(f.in_range(p, r)) end

  local function includes_range(a, b)
    local starts_first = starts_before(a, b) or (same_start(a, b) and (a.low_included or not b.low_included))
    return starts_first and (ends_before(b, a) or (same_end(a, b) and (a.high_included or not b.high_included)))
  end

  define_pair("includes", "during", R, P, includes_point)
  define("includes", R1 .. ";" .. R2, guarded(includes_range))
  define("during", R1 .. ";" .. R2, guarded(function(a, b) return includes_range(b, a) end))

  define("coincides", P1 .. ";" .. P2, guarded(equal))
  define("coincides", R1 .. ";" .. R2, guarded(function(a, b)
    return a.low_included == b.low_included and a.high_included == b.high_included and same_start(a, b) and same_end(a, b)
  end))

  -- ---- Range from a text ------------------------------------------------------------------------

  local called = { date = true, time = true, ["date and time"] = true, duration = true }

  -- A literal: a number, a string, @"…", date("…") and its like; false when it is none.
  local function literal(text)
    local number = f.number(text)
    if number then return number end
    local string = text:match '^"([^"]*)"$'
    if string then return string end
    local at = text:match '^@"([^"]*)"$'
    if at then return f.temporal.parse(at) or false end
    local name, argument = text:match '^([%a ]-)%s*%(%s*"([^"]*)"%s*%)$'
    if name and called[name] then return f.fn[name](1, argument) or false end
    return false
  end

  local function from_text(text)
    local open, low, high, close = text:match "^%s*([%[%(%]])%s*(.-)%s*%.%.%s*(.-)%s*([%]%)%[])%s*$"
    if not open or (low == "" and high == "") then return nil end
    local from, to = low ~= "" and literal(low), high ~= "" and literal(high)
    if (low ~= "" and from == false) or (high ~= "" and to == false) then return nil end
    local low_included, high_included = open == "[", close == "]"
    if low == "" then return not low_included and f.half_range(high_included and "le" or "lt", to) or nil end
    if high == "" then return not high_included and f.half_range(low_included and "ge" or "gt", from) or nil end
    if f.kind(from) ~= f.kind(to) or sure(lt(to, from)) then return nil end
    return f.range(low_included, from, to, high_included)
  end

  define("range", "from: string", guarded(function(text)
    return from_text(text) or nothing("range: \"%s\" is no range of literals", text)
  end))
end
