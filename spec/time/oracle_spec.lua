-- Calendars and clocks held against oracle.txt, which oracle.py writes with Python's own zones.
local T = require("orrery_inside").time
local parse, format = T.parse_time, T.format_time

local function lines_of(kind)
  local cases = {}
  for line in io.lines "spec/time/oracle.txt" do
    local fields = {}
    for field in line:gmatch "[^|]+" do fields[#fields + 1] = field end
    if fields[1] == kind then cases[#cases + 1] = fields end
  end
  return cases
end

local function text(time) return (format(time):gsub(":00Z$", "Z")) end

describe("zones, as another library has them,", function()
  it("move a time by days, weeks, months and years as the clocks and the calendar go", function()
    local n = 0
    for _, case in ipairs(lines_of "add") do
      local _, name, start, period = table.unpack(case)
      local zone = T.zone(name)
      for i = 1, 3 do
        assert.equal(case[4 + i], text(T.add(parse(start), period, i, zone)), table.concat({ name, start, period, i }, " "))
        n = n + 1
      end
    end
    assert.is_true(n > 1000)
  end)

  it("let cycles find the next time after any other", function()
    for _, case in ipairs(lines_of "add") do
      local _, name, start, period = table.unpack(case)
      local zone = T.zone(name)
      if not period:find "^-" then
        local anchor, times = parse(start), {}
        for i = 0, 3 do times[i] = i == 0 and anchor or parse(case[4 + i]) end
        for i = 1, 3 do
          if times[i] > times[i - 1] then
            for _, now in ipairs { times[i - 1], times[i] - 1 } do
              local state = T.cycle(("R/%s/%s"):format(start, period), {}, zone, now)
              assert.equal(case[4 + i], text(state.due), table.concat({ name, start, period, format(now) }, " "))
            end
          end
        end
      end
    end
  end)

  it("let cron go on through an hour that comes twice, unless it names a time of day", function()
    local n = 0
    for _, case in ipairs(lines_of "cron") do
      local _, name, cron, begin = table.unpack(case)
      local zone, at, stop = T.zone(name), parse(begin) - 1, parse(begin) + 60 * 3600000
      for i = 5, #case + 1 do
        at = T.cron_next(cron, {}, zone, at)
        assert.equal(case[i], at and at < stop and text(at) or nil, table.concat({ name, cron, begin }, " "))
        n = n + 1
      end
    end
    assert.is_true(n > 2000)
  end)
end)
