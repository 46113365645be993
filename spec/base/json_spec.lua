-- The core's JSON, seen through declared values and orrery.json: it takes what a grown-up reader
-- takes (jansson), and what it writes reads back the same.
local orrery = require "orrery"
local base = require("orrery_inside").base
local random = require "spec.support.random"

math.randomseed(random.seed())

local words = { "true", "false", "null", "0", "-0", "12", "-7.25", "1e3", "9223372036854775807", "-9223372036854775808",
  "9223372036854775808", "1E-2", "0.1", '""', '"a\\n\\u00e9\\ud83d\\ude00\\/"', '"é"', '"\\u0000"' }

local function text(depth)
  local kind = math.random(depth > 0 and 3 or 1)
  if kind == 1 then return words[math.random(#words)] end
  local parts = {}
  for i = 1, math.random(0, 3) do
    parts[i] = kind == 2 and text(depth - 1) or ('"k%d" : %s'):format(math.random(4), text(depth - 1))
  end
  return (kind == 2 and "[ %s ]" or "{ %s }"):format(table.concat(parts, math.random(2) == 1 and "," or " ,\n"))
end

local function takes(value)
  local typed = pcall(orrery.typed, { type = "Json", value = value })
  local decoded, problem = orrery.json.decode(value)
  assert.equal(typed, decoded ~= nil or problem == nil, value)
  return typed
end

describe("JSON", function()
  it("is taken when it is JSON", function()
    for _ = 1, 3000 do
      local value = text(4)
      assert.is_true(takes(value), value)
      assert.is_true(base.json_taken(value), value)
    end
  end)

  it("is refused when another reader refuses it, and only then", function()
    local refused = 0
    for _ = 1, 20000 do
      local value = text(3)
      local at = math.random(#value + 1)
      local junk = ({ "", "{", "}", "[", "]", ",", ":", '"', "\\", "0", "-", "e", ".", " ", "\255", "\195", "\1", "u",
        "t" })[math.random(19)]
      local changed = value:sub(1, at - 1) .. junk .. value:sub(at + math.random(0, 2))
      local fine = takes(changed)
      assert.equal(base.json_taken(changed), fine, ("%q"):format(changed))
      refused = refused + (fine and 0 or 1)
    end
    assert.is_true(refused > 5000)
  end)

  it("refuses numbers, texts and keys that no value can be", function()
    for _, value in ipairs { "1e999", "-1e999", '"\255"', '"\192\128"', '"\237\160\128"', '"\244\144\128\128"', '{"a\\u0000b":1}',
      '"\\udc00"', '"\\ud800\\u0041"' } do
      assert.is_false(takes(value), ("%q"):format(value))
      assert.is_false(base.json_taken(value), ("%q"):format(value))
    end
  end)

  it("is written so that it reads back the same", function()
    local function value(depth)
      local kind = math.random(depth > 0 and 7 or 5)
      if kind == 1 then return math.random(2) == 1 end
      if kind == 2 then return math.random(math.mininteger, math.maxinteger) end
      if kind == 3 then return (math.random() - 0.5) * 10.0 ^ math.random(-300, 300) end
      if kind == 4 then return orrery.null end
      if kind == 5 then return utf8.char(math.random(0, 127), math.random(0x80, 0xd7ff), math.random(0x10000, 0x10ffff)) end
      local out = {}
      for i = 1, math.random(0, 4) do out[kind == 6 and i or "k" .. i] = value(depth - 1) end
      return kind == 6 and orrery.array(out) or out
    end
    for _ = 1, 2000 do
      local list = orrery.array { value(4), value(3) }
      local written = orrery.typed { type = "Json", value = list }.value
      assert.same(list, orrery.json.decode(written), written)
    end
  end)

  it("has a word for everything: what is no UTF-8 is replaced, what is no number null", function()
    local function written(value) return orrery.typed { type = "Json", value = { value } }.value end
    assert.equal('["\u{fffd}a\u{fffd}\u{fffd}"]', written "\255a\237\160")
    assert.equal("[null,null,null]", orrery.typed { type = "Json", value = { 1 / 0, -1 / 0, 0 / 0 } }.value)
    assert.equal('["\\u0001\\b\\f\\n\\r\\t\\"\\\\/"]', written '\1\b\f\n\r\t"\\/')
    assert.equal("[1.0,0.1,1e+300]", orrery.typed { type = "Json", value = { 1.0, 0.1, 1e300 } }.value)
  end)

  it("is written in one way by all who write it: controls are escaped, those that order a terminal about included", function()
    local text = 'a\1\b\f\n\r\t"\\/\127\u{80}\u{9b}\u{9f}\u{a0}é\u{10ffff}'
    local wanted = '"a\\u0001\\b\\f\\n\\r\\t\\"\\\\/\\u007f\\u0080\\u009b\\u009f\u{a0}é\u{10ffff}"'
    assert.equal(wanted, orrery.json.encode(text))
    assert.equal("[" .. wanted .. "]", orrery.typed { type = "Json", value = { text } }.value)
    assert.equal(text, orrery.json.decode(wanted))
    for _, number in ipairs { 0.1, 1 / 3, -2.5e-8, 1e15, 123456789.125, 5e-324, 1.7976931348623157e308 } do
      assert.equal("[" .. orrery.json.encode(number) .. "]", orrery.typed { type = "Json", value = { number } }.value)
    end
  end)
end)
