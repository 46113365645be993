--- Days, dates and zones: the core's proleptic Gregorian calendar, and the texts of ISO 8601.
local core = require "orrery.core"

local feel = core.feel
local C = {}

C.YEAR_MAX = 999999999
C.DAY = 86400
local ERA_SECONDS = 146097 * 86400 -- of 400 years, after which the calendar repeats

-- ---- Days ---------------------------------------------------------------------------------------

--- Of a year and its month.
C.month_length = core.month_length
--- Days since 1970-01-01, of year, month and day.
C.days = core.civil_days
--- Year, month, day.
C.date = core.civil_date

--- 1 for Monday to 7 for Sunday.
function C.weekday(days) return (days + 3) % 7 + 1 end

function C.is_date(year, month, day)
  return year >= -C.YEAR_MAX and year <= C.YEAR_MAX and month >= 1 and month <= 12 and day >= 1 and day <= C.month_length(year, month)
end

--- The day that many months later, the month's last one where it has no such day.
function C.add_months(year, month, day, months)
  local count = year * 12 + month - 1 + months
  year, month = count // 12, count % 12 + 1
  return year, month, math.min(day, C.month_length(year, month))
end

-- ---- Zones --------------------------------------------------------------------------------------

local zones = {} -- by name; there are some 600

--- An IANA zone, or nil.
function C.zone(name)
  if zones[name] then return zones[name] end
  if not name:find "^%a[%w_+%-/]*$" then return nil end
  local zone = feel.zone(name)
  zones[name] = zone
  return zone
end

-- Far years have the rules of those nearer by: the calendar repeats, and zone.c counts in
-- milliseconds.
local function near(seconds)
  local most = 8000 * 31556952
  if seconds > most then return seconds - (seconds - most) // ERA_SECONDS * ERA_SECONDS - ERA_SECONDS end
  if seconds < -most then return seconds + (-most - seconds) // ERA_SECONDS * ERA_SECONDS + ERA_SECONDS end
  return seconds
end

--- What a zone's clocks add to UTC at an instant, in seconds.
function C.offset_at(name, utc) return feel.zone_offset(C.zone(name), near(utc)) end

--- The same at a local time.
function C.offset_of_local(name, seconds)
  local at = near(seconds)
  return at - feel.zone_instant(C.zone(name), at)
end

-- ---- Texts --------------------------------------------------------------------------------------

--- Year, month, day of "2026-01-31", with a sign before years B.C. and more digits for far ones;
-- nil when it is no date.
function C.parse_date(text)
  local sign, year, month, day = text:match "^(-?)(%d%d%d%d+)-(%d%d)-(%d%d)$"
  if not year or #year > 9 or (#year > 4 and year:sub(1, 1) == "0") then return nil end
  year, month, day = math.tointeger(sign .. year), math.tointeger(month), math.tointeger(day)
  if not C.is_date(year, month, day) then return nil end
  return year, month, day
end

--- The offset in seconds of "Z", "+01:00", "-02:30:15"; nil when it is none.
function C.parse_offset(text)
  if text == "Z" or text == "z" then return 0 end
  local sign, hours, minutes, rest = text:match "^([-+])(%d%d):(%d%d)(.*)$"
  if not hours then return nil end
  local seconds = rest == "" and "00" or rest:match "^:(%d%d)$"
  if not seconds then return nil end
  hours, minutes, seconds = math.tointeger(hours), math.tointeger(minutes), math.tointeger(seconds)
  local total = hours * 3600 + minutes * 60 + seconds
  if minutes > 59 or seconds > 59 or total > 18 * 3600 then return nil end
  return sign == "-" and -total or total
end

--- Offset and zone behind a time; false when there is neither a right one nor none.
local function parse_where(text)
  if text == "" then return nil, nil end
  local name = text:match "^@(.+)$"
  if name then
    if not C.zone(name) then return false end
    return nil, name
  end
  return C.parse_offset(text) or false
end

--- Fields of "10:20:30.5+01:00", "10:20:30@Europe/Vienna"; nil when it is no time. 24:00:00 is the
-- end of a day, and has the hour 24.
function C.parse_time(text)
  local hour, minute, second, rest = text:match "^(%d%d):(%d%d):(%d%d)(.*)$"
  if not hour then return nil end
  local fraction, where = rest:match "^%.(%d+)(.*)$"
  hour, minute, second = math.tointeger(hour), math.tointeger(minute), math.tointeger(second)
  if hour > 24 or minute > 59 or second > 59 or rest:find "^%.%D" or rest == "." then return nil end
  local offset, zone = parse_where(where or rest)
  if offset == false then return nil end
  local nano = fraction and math.tointeger((fraction .. "00000000"):sub(1, 9)) or 0
  if hour == 24 and minute + second + nano > 0 then return nil end
  return { hour = hour, minute = minute, second = second, nano = nano, offset = offset, zone = zone }
end

function C.date_text(year, month, day)
  return ("%s%04d-%02d-%02d"):format(year < 0 and "-" or "", math.abs(year), month, day)
end

--- ".5" for half a second; nothing for none.
function C.fraction_text(nano) return nano == 0 and "" or (".%09d"):format(nano):gsub("0+$", "") end

function C.offset_text(offset)
  if offset == 0 then return "Z" end
  local total = math.abs(offset)
  local text = ("%s%02d:%02d"):format(offset < 0 and "-" or "+", total // 3600, total // 60 % 60)
  return total % 60 == 0 and text or ("%s:%02d"):format(text, total % 60)
end

function C.time_text(t)
  local where = t.zone and "@" .. t.zone or t.offset and C.offset_text(t.offset) or ""
  return ("%02d:%02d:%02d"):format(t.hour, t.minute, t.second) .. C.fraction_text(t.nano) .. where
end

return C
