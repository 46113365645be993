local T = require("orrery_inside").time

-- The system's `date`, which reads the same tzdata with another program.
local function date_offsets(zone, times)
  local name = os.tmpname()
  local file = assert(io.open(name, "w"))
  for _, t in ipairs(times) do file:write("@", t // 1000, "\n") end
  file:close()
  local pipe = assert(io.popen(("TZ=%s date -f %s +%%::z"):format(zone, name)))
  local offsets = {}
  for line in pipe:lines() do
    local sign, h, m, s = line:match "^([+-])(%d+):(%d+):(%d+)$"
    offsets[#offsets + 1] = (h * 3600 + m * 60 + s) * 1000 * (sign == "-" and -1 or 1) // 1
  end
  pipe:close()
  os.remove(name)
  return offsets
end

local zones = {
  "Europe/Vienna", "Europe/London", "Europe/Dublin", "America/New_York", "America/St_Johns", "America/Sao_Paulo", "Asia/Kolkata",
  "Asia/Tehran", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Chatham", "Africa/Casablanca", "America/Nuuk", "Asia/Gaza",
}

describe("zones", function()
  it("count times near the end of 64 bits as the last that they can", function()
    local zone, half = assert(T.zone "Europe/Vienna"), math.maxinteger // 2
    for _, t in ipairs { math.maxinteger, math.maxinteger - 3600000, half + 1 } do
      assert.equal(T.offset(zone, half), T.offset(zone, t))
      assert.equal(T.offset(zone, -half), T.offset(zone, -t))
    end
    assert.equal(T.offset(zone, -half), T.offset(zone, math.mininteger))
  end)

  for _, name in ipairs(zones) do
    it(name .. " has the offsets that date(1) shows, 1901 to 2120", function()
      local zone, times = assert(T.zone(name)), {}
      for i = 0, 3000 do times[#times + 1] = -2177452800000 + i * 2304000000 + i * 1777000 end
      local expected = date_offsets(name, times)
      assert.equal(#times, #expected)
      for i, t in ipairs(times) do assert.equal(expected[i], T.offset(zone, t), T.format_time(t)) end
    end)
  end

  for _, name in ipairs(zones) do
    it(name .. " finds the instant of every local time around its changes, 2000 to 2060", function()
      local zone = T.zone(name)
      local hour, t = 3600000, T.parse_time "2000-01-01"
      local changes = 0
      while t < T.parse_time "2060-01-01" do
        local before, after = T.offset(zone, t), T.offset(zone, t + 24 * hour)
        if before ~= after then
          changes = changes + 1
          local first, last = t, t + 24 * hour -- the change lies in (first, last]
          while last - first > 1000 do
            local middle = (first + last) // 2000 * 1000
            if T.offset(zone, middle) == before then first = middle else last = middle end
          end
          local jump = after - before
          local inside, fit = T.instant(zone, last + before + jump // 2)
          if jump > 0 then
            assert.same({ last, "gap" }, { inside, fit })
          else
            assert.same({ last + jump // 2, "twice" }, { inside, fit })
          end
          assert.same({ last - hour * 48, "once" }, { T.instant(zone, last - hour * 48 + before) })
          assert.same({ last - 1000 + math.min(jump, 0), "once" }, { T.instant(zone, last - 1000 + math.min(jump, 0) + before) })
          assert.same({ last + math.max(-jump, 0), "once" }, { T.instant(zone, last + math.max(-jump, 0) + after) })
        end
        t = t + 24 * hour
      end
      assert.is_true(changes > 0 or name == "Asia/Kolkata", tostring(changes))
    end)
  end

  it("has UTC and fixed offsets without any data", function()
    for name, hours in pairs { UTC = 0, Z = 0, GMT = 0, ["+02:00"] = 2, ["-0330"] = -3.5, ["UTC+2"] = 2, ["GMT-11"] = -11, ["+14"] = 14 } do
      assert.equal(math.tointeger(hours * 3600000), T.offset(T.zone(name), 0), name)
    end
    assert.equal(0, T.offset(nil, 12345))
  end)

  it("refuses names that are no zone", function()
    local names = {
      "Europe/Atlantis", "", "../etc/passwd", "/etc/localtime", "Europe", "tzdata.zi", "+25:00", "+2:75", "UTC+", ("x"):rep(200),
    }
    for _, name in ipairs(names) do
      local zone, message = T.zone(name)
      assert.is_nil(zone, name)
      assert.matches("zone", message)
    end
  end)
end)

describe("zone data", function()
  local function block(version, size, times, types, footer)
    local head = "TZif" .. version .. ("\0"):rep(15)
    local body = (">I4I4I4I4I4I4"):pack(0, 0, 0, #times, #types, 4)
    for _, t in ipairs(times) do body = body .. size:pack(t[1]) end
    for _, t in ipairs(times) do body = body .. string.char(t[2]) end
    for _, offset in ipairs(types) do body = body .. (">i4"):pack(offset) .. "\0\0" end
    return head .. body .. "LMT\0" .. (footer or "")
  end
  local function file(times, types, footer)
    return block("2", ">i4", {}, { 0 }) .. block("2", ">i8", times, types, "\n" .. footer .. "\n")
  end

  it("is read from a file of either version", function()
    local old = assert(T.zone_from_bytes(block("\0", ">i4", { { 0, 1 } }, { 3600, 7200 })))
    assert.equal(3600000, T.offset(old, -1))
    assert.equal(7200000, T.offset(old, 0))
    local new = assert(T.zone_from_bytes(file({ { 0, 1 } }, { 3600, 7200 }, "<+03>-3")))
    assert.equal(3600000, T.offset(new, -1))
    assert.equal(10800000, T.offset(new, 0))
  end)

  it("follows each kind of footer rule", function()
    local julian = assert(T.zone_from_bytes(file({}, { 0 }, "AAA0BBB,J60/0,J300")))
    -- J60 is March 1 in leap years too
    assert.equal(0, T.offset(julian, T.parse_time "2024-02-29T12:00:00Z"))
    assert.equal(3600000, T.offset(julian, T.parse_time "2024-03-01T00:00:00Z"))
    local plain = assert(T.zone_from_bytes(file({}, { 0 }, "AAA0BBB-2:30,59/0,300")))
    -- day 59 (from 0) is February 29 in a leap year
    assert.equal(9000000, T.offset(plain, T.parse_time "2024-02-29T12:00:00Z"))
    local always = assert(T.zone_from_bytes(file({}, { 0 }, "XXX3EDT4,0/0,J365/23")))
    for _, at in ipairs { "2026-01-01", "2026-07-01", "2026-12-31T23:59:59Z" } do
      assert.equal(-4 * 3600000, T.offset(always, T.parse_time(at)), at)
    end
  end)

  it("is refused when damaged, wherever it is cut or changed", function()
    local whole = file({ { 0, 1 }, { 1000, 0 } }, { 3600, 7200 }, "CET-1CEST,M3.5.0,M10.5.0/3")
    assert(T.zone_from_bytes(whole))
    for size = 0, #whole - 1 do
      local zone, message = T.zone_from_bytes(whole:sub(1, size))
      assert.is_nil(zone, size)
      assert.matches("damaged", message)
    end
    assert.is_nil(T.zone_from_bytes(file({ { 0, 2 } }, { 3600, 7200 }, "")))              -- no such type
    assert.is_nil(T.zone_from_bytes(file({ { 5, 0 }, { 5, 1 } }, { 3600, 7200 }, "")))    -- not ascending
    assert.is_nil(T.zone_from_bytes(file({}, { 999999 }, "")))                            -- no clock is so wrong
    local footers = {
      "C-1", "CET", "CET-1CEST", "CET-1CEST,M13.1.0,M10.5.0", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,M10.5.0/3x", "CET-25",
    }
    for _, footer in ipairs(footers) do
      assert.is_nil(T.zone_from_bytes(file({}, { 0 }, footer)), footer)
    end
    -- any single byte changed: refused or read, never a crash
    for i = 1, #whole do
      for _, byte in ipairs { "\0", "\255", "~" } do T.zone_from_bytes(whole:sub(1, i - 1) .. byte .. whole:sub(i + 1)) end
    end
  end)
end)
