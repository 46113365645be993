--- What dateTime() gives: an instant that is moved by calendar in UTC. Each method gives a new one.
local Methods = {}
local DateTime = { __index = Methods } -- apart, so that no expression gets hold of what all moments share

local el -- lua/orrery/el.lua, from the first call on

local function days_from_civil(year, month, day)
  if month <= 2 then year = year - 1 end
  local era = year // 400
  local year_of_era = year - era * 400
  local day_of_year = (153 * (month > 2 and month - 3 or month + 9) + 2) // 5 + day - 1
  return era * 146097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719468
end

local function civil(ms) return os.date("!*t", ms // 1000) end

local function make(ms) return setmetatable({ ms = ms }, DateTime) end

local datetime = { metatable = DateTime }

function datetime.is(value) return getmetatable(value) == DateTime end

function datetime.of(language, seconds)
  el = language
  return make(math.floor(seconds * 1000 + 0.5))
end

local units = {
  Millis = 1, Seconds = 1000, Minutes = 60000, Hours = 3600000, Days = 86400000, Weeks = 604800000,
}
for name, length in pairs(units) do
  Methods["plus" .. name] = function(self, n) return make(self.ms + math.floor(el.num(n)) * length) end
  Methods["minus" .. name] = function(self, n) return make(self.ms - math.floor(el.num(n)) * length) end
end

--- A day that the month lacks becomes its last.
local function plus_months(self, n)
  local at = civil(self.ms)
  local index = at.year * 12 + at.month - 1 + n
  local year, month = index // 12, index % 12 + 1
  local first = days_from_civil(year, month, 1)
  local length = days_from_civil(year + month // 12, month % 12 + 1, 1) - first
  local days = first + math.min(at.day, length) - 1
  return make(days * 86400000 + self.ms % 86400000)
end

function Methods:plusMonths(n) return plus_months(self, math.floor(el.num(n))) end
function Methods:minusMonths(n) return plus_months(self, -math.floor(el.num(n))) end
function Methods:plusYears(n) return plus_months(self, 12 * math.floor(el.num(n))) end
function Methods:minusYears(n) return plus_months(self, -12 * math.floor(el.num(n))) end

--- Seconds, as times are everywhere in the API.
function Methods:toDate()
  if self.ms % 1000 == 0 then return self.ms // 1000 end
  return self.ms / 1000
end
function Methods:getTime() return self.ms end
Methods.getMillis = Methods.getTime
Methods.toEpochMilli = Methods.getTime

local fields = { getYear = "year", getMonthOfYear = "month", getDayOfMonth = "day", getHourOfDay = "hour", getMinuteOfHour = "min" }
for method, field in pairs(fields) do
  Methods[method] = function(self) return civil(self.ms)[field] end
end
function Methods:getDayOfWeek() return (civil(self.ms).wday + 5) % 7 + 1 end -- Monday is 1
function Methods:withTimeAtStartOfDay() return make(self.ms - self.ms % 86400000) end

function Methods:isBefore(other) return self.ms < other.ms end
function Methods:isAfter(other) return self.ms > other.ms end
local week = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday" }
local months = { "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December" }

--- What a letter of a pattern stands for: a number, or a name that three or fewer letters cut short.
local letters = {
  y = function(at, width) return width == 2 and at.year % 100 or at.year end,
  M = function(at, width) return width > 2 and months[at.month] or at.month end,
  E = function(at) return week[at.wday] end,
  d = function(at) return at.day end,
  H = function(at) return at.hour end,
  h = function(at) return (at.hour + 11) % 12 + 1 end,
  m = function(at) return at.min end,
  s = function(at) return at.sec end,
  S = function(at) return at.ms end,
  a = function(at) return at.hour < 12 and "AM" or "PM" end,
  Z = function() return "+0000" end,
  X = function() return "Z" end,
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

--- By a pattern as Java's date formats take it, in UTC: letters in a row are a field, what stands in '...' is itself.
function Methods:format(pattern)
  local at, out, i = civil(self.ms), {}, 1
  at.ms = self.ms % 1000
  pattern = pattern:gsub("''", "\0") -- an apostrophe, inside quotes or not
  while i <= #pattern do
    local quoted, letter = pattern:match("^'([^']*)'", i), pattern:match("^%a", i)
    if quoted then
      out[#out + 1] = quoted
      i = i + #quoted + 2
    elseif letter then
      local run = pattern:match("^" .. letter .. "+", i)
      out[#out + 1] = spelled(at, run) or el.fail(("the date pattern '%s' has the unknown letter '%s'"):format(pattern, letter))
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
  return el.format_time(self.ms / 1000)
end
function DateTime.__tostring(self) return self:toString() end
function DateTime.__eq(a, b) return a.ms == b.ms end
function DateTime.__lt(a, b) return a.ms < b.ms end
function DateTime.__le(a, b) return a.ms <= b.ms end

return datetime
