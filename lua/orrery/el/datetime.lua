--- What dateTime() gives: an instant, and the zone by whose calendar and clocks it is moved and shown. Each method gives
-- a new one. And what now() and toDate() give, a Date, as Java has it: an instant that is stored as
-- a Date, and counts as its seconds wherever something else is wanted.
local core = require "orrery.core"
local calendar = require "orrery.lazy".module "orrery.feel.calendar"

local DAY = 86400000

local Methods = {}
local DateTime = { __index = Methods } -- apart, so that no expression gets hold of what all moments share
local DateMethods = {}
local Date = { __index = DateMethods }

local el -- lua/orrery/el.lua, from the first call on

local zones = {} -- by name

--- UTC needs none.
local function zone_of(name)
  if not name or name == "UTC" then return nil end
  if not zones[name] then zones[name] = core.feel.zone(name) end
  return zones[name]
end

--- What the clocks add to UTC then.
local function offset(self)
  return self.zone and core.feel.zone_offset(self.zone, self.ms // 1000) * 1000 or 0
end

--- Year, month, day, and the rest of the day in milliseconds, as the clocks show them.
local function shown(self)
  local ms = self.ms + offset(self)
  local year, month, day = calendar.date(ms // DAY)
  return year, month, day, ms % DAY
end

local function make(from, ms)
  return setmetatable({ ms = ms, zone = from.zone, zone_name = from.zone_name,
    clock = from.clock }, DateTime)
end

--- When the clocks show that time of that day.
local function at(self, days, rest)
  local ms = days * DAY + rest
  if self.zone then ms = core.feel.zone_instant(self.zone, ms // 1000) * 1000 + ms % 1000 end
  return make(self, ms)
end

local datetime = { metatables = { [DateTime] = true, [Date] = true } }

function datetime.is(value) return getmetatable(value) == DateTime end

local function milliseconds(seconds) return math.floor(seconds * 1000 + 0.5) end

--- `zone`: the name of one; UTC when not given. `clock`: gives the time, for what asks whether the
--- moment is past; may be nil.
function datetime.of(language, seconds, zone, clock)
  el = language
  return make({ zone = zone_of(zone), zone_name = zone, clock = clock }, milliseconds(seconds))
end

--- A text of ISO 8601; without an offset, the clocks of the zone show that time.
function datetime.parse(language, text, zone, clock)
  local date = datetime.of(language, language.parse_time(text), zone, clock)
  if text:find "[Zz]%s*$" or text:find "T.*[+-]%d" then return date end
  return at(date, date.ms // DAY, date.ms % DAY)
end

-- ---- Dates -------------------------------------------------------------------------------------

--- The Date of an instant.
function datetime.date(seconds)
  return setmetatable({ ms = milliseconds(seconds), seconds = seconds }, Date)
end

function datetime.is_date(value) return getmetatable(value) == Date end

--- A Date's seconds; any other value as it is.
function datetime.bare(value)
  if getmetatable(value) == Date then return value.seconds end
  return value
end

--- The milliseconds of what a moment is compared with: another, or seconds, as a variable that is a
--- Date has them.
local function instant(value)
  if datetime.metatables[getmetatable(value)] then return value.ms end
  if math.type(value) then return milliseconds(value) end
  return el.fail("A date cannot be compared with %s", el.describe(value))
end

local function compare(self, other)
  local ms = instant(other)
  return self.ms == ms and 0 or (self.ms < ms and -1 or 1)
end

local function equals(self, other)
  local known = datetime.metatables[getmetatable(other)] or math.type(other)
  return known and self.ms == instant(other) or false
end

function DateMethods:getTime() return self.ms end
function DateMethods:before(other) return self.ms < instant(other) end
function DateMethods:after(other) return self.ms > instant(other) end
function DateMethods:toString() return tostring(self.seconds) end
DateMethods.equals, DateMethods.compareTo = equals, compare
Date.__tostring = DateMethods.toString

-- ---- Moves --------------------------------------------------------------------------------------

local function whole(self, n) return math.floor(el.num(n)) end

--- Hours and what is shorter are exact time.
local units = { Millis = 1, Seconds = 1000, Minutes = 60000, Hours = 3600000 }
for name, length in pairs(units) do
  Methods["plus" .. name] = function(self, n) return make(self, self.ms + whole(self, n) * length) end
  Methods["minus" .. name] = function(self, n) return make(self, self.ms - whole(self, n) * length) end
end

--- Days, weeks, months and years go by the calendar, and leave the time of day as it is. A day that the month lacks becomes
-- its last.
local function moved(self, months, days)
  if months == 0 and days == 0 then return self end
  local year, month, day, rest = shown(self)
  return at(self, calendar.days(calendar.add_months(year, month, day, months)) + days, rest)
end

function Methods:plusDays(n) return moved(self, 0, whole(self, n)) end
function Methods:minusDays(n) return moved(self, 0, -whole(self, n)) end
function Methods:plusWeeks(n) return moved(self, 0, 7 * whole(self, n)) end
function Methods:minusWeeks(n) return moved(self, 0, -7 * whole(self, n)) end
function Methods:plusMonths(n) return moved(self, whole(self, n), 0) end
function Methods:minusMonths(n) return moved(self, -whole(self, n), 0) end
function Methods:plusYears(n) return moved(self, 12 * whole(self, n), 0) end
function Methods:minusYears(n) return moved(self, -12 * whole(self, n), 0) end
Methods.plus, Methods.minus = Methods.plusMillis, Methods.minusMillis

function Methods:toDate()
  return datetime.date(self.ms % 1000 == 0 and self.ms // 1000 or self.ms / 1000)
end
function Methods:getTime() return self.ms end
Methods.getMillis = Methods.getTime
Methods.toEpochMilli = Methods.getTime

-- ---- Parts --------------------------------------------------------------------------------------

--- What patterns and the methods below are made of.
local function fields(self)
  local year, month, day, rest = shown(self)
  local days = calendar.days(year, month, day)
  return { year = year, month = month, day = day, days = days, rest = rest,
    weekday = calendar.weekday(days), yearday = days - calendar.days(year, 1, 1) + 1,
    hour = rest // 3600000, min = rest // 60000 % 60, sec = rest // 1000 % 60, ms = rest % 1000,
    offset = offset(self) // 60000 }
end

local getters = { getYear = "year", getMonthOfYear = "month", getDayOfMonth = "day",
  getDayOfYear = "yearday", getDayOfWeek = "weekday", -- Monday is 1
  getHourOfDay = "hour", getMinuteOfHour = "min", getSecondOfMinute = "sec",
  getMillisOfSecond = "ms", getMillisOfDay = "rest" }
for method, field in pairs(getters) do
  Methods[method] = function(self) return fields(self)[field] end
end
function Methods:getMinuteOfDay() return fields(self).rest // 60000 end
function Methods:getSecondOfDay() return fields(self).rest // 1000 end

--- A week belongs to the year that its Thursday is in.
local function week_of(self)
  local f = fields(self)
  local thursday = f.days - f.weekday + 4
  local year = calendar.date(thursday)
  return (thursday - calendar.days(year, 1, 1)) // 7 + 1, year
end
function Methods:getWeekOfWeekyear() return (week_of(self)) end
function Methods:getWeekyear() return (select(2, week_of(self))) end

--- An argument of with…(), which must be within its bounds, as Joda-Time wants it.
local function within(method, value, least, most)
  local n = value ~= nil and math.tointeger(el.num(value))
  if n and n >= least and n <= most then return n end
  return el.fail("%s: %s is not within %d and %d", method, el.describe(value), least, most)
end

--- The same day, when the clocks show that time.
local function at_time(self, rest) return at(self, fields(self).days, rest) end

--- How long a part of the day is, and how many of them the next longer one has.
local parts = { withHourOfDay = { 3600000, 24 }, withMinuteOfHour = { 60000, 60 },
  withSecondOfMinute = { 1000, 60 }, withMillisOfSecond = { 1, 1000 },
  withMillisOfDay = { 1, DAY } }
for method, part in pairs(parts) do
  local length, count = part[1], part[2]
  Methods[method] = function(self, value)
    local n, rest = within(method, value, 0, count - 1), fields(self).rest
    return at_time(self, rest + (n - rest // length % count) * length)
  end
end

function Methods:withTime(hour, minute, second, ms)
  return at_time(self, within("withTime", hour, 0, 23) * 3600000
    + within("withTime", minute, 0, 59) * 60000
    + within("withTime", second, 0, 59) * 1000 + within("withTime", ms, 0, 999))
end
function Methods:withTimeAtStartOfDay() return at_time(self, 0) end

--- The same time of another day.
local function at_day(self, days) return at(self, days, fields(self).rest) end

local YEAR_MAX = 9999

function Methods:withDate(year, month, day)
  year, month = within("withDate", year, 1, YEAR_MAX), within("withDate", month, 1, 12)
  day = within("withDate", day, 1, calendar.month_length(year, month))
  return at_day(self, calendar.days(year, month, day))
end
function Methods:withDayOfMonth(day)
  local f = fields(self)
  local n = within("withDayOfMonth", day, 1, calendar.month_length(f.year, f.month))
  return at_day(self, f.days + n - f.day)
end
function Methods:withDayOfWeek(day)
  local f = fields(self)
  return at_day(self, f.days + within("withDayOfWeek", day, 1, 7) - f.weekday)
end
function Methods:withDayOfYear(day)
  local f = fields(self)
  local length = calendar.days(f.year + 1, 1, 1) - calendar.days(f.year, 1, 1)
  return at_day(self, f.days + within("withDayOfYear", day, 1, length) - f.yearday)
end
function Methods:withMonthOfYear(month)
  return moved(self, within("withMonthOfYear", month, 1, 12) - fields(self).month, 0)
end
function Methods:withYear(year)
  return moved(self, 12 * (within("withYear", year, 1, YEAR_MAX) - fields(self).year), 0)
end

--- dayOfMonth().withMaximumValue(): the last day of the month, at the same time.
local DayMethods = {}
local Day = { __index = DayMethods }
function Methods:dayOfMonth() return setmetatable({ moment = self }, Day) end
function DayMethods:get() return self.moment:getDayOfMonth() end
function DayMethods:withMinimumValue() return self.moment:withDayOfMonth(1) end
function DayMethods:withMaximumValue()
  local f = fields(self.moment)
  return self.moment:withDayOfMonth(calendar.month_length(f.year, f.month))
end

local function clock_of(self)
  return self.clock and milliseconds(self.clock()) or el.fail "there is no clock in this expression"
end
function Methods:isBeforeNow() return self.ms < clock_of(self) end
function Methods:isAfterNow() return self.ms > clock_of(self) end
function Methods:isBefore(other) return self.ms < instant(other) end
function Methods:isAfter(other) return self.ms > instant(other) end
function Methods:isEqual(other) return self.ms == instant(other) end
Methods.equals, Methods.compareTo = equals, compare

-- ---- Texts --------------------------------------------------------------------------------------

local week = { "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday" }
local months = { "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December" }

local function offset_text(minutes, colon)
  local size = math.abs(minutes)
  return ("%s%02d%s%02d"):format(minutes < 0 and "-" or "+", size // 60, colon, size % 60)
end

--- What a letter of a pattern stands for: a number, or a name that three or fewer letters cut short.
local letters = {
  y = function(at, width) return width == 2 and at.year % 100 or at.year end,
  M = function(at, width) return width > 2 and months[at.month] or at.month end,
  E = function(at) return week[at.weekday] end,
  d = function(at) return at.day end,
  H = function(at) return at.hour end,
  h = function(at) return (at.hour + 11) % 12 + 1 end,
  m = function(at) return at.min end,
  s = function(at) return at.sec end,
  S = function(at) return at.ms end,
  a = function(at) return at.hour < 12 and "AM" or "PM" end,
  Z = function(at) return offset_text(at.offset, "") end,
  X = function(at, width)
    if at.offset == 0 then return "Z" end
    local text = offset_text(at.offset, width > 2 and ":" or "")
    return width == 1 and at.offset % 60 == 0 and text:sub(1, 3) or text
  end,
}
letters.u = letters.y

local function spelled(at, run)
  local letter, width = run:sub(1, 1), #run
  local of = letters[letter]
  if not of then return nil end
  local value = of(at, width)
  if math.type(value) then return ("%0" .. width .. "d"):format(value) end
  return (letter == "M" or letter == "E") and width < 4 and value:sub(1, 3) or value
end

--- By a pattern as Java's date formats take it: letters in a row are a field, what stands in '...' is itself.
function Methods:format(pattern)
  local values, out, i = fields(self), {}, 1
  pattern = pattern:gsub("''", "\0") -- an apostrophe, inside quotes or not
  while i <= #pattern do
    local quoted, letter = pattern:match("^'([^']*)'", i), pattern:match("^%a", i)
    if quoted then
      out[#out + 1] = quoted
      i = i + #quoted + 2
    elseif letter then
      local run = pattern:match("^" .. letter .. "+", i)
      out[#out + 1] = spelled(values, run) or el.fail(("the date pattern '%s' has the unknown letter '%s'"):format(pattern, letter))
      i = i + #run
    else
      out[#out + 1] = pattern:sub(i, i)
      i = i + 1
    end
  end
  return (table.concat(out):gsub("\0", "'"))
end

function Methods:toString(pattern)
  if pattern then return self:format(pattern) end
  if self.zone then return core.time_format_local(self.ms / 1000, self.zone_name) end
  return el.format_time(self.ms / 1000)
end
function DateTime.__tostring(self) return self:toString() end
for _, class in ipairs { DateTime, Date } do
  function class.__eq(a, b) return a.ms == b.ms end
  function class.__lt(a, b) return a.ms < b.ms end
  function class.__le(a, b) return a.ms <= b.ms end
end

return datetime
