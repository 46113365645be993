-- Days, weeks, months and years follow the clocks of a zone, whatever the dialect, the language and the restarts between. The times
-- are those of spec/time/oracle.txt, which another library came to.
local folder = require "spec.support.folder"
local support = require "spec.support.process"
local orrery = require "orrery"

local dialects = { "camunda", "flowable", "orrery" }

--- Rows of the oracle for what begins at 8:00: zone, start, duration, and three times. One of the two changes of each zone: now
--- the one in spring, now that in autumn.
local function rows(period)
  local found, seen = {}, 0
  for line in io.lines "spec/time/oracle.txt" do
    local zone, start, rest = line:match("^add|([^|]+)|([^|]+)|" .. period:gsub("%p", "%%%0") .. "|(.*)")
    local hour = zone and orrery.format_time(orrery.parse_time(start), zone):sub(12, 16)
    if hour == "08:00" then seen = seen + 1 end
    if hour == "08:00" and (seen % 4 == 1 or seen % 4 == 0) then
      local times = {}
      for text in rest:gmatch "[^|]+" do times[#times + 1] = orrery.parse_time(text) end
      found[#found + 1] = { zone = zone, start = orrery.parse_time(start), text = start, times = times }
    end
  end
  assert(#found == 8)
  return found
end

local function timer(tag, text, attributes)
  return ([[<startEvent id="s"/><userTask id="u"/>
    <boundaryEvent id="b" attachedToRef="u" cancelActivity="false"><timerEventDefinition><%s %s>%s</%s>
    </timerEventDefinition></boundaryEvent><endEvent id="e"/>]]):format(tag, attributes or "", text, tag)
end
local ways = "s -> u b -> e"

for _, dialect in ipairs(dialects) do
  describe("In the dialect of " .. dialect .. ", where clocks change,", function()
    local store
    before_each(function() store = folder.make() end)
    after_each(function() folder.remove(store) end)

    local function open(zone, now)
      return orrery.open(store, { clock = "manual", now = now, time_zone = zone, dialect = dialect,
        log = "none", durability = "none" })
    end

    --- Deploys and starts at `now`, and opens the store anew for each firing; when it fires.
    local function firings(zone, now, n, elements)
      do
        local engine <close> = open(zone, now)
        support.deploy(engine, elements, ways)
        engine:start "p"
      end
      local times = {}
      for i = 1, n do
        local engine <close> = open(zone, now)
        times[i] = engine:job({ type = "timer" }).due
        now = times[i]
        engine:set_time(now)
        assert.equal(1, engine:run_jobs())
      end
      return times
    end

    it("a cycle of days keeps to the time of day", function()
      for _, row in ipairs(rows "P1D") do
        local times = firings(row.zone, row.start - 60, 4, timer("timeCycle", ("R4/%s/P1D"):format(row.text)))
        assert.same({ row.start, row.times[1], row.times[2], row.times[3] }, times, row.zone)
        folder.remove(store)
      end
    end)

    it("a cycle of months keeps to day and time of day", function()
      for _, row in ipairs(rows "P1M") do
        local times = firings(row.zone, row.start - 60, 4, timer("timeCycle", ("R4/%s/P1M"):format(row.text)))
        assert.same({ row.start, row.times[1], row.times[2], row.times[3] }, times, row.zone)
        folder.remove(store)
      end
    end)

    it("a cycle has a zone of its own", function()
      local cycle = "R4/2026-03-27T08:00:00/P1D DSTZONE:Europe/Berlin"
      local now, times = orrery.parse_time "2026-03-26T12:00:00Z", nil
      times = firings("Pacific/Apia", now, 4, timer("timeCycle", cycle))
      for i, time in ipairs(times) do times[i] = orrery.format_time(time, "Europe/Berlin"):sub(6, 16) end
      assert.same({ "03-27T08:00", "03-28T08:00", "03-29T08:00", "03-30T08:00" }, times)
    end)

    it("the last of the month stays the last", function()
      local now = orrery.parse_time "2026-05-30T12:00:00Z"
      local times = firings("Europe/Berlin", now, 3, timer("timeCycle", "R3/2026-05-31T00:00:00/P1M"))
      for i, time in ipairs(times) do times[i] = orrery.format_time(time, "Europe/Berlin"):sub(6, 16) end
      assert.same({ "05-31T00:00", "06-30T00:00", "07-31T00:00" }, times)
    end)

    for _, period in ipairs { "P1D", "P1W", "P1M", "P1Y", "P1DT12H", "PT24H" } do
      it("timers, due dates, retries and expressions of " .. period .. " come to the same", function()
        local plus = { P1D = "plusDays(1)", P1W = "plusWeeks(1)", P1M = "plusMonths(1)", P1Y = "plusYears(1)",
          P1DT12H = "plusDays(1).plusHours(12)", PT24H = "plusHours(24)" }
        for _, row in ipairs(rows(period)) do
          local engine <close> = support.engine { now = row.start, time_zone = row.zone, dialect = dialect }
          support.deploy(engine, ([[<startEvent id="s"/><parallelGateway id="g"/>
            <userTask id="u" camunda:dueDate="%s" camunda:followUpDate="${dateTime().%s.toDate()}"/>
            <userTask id="v" camunda:dueDate="${dateTime().%s}"/>
            <intermediateCatchEvent id="duration"><timerEventDefinition><timeDuration>%s</timeDuration>
            </timerEventDefinition></intermediateCatchEvent>
            <intermediateCatchEvent id="date"><timerEventDefinition><timeDate>${dateTime().%s}</timeDate>
            </timerEventDefinition></intermediateCatchEvent>
            <intermediateCatchEvent id="lua"><timerEventDefinition><timeDuration>${wait}</timeDuration>
            </timerEventDefinition></intermediateCatchEvent>%s]]):format(period, plus[period], plus[period], period,
            plus[period], support.task("work", "", support.cycle("R2/" .. period))),
            "s -> g g -> u g -> v g -> duration g -> date g -> lua g -> work")
          support.failing(engine)
          engine:start("p", { variables = { wait = period } })
          engine:run_jobs()
          local want, got = row.times[1], {}
          for _, key in ipairs { "u", "v" } do got[#got + 1] = engine:task({ key = key }).due end
          got[#got + 1] = engine:task({ key = "u" }).follow_up
          for _, job in ipairs(engine:jobs {}) do got[#got + 1] = job.due end
          assert.same({ want, want, want, want, want, want, want }, got, row.zone)
        end
      end)
    end
  end)
end

describe("An expression's date", function()
  local function values(zone, now, names)
    local engine <close> = support.engine { now = orrery.parse_time(now), time_zone = zone }
    local elements = { '<startEvent id="s"/><userTask id="u"/>' }
    local mapped = {}
    for name, text in pairs(names) do
      mapped[#mapped + 1] = ('<camunda:inputParameter name="%s">%s</camunda:inputParameter>'):format(name, text)
    end
    elements[2] = ('<userTask id="u"><extensionElements><camunda:inputOutput>%s</camunda:inputOutput></extensionElements></userTask>')
      :format(table.concat(mapped))
    support.deploy(engine, '<startEvent id="s"/>' .. elements[2], "s -> u")
    engine:start "p"
    local found = {}
    for name in pairs(names) do found[name] = engine:task({ key = "u" }):variables()[name] end
    return found
  end

  it("shows what the zone's clocks and calendar show", function()
    assert.same({ hour = 0, day = 29, weekday = 7, text = "2026-03-29T00:30:00+01:00", pattern = "00:30 Sun +0100 +01 +01:00",
      start = "2026-03-29T00:00:00+01:00", tomorrow = "2026-03-30T00:00:00+02:00", number = "00:30" },
      values("Europe/Berlin", "2026-03-28T23:30:00Z", { hour = "${dateTime().getHourOfDay()}", day = "${dateTime().getDayOfMonth()}",
        weekday = "${dateTime().getDayOfWeek()}", text = "${dateTime().toString()}",
        pattern = "${dateTime().toString('HH:mm EEE Z X XXX')}", start = "${dateTime().withTimeAtStartOfDay().toString()}",
        tomorrow = "${dateTime().plusDays(1).withTimeAtStartOfDay().toString()}", number = "${date:format(now(), 'HH:mm')}" }))
    assert.same({ text = "2026-03-28T23:30:00Z", pattern = "+0000 Z" },
      values("UTC", "2026-03-28T23:30:00Z", { text = "${dateTime().toString()}", pattern = "${dateTime().toString('Z X')}" }))
    assert.same({ pattern = "05:15 +0545 +0545" },
      values("Asia/Kathmandu", "2026-03-28T23:30:00Z", { pattern = "${dateTime().toString('HH:mm Z X')}" }))
  end)

  it("of a text without an offset is meant by those clocks", function()
    assert.same({ local_ = "2026-07-01T08:00:00+02:00", day = "2026-07-02T00:00:00+02:00", utc = "2026-07-01T10:00:00+02:00" },
      values("Europe/Berlin", "2026-03-28T23:30:00Z", { local_ = "${date:toDate('2026-07-01T08:00:00').toString()}",
        day = "${date:addDate('2026-07-01', 0, 0, 1).toString()}", utc = "${date:toDate('2026-07-01T08:00:00Z').toString()}" }))
  end)
end)

describe("FEEL in a model", function()
  it("has the zone's time and day", function()
    local engine <close> = support.engine { now = orrery.parse_time "2026-03-28T23:30:00Z", time_zone = "Europe/Berlin" }
    support.deploy(engine, [[<startEvent id="s"/><scriptTask id="t" scriptFormat="feel" camunda:resultVariable="x">
      <script>{ day: string(today()), hour: now().hour, zone: now().timezone }</script></scriptTask><userTask id="u"/>]], "s -> t t -> u")
    local instance = engine:start "p"
    assert.same({ day = "2026-03-29", hour = 0, zone = "Europe/Berlin" }, instance:get "x")
  end)
end)

describe("A cron timer, when clocks go back,", function()
  local store
  before_each(function() store = folder.make() end)
  after_each(function() folder.remove(store) end)

  --- The times of day in Berlin, in UTC, at which it fires; the store is opened anew for each firing.
  local function firings(dialect, cron, now, n)
    local options = { clock = "manual", now = orrery.parse_time(now), time_zone = "Europe/Berlin", dialect = dialect,
      log = "none", durability = "none" }
    do
      local engine <close> = orrery.open(store, options)
      support.deploy(engine, ('<startEvent id="s"><timerEventDefinition><timeCycle>%s</timeCycle></timerEventDefinition></startEvent>')
        :format(cron), "")
    end
    local times = {}
    for i = 1, n do
      local engine <close> = orrery.open(store, options)
      options.now = engine:job({ type = "timer" }).due
      times[i] = orrery.format_time(options.now):sub(6, 16)
      engine:set_time(options.now)
      engine:run_jobs()
    end
    return table.concat(times, " ")
  end

  for _, dialect in ipairs(dialects) do
    it("goes on where it is a rhythm, in the dialect of " .. dialect, function()
      assert.equal("10-25T00:00 10-25T00:30 10-25T01:00 10-25T01:30 10-25T02:00",
        firings(dialect, "0 0/30 * * * ?", "2026-10-24T23:50:00Z", 5))
      folder.remove(store)
      assert.equal("10-25T00:40 10-25T01:00 10-25T01:20 10-25T01:40 10-26T01:00",
        firings(dialect, "0 0/20 2 * * ?", "2026-10-25T00:30:00Z", 5))
    end)
    it("fires once where it is a time of day, in the dialect of " .. dialect, function()
      assert.equal("10-25T00:30 10-26T01:30", firings(dialect, "0 30 2 * * ?", "2026-10-24T12:00:00Z", 2))
    end)
  end
end)

describe("The attribute endDate", function()
  local store
  before_each(function() store = folder.make() end)
  after_each(function() folder.remove(store) end)

  for _, dialect in ipairs(dialects) do
    it("wins over the end inside the cycle, after a restart, too, in the dialect of " .. dialect, function()
      local options = { clock = "manual", dialect = dialect, log = "none", durability = "none" }
      local function hours(inside, beside)
        options.now = orrery.parse_time "2026-01-01"
        do
          local engine <close> = orrery.open(store, options)
          support.deploy(engine, timer("timeCycle", "R5/PT10H/" .. inside, ('o:endDate="%s"'):format(beside)), ways)
          engine:start "p"
        end
        local fired = {}
        for _ = 1, 9 do
          local engine <close> = orrery.open(store, options)
          local job = engine:job { type = "timer" }
          if not job then break end
          options.now = job.due
          fired[#fired + 1] = orrery.format_time(job.due):sub(9, 13)
          engine:set_time(job.due)
          engine:run_jobs()
        end
        folder.remove(store)
        return table.concat(fired, " ")
      end
      assert.equal("01T10 01T20 02T06 02T16 03T02", hours("2026-01-01T22:00:00", "2026-12-31T00:00:00"))
      assert.equal("01T10 01T20", hours("2026-12-31T00:00:00", "2026-01-01T22:00:00"))
      assert.equal("01T10 01T20", hours("${'2026-12-31T00:00:00'}", "${'2026-01-01T22:00:00'}"))
    end)
  end
end)
