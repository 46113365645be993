-- The core's calendar, by which FEEL counts days.
local core = require "orrery.core"

describe("the calendar", function()
  it("goes from days to dates and back, over four hundred years and far away", function()
    local year, month, day = core.civil_date(0)
    assert.same({ 1970, 1, 1 }, { year, month, day })
    for days = -200000, 200000, 37 do
      year, month, day = core.civil_date(days)
      assert.equal(days, core.civil_days(year, month, day))
      local at = os.date("!*t", days * 86400)
      assert.same({ at.year, at.month, at.day }, { year, month, day })
    end
    assert.same({ 999999999, 12, 31 }, { core.civil_date(core.civil_days(999999999, 12, 31)) })
    assert.same({ -999999999, 1, 1 }, { core.civil_date(core.civil_days(-999999999, 1, 1)) })
  end)

  it("knows how long months are", function()
    for month = 1, 12 do
      local of_next = month == 12 and core.civil_days(2028, 1, 1) or core.civil_days(2027, month + 1, 1)
      assert.equal(of_next - core.civil_days(2027, month, 1), core.month_length(2027, month))
    end
    local leap = {}
    for i, year in ipairs { 1900, 2000, 2024, 2100, -4 } do leap[i] = core.month_length(year, 2) end
    assert.same({ 28, 29, 29, 28, 29 }, leap)
  end)

  it("says what is none of it", function()
    assert.error_matches(function() core.month_length(2026, 13) end, "no month")
    assert.error_matches(function() core.civil_days(2026, 0, 1) end, "no month")
    assert.error_matches(function() core.civil_days(2026, 1, 32) end, "no day of a month")
    assert.error_matches(function() core.civil_days(math.maxinteger, 1, 1) end, "no year of the calendar")
    assert.error_matches(function() core.civil_date(math.mininteger) end, "no day of the calendar")
  end)
end)
