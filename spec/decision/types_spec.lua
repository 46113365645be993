-- What becomes of a value where a type is declared: parameters, and the variables of decisions.
local support = require "spec.decision.support"
local feel = support.feel
local types = feel.types

-- A type from its text, as after `instance of`.
local function type_of(text)
  local code = assert(require "orrery_inside".feel.compile(text, { form = "type" }))
  return assert(load("local f = ... return " .. code.lua))(feel)
end

local function coerced(text, type)
  local diagnostics = {}
  local value, wrong = feel.with({ diagnostics = diagnostics }, feel.coerce, support.eval(text), type_of(type))
  if wrong then assert.equal(1, #diagnostics) end
  return feel.string(value) or "null", wrong or false
end

describe("coercion", function()
  local rows = {
    { "1", "number", "1" },
    { '"a"', "number", "null", true },
    { "null", "number", "null" },
    { "[1]", "number", "1" },
    { "[[1]]", "number", "null", true },
    { "[1, 2]", "number", "null", true },
    { "1", "list<number>", "[1]" },
    { '"a"', "list<number>", "null", true },
    { '[1, "a"]', "list<number>", "null", true },
    { "[1, null]", "list<number>", "[1, null]" },
    { '@"2020-01-01"', "date and time", "2020-01-01T00:00:00Z" },
    { '[@"2020-01-01"]', "list<date and time>", "[2020-01-01T00:00:00Z]" },
    { "{a: 1, b: 2}", "context<a: number>", "{a: 1, b: 2}" },
    { '{a: "x"}', "context<a: number>", "null", true },
    { "{b: 1}", "context<a: number>", "null", true },
    { "{a: [1]}", "context<a: number>", "{a: 1}" },
    { "[1..2]", "range<number>", "[1..2]" },
    { "[1..2]", "range<string>", "null", true },
    { "function(a: number) a", "function<number> -> Any", "function(a)" },
    { "function(a: string) a", "function<number> -> Any", "null", true },
    { "[1, [2]]", "Any", "[1, [2]]" },
  }
  for _, row in ipairs(rows) do
    it(row[1] .. " to " .. row[2], function()
      local text, wrong = coerced(row[1], row[2])
      assert.equal(row[3], text)
      assert.equal(row[4] or false, wrong)
    end)
  end

  it("keeps to a type's own condition", function()
    local small = types.constrained(types.number, function(n) return n < 10 end)
    assert.equal(5, feel.coerce(5, small))
    assert.is_nil(feel.coerce(50, small))
    local odd = types.constrained(small, function(n) return n % 2 == 1 end)
    assert.is_true(feel.conforms(5, odd))
    assert.is_false(feel.conforms(4, odd))
    assert.is_false(feel.conforms(11, odd))
    assert.is_true(feel.conforms(nil, odd))
  end)

  it("asks the lambda for its result, too", function()
    local fn = feel.lambda({ "a" }, nil, function(a) return a end, types.number)
    assert.equal(1, feel.call(fn, 1))
    assert.equal(1, feel.call(fn, feel.list { n = 1, 1 }))
    assert.is_nil(feel.call(fn, "x"))
  end)
end)

describe("values of Lua programs", function()
  local core = require "orrery.core"

  it("become FEEL's", function()
    local value = feel.from_lua { b = { 1, 2.5, "x" }, a = core.null, c = true }
    assert.equal('{a: null, b: [1, 2.5, "x"], c: true}', feel.string(value))
    assert.equal("0.1", feel.string(feel.from_lua(0.1)))
    assert.equal("3", feel.string(feel.from_lua(3.0)))
    assert.is_nil(feel.from_lua(0 / 0))
    assert.is_nil(feel.from_lua(core.null))
  end)

  it("are what FEEL gives", function()
    local value = feel.to_plain(support.eval '{a: 1.5, b: [1, null], c: @"2020-01-01", d: 1 / 3, e: function() 1}')
    assert.equal(1.5, value.a)
    assert.equal(core.null, value.b[2])
    assert.equal("2020-01-01", value.c)
    assert.equal(1 / 3, value.d)
    assert.equal(core.null, value.e)
    assert.equal("0.3333333333333333333333333333333333", feel.to_plain(support.eval "1/3", { exact = true }))
    assert.equal("date", feel.kind(feel.to_plain(feel.date "2020-01-01", { typed = true })))
  end)

  it("are cut where they nest too deep", function()
    local deep = {}
    deep.x = deep
    local diagnostics = {}
    feel.with({ diagnostics = diagnostics }, feel.from_lua, deep)
    assert.match("nests more than 64 deep", diagnostics[1])
  end)
end)
