-- Values: what goes in comes out, the bounds hold, and damaged bytes are an answer and not a crash.
local base = require("orrery_inside").base

local ARGUMENT, LIMIT, STORE, MEMORY = -1, -11, -13, -14
local null = base.null
local seed = require("spec.support.random").seed()

-- The steps that build a Lua value; tables with a [1] or `array` are arrays. Keys come in whatever order pairs has.
local function steps_of(value, steps, key)
  steps = steps or {}
  if type(value) ~= "table" then
    steps[#steps + 1] = { key = key, add = value }
    return steps
  end
  if key then steps[#steps + 1] = { key = key } end
  local array = value[1] ~= nil
  steps[#steps + 1] = array and "array" or "map"
  if array then
    for _, item in ipairs(value) do steps_of(item, steps) end
  else
    for name, item in pairs(value) do steps_of(item, steps, name) end
  end
  steps[#steps + 1] = "end"
  return steps
end

local function encode(value) return assert(base.build(steps_of(value))) end

local function decode(bytes)
  local ok, value = base.decode(bytes)
  assert(ok, value)
  return value
end

local function random_text()
  local bytes = {}
  for i = 1, math.random(0, 12) do bytes[i] = string.char(math.random(0, 255)) end
  return table.concat(bytes)
end

local function random_value(depth)
  local kind = math.random(depth > 0 and 9 or 7)
  if kind == 1 then return null end
  if kind == 2 then return math.random(2) == 1 end
  if kind == 3 then return math.random(-100, 100) end
  if kind == 4 then return math.random(math.mininteger, math.maxinteger) end
  if kind == 5 then return (math.random() - 0.5) * 10 ^ math.random(-20, 20) end
  if kind <= 7 then return random_text() end
  local value = {}
  for i = 1, math.random(5) do value[kind == 8 and i or "k" .. random_text()] = random_value(depth - 1) end
  return value
end

describe("values", function()
  it("have seconds where functions have milliseconds, and lead back", function()
    for _, ms in ipairs { 0, 1, -1, 1500, -1500, 60000, 1769904000123, -62135596800000 } do
      local seconds = base.seconds(ms)
      assert.equal(ms % 1000 == 0 and "integer" or "float", math.type(seconds))
      assert.equal(ms / 1000, seconds)
      assert.equal(ms, base.milliseconds(encode(seconds)))
    end
  end)

  it("that are no seconds, or more than milliseconds can count, are no time", function()
    local beyond = { math.maxinteger, math.mininteger, 1e300, -1 / 0, 0 / 0 }
    for _, value in ipairs { null, true, "2026-01-01", { 1 }, table.unpack(beyond) } do
      assert.is_nil(base.milliseconds(encode(value)))
    end
  end)

  it("keep scalars exactly", function()
    for _, value in ipairs { true, false, 0, -1, 1, math.maxinteger, math.mininteger, 0.5, -1e308, 1 / 0, "", "\0a\255", null } do
      local back = decode(encode(value))
      assert.equal(value, back)
      assert.equal(math.type(value), math.type(back))
    end
    local nan = decode(encode(0 / 0))
    assert.is_true(nan ~= nan)
  end)

  it("keep random trees, in bytes that do not depend on the order of keys, seed " .. seed, function()
    math.randomseed(seed)
    for _ = 1, 500 do
      local value = random_value(4)
      local bytes = encode(value)
      assert.equal(0, base.validate(bytes))
      local back = decode(bytes)
      assert.same(value, back)
      assert.equal(bytes, encode(back)) -- a table made anew walks its keys in another order
      assert.equal(bytes, assert(base.build { { embed = bytes } }))
    end
  end)

  it("keep map keys ascending and the last of equals", function()
    local bytes = assert(base.build {
      "map", { key = "b", add = 1 }, { key = "a", add = 2 }, { key = "b", add = 3 }, { key = "", add = 4 }, { key = "a", add = 5 }, "end" })
    assert.equal(assert(base.build { "map", { key = "", add = 4 }, { key = "a", add = 5 }, { key = "b", add = 3 }, "end" }), bytes)
    assert.equal(3, base.map_get(bytes, "b"))
    assert.equal(4, base.map_get(bytes, ""))
    assert.is_nil(base.map_get(bytes, "aa"))
    assert.is_nil(base.map_get(encode(7), "a"))
  end)

  it("leave a key without a value out of a map, and hold its place in an array", function()
    assert.same({ b = 1 }, decode(assert(base.build { "map", { key = "a", nothing = true }, { key = "b", add = 1 }, "end" })))
    assert.same({ null, 1 }, decode(assert(base.build { "array", { nothing = true }, { add = 1 }, "end" })))
    assert.is_nil(decode(assert(base.build { { nothing = true } })))
  end)

  it("are refused when they are built wrongly", function()
    for _, steps in ipairs {
      {}, { "array" }, { "map", { key = "a" }, "end" }, { "map", { add = 1 }, "end" }, { "array", { key = "a", add = 1 }, "end" },
      { { add = 1 }, { add = 2 } }, { "end" }, { "map", { key = "a" }, { key = "b" } }, { { key = "a", add = 1 } },
      { { add = 1 }, "array", "end" },
    } do
      local bytes, message, code = base.build(steps)
      assert.is_nil(bytes)
      assert.equal(ARGUMENT, code, message)
    end
  end)

  local function nested(depth)
    local steps = {}
    for i = 1, depth do steps[i] = "array" end
    for i = 1, depth do steps[depth + i] = "end" end
    return steps
  end

  it("nest 64 deep and no deeper", function()
    local deepest = assert(base.build(nested(64)))
    assert.equal(0, base.validate(deepest))
    assert.equal(LIMIT, select(3, base.build(nested(65))))
    assert.equal(LIMIT, select(3, base.build { "array", { embed = deepest }, "end" }))
    assert.equal(LIMIT, base.validate("\6" .. (base.varint(#deepest)) .. deepest))
  end)

  it("compare numbers exactly, whatever their kind", function()
    local function compare(a, b) return { base.compare(encode(a), encode(b)) } end
    assert.same({ 0, true, true }, compare(1, 1.0))
    assert.same({ -1, true, false }, compare(1, 1.5))
    assert.same({ 1, true, false }, compare(-1, -1.5))
    assert.same({ 1, true, false }, compare(2 ^ 53 | 1, 2.0 ^ 53))
    assert.same({ -1, true, false }, compare(math.maxinteger, 2.0 ^ 63))
    assert.same({ 0, true, true }, compare(math.mininteger, -2.0 ^ 63))
    assert.same({ 1, true, false }, compare(0, -1 / 0))
    assert.same({ 0, false, false }, compare(0 / 0, 0 / 0))
    assert.same({ -1, false, false }, compare(0 / 0, 1))
    assert.same({ 1, false, false }, compare(1, 0 / 0))
  end)

  it("compare texts by bytes, trees by content, and kinds by rank", function()
    local function compare(a, b) return { base.compare(encode(a), encode(b)) } end
    assert.same({ -1, true, false }, compare("a", "ab"))
    assert.same({ 1, true, false }, compare("\255", "a"))
    assert.same({ 0, false, true }, compare({ 1, { a = 2 } }, { 1.0, { a = 2 } }))
    assert.same({ -1, false, false }, compare({ 1 }, { 1, 1 }))
    assert.same({ -1, false, false }, compare({ a = 1 }, { b = 0 }))
    assert.same({ 1, false, false }, compare("1", 1))
    assert.same({ -1, false, false }, compare(false, true))
    assert.same({ 0, false, true }, compare(null, null))
  end)

  it("never crash on damaged bytes, seed " .. seed, function()
    math.randomseed(seed)
    local damaged = 0
    for _ = 1, 20000 do
      local bytes = encode(random_value(3))
      local roll = math.random(3)
      local at = math.random(#bytes)
      if roll == 1 then bytes = bytes:sub(1, at - 1) .. string.char(math.random(0, 255)) .. bytes:sub(at + 1) end
      if roll == 2 then bytes = bytes:sub(1, at - 1) end
      if roll == 3 then bytes = bytes:sub(1, at) .. random_text() .. bytes:sub(at + 1) end
      local code = base.validate(bytes)
      assert.is_true(code == 0 or code == STORE or code == LIMIT)
      base.decode(bytes)
      if code ~= 0 then damaged = damaged + 1 end
    end
    assert.is_true(damaged > 5000)
  end)

  it("tell damage: bounds, tags, keys out of order, values that cannot stand inside", function()
    for _, bytes in ipairs {
      "", "\8", "\104", "\112",
      "\2", "\2\2", "\3", "\3\128", "\4\0\0", "\5\2a", "\6\1", "\6\1\8", "\6\1\0", "\7\2\1a", "\7\6\1b\1\1a\1", "\7\6\1a\1\1a\1",
      "\3" .. ("\255"):rep(9) .. "\2", "\5\255\255\255\255\15",
    } do
      assert.equal(STORE, base.validate(bytes), ("%q"):format(bytes))
    end
  end)

  -- The tag byte: the type's three bits, the declaration's four, one for a transient.
  it("have tags of a declaration only where it fits the type", function()
    local NULL, BOOL, INT, FLOAT, STRING, ARRAY, MAP = 1, 2, 3, 4, 5, 6, 7
    local rest = { [NULL] = "", [BOOL] = "\1", [INT] = "\2", [FLOAT] = ("\0"):rep(8), [STRING] = "\0", [ARRAY] = "\0",
      [MAP] = "\0" }
    local held = { {}, { INT }, { INT }, { INT }, {}, {}, { INT, FLOAT }, { STRING }, { MAP }, { STRING }, { STRING }, { MAP } }
    for declared = 1, 15 do
      local fits = { [NULL] = declared <= 12 }
      for _, type in ipairs(held[declared] or {}) do fits[type] = true end
      for type = NULL, MAP do
        for transient = 0, 1 do
          local bytes = string.char(type | declared << 3 | transient << 7) .. rest[type]
          assert.equal(fits[type] and 0 or STORE, base.validate(bytes), ("type %d, declared %d"):format(type, declared))
        end
      end
    end
  end)

  it("give back every failed allocation of a build", function()
    local value = {}
    for i = 1, 100 do value["key" .. i] = { i, ("x"):rep(i), { a = i } } end
    local steps, whole = steps_of(value), encode(value)
    for n = 1, 100 do
      local bytes, _, code = base.build(steps, n)
      if bytes then
        assert.equal(whole, bytes)
        assert.is_true(n > 5)
        return
      end
      assert.equal(MEMORY, code)
    end
    error("the build never passed")
  end)

  it("have varints that read back at every size", function()
    for shift = 0, 63 do
      for _, n in ipairs { (1 << shift) - 1, 1 << shift, (1 << shift) + 1 } do
        local bytes = base.varint(n)
        assert.is_true(#bytes <= 10)
        for cut = 0, #bytes - 1 do assert.equal(STORE, base.varint_get(bytes:sub(1, cut))) end
      end
    end
    assert.equal(STORE, base.varint_get(("\128"):rep(11)))
  end)
end)
