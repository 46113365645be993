-- Numbers: integers while they fit, decimals of 34 digits else, and never anything between.
local core = require "orrery.core"
local feel = require "orrery.feel"

local decimal, N = core.feel.decimal, feel.numbers

describe("a number", function()
  it("is an integer whenever it is whole and fits", function()
    for _, text in ipairs { "1", "1.0", "100e-2", "9223372036854775807", "-9223372036854775808", "1e18", "0.0", "-0" } do
      assert.equal("integer", math.type(feel.number(text)), text)
    end
    assert.equal(math.mininteger, feel.number "-9223372036854775808")
    assert.equal(0, feel.number "-0.00")
    assert.equal("integer", math.type(N.add(feel.number "1.5", feel.number "1.5")))
    assert.equal("integer", math.type(N.mul(feel.number "9223372036854775808", feel.number "0.5")))
  end)

  it("is a decimal else, equal to its equals", function()
    for _, text in ipairs { "1.5", "9223372036854775808", "-9223372036854775809", "1e19", "0.000001", "1e-6000" } do
      assert.equal("userdata", type(feel.number(text)), text)
      assert.is_true(feel.is_number(feel.number(text)))
    end
    assert.is_true(feel.number "1.50" == feel.number "15e-1")
    assert.is_false(feel.number "1.5" == feel.number "1.6")
    assert.is_true(1 < feel.number "1.5" and feel.number "1.5" < 2 and feel.number "1.5" <= feel.number "1.5")
    assert.is_false(feel.number "1.5" == 1)
  end)

  it("has a text without an exponent", function()
    local rows = { ["1.50"] = "1.5", ["1e-10"] = "0.0000000001", ["-12.345"] = "-12.345", ["1e20"] = "100000000000000000000",
      [".5"] = "0.5",
      ["0.1e1"] = "1" }
    for text, expected in pairs(rows) do assert.equal(expected, tostring(feel.number(text))) end
    assert.equal(6001, #tostring(feel.number "1e6000"))
  end)

  it("comes from floats by their shortest text, and goes back", function()
    assert.equal("0.1", tostring(feel.number(0.1)))
    assert.equal("100000000000000000000", tostring(feel.number(1e20)))
    assert.is_nil(feel.number(1 / 0))
    assert.is_nil(feel.number(0 / 0))
    assert.equal(0.1, feel.to_lua(feel.number "0.1"))
    assert.equal(5, feel.to_lua(5))
    math.randomseed(7)
    for _ = 1, 1000 do
      local float = (math.random() - 0.5) * 10.0 ^ math.random(-30, 30)
      assert.equal(float, feel.to_lua(feel.number(float)) + 0.0)
    end
  end)

  it("is refused when it is none", function()
    for _, text in ipairs { "", "-", ".", "1.2.3", "1e", "0x10", "1 2", "nan", "inf", "1e99999", "--1" } do
      assert.is_nil(feel.number(text), text)
    end
    assert.is_nil(feel.number {})
    assert.is_nil(feel.number(nil))
  end)
end)

describe("arithmetic", function()
  -- Against itself: the same numbers as integers and, by way of a half, as decimals.
  it("is the same beyond int64 as within", function()
    math.randomseed(11)
    local half = feel.number "0.5"
    for _ = 1, 2000 do
      local a, b = math.random(-10 ^ 9, 10 ^ 9), math.random(-10 ^ 9, 10 ^ 9)
      assert.equal(a + b, N.sub(N.add(N.add(a, half), b), half))
      assert.equal(a * b, N.mul(a, b))
      assert.equal(a * b, decimal.mul(a, b))
      if b ~= 0 then
        assert.equal(a % b, N.modulo(a, b))
        assert.is_true(N.abs(N.sub(N.mul(N.div(a, b), b), a)) < feel.number "1e-20")
      end
    end
  end)

  it("does not wrap around", function()
    local most, least = math.maxinteger, math.mininteger
    assert.equal("9223372036854775808", tostring(N.add(most, 1)))
    assert.equal("-9223372036854775809", tostring(N.sub(least, 1)))
    assert.equal("9223372036854775808", tostring(N.neg(least)))
    assert.equal("9223372036854775808", tostring(N.div(least, -1)))
    assert.equal("9223372036854775808", tostring(N.abs(least)))
    assert.equal("85070591730234615847396907784232500000", tostring(N.mul(most, most))) -- 34 of its 38 digits
    assert.equal(most, N.sub(N.add(most, 1), 1))
  end)

  it("rounds in every direction", function()
    local rows = { -- number, half even, floor, ceiling, down, up, half up, half down
      { "2.5", 2, 2, 3, 2, 3, 3, 2 }, { "-2.5", -2, -3, -2, -2, -3, -3, -2 }, { "3.5", 4, 3, 4, 3, 4, 4, 3 },
      { "2.51", 3, 2, 3, 2, 3, 3, 3 }, { "-0.1", 0, -1, 0, 0, -1, 0, 0 }, { "7", 7, 7, 7, 7, 7, 7, 7 },
    }
    local modes = { "half even", "floor", "ceiling", "down", "up", "half up", "half down" }
    for _, row in ipairs(rows) do
      for i, mode in ipairs(modes) do assert.equal(row[i + 1], N.round(feel.number(row[1]), 0, mode), row[1] .. " " .. mode) end
    end
    assert.equal(1200, N.round(1234, -2, "half even"))
    assert.is_nil(N.round(1, 6177, "up"))
  end)

  it("has no answer where there is none", function()
    assert.is_nil(N.div(1, 0))
    assert.is_nil(N.sqrt(-1))
    assert.is_nil(N.log(0))
    assert.is_nil(N.pow(0, -1))
    assert.is_nil(N.pow(-8, feel.number "0.5"))
    assert.is_nil(N.mul(feel.number "1e6000", feel.number "1e6000"))
    assert.is_nil(decimal.add(1, "1"))
    assert.is_nil(decimal.add({}, 1))
    assert.is_false(decimal.is(1))
    assert.is_false(decimal.is(io.stdout))
  end)

  it("keeps 34 digits", function()
    assert.equal("1.414213562373095048801688724209698", tostring(N.sqrt(2)))
    assert.equal("2.718281828459045235360287471352662", tostring(N.exp(1)))
    assert.equal("0.6931471805599453094172321214581766", tostring(N.log(2)))
    assert.equal("1024", tostring(N.pow(2, 10)))
    assert.equal("1267650600228229401496703205376", tostring(N.pow(2, 100)))
    assert.equal("0.001", tostring(N.pow(10, -3)))
  end)

  it("cannot be reached behind by scripts", function()
    assert.is_false(getmetatable(feel.number "1.5"))
    assert.has_error(function() return feel.number "1.5" < "x" end)
  end)
end)
