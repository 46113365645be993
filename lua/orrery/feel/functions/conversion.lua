--- Conversion functions, and not, is, now, today.
local C = require "orrery.feel.calendar"

return function(f, define)
  local N, T, nothing, kind = f.numbers, f.temporal, f.nothing, f.kind

  -- ---- Dates and times --------------------------------------------------------------------------

  define("date", "from: string", function(from)
    return T.parse_date(from) or nothing("date: \"%s\" is no date", from)
  end)
  define("date", "from: temporal", T.date_of)
  define("date", "year: number; month: number; day: number", function(year, month, day)
    local y, m, d = N.integer(year), N.integer(month), N.integer(day)
    return y and m and d and T.date(y, m, d) or nothing("date: there is no such day")
  end)

  define("date and time", "from: string", function(from)
    return T.parse_date_time(from) or nothing("date and time: \"%s\" is no date and time", from)
  end)
  define("date and time", "from: date", T.at_midnight)
  define("date and time", "from: date and time", function(from) return from end)
  define("date and time", "date: temporal; time: time", function(date, time)
    return T.date_time(date, { hour = time.hour, minute = time.minute, second = time.second, nano = time.nano, zone = time.zone,
      offset = not time.zone and time.offset or nil })
  end)

  define("time", "from: string", function(from) return T.parse_time(from) or nothing("time: \"%s\" is no time", from) end)
  define("time", "from: time", function(from) return from end)
  define("time", "from: date and time", T.time_of)
  define("time", "from: date", function() return T.time { hour = 0, minute = 0, second = 0, nano = 0, offset = 0 } end)

  -- The offset that a duration is; false when it cannot be one.
  local function offset_of(duration)
    if duration == nil then return nil end
    if kind(duration) ~= "days and time duration" or duration.nano ~= 0 or math.abs(duration.seconds) > 18 * 3600 then return false end
    return duration.seconds
  end

  define("time", "hour: number; minute: number; second: number; offset: any?", function(hour, minute, second, offset)
    local seconds = offset_of(offset)
    local whole = N.round(second, 0, "floor")
    local h, m, s = N.integer(hour), N.integer(minute), N.integer(whole)
    if seconds == false or not (h and m and s) or h < 0 or h > 23 or m < 0 or m > 59 or s < 0 or s > 59 then
      return nothing "time: there is no such time"
    end
    local nano = N.integer(N.round(N.mul(N.sub(second, whole), 1000000000), 0, "down"))
    return T.time { hour = h, minute = m, second = s, nano = nano, offset = seconds }
  end)

  -- ---- Durations --------------------------------------------------------------------------------

  define("duration", "from: string", function(from)
    return T.duration(from) or nothing("duration: \"%s\" is no duration", from)
  end)

  -- Whole months between two days.
  local function months_between(from, to)
    local months = (to.year - from.year) * 12 + to.month - from.month
    if months > 0 and to.day < from.day then months = months - 1 end
    if months < 0 and to.day > from.day then months = months + 1 end
    return months
  end

  define("years and months duration", "from: temporal; to: temporal", function(from, to) return T.months(months_between(from, to)) end)

  -- ---- Numbers and strings ----------------------------------------------------------------------

  define("string", "from: any", function(from) return f.string(from) end)

  local is_group = { [" "] = true, [","] = true, ["."] = true }

  -- "1 000,5" as "1000.5"; nil when groups or the sign for decimals are not where they may be.
  local function ungrouped(from, group, point)
    if group then from = from:gsub(group == " " and " " or "%" .. group, "") end
    if not point then return from:find "[.,]" == nil and from or nil end
    if point ~= "." and from:find(".", 1, true) then return nil end
    return (from:gsub("%" .. point, "."))
  end

  local function grouped_number(from, group, point)
    if (group ~= nil and not is_group[group]) or (point ~= nil and point ~= "." and point ~= ",") or (group ~= nil and group == point) then
      return nothing "number: a separator is \" \", \",\" or \".\", and each its own"
    end
    local text = ungrouped(from, group, point or (group ~= "." and "." or nil))
    return text and f.number(text) or nothing("number: \"%s\" is no number", from)
  end

  define("number", "from: string; grouping separator: any; decimal separator: any", grouped_number, { left_out = true })

  -- ---- Others -----------------------------------------------------------------------------------

  define("not", "negand: any", function(negand)
    if type(negand) ~= "boolean" then return nothing("not: %s is no boolean", f.describe(negand)) end
    return not negand
  end)

  local function same_clock(a, b)
    if a.hour ~= b.hour or a.minute ~= b.minute or a.second ~= b.second or a.nano ~= b.nano then return false end
    return a.offset == b.offset
  end

  local function is_one(a, b)
    local of = kind(a)
    if of ~= kind(b) then return false end
    if of == "time" then return same_clock(a, b) end
    if of == "date and time" then return T.day_of(a) == T.day_of(b) and same_clock(a, b) end
    return f.same(a, b)
  end

  define("is", "value1: any; value2: any", is_one, { surplus = true })

  define("now", "", function()
    local now = f.clock()
    local seconds = math.floor(now)
    local zone = f.state.zone
    return T.from_instant(seconds, math.floor((now - seconds) * 1000) * 1000000, 0, zone and C.zone(zone) and zone or nil)
  end)

  define("today", "", function() return T.date_of(f.fn.now(0)) end)
end
