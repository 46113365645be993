--- What dateTime() gives: an instant that is moved by calendar in UTC. Each method gives a new one.
local DateTime = {}
DateTime.__index = DateTime

local function days_from_civil(year, month, day)
  if month <= 2 then year = year - 1 end
  local era = year // 400
  local year_of_era = year - era * 400
  local day_of_year = (153 * (month > 2 and month - 3 or month + 9) + 2) // 5 + day - 1
  return era * 146097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719468
end

local function civil(ms) return os.date("!*t", ms // 1000) end

local function make(el, ms) return setmetatable({ el = el, ms = ms }, DateTime) end

local datetime = {}

function datetime.of(el, seconds) return make(el, math.floor(seconds * 1000 + 0.5)) end

local units = {
  Millis = 1, Seconds = 1000, Minutes = 60000, Hours = 3600000, Days = 86400000, Weeks = 604800000,
}
for name, length in pairs(units) do
  DateTime["plus" .. name] = function(self, n) return make(self.el, self.ms + math.floor(self.el.num(n)) * length) end
  DateTime["minus" .. name] = function(self, n) return make(self.el, self.ms - math.floor(self.el.num(n)) * length) end
end

--- A day that the month lacks becomes its last.
local function plus_months(self, n)
  local at = civil(self.ms)
  local index = at.year * 12 + at.month - 1 + n
  local year, month = index // 12, index % 12 + 1
  local first = days_from_civil(year, month, 1)
  local length = days_from_civil(year + month // 12, month % 12 + 1, 1) - first
  local days = first + math.min(at.day, length) - 1
  return make(self.el, days * 86400000 + self.ms % 86400000)
end

function DateTime:plusMonths(n) return plus_months(self, math.floor(self.el.num(n))) end
function DateTime:minusMonths(n) return plus_months(self, -math.floor(self.el.num(n))) end
function DateTime:plusYears(n) return plus_months(self, 12 * math.floor(self.el.num(n))) end
function DateTime:minusYears(n) return plus_months(self, -12 * math.floor(self.el.num(n))) end

--- Seconds, as times are everywhere in the API.
function DateTime:toDate()
  if self.ms % 1000 == 0 then return self.ms // 1000 end
  return self.ms / 1000
end
function DateTime:getTime() return self.ms end
DateTime.getMillis = DateTime.getTime
DateTime.toEpochMilli = DateTime.getTime

local fields = { getYear = "year", getMonthOfYear = "month", getDayOfMonth = "day", getHourOfDay = "hour", getMinuteOfHour = "min" }
for method, field in pairs(fields) do
  DateTime[method] = function(self) return civil(self.ms)[field] end
end
function DateTime:getDayOfWeek() return (civil(self.ms).wday + 5) % 7 + 1 end -- Monday is 1
function DateTime:withTimeAtStartOfDay() return make(self.el, self.ms - self.ms % 86400000) end

function DateTime:isBefore(other) return self.ms < other.ms end
function DateTime:isAfter(other) return self.ms > other.ms end
function DateTime:toString() return self.el.format_time(self.ms / 1000) end
DateTime.__tostring = DateTime.toString
function DateTime.__eq(a, b) return a.ms == b.ms end
function DateTime.__lt(a, b) return a.ms < b.ms end
function DateTime.__le(a, b) return a.ms <= b.ms end

return datetime
