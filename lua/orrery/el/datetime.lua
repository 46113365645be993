--- What dateTime() gives: an instant, and the zone by whose calendar and clocks it is moved and shown. Each method gives
-- a new one.
local core = require "orrery.core"
local calendar = require "orrery.lazy".module "orrery.feel.calendar"

local DAY = 86400000

local Methods = {}
local DateTime = { __index = Methods } -- apart, so that no expression gets hold of what all moments share

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
  return setmetatable({ ms = ms, zone = from.zone, zone_name = from.zone_name }, DateTime)
end

--- When the clocks show that time of that day.
local function at(self, days, rest)
  local ms = days * DAY + rest
  if self.zone then ms = core.feel.zone_instant(self.zone, ms // 1000) * 1000 + ms % 1000 end
  return make(self, ms)
end

local datetime = { metatable = DateTime }

function datetime.is(value) return getmetatable(value) == DateTime end

--- `zone`: the name of one; UTC when not given.
function datetime.of(language, seconds, zone)
  el = language
  return make({ zone = zone_of(zone), zone_name = zone }, math.floor(seconds * 1000 + 0.5))
end

--- A text of ISO 8601; without an offset, the clocks of the zone show that time.
function datetime.parse(language, text, zone)
  local date = datetime.of(language, language.parse_time(text), zone)
  if text:find "[Zz]%s*$" or text:find "T.*[+-]%d" then return date end
  return at(date, date.ms // DAY, date.ms % DAY)
end

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

--- Seconds, as times are everywhere in the API.
function Methods:toDate()
  if self.ms % 1000 == 0 then return self.ms // 1000 end
  return self.ms / 1000
end
function Methods:getTime() return self.ms end
Methods.getMillis = Methods.getTime
Methods.toEpochMilli = Methods.getTime

--- What patterns and the methods below are made of.
local function fields(self)
  local year, month, day, rest = shown(self)
  return { year = year, month = month, day = day, weekday = calendar.weekday(calendar.days(year, month, day)),
    hour = rest // 3600000, min = rest // 60000 % 60, sec = rest // 1000 % 60, ms = rest % 1000,
    offset = offset(self) // 60000 }
end

local getters = { getYear = "year", getMonthOfYear = "month", getDayOfMonth = "day", getHourOfDay = "hour",
  getMinuteOfHour = "min", getDayOfWeek = "weekday" } -- Monday is 1
for method, field in pairs(getters) do
  Methods[method] = function(self) return fields(self)[field] end
end
function Methods:withTimeAtStartOfDay()
  return at(self, (self.ms + offset(self)) // DAY, 0)
end

function Methods:isBefore(other) return self.ms < other.ms end
function Methods:isAfter(other) return self.ms > other.ms end
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
function DateTime.__eq(a, b) return a.ms == b.ms end
function DateTime.__lt(a, b) return a.ms < b.ms end
function DateTime.__le(a, b) return a.ms <= b.ms end

return datetime
