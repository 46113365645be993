local T = require("orrery_inside").time
local parse, format = T.parse_time, T.format_time

-- Fires a timer whenever it is due, or at the times given, and lists when it was due.
local function firings(text, rules, now, options)
  options = options or {}
  local limit = options.limit and parse(options.limit)
  local state, message = T.cycle(text, rules, options.zone, parse(now), limit)
  if state == nil then error(message, 2) end
  local out = {}
  while state and #out < (options.most or 10) do
    out[#out + 1] = format(state.due)
    local handled = options.handled and options.handled[#out]
    state = T.cycle(text, rules, options.zone, handled and parse(handled) or state.due, limit, state)
  end
  return out
end

local CAMUNDA = { spring = true, skip = true, start_is_extra = true, back_from_end = true }
local FLOWABLE = { all = true }
local ORRERY = { macros = true }
local ALL = { camunda = CAMUNDA, flowable = FLOWABLE, orrery = ORRERY }

describe("a time cycle", function()
  for name, rules in pairs(ALL) do
    describe("of " .. name, function()
      it("counts from its making when it names no start", function()
        assert.same({ "2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z", "2026-01-01T03:00:00Z" }, firings("R3/PT1H", rules, "2026-01-01"))
        assert.same({ "2026-01-01T00:00:10Z" }, firings("R1/PT10S", rules, "2026-01-01"))
        assert.equal(10, #firings("R/PT10S", rules, "2026-01-01"))
      end)
      it("takes the distance of two times as its period", function()
        assert.same({ "1970-01-01T00:00:10Z", "1970-01-01T00:00:20Z" },
          firings("R2/1970-01-01T00:00:00/1970-01-01T00:00:10", rules, "1970-01-01"))
      end)
      it("keeps to the calendar without wearing down", function()
        assert.same({ "2024-02-29T00:00:00Z", "2024-03-31T00:00:00Z", "2024-04-30T00:00:00Z" }, firings("R3/P1M", rules, "2024-01-31"))
        assert.same({ "2025-02-28T12:00:00Z", "2026-02-28T12:00:00Z", "2027-02-28T12:00:00Z", "2028-02-29T12:00:00Z" },
          firings("R4/P1Y", rules, "2024-02-29T12:00:00Z"))
      end)
      it("ends at the date beside it", function()
        assert.same({ "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z" }, firings("R/P1D", rules, "2026-01-01", { limit = "2026-01-03" }))
        assert.same({ "2021-07-02T19:22:00Z" },
          firings("R2/2021-07-01T19:22:00Z/P1D", rules, "2021-07-01T19:50:00Z", { limit = "2021-07-02T19:22:00Z" }))
      end)
      it("happens once where it ends before its first firing", function()
        assert.same({ "2026-01-02T00:00:00Z" }, firings("R/P1D", rules, "2026-01-01", { limit = "2026-01-01T12:00:00Z" }))
        assert.same({ "2026-01-01T00:05:00Z" }, firings("0 0/5 * * * ?", rules, "2026-01-01", { limit = "2025-01-01" }))
      end)
      it("fires once without R", function()
        assert.same({ "2026-01-01T01:00:00Z" }, firings("PT1H", rules, "2026-01-01"))
        assert.same({ "2025-06-01T00:00:10Z" }, firings("2025-06-01/PT10S", rules, "2026-01-01"))
        assert.same({ "2026-01-05T00:00:00Z" }, firings("PT1H/2026-01-05", rules, "2026-01-01"))
      end)
      it("may be a cron expression with an end", function()
        assert.same({ "2026-01-01T00:05:00Z", "2026-01-01T00:10:00Z" },
          firings("0 0/5 * * * ?", rules, "2026-01-01", { limit = "2026-01-01T00:12:00Z" }))
      end)
      it("ends with the calendar", function()
        assert.same({ "9999-12-31T00:00:00Z" }, firings("R/P1D", rules, "9999-12-30"))
      end)
      it("goes on behind a firing that was handled early", function()
        assert.same({ "2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z" },
          firings("R2/PT1H", rules, "2026-01-01", { handled = { "2026-01-01T00:10:00Z" } }))
      end)
    end)
  end

  it("fires at a start ahead, and n or n + 1 times in all", function()
    local four = { "2026-02-01T00:00:00Z", "2026-02-02T00:00:00Z", "2026-02-03T00:00:00Z" }
    assert.same(four, firings("R2/2026-02-01/P1D", CAMUNDA, "2026-01-01"))
    for _, rules in ipairs { FLOWABLE, ORRERY } do
      assert.same({ four[1], four[2] }, firings("R2/2026-02-01/P1D", rules, "2026-01-01"))
    end
  end)

  it("stays on the grid of a start behind", function()
    assert.same({ "2026-01-05T12:00:00Z", "2026-01-06T12:00:00Z" }, firings("R2/2026-01-01T12:00:00Z/P1D", ORRERY, "2026-01-05"))
    -- four of six are missed, and counted
    assert.same({ "2026-01-06T12:00:00Z", "2026-01-07T12:00:00Z" }, firings("R6/2026-01-01T12:00:00Z/P1D", CAMUNDA, "2026-01-05T13:00:00Z"))
    assert.same({ "2026-01-05T00:00:00Z" }, firings("R2/2026-01-01T12:00:00Z/P1D", CAMUNDA, "2026-01-05")) -- over: once, at once
  end)

  it("is counted back from its end, or limited by it", function()
    assert.same({ "2026-01-04T22:00:00Z", "2026-01-04T23:00:00Z", "2026-01-05T00:00:00Z" },
      firings("R2/PT1H/2026-01-05", CAMUNDA, "2026-01-01"))
    assert.same({ "2026-01-04T23:00:00Z", "2026-01-05T00:00:00Z" }, firings("R2/PT1H/2026-01-05", CAMUNDA, "2026-01-04T22:30:00Z"))
    assert.same({ "2026-01-04T23:30:00Z" }, firings("R/PT1H/2026-01-04T23:30:00Z", CAMUNDA, "2026-01-04T22:30:00Z"))
    assert.same({ "2026-01-06T00:00:00Z" }, firings("R2/PT1H/2026-01-05", CAMUNDA, "2026-01-06"))
    assert.same({ "2025-12-11T00:00:00Z", "2025-12-12T00:00:00Z" }, firings("R10/PT24H/2025-12-12T00:00:05", FLOWABLE, "2025-12-10"))
  end)

  it("repeats zero times", function()
    assert.same({}, firings("R0/PT1H", FLOWABLE, "2026-01-01"))
    assert.same({ "2026-01-01T01:00:00Z" }, firings("R0/PT1H", { zero_fires_once = true }, "2026-01-01"))
  end)

  it("catches up as its rule says", function()
    local late = { handled = { "2026-01-01T03:30:00Z", "2026-01-01T03:30:00Z", "2026-01-01T03:30:00Z" } }
    assert.same({ "2026-01-01T01:00:00Z", "2026-01-01T04:00:00Z" }, firings("R4/PT1H", CAMUNDA, "2026-01-01", late))
    assert.same({ "2026-01-01T01:00:00Z", "2026-01-01T04:00:00Z", "2026-01-01T05:00:00Z", "2026-01-01T06:00:00Z" },
      firings("R4/PT1H", ORRERY, "2026-01-01", late))
    assert.same({ "2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z", "2026-01-01T03:00:00Z", "2026-01-01T04:00:00Z" },
      firings("R4/PT1H", FLOWABLE, "2026-01-01", late))
    assert.same({ "2026-01-01T01:00:00Z" }, firings("R2/PT1H", CAMUNDA, "2026-01-01", late))
    assert.same({ "2026-01-01T01:00:00Z", "2026-01-01T04:00:00Z" },
      firings("0 0 * * * ?", ORRERY, "2026-01-01", { handled = late.handled, most = 2 }))
  end)

  it("makes up for nothing where nothing is counted", function()
    local late = { handled = { "2026-01-01T03:30:00Z" }, most = 2 }
    assert.same({ "2026-01-01T01:00:00Z", "2026-01-01T04:00:00Z" }, firings("R/PT1H", FLOWABLE, "2026-01-01", late))
    assert.same({ "2026-01-01T01:00:00Z", "2026-01-01T04:00:00Z" }, firings("0 0 * * * ?", FLOWABLE, "2026-01-01", late))
  end)

  it("holds the time at which a missed firing happens against the end", function()
    local late = { handled = { "2026-01-01T03:30:00Z" }, limit = "2026-01-01T03:00:00Z" }
    assert.same({ "2026-01-01T01:00:00Z" }, firings("R4/PT1H", FLOWABLE, "2026-01-01", late))
  end)

  it("finds its place after a long sleep as by walking", function()
    for _, period in ipairs { "PT7S", "P1D", "P1M", "P1Y2M3DT4H", "P5W", "P11M30D" } do
      local anchor = parse "2020-01-31T10:00:00Z"
      for i = 1, 40 do
        local now = anchor + i * 1234567891
        local k = 1
        if period ~= "PT7S" then
          while T.add(anchor, period, k) <= now do k = k + 1 end
        else
          k = (now - anchor) // 7000 + 1
        end
        local state = T.cycle("R/2020-01-31T10:00:00Z/" .. period, ORRERY, nil, now)
        assert.equal(format(T.add(anchor, period, k)), format(state.due))
      end
    end
  end)

  it("reads the name of a zone behind it", function()
    assert.equal("US/Eastern", T.cycle("0 0 12 * * ? DSTZONE:US/Eastern", ORRERY, nil, 0).zone)
    assert.equal("US/Eastern", T.cycle("R2/2013-11-03T00:45:00-04:00/PT1H DSTZONE:US/Eastern", ORRERY, nil, 0).zone)
    assert.equal("", T.cycle("R2/PT1H", ORRERY, nil, 0).zone)
  end)

  it("fires cron by the zone's clocks", function()
    assert.same({ "2026-03-28T11:00:00Z", "2026-03-29T10:00:00Z" },
      firings("0 0 12 * * ?", ORRERY, "2026-03-28", { zone = T.zone "Europe/Vienna", most = 2 }))
  end)

  it("ends at the date beside it, whatever end it has itself", function()
    for _, rules in pairs(ALL) do
      local function hours(text, limit)
        local times = firings(text, rules, "2026-01-01", { limit = limit })
        for i, time in ipairs(times) do times[i] = time:sub(9, 13) end
        return table.concat(times, " ")
      end
      assert.equal("01T10 01T20 02T06 02T16 03T02", hours("R5/PT10H/2026-01-01T22:00:00", "2026-12-31"))
      assert.equal("01T10 01T20", hours("R5/PT10H/2026-12-31", "2026-01-01T22:00:00"))
      assert.equal("01T05 01T15 02T01", hours("R3/2026-01-01T05:00/PT10H/2026-01-01T06:00", "2026-01-02T02:00:00"))
      assert.equal("01T10 01T20", hours("R/PT10H/2026-01-01T11:00:00", "2026-01-02T00:00:00"))
    end
  end)

  it("that is none is told what one looks like", function()
    local nonsense = { "", "every monday", "time is just a concept", "Rabbit", "daily", "5", "10 minutes", "0 8", "Pt",
      "whenever the boss is in the office" }
    for _, text in ipairs(nonsense) do
      local state, message, code = T.cycle(text, ORRERY, nil, 0)
      assert.is_nil(state)
      assert.equal(-1, code)
      local shown = 0
      for form in message:match('^a time cycle is (.-): "'):gmatch "([R%d][^%(,]-) %(%a" do
        for _, rules in pairs(ALL) do assert.truthy(T.cycle(form, rules, nil, 0), form) end
        shown = shown + 1
      end
      assert.equal(3, shown, message)
      assert.truthy(message:find('"' .. text .. '"', 1, true), message)
    end
    for _, text in ipairs { "R5x/PT5M", "0 0 12 * *", "R3/2026-13-01/PT1H", "@noon", "P1X" } do
      local _, message = T.cycle(text, CAMUNDA, nil, 0)
      assert.is_nil(message:find("R3/PT10M", 1, true), message)
    end
  end)

  local bad = {
    { "", "a year of four digits expected", 1 },
    { "R", "a period expected", 2 },
    { "R-1/PT5S", "a number of repetitions or '/' expected instead of '-'", 2 },
    { "RASDASDAD5/PT5M", "a number of repetitions", 2 },
    { "R5", "a period expected", 3 },
    { "R5/", "year of four digits", 4 },
    { "R5x/PT5M", "'/' expected instead of 'x'", 3 },
    { "R99999999999/PT5M", "number of repetitions is too large", 2 },
    { "R3/PT", "a number expected", 6 },
    { "R3/PT0S", "the period must be a second at least", 4 },
    { "R/PT0.999S", "the period must be a second at least", 3 },
    { "R3/-PT1H", "must not be negative", 4 },
    { "R3/2026-13-01/PT1H", "month 13", 9 },
    { "R3/2026-01-01", "'/' and a period expected", 14 },
    { "R3/2026-01-02/2026-01-01", "the end must lie behind the start", 15 },
    { "R3/PT1H/10000-01-01", "year of four digits", 9 },
    { "R3/PT1H/2026-01-01/x", "unexpected part", 20 },
    { "R3/2026-01-01/PT1H/2026-01-02/x", "unexpected part", 31 },
    { "R3/PT5M every", "unexpected", 1, any = true },
    { "time is just a concept", "a number expected instead of 't'", 1 },
    { "0 0 12 * * ? DSTZONE:", "DSTZONE", 1, any = true },
  }
  for _, case in ipairs(bad) do
    it("is refused: '" .. case[1] .. "'", function()
      local state, message, code = T.cycle(case[1], ORRERY, nil, 0)
      assert.is_nil(state)
      assert.equal(-1, code)
      assert.truthy(message:find(case[1], 1, true), message)
      if not case.any then
        assert.truthy(message:find(case[2], 1, true), message)
        assert.matches("position " .. case[3] .. "$", message)
      end
    end)
  end
end)

describe("a retry cycle", function()
  local function waits(text, n)
    local out = {}
    local all = assert(T.retry(text))
    for i = 1, n do
      local _, due = assert(T.retry(text, math.max(all - i, 0), 0))
      out[i] = due // 1000
    end
    return all, out
  end
  it("is a number of tries and a wait, or a list of waits", function()
    assert.same({ 5, { 300, 300, 300 } }, { waits("R5/PT5M", 3) })
    assert.same({ 0, { 300 } }, { waits("R0/PT5M", 1) })
    assert.same({ 1, { 0 } }, { waits("R1/PT0S", 1) })
    assert.same({ 4, { 180, 600, 480, 480 } }, { waits("PT3M, PT10M,PT8M ", 4) })
    assert.same({ 2, { 300 } }, { waits(" PT5M ", 1) })
  end)
  it("gives a list's waits to its last tries, its first to all before them", function()
    for left, wait in pairs { [math.maxinteger] = 180, [4] = 180, [3] = 180, [2] = 600, [1] = 480, [0] = 480 } do
      assert.equal(wait * 1000, select(2, T.retry("PT3M,PT10M,PT8M", left, 0)))
    end
  end)
  for text, expected in pairs {
    ["RASDASDAD5/PT5M"] = "repetitions or '/' expected instead of 'A' at position 2",
    ["R/PT5M"] = "a number of tries expected at position 2",
    ["R5"] = "'/' and a duration expected at position 3",
    ["PT5M,,PT1M"] = "'P' expected at position 6", [""] = "'P' expected at position 1",
    ["R5/PT5M/2026-01-01"] = "unexpected part at position 9",
    ["PT5M,-PT1M"] = "must not be negative, at position 6", ["R5/5"] = "'P' expected instead of '5' at position 4",
    [("PT1S,"):rep(1000) .. "PT1S"] = "more than 1000 waits at position 1",
  } do
    it("is refused: '" .. text:sub(1, 40) .. "'", function()
      local tries, message = T.retry(text)
      assert.is_nil(tries)
      assert.truthy(message:find(expected, 1, true), message)
    end)
  end
end)

describe("texts of times", function()
  it("made at random are read or refused with a position, never more", function()
    local seed = require("spec.support.random").seed()
    local random = seed
    local function pick(n)
      random = (random * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff
      return (random >> 20) % n + 1
    end
    local bits = {
      "R", "R3", "/", "P", "T", "1", "99", "2026",
      "-", "01", ":", "Y", "M", "W", "D", "H", "S", ".5", "Z", "+", "PT5M", "2026-01-01", "T10:00:00Z",
      " ", ",", "*", "?", "L", "LW", "#", "0/5", "MON-FRI", "15W", "@daily", "FRI#2", "DSTZONE:", "\0", "\255", "0 0 12 * * ?",
      "99999999999999999999",
    }
    local read = { 0, 0, 0 }
    for _ = 1, 20000 do
      local parts = {}
      for i = 1, pick(7) do parts[i] = bits[pick(#bits)] end
      local text = table.concat(parts, pick(3) == 1 and " " or "")
      local results = {
        { T.cycle(text, pick(2) == 1 and CAMUNDA or ORRERY, nil, 1767225600000) },
        { T.parse_duration(text) },
        { T.parse_time(text) },
      }
      for i, result in ipairs(results) do
        if result[1] ~= nil then
          read[i] = read[i] + 1
        else
          assert(result[2]:find "position %d+$", ("seed %d: %q: %s"):format(seed, text, result[2]))
        end
      end
    end
    assert.is_true(read[1] > 0 and read[2] > 0 and read[3] > 0, "seed " .. seed)
  end)
end)
