--- Dates, times, and durations: making, reading and calculating with them.
local C = require "orrery.feel.calendar"

local NANOS = 1000000000

return function(f)
  local T, N = {}, f.numbers
  f.temporal = T
  local Date, Time, DateTime, Days, Months = f.Date, f.Time, f.DateTime, f.Days, f.Months

  -- ---- Durations --------------------------------------------------------------------------------

  local MOST <const> = math.maxinteger

  --- A days and time duration; nanoseconds may be any number of them. nil when it is not between
  -- MOST seconds and as many before, so that its negative is one, too.
  function T.days(seconds, nano)
    nano = nano or 0
    seconds, nano = N.integer(N.add(seconds, nano // NANOS)), nano % NANOS
    if not seconds or seconds == MOST or seconds < -MOST or (seconds == -MOST and nano == 0) then return nil end
    return setmetatable({ seconds = seconds, nano = nano }, Days)
  end

  --- nil when there are more than MOST months.
  function T.months(months)
    months = N.integer(months)
    if not months or months < -MOST then return nil end
    return setmetatable({ months = months }, Months)
  end

  local function digits(text)
    if text == nil then return 0 end
    return #text <= 15 and math.tointeger(text) or nil
  end

  local function parse_months(text)
    local years, months = text:match "^P(%d+)Y(%d+)M$"
    if not years then years = text:match "^P(%d+)Y$" end
    if not years then months = text:match "^P(%d+)M$" end
    if not years and not months then return nil end
    years, months = digits(years), digits(months)
    return years and months and T.months(years * 12 + months)
  end

  -- The parts behind the T, each at most once and in this order.
  local function parse_clock(text)
    local parts = {}
    for _, unit in ipairs { "H", "M" } do
      local number, rest = text:match("^(%d+)" .. unit .. "(.*)$")
      if number then parts[unit], text = number, rest end
    end
    local seconds, fraction, rest = text:match "^(%d+)%.?(%d*)S(.*)$"
    if seconds then parts.S, parts.fraction, text = seconds, fraction, rest end
    if text ~= "" or next(parts) == nil then return nil end
    return parts
  end

  local function parse_days(text)
    local days, clock = text:match "^P(%d+)D(.*)$"
    if not days then clock = text:match "^P(T.*)$" end
    if not days and not clock then return nil end
    local parts = clock ~= "" and clock:sub(1, 1) == "T" and parse_clock(clock:sub(2)) or nil
    if clock ~= "" and not parts then return nil end
    parts = parts or {}
    local d, h, m, s = digits(days), digits(parts.H), digits(parts.M), digits(parts.S)
    if not (d and h and m and s) then return nil end
    local nano = math.tointeger(((parts.fraction or "") .. "000000000"):sub(1, 9))
    return T.days(N.add(N.mul(d, C.DAY), N.add(N.mul(h, 3600), N.add(N.mul(m, 60), s))), nano)
  end

  --- "P1Y2M" or "P1DT2H3M4.5S", with a sign; nil when it is neither.
  function T.duration(text)
    local sign, rest = text:match "^(-?)(P.*)$"
    local value = rest and (parse_months(rest) or parse_days(rest))
    if not value or sign == "" then return value or nil end
    return T.negate(value)
  end

  function T.negate(d)
    if getmetatable(d) == Months then return T.months(-d.months) end
    return T.days(-d.seconds, -d.nano)
  end

  function T.add_durations(a, b)
    if getmetatable(a) == Months then return T.months(N.add(a.months, b.months)) end
    return T.days(N.add(a.seconds, b.seconds), a.nano + b.nano)
  end

  --- A duration as a number: its months, or its seconds with their fraction.
  function T.amount(d)
    if getmetatable(d) == Months then return d.months end
    if d.nano == 0 then return d.seconds end
    return N.add(d.seconds, N.div(d.nano, NANOS))
  end

  --- The duration of that kind whose amount is the number, cut to whole months or nanoseconds; nil
  -- when it is too large.
  function T.of_amount(kind, number)
    if not number then return nil end
    if kind == Months then return T.months(N.round(number, 0, "down")) end
    local seconds = N.round(number, 0, "floor")
    return T.days(seconds, N.integer(N.round(N.mul(N.sub(number, seconds), NANOS), 0, "half even")))
  end

  -- ---- Dates and times --------------------------------------------------------------------------

  --- nil when there is no such day.
  function T.date(year, month, day)
    if not C.is_date(year, month, day) then return nil end
    return setmetatable({ year = year, month = month, day = day }, Date)
  end

  local function day_of(v) return C.days(v.year, v.month, v.day) end
  T.day_of = day_of
  local function clock_of(v) return v.hour * 3600 + v.minute * 60 + v.second end

  -- What the zone's clocks add to UTC this year while they are not put forward: the lesser of winter
  -- and summer, whichever half of the earth it lies in.
  local function standard_offset(zone)
    local year = C.date(math.floor(f.clock()) // C.DAY)
    return math.min(C.offset_at(zone, C.days(year, 1, 1) * C.DAY), C.offset_at(zone, C.days(year, 7, 1) * C.DAY))
  end

  -- Fills the offset in that the zone has then. A time of day has no day that could be in summer.
  local function resolve(v)
    if not v.zone then return v end
    if v.year then
      v.offset = C.offset_of_local(v.zone, day_of(v) * C.DAY + clock_of(v))
    else
      v.offset = standard_offset(v.zone)
    end
    return v
  end

  function T.time(fields) return setmetatable(resolve(fields), Time) end

  function T.date_time(date, time)
    return setmetatable(resolve {
      year = date.year, month = date.month, day = date.day, hour = time.hour, minute = time.minute, second = time.second, nano = time.nano,
      offset = time.offset, zone = time.zone,
    }, DateTime)
  end

  function T.date_of(v) return setmetatable({ year = v.year, month = v.month, day = v.day }, Date) end

  function T.time_of(v)
    return setmetatable({ hour = v.hour, minute = v.minute, second = v.second, nano = v.nano, offset = v.offset, zone = v.zone }, Time)
  end

  local MIDNIGHT_UTC = { hour = 0, minute = 0, second = 0, nano = 0, offset = 0 }

  --- A date as the instant of its midnight, in UTC.
  function T.at_midnight(date) return T.date_time(date, MIDNIGHT_UTC) end

  -- ---- Texts ------------------------------------------------------------------------------------

  function T.parse_date(text)
    local year, month, day = C.parse_date(text)
    return year and T.date(year, month, day)
  end

  function T.parse_time(text)
    local fields = C.parse_time(text)
    if not fields then return nil end
    fields.hour = fields.hour % 24
    return T.time(fields)
  end

  function T.parse_date_time(text)
    local date, time = text:match "^([^T]*)T(.*)$"
    if not date then
      local day = T.parse_date(text)
      return day and T.date_time(day, { hour = 0, minute = 0, second = 0, nano = 0 })
    end
    local year, month, day = C.parse_date(date)
    local fields = year and C.parse_time(time)
    if not fields then return nil end
    if fields.hour == 24 then
      fields.hour = 0
      year, month, day = C.date(C.days(year, month, day) + 1)
    end
    return C.is_date(year, month, day) and T.date_time({ year = year, month = month, day = day }, fields) or nil
  end

  --- The value of @"text": its kind follows from the text. nil: no known one.
  function T.parse(text)
    if text:find "^-?P" then return T.duration(text) end
    if text:find "^%d%d:" then return T.parse_time(text) end
    if text:find "T" then return T.parse_date_time(text) end
    return T.parse_date(text)
  end

  local function months_text(d)
    local total = math.abs(d.months)
    local years, months = total // 12, total % 12
    local text = (years > 0 and years .. "Y" or "") .. ((months > 0 or years == 0) and months .. "M" or "")
    return (d.months < 0 and "-P" or "P") .. text
  end

  -- Whole parts without their sign.
  local function split(d)
    local negative = d.seconds < 0
    local seconds, nano = d.seconds, d.nano
    if negative then
      seconds, nano = -seconds, -nano
      if nano < 0 then seconds, nano = seconds - 1, nano + NANOS end
    end
    return negative, seconds // C.DAY, seconds // 3600 % 24, seconds // 60 % 60, seconds % 60, nano
  end

  local function days_text(d)
    local negative, days, hours, minutes, seconds, nano = split(d)
    local clock = (hours > 0 and hours .. "H" or "") .. (minutes > 0 and minutes .. "M" or "")
    if seconds > 0 or nano > 0 then clock = clock .. seconds .. C.fraction_text(nano) .. "S" end
    if days == 0 and clock == "" then clock = "0S" end
    return (negative and "-P" or "P") .. (days > 0 and days .. "D" or "") .. (clock ~= "" and "T" .. clock or "")
  end

  local texts = {
    [Date] = function(v) return C.date_text(v.year, v.month, v.day) end,
    [Time] = C.time_text,
    [DateTime] = function(v) return C.date_text(v.year, v.month, v.day) .. "T" .. C.time_text(v) end,
    [Days] = days_text,
    [Months] = months_text,
  }

  --- The text of any of them; nil for other values.
  function T.text(v)
    local text = texts[getmetatable(v)]
    return text and text(v)
  end

  -- ---- Instants ---------------------------------------------------------------------------------

  --- Seconds and nanoseconds since 1970 of a date and time; a local one is at `elsewhere`, an
  -- offset, or in UTC.
  local function instant(v, elsewhere)
    return day_of(v) * C.DAY + clock_of(v) - (v.offset or elsewhere or 0), v.nano
  end
  T.instant = instant

  -- A local time from seconds.
  local function set_clock(v, seconds, nano)
    local clock = seconds % C.DAY
    v.hour, v.minute, v.second, v.nano = clock // 3600, clock // 60 % 60, clock % 60, nano
    return v
  end

  --- The date and time at that instant by the clocks of a zone, of an offset, or of none. nil
  -- beyond the last year.
  function T.from_instant(seconds, nano, offset, zone)
    seconds, nano = seconds + nano // NANOS, nano % NANOS
    if zone then offset = C.offset_at(zone, seconds) end
    local here = seconds + (offset or 0)
    local year, month, day = C.date(here // C.DAY)
    if year > C.YEAR_MAX or year < -C.YEAR_MAX then return nil end
    return setmetatable(set_clock({ year = year, month = month, day = day, offset = offset, zone = zone }, here, nano), DateTime)
  end

  --- Does it say where its clock is?
  local function is_placed(v) return v.offset ~= nil end

  local function order(a, b) return a < b and -1 or a == b and 0 or 1 end

  local function compare_points(left, left_nano, right, right_nano)
    return left ~= right and order(left, right) or order(left_nano, right_nano)
  end

  -- Times of one zone are by the same clocks, in summer, too.
  local function compare_times(a, b)
    local ours, theirs = a.offset or b.offset or 0, b.offset or a.offset or 0
    if a.zone and a.zone == b.zone then theirs = ours end
    return compare_points(clock_of(a) - ours, a.nano, clock_of(b) - theirs, b.nano)
  end

  --- < 0, 0, > 0 for values of one kind. Where one of two times has no zone it is the other's.
  function T.compare(a, b)
    local meta = getmetatable(a)
    if meta == Date then return day_of(a) - day_of(b) end
    if meta == Months then return order(a.months, b.months) end
    if meta == Days then return compare_points(a.seconds, a.nano, b.seconds, b.nano) end
    if meta == Time then return compare_times(a, b) end
    local left, left_nano = instant(a, b.offset)
    return compare_points(left, left_nano, instant(b, a.offset))
  end

  --- b - a as a days and time duration; nil where one has a zone and the other none.
  function T.between(a, b)
    local meta = getmetatable(a)
    if meta == Date then return T.days((day_of(b) - day_of(a)) * C.DAY) end
    if is_placed(a) ~= is_placed(b) then return nil end
    if meta == Time then return T.days(clock_of(b) - clock_of(a) - (b.offset or 0) + (a.offset or 0), b.nano - a.nano) end
    local left, left_nano = instant(a)
    local right, right_nano = instant(b)
    return T.days(right - left, right_nano - left_nano)
  end

  -- ---- Adding -----------------------------------------------------------------------------------

  local function add_months(v, d)
    if d.months > 24 * C.YEAR_MAX or d.months < -24 * C.YEAR_MAX then return nil end
    local year, month, day = C.add_months(v.year, v.month, v.day, d.months)
    if year > C.YEAR_MAX or year < -C.YEAR_MAX then return nil end
    if getmetatable(v) == Date then return T.date(year, month, day) end
    local offset = not v.zone and v.offset or nil
    local time = { hour = v.hour, minute = v.minute, second = v.second, nano = v.nano, offset = offset, zone = v.zone }
    return T.date_time({ year = year, month = month, day = day }, time)
  end

  local FAR <const> = 2 * 366 * C.DAY * C.YEAR_MAX -- from any day, there is none that far away

  local function add_days(v, d)
    local meta = getmetatable(v)
    if meta == Time then
      local nano = v.nano + d.nano
      local out = { offset = v.offset, zone = v.zone }
      return setmetatable(set_clock(out, clock_of(v) + d.seconds % C.DAY + nano // NANOS, nano % NANOS), Time)
    end
    if d.seconds > FAR or d.seconds < -FAR then return nil end
    if meta == Date then
      local year, month, day = C.date((day_of(v) * C.DAY + d.seconds) // C.DAY)
      return T.date(year, month, day)
    end
    local seconds, nano = instant(v)
    return T.from_instant(seconds + d.seconds, nano + d.nano, v.offset, v.zone)
  end

  --- A date, time, or both, so much later; nil when there is no such thing.
  function T.add(v, d)
    if getmetatable(d) == Days then return add_days(v, d) end
    if getmetatable(v) == Time then return nil end
    return add_months(v, d)
  end

  -- ---- Properties -------------------------------------------------------------------------------

  local function signed(negative, n) return negative and -n or n end
  local function offset_property(v) return v.offset and T.days(v.offset) or nil end
  local function zone_property(v) return v.zone end

  local day_properties = {
    year = function(v) return v.year end,
    month = function(v) return v.month end,
    day = function(v) return v.day end,
    weekday = function(v) return C.weekday(day_of(v)) end,
  }
  local clock_properties = {
    hour = function(v) return v.hour end,
    minute = function(v) return v.minute end,
    second = function(v) return v.second end,
    ["time offset"] = offset_property,
    timezone = zone_property,
  }
  local both = {}
  for name, property in pairs(day_properties) do both[name] = property end
  for name, property in pairs(clock_properties) do both[name] = property end

  local function part(index)
    return function(d)
      local parts = { split(d) }
      return signed(parts[1], parts[index + 1])
    end
  end

  local properties = {
    [Date] = day_properties,
    [Time] = clock_properties,
    [DateTime] = both,
    [Days] = { days = part(1), hours = part(2), minutes = part(3), seconds = part(4) },
    [Months] = {
      years = function(d) return signed(d.months < 0, math.abs(d.months) // 12) end,
      months = function(d) return signed(d.months < 0, math.abs(d.months) % 12) end,
    },
  }

  --- Whether there is a property of that name, and its value.
  function T.property(v, name)
    local of = properties[getmetatable(v)]
    local property = of and of[name]
    if not property then return false end
    return true, property(v)
  end

  -- Equal ones are equal in Lua, too. One that says no zone equals none that says one, though neither
  -- may come before the other.
  for _, meta in ipairs { Date, Time, DateTime, Days, Months } do
    meta.__eq = function(a, b)
      return getmetatable(a) == getmetatable(b) and is_placed(a) == is_placed(b) and T.compare(a, b) == 0
    end
  end

  f.date_of = T.date_of
  f.date, f.time, f.date_time, f.duration = T.parse_date, T.parse_time, T.parse_date_time, T.duration

  function f.at(text)
    local value = T.parse(text)
    if value == nil then return f.nothing("@\"%s\" is no date, time or duration", text) end
    return value
  end
end
