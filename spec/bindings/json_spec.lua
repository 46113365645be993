-- Numbers that orrery.json.decode reads: integers of 64 bits, and those beyond, which alone become floats.
local orrery = require "orrery"

local decode = orrery.json.decode

describe("a whole number beyond 64 bits", function()
  it("is a float", function()
    for text, expected in pairs { ["12345678901234567890"] = 12345678901234567890.0, ["9223372036854775808"] = 2.0 ^ 63,
      ["-9223372036854775809"] = -2.0 ^ 63, ["[99999999999999999999999]"] = 1e23 } do
      local value = decode(text)
      if type(value) == "table" then value = value[1] end
      assert.equal("float", math.type(value))
      assert.equal(expected, value)
    end
  end)

  it("leaves all other numbers of its text as they are", function()
    local value = decode [[{"id": 9007199254740993, "n": {"deep": [123456789012345678901234567890, -9223372036854775808, 2.0, 1e3,
      "99999999999999999999", "\"99999999999999999999"]}, "last": 9223372036854775807}]]
    assert.equal(9007199254740993, value.id)
    assert.equal(math.maxinteger, value.last)
    assert.equal(math.mininteger, value.n.deep[2])
    local kinds = {}
    for i, item in ipairs(value.n.deep) do kinds[i] = math.type(item) or type(item) end
    assert.same({ "float", "integer", "float", "float", "string", "string" }, kinds)
    assert.equal('"99999999999999999999', value.n.deep[6])
  end)

  it("many times in a text", function()
    local numbers, expected = {}, {}
    for i = 1, 500 do numbers[i], expected[i] = i % 2 == 0 and "18446744073709551616" or tostring(i), i % 2 == 0 and 2.0 ^ 64 or i end
    assert.same(expected, { table.unpack(decode("[" .. table.concat(numbers, ",") .. "]")) })
  end)

  it("moves no place of what is wrong", function()
    local value, message = decode "[99999999999999999999, 99999999999999999999, nonsense]"
    assert.is_nil(value)
    assert.equal("line 1, column 46: a value expected", message)
    local _, below = decode '["é",\n "ö" "ü"]'
    assert.equal("line 2, column 6: ',' or ']' expected", below)
    for _, text in ipairs { '[99999999999999999999, "\\', '[99999999999999999999, "', "99999999999999999999-",
      "[99999999999999999999, 1e999]" } do
      assert.is_nil((decode(text)), text)
    end
  end)
end)
