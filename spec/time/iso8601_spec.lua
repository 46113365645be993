local T = require("orrery_inside").time

-- The C library's calendar, which shares nothing with ours.
local function format(ms) return os.date("!%Y-%m-%dT%H:%M:%SZ", ms // 1000) end

describe("times", function()
  it("agree with the C library's calendar from 1000 to 9999", function()
    local state = 42
    for _ = 1, 5000 do
      state = (state * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff
      local s = -30610224000 + state % (253402300799 + 30610224000)
      assert.equal(format(s * 1000), T.format_time(s * 1000))
      assert.equal(s * 1000, T.parse_time(T.format_time(s * 1000)))
    end
  end)

  local good = {
    { "1970-01-01T00:00:00Z", 0 },
    { "2026", 1767225600000 },
    { "2026-03", 1772323200000 },
    { "2026-03-15", 1773532800000 },
    { "20260315", 1773532800000 },
    { "2026-03-15T10:20", 1773570000000 },
    { "2026-03-15T10:20:30", 1773570030000 },
    { "2026-03-15T8:20", 1773562800000 },
    { "2026-03-15T10", 1773568800000 },
    { "20260315T10Z", 1773568800000 },
    { "2026-03-15T10+02", 1773561600000 },
    { "2026-074", 1773532800000 },
    { "2026074", 1773532800000 },
    { "2026-074T10:20:30", 1773570030000 },
    { "2024-366", 1735603200000 },
    { "2026-W11", 1773014400000 },
    { "2026-W11-7", 1773532800000 },
    { "2026W117", 1773532800000 },
    { "2026-W11-7T10:20:30Z", 1773570030000 },
    { "2026W117T102030Z", 1773570030000 },
    { "2026-W53-5", 1798761600000 }, -- New Year's Day
    { "2026-W01-1", 1766966400000 }, -- in the year before
    { "2026-03-15T10:20:30.5Z", 1773570030500 },
    { "2026-03-15T10:20:30,1239Z", 1773570030123 },
    { "2026-03-15T10:20:30.1239567890123456789012345678901Z", 1773570030123 },
    { "20260315T102030Z", 1773570030000 },
    { "2026-03-15T10:20:30+02:00", 1773562830000 },
    { "2026-03-15T10:20:30+02", 1773562830000 },
    { "2026-03-15T10:20:30-0330", 1773582630000 },
    { "2026-03-15T24:00:00Z", 1773619200000 },
    { "2016-12-31T23:59:60Z", 1483228800000 },
    { "2024-02-29", 1709164800000 },
    { "0000-01-01T00:00:00Z", -62167219200000 },
    { "9999-12-31T23:59:59.999Z", 253402300799999 },
    { "  2026-03-15T10:20:30Z\n", 1773570030000 },
  }
  for _, case in ipairs(good) do
    it("reads " .. case[1], function() assert.equal(case[2], T.parse_time(case[1])) end)
  end

  -- text, what the message says, position
  local bad = {
    { "", "year of four digits", 1 },
    { "2026-13-01", "month 13 is not in 01..12", 6 },
    { "2026-00-01", "month 00", 6 },
    { "2026-02-29", "month 2026%-02 has 28 days", 9 },
    { "1900-02-29", "has 28 days", 9 },
    { "2026-04-31", "has 30 days", 9 },
    { "10000-01-01", "year of four digits", 1 },
    { "-001-01-01", "year of four digits", 1 },
    { "26-01-01", "year of four digits", 1 },
    { "2026-1-01", "month needs two digits", 7 },
    { "2026-01-01T", "hour needs two digits", 12 },
    { "2026-01-01T8", "hour needs two digits", 13 },
    { "20260101T8", "hour needs two digits", 11 },
    { "2026-366", "has the days 001..365, not 366", 6 },
    { "2026-000", "not 000", 6 },
    { "2026-W54", "week 54 is not in 01..53", 7 },
    { "2027-W53", "year 2027 has 52 weeks, not 53", 7 },
    { "2026-W10-8", "a day of the week, 1 to 7 expected", 10 },
    { "2026-W10-", "a day of the week, 1 to 7 expected", 10 },
    { "2026-W1", "week needs two digits", 8 },
    { "2026-W10T10", "unexpected 'T'", 9 },
    { "2026-01-01T10:", "minute needs two digits", 15 },
    { "2026-01-01T25:00", "hour 25 is not in 00..24", 12 },
    { "2026-01-01T24:01", "24:00:00 only", 12 },
    { "2026-01-01T10:60", "minute 60", 15 },
    { "2026-01-01T10:00:61", "second 61", 18 },
    { "2026-01-01T10:00:00.", "a digit expected", 21 },
    { "2026-01-01T10:00:00+24:00", "offset hour 24", 21 },
    { "2026-01-01T10:00:00 Z", "unexpected ' '", 20 },
    { "2026-01-01T10:00:00Zebra", "unexpected 'e'", 21 },
    { "2026-01T10:00", "unexpected 'T'", 8 },
    { "2026-01-01 10:00", "unexpected ' '", 11 },
    { "0000-01-01T00:00:00+01:00", "outside the years", 1 },
    { "time is just a concept", "year of four digits", 1 },
  }
  for _, case in ipairs(bad) do
    it("refuses '" .. case[1] .. "'", function()
      local at, message = T.parse_time(case[1])
      assert.is_nil(at)
      assert.matches(case[2], message)
      assert.truthy(message:find(case[1], 1, true), message)
      assert.matches("position " .. case[3] .. "$", message)
    end)
  end

  it("reads local times by the zone it is given, offsets as they stand", function()
    local zone = T.zone "America/New_York"
    assert.equal(T.parse_time "2026-07-01T04:00:00Z", T.parse_time("2026-07-01", zone))
    assert.equal(T.parse_time "2026-01-01T17:00:00Z", T.parse_time("2026-01-01T12:00:00", zone))
    assert.equal(T.parse_time "2026-01-01T12:00:00Z", T.parse_time("2026-01-01T12:00:00Z", zone))
  end)

  it("cuts a long text in the message", function()
    local _, message = T.parse_time(("x"):rep(5000))
    assert.is_true(#message < 300)
  end)
end)

describe("durations", function()
  local day = 86400000
  local good = {
    { "P1Y2M3DT4H5M6.007S", 14, 3, 14706007 },
    { "PT0S", 0, 0, 0 },
    { "P2W", 0, 14, 0 },
    { "P1.5W", 0, 7, 3 * day + day // 2 },
    { "P2DT5H70M", 0, 2, 22200000 },
    { "PT36H", 0, 0, 129600000 },
    { "-P1M", -1, 0, 0 },
    { "+PT1S", 0, 0, 1000 },
    { "PT0,25H", 0, 0, 900000 },
    { "PT1000S", 0, 0, 1000000 },
    { "P1Y5M21DT19H47M55S", 17, 21, 71275000 },
  }
  for _, case in ipairs(good) do
    it("reads " .. case[1], function()
      local months, days, ms = T.parse_duration(case[1])
      assert.same({ case[2], case[3], case[4] }, { months, days, ms })
    end)
  end

  local bad = {
    { "", "'P' expected", 1 },
    { "P", "a number expected", 2 },
    { "PT", "a number expected", 3 },
    { "P1DT", "a number expected", 5 },
    { "P1", "one of Y, M, W, D expected", 3 },
    { "PT1", "one of H, M, S expected", 4 },
    { "P1H", "one of Y, M, W, D expected instead of 'H'", 3 },
    { "PT1D", "one of H, M, S expected instead of 'D'", 4 },
    { "P1D1Y", "'Y' is out of order", 5 },
    { "PT1M1M", "'M' is out of order", 6 },
    { "P1W1D", "weeks stand alone", 1 },
    { "P1Y1W", "weeks stand alone", 1 },
    { "P1.5Y", "a fraction of 'Y'", 3 },
    { "PT1.5H1M", "only the last number", 7 },
    { "P-1D", "a number expected", 2 },
    { "PT1.S", "a digit expected", 5 },
    { "5M", "'P' expected", 1 },
    { "P1DT1H ago", "a number expected", 7 },
    { "PT99999999999999999999S", "too large", 3 },
    { "P9999999999999Y", "too large", 2 },
  }
  for _, case in ipairs(bad) do
    it("refuses '" .. case[1] .. "'", function()
      local months, message = T.parse_duration(case[1])
      assert.is_nil(months)
      assert.truthy(message:find(case[2], 1, true), message)
      assert.truthy(message:find(case[1], 1, true), message)
      assert.matches("position " .. case[3] .. "$", message)
    end)
  end

  local sums = {
    { "2026-01-31", "P1M", 1, "2026-02-28T00:00:00Z" },
    { "2024-01-31", "P1M", 1, "2024-02-29T00:00:00Z" },
    { "2026-01-31", "P1M", 2, "2026-03-31T00:00:00Z" },
    { "2024-02-29", "P1Y", 1, "2025-02-28T00:00:00Z" },
    { "2024-02-29", "P1Y", 4, "2028-02-29T00:00:00Z" },
    { "2026-03-31", "-P1M", 1, "2026-02-28T00:00:00Z" },
    { "2026-01-15", "-P1M", 1, "2025-12-15T00:00:00Z" },
    { "2026-12-31T23:59:59.900Z", "PT0.2S", 1, "2027-01-01T00:00:00.100Z" },
    { "2010-06-11T17:23:00Z", "P2DT5H70M", 1, "2010-06-13T23:33:00Z" },
    { "2026-01-31", "P1M1DT1H", 1, "2026-03-01T01:00:00Z" },
  }
  for _, case in ipairs(sums) do
    it(("%s + %d x %s"):format(case[1], case[3], case[2]), function()
      assert.equal(case[4], T.format_time(T.add(T.parse_time(case[1]), case[2], case[3])))
    end)
  end

  it("agree with the C library's normalization of months", function()
    local start = os.time { year = 2020, month = 1, day = 1, hour = 0 }
    for month = 1, 200 do
      local expected = os.time { year = 2020, month = month + 1, day = 1, hour = 0 } - start
      local got = T.add(T.parse_time "2020-01-01", "P1M", month) - T.parse_time "2020-01-01"
      -- by local time the two may differ by what the machine's zone shifted meanwhile
      assert.is_true(math.abs(got - expected * 1000) <= 7200000)
      assert.equal(0, got % 86400000)
    end
  end)

  it("stop at the calendar's ends", function()
    local sums_outside = {
      { "9999-12-01", "P1M" }, { "0000-01-01", "-PT0.001S" }, { "2026-01-01", "P8000Y" }, { "2026-01-01", "PT300000000000S" },
    }
    for _, case in ipairs(sums_outside) do
      local at, message, code = T.add(T.parse_time(case[1]), case[2])
      assert.is_nil(at)
      assert.matches("0000..9999", message)
      assert.equal(-11, code)
    end
    assert.is_nil(T.add(0, "P1Y", math.maxinteger))
    assert.is_nil(T.add(0, "PT1H", math.mininteger))
  end)
end)
