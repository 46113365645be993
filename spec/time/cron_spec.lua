local T = require("orrery_inside").time
local parse, format = T.parse_time, T.format_time

local QUARTZ, SPRING = {}, { spring = true }

local function next_of(text, rules, after, zone)
  local at, message = T.cron_next(text, rules, zone, parse(after))
  if at == nil then error(message, 2) end
  return at and format(at)
end

describe("cron", function()
  -- The oracle: walk minute by minute and ask the C library's calendar; a schedule is told once as text and once as a predicate.
  local function weekday(d) return d.wday - 1 end
  local function days_in(d) return os.date("!*t", os.time { year = d.year, month = d.month + 1, day = 0, hour = 12 }).day end
  local function nearest(d, n)
    local last = days_in(d)
    if n > last then return false end
    local wday = (weekday(d) - d.day + n) % 7
    if wday == 6 then n = n == 1 and 3 or n - 1 elseif wday == 0 then n = n == last and n - 2 or n + 1 end
    return d.day == n
  end
  local schedules = {
    { "0 0/5 * * * ?", QUARTZ, 3, function(d) return d.min % 5 == 0 end },
    { "0 7/20 * * * ?", QUARTZ, 3, function(d) return d.min % 20 == 7 end },
    { "0 0 6,19 * * ?", QUARTZ, 20, function(d) return d.min == 0 and (d.hour == 6 or d.hour == 19) end },
    { "0 0/30 8-10 * * ?", QUARTZ, 10, function(d) return d.min % 30 == 0 and d.hour >= 8 and d.hour <= 10 end },
    { "0 0 22-2 * * ?", QUARTZ, 10, function(d) return d.min == 0 and (d.hour >= 22 or d.hour <= 2) end },
    { "0 15 10 ? * MON-FRI", QUARTZ, 30, function(d) return d.min == 15 and d.hour == 10 and d.wday >= 2 and d.wday <= 6 end },
    { "0 15 10 ? * 2-6", QUARTZ, 30, function(d) return d.min == 15 and d.hour == 10 and d.wday >= 2 and d.wday <= 6 end },
    { "0 15 10 * * 1-5", SPRING, 30, function(d) return d.min == 15 and d.hour == 10 and d.wday >= 2 and d.wday <= 6 end },
    { "0 0 0 ? * FRI-MON", QUARTZ, 30, function(d) return d.min == 0 and d.hour == 0 and (d.wday >= 6 or d.wday <= 2) end },
    { "0 0 0 * * 5-7", SPRING, 30, function(d) return d.min == 0 and d.hour == 0 and (d.wday >= 6 or d.wday == 1) end },
    { "0 0 0 * * 0-7", SPRING, 8, function(d) return d.min == 0 and d.hour == 0 end },
    { "0 0 0 L * ?", QUARTZ, 800, function(d) return d.min == 0 and d.hour == 0 and d.day == days_in(d) end },
    { "0 0 12 L-15 * ?", QUARTZ, 800, function(d) return d.min == 0 and d.hour == 12 and d.day == days_in(d) - 15 end },
    { "0 0 0 LW * ?", QUARTZ, 800, function(d) return d.min == 0 and d.hour == 0 and nearest(d, days_in(d)) end },
    { "0 0 0 1W * ?", QUARTZ, 800, function(d) return d.min == 0 and d.hour == 0 and nearest(d, 1) end },
    { "0 0 0 31W * ?", QUARTZ, 800, function(d) return d.min == 0 and d.hour == 0 and nearest(d, 31) end },
    { "0 0 0 15W,3 * ?", QUARTZ, 800, function(d) return d.min == 0 and d.hour == 0 and (nearest(d, 15) or d.day == 3) end },
    { "0 0 0 ? * 6L", QUARTZ, 800, function(d) return d.min == 0 and d.hour == 0 and d.wday == 6 and d.day + 7 > days_in(d) end },
    { "0 0 0 * * THUL", SPRING, 800, function(d) return d.min == 0 and d.hour == 0 and d.wday == 5 and d.day + 7 > days_in(d) end },
    { "0 0 0 ? * 6#3", QUARTZ, 800, function(d) return d.min == 0 and d.hour == 0 and d.wday == 6 and (d.day - 1) // 7 == 2 end },
    { "0 0 0 ? * 5#2", SPRING, 800, function(d) return d.min == 0 and d.hour == 0 and d.wday == 6 and (d.day - 1) // 7 == 1 end },
    { "0 0 0 ? * MON#5", QUARTZ, 800, function(d) return d.min == 0 and d.hour == 0 and d.wday == 2 and d.day >= 29 end },
    { "0 0 0 13 * FRI", SPRING, 1600, function(d) return d.min == 0 and d.hour == 0 and d.wday == 6 and d.day == 13 end },
    { "0 0 0 * 1|2 ?", SPRING, 800, function(d) return d.min == 0 and d.hour == 0 and d.month <= 2 end },
    { "0 0 0 29 feb ?", QUARTZ, 1600, function(d) return d.min == 0 and d.hour == 0 and d.month == 2 and d.day == 29 end },
    { "0 0 12 1/1 * ? *", QUARTZ, 10, function(d) return d.min == 0 and d.hour == 12 end },
    { "0 0 0 1 NOV-FEB ?", QUARTZ, 800, function(d)
      return d.min == 0 and d.hour == 0 and d.day == 1 and (d.month >= 11 or d.month <= 2)
    end },
    { "0 0 0 1 1/3 ? 2025-2026", QUARTZ, 900, function(d)
      return d.min == 0 and d.hour == 0 and d.day == 1 and d.month % 3 == 1 and d.year >= 2025 and d.year <= 2026
    end },
  }
  for _, case in ipairs(schedules) do
    local text, rules, days, fits = table.unpack(case)
    it(("'%s' fires when the calendar says"):format(text), function()
      local from = parse "2024-01-15T11:03:20Z"
      local to = from + days * 86400000
      local at, expected = from, {}
      -- minutes for short runs, midnights and other full quarter hours for long ones
      local step = days > 100 and 900 or 60
      for s = (from // 1000 // step + 1) * step, to // 1000, step do
        if fits(os.date("!*t", s)) then expected[#expected + 1] = format(s * 1000) end
      end
      local got = {}
      while true do
        at = T.cron_next(text, rules, nil, at)
        if not at or at > to then break end
        got[#got + 1] = format(at)
      end
      assert.is_true(#expected > 0 or text:find "29 feb" ~= nil)
      assert.same(expected, got)
    end)
  end

  it("has seconds", function()
    assert.equal("2026-01-01T00:00:02Z", next_of("0/2 * * * * ?", QUARTZ, "2026-01-01T00:00:00Z"))
    assert.equal("2026-01-01T00:00:02Z", next_of("0/2 * * * * ?", QUARTZ, "2026-01-01T00:00:01.999Z"))
    assert.equal("2026-01-01T00:01:07Z", next_of("7,9-11 * * * * ?", QUARTZ, "2026-01-01T00:00:11Z"))
    assert.equal("2026-01-01T00:00:50Z", next_of("/10 * * * * ?", QUARTZ, "2026-01-01T00:00:45Z"))
  end)

  it("names the first day of the week as its dialect does", function()
    assert.equal("2010-02-12T00:00:00Z", next_of("0 0 0 ? * 5", SPRING, "2010-02-11T17:23:00Z"))
    assert.equal("2010-02-18T00:00:00Z", next_of("0 0 0 ? * 5", QUARTZ, "2010-02-11T17:23:00Z"))
    assert.equal("2010-02-14T00:00:00Z", next_of("0 0 0 ? * 0", SPRING, "2010-02-11T17:23:00Z"))
    assert.equal("2010-02-14T00:00:00Z", next_of("0 0 0 ? * 7", SPRING, "2010-02-11T17:23:00Z"))
    assert.equal("2010-02-14T00:00:00Z", next_of("0 0 0 ? * 7/2", SPRING, "2010-02-11T17:23:00Z"))
    assert.equal("2010-02-13T00:00:00Z", next_of("0 0 0 ? * L", QUARTZ, "2010-02-11T17:23:00Z"))
    assert.equal("2010-02-14T00:00:00Z", next_of("0 0 0 ? * L", SPRING, "2010-02-11T17:23:00Z"))
  end)

  -- From a Sunday on, the days of the week that fire.
  local function week_of(text, rules)
    local days, at = {}, parse "2010-02-13T23:59:59Z"
    for _ = 1, 14 do
      at = T.cron_next(text, rules, nil, at)
      if at >= parse "2010-02-21" then break end
      days[#days + 1] = os.date("!%a", at // 1000)
    end
    return table.concat(days, " ")
  end

  it("comes to Sunday by steps where the week ends with it", function()
    assert.equal("Sun Fri", week_of("0 0 0 ? * 5/2", SPRING))
    assert.equal("Sun Mon Wed Fri", week_of("0 0 0 ? * 1/2", SPRING))
    assert.equal("Sun Mon Wed Fri", week_of("0 0 0 ? * MON/2", SPRING))
    assert.equal("Sun Tue Thu Sat", week_of("0 0 0 ? * */2", SPRING))
    assert.equal("Sun Sat", week_of("0 0 0 ? * 6/1", SPRING))
    assert.equal("Thu Sat", week_of("0 0 0 ? * 5/2", QUARTZ))
    assert.equal("Sun Mon Tue Wed Thu Fri Sat", week_of("0 0 0 ? * */1", SPRING))
  end)

  it("takes no other day for a working day that a month does not have", function()
    assert.equal("2027-05-31T00:00:00Z", next_of("0 0 0 31W * ?", QUARTZ, "2027-04-01")) -- the day behind April's last is a Saturday
  end)

  local macros = {
    ["@yearly"] = "2011-01-01T00:00:00Z", ["@annually"] = "2011-01-01T00:00:00Z", ["@monthly"] = "2010-03-01T00:00:00Z",
    ["@weekly"] = "2010-02-14T00:00:00Z", ["@daily"] = "2010-02-12T00:00:00Z", ["@midnight"] = "2010-02-12T00:00:00Z",
    ["@hourly"] = "2010-02-11T18:00:00Z",
  }
  for macro, expected in pairs(macros) do
    it("knows " .. macro .. " where the dialect has macros", function()
      assert.equal(expected, next_of(macro, SPRING, "2010-02-11T17:23:00Z"))
      assert.equal(expected, next_of(macro, { macros = true }, "2010-02-11T17:23:00Z"))
      assert.has_error(function() next_of(macro, QUARTZ, "2010-02-11T17:23:00Z") end)
    end)
  end

  it("ends its search", function()
    assert.is_false(next_of("0 0 0 30 2 ?", QUARTZ, "2026-01-01"))
    assert.is_false(next_of("0 0 0 1 1 ? 2020", QUARTZ, "2026-01-01"))
    assert.is_false(next_of("0 0 0 * * ?", QUARTZ, "2199-12-31T00:00:00Z"))
    assert.equal("1970-01-01T00:00:00Z", next_of("0 0 0 * * ?", QUARTZ, "1066-10-14"))
  end)

  -- text, what the message says, position, rules
  local bad = {
    { "", "second expected", 1 },
    { "0 0 12 * *", "day of week expected", 11 },
    { "0 0 12 * * ? 2026 *", "more than seven fields", 19 },
    { "0 15 10 * * ? 2025 *", "more than seven fields", 20 },
    { "60 * * * * ?", "second is not in 0..59", 1 },
    { "0 60 * * * ?", "minute is not in 0..59", 3 },
    { "0 0 24 * * ?", "hour is not in 0..23", 5 },
    { "0 0 0 32 * ?", "day of month is not in 1..31", 7 },
    { "0 0 0 0 * ?", "day of month is not in 1..31", 7 },
    { "0 0 0 1 13 ?", "month is not in 1..12", 9 },
    { "0 0 0 1 FOO ?", "a number or name expected instead of 'F'", 9 },
    { "0 0 0 ? * 8", "day of week is not in 1..7", 11 },
    { "0 0 0 ? * 0", "day of week is not in 1..7", 11 },
    { "0 0 0 ? * 8", "day of week is not in 0..7", 11, SPRING },
    { "0 0 0 1 1 ? 1969", "year is not in 1970..2199", 13 },
    { "0 0 0 1 1 ? 2026-2020", "years do not wrap around", 17 },
    { "0 0 0 ? * ?", "only one of the day fields", 11 },
    { "0 0 0 13 * FRI", "day of month and day of week both restrict", 12 },
    { "0 0/0 * * * ?", "the step is not in 1..59", 5 },
    { "0 0/60 * * * ?", "the step is not in 1..59", 5 },
    { "0 0/ * * * ?", "a number expected", 5 },
    { "0 1- * * * ?", "a number expected", 5 },
    { "0 1,, * * * ?", "a number expected", 5 },
    { "0 ? * * * ?", "a number expected instead of '?'", 3 },
    { "0 0 0 L-31 * ?", "days before the last are not in 0..30", 9 },
    { "0 0 0 ? * FRI#6", "behind '#' is not in 1..5", 15 },
    { "0 0 0 ? * FRI#", "a number expected", 15 },
    { "0 0 0 15X * ?", "unexpected 'X' in the day of month", 9 },
    { "0 5L * * * ?", "unexpected 'L' in the minute", 4 },
    { "@noon", "unknown macro", 1, SPRING },
    { "every day", "a number expected instead of 'e'", 1 },
    { "0 99999999999999999999 * * * ?", "minute is not in 0..59", 3 },
  }
  for _, case in ipairs(bad) do
    it("refuses '" .. case[1] .. "'", function()
      local at, message = T.cron_next(case[1], case[4] or QUARTZ, nil, 0)
      assert.is_nil(at)
      assert.truthy(message:find(case[2], 1, true), message)
      assert.truthy(message:find('"' .. case[1] .. '"', 1, true), message)
      assert.matches("position " .. case[3] .. "$", message)
    end)
  end

  -- A local time is shown at t for the first time (or once more, and the schedule goes on), or was jumped over right before t: walk
  -- by minutes and remember what was shown.
  local function dst_oracle(zone, from, to, fits, goes_on)
    local shown, fired, previous = -math.huge, {}, nil
    for t = from, to, 60000 do
      local l = t + T.offset(zone, t)
      local hit = false
      if previous and l > previous + 60000 then
        for skipped = previous + 60000, l - 60000, 60000 do hit = hit or fits(os.date("!*t", skipped // 1000)) end
      end
      if l > shown or goes_on then hit = hit or fits(os.date("!*t", l // 1000)) end
      shown = math.max(shown, l)
      previous = l
      if hit then fired[#fired + 1] = format(t) end
    end
    return fired
  end

  local changes = {
    { "Europe/Vienna", "2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z" },
    { "America/New_York", "2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z" },
    { "Australia/Lord_Howe", "2026-10-03T15:30:00Z", "2026-04-04T15:00:00Z" },
    { "America/St_Johns", "2026-03-08T05:30:00Z", "2026-11-01T04:30:00Z" },
    { "Europe/Dublin", "2035-03-25T01:00:00Z", "2035-10-28T01:00:00Z" },
    { "Pacific/Chatham", "2026-09-26T14:00:00Z", "2026-04-04T14:00:00Z" },
    { "America/Sao_Paulo", "2018-11-04T03:00:00Z", "2018-02-18T02:00:00Z" },
    { "Pacific/Apia", "2011-12-30T10:00:00Z", "2012-03-31T14:00:00Z" },
  }
  local patterns = {
    { "0 30 2 * * ?", function(d) return d.hour == 2 and d.min == 30 end },
    { "0 15 1 * * ?", function(d) return d.hour == 1 and d.min == 15 end },
    { "0 0 3 * * ?", function(d) return d.hour == 3 and d.min == 0 end },
    { "0 0 0 * * ?", function(d) return d.hour == 0 and d.min == 0 end },
    { "0 0 * * * ?", function(d) return d.min == 0 end, true },
    { "0 0/5 * * * ?", function(d) return d.min % 5 == 0 end, true },
    { "0 45 23 * * ?", function(d) return d.hour == 23 and d.min == 45 end },
    { "0 59 1-2 ? * SUN", function(d) return d.min == 59 and (d.hour == 1 or d.hour == 2) and d.wday == 1 end },
  }
  for _, change in ipairs(changes) do
    for _, pattern in ipairs(patterns) do
      it(("'%s' fires when clocks show it in %s"):format(pattern[1], change[1]), function()
        local zone = T.zone(change[1])
        for i = 2, 3 do
          local from, to = parse(change[i]) - 2 * 86400000, parse(change[i]) + 2 * 86400000
          assert.not_equal(T.offset(zone, parse(change[i]) - 1), T.offset(zone, parse(change[i])))
          local at, got = from - 1, {}
          while true do
            at = T.cron_next(pattern[1], QUARTZ, zone, at)
            if not at or at > to then break end
            got[#got + 1] = format(at)
          end
          assert.same(dst_oracle(zone, from, to, pattern[2], pattern[3]), got)
        end
      end)
    end
  end

  it("goes on behind an overlap when asked within its second pass", function()
    local zone = T.zone "Europe/Vienna"
    assert.equal("2026-10-26T01:30:00Z", next_of("0 30 2 * * ?", QUARTZ, "2026-10-25T01:10:00Z", zone))
    assert.equal("2026-10-25T01:15:00Z", next_of("0 0/5 * * * ?", QUARTZ, "2026-10-25T01:10:00Z", zone))
    assert.equal("2026-10-25T01:00:00Z", next_of("0 0 0-23 * * ?", QUARTZ, "2026-10-25T00:10:00Z", zone))
    assert.equal("2026-10-25T02:00:00Z", next_of("0 0 0-22 * * ?", QUARTZ, "2026-10-25T00:10:00Z", zone))
    assert.equal("2026-10-25T01:00:00Z", next_of("* * * * * ?", QUARTZ, "2026-10-25T00:59:59.500Z", zone))
  end)

  it("finds what fits the repeated hour of one day alone", function()
    local zone = T.zone "Europe/Vienna"
    assert.equal("2026-10-25T01:00:00Z", next_of("0 0/30 2 25 10 ?", QUARTZ, "2026-10-25T00:30:00Z", zone))
    assert.equal("2026-10-25T01:30:00Z", next_of("0 0/30 2 25 10 ?", QUARTZ, "2026-10-25T01:00:00Z", zone))
    assert.equal("2027-10-25T00:00:00Z", next_of("0 0/30 2 25 10 ?", QUARTZ, "2026-10-25T01:30:00Z", zone))
    assert.equal("2196-02-29T01:00:00Z", next_of("0 0/30 2 29 2 ? 2196", QUARTZ, "2026-01-01", zone))
    assert.is_false(next_of("0 0/30 2 29 2 ? 2195", QUARTZ, "2026-01-01", zone))
  end)
end)
