-- What FEEL may use: each bound of limits.h that begins with ORR_FEEL, and the nesting of expressions.
-- Marks: load
local support = require "spec.decision.support"
local feel = support.feel

local function raised(text)
  local ok, failure = pcall(support.eval, text)
  assert.is_false(ok)
  assert.equal("limit", failure.kind)
  return failure.message
end

local inside = require "orrery_inside"

describe("nesting", function()
  local function refused(text)
    local code, message, number = inside.feel.compile(text)
    assert.is_nil(code)
    assert.equal(-11, number, message)
    return message
  end

  it("is bounded while parsing", function()
    for _, text in ipairs { ("("):rep(1000) .. "1" .. (")"):rep(1000), ("["):rep(1000) .. ("]"):rep(1000), ("-"):rep(1000) .. "x",
      ("{a: "):rep(1000) .. "1" .. ("}"):rep(1000), ("if true then "):rep(1000) .. "1" .. (" else 2"):rep(1000),
      "1 instance of " .. ("list<"):rep(1000) .. "number" .. (">"):rep(1000) } do
      assert.match("nested", refused(text))
    end
  end)

  it("is bounded by what Lua can nest", function()
    assert.match("nested too deep", refused(("if true then "):rep(60) .. "1" .. (" else 2"):rep(60)))
    assert.match("too many values at once", refused("a" .. (".b"):rep(1000)))
    assert.match("more arguments than 100", refused("f(" .. ("1, "):rep(200) .. "1)"))
  end)

  it("and the entries of a context", function()
    local entries = {}
    for i = 1, 1000 do entries[i] = ("a%d: 1"):format(i) end
    assert.equal("1000", support.text("count(get entries({" .. table.concat(entries, ", ") .. "}))"))
    assert.match("a context of more than 1000 entries", refused("{" .. table.concat(entries, ", ") .. ", b: 1}"))
  end)

  it("is fine up to there", function()
    assert.equal("1", support.text(("("):rep(90) .. "1" .. (")"):rep(90)))
    assert.equal(("["):rep(60) .. ("]"):rep(60), support.text(("["):rep(60) .. ("]"):rep(60)))
    assert.equal("1", support.text(("if true then "):rep(30) .. "1" .. (" else 2"):rep(30)))
    assert.equal(("{a: "):rep(30) .. "1" .. ("}"):rep(30), support.text(("{a: "):rep(30) .. "1" .. ("}"):rep(30)))
    local many = {}
    for i = 1, 2000 do many[i] = tostring(i) end
    assert.equal("2000", support.text("count([" .. table.concat(many, ", ") .. "])"))
  end)
end)

describe("memory that is out while compiling", function()
  it("is said, at every request", function()
    local items = {}
    for i = 1, 400 do items[i] = ('{a%d: "%s", b: a%d + %d.5}'):format(i, ("x"):rep(50), i, i) end
    local text = "for x in [" .. table.concat(items, ", ") .. "] return if x.b > 1 then date(\"2020-01-01\") else null"
    local n, code, message, number = 0, nil, nil, nil
    repeat
      n = n + 1
      code, message, number = inside.feel.compile(text, { fail_at = n })
      if not code then assert.equal(-14, number, message) end
    until code
    assert.is_true(n > 5, n .. " requests")
  end)
end)

describe("iterations", function()
  it("are a million at most, all loops in one another together", function()
    assert.equal("1000000", support.text "count(for x in 1..1000000 return x)")
    assert.match("more than 1000000 iterations", raised "for x in 1..1000001 return x")
    assert.match("more than 1000000 iterations", raised "for x in 1..2000, y in 1..2000 return x")
    assert.match("more than 1000000 iterations", raised "for x in 1..2000 return count(for y in 1..2000 return y)")
    assert.match("more than 1000000 iterations", raised "some x in 1..2000000 satisfies x = 0")
  end)

  it("count calls, too", function()
    assert.match("more than 1000000 iterations",
      raised "{f: function(g, n) if n < 2 then 1 else g(g, n - 1) + g(g, n - 2), r: f(f, 40)}.r")
  end)

  it("start anew with each evaluation", function()
    raised "for x in 1..1000001 return x"
    assert.equal("3", support.text "count(for x in 1..3 return x)")
    assert.equal("1000000", support.text "count(for x in 1..1000000 return x)")
  end)

  it("look at some million items", function()
    assert.match("looks at more than 5000000 items",
      raised "{l: for i in 1..100000 return i, r: for x in 1..300 return l[item = x]}.r")
  end)
end)

describe("functions that call themselves", function()
  it("go a thousand deep", function()
    assert.equal("900", support.text "{f: function(g, n) if n = 0 then 0 else 1 + g(g, n - 1), r: f(f, 900)}.r")
    assert.match("more than 1000 deep", raised "{f: function(g, n) g(g, n + 1), r: f(f, 1)}.r")
  end)
end)

describe("texts and lists", function()
  it("grow to some size", function()
    assert.match("a text of more than 16777216 bytes",
      raised 'for i in 1..40 return if i = 1 then "aaaaaaaaaaaaaaaa" else partial[-1] + partial[-1]')
    assert.match("a list of more than 1000000 items",
      raised "for i in 1..30 return if i = 1 then [1, 2] else concatenate(partial[-1], partial[-1])")
  end)
end)

describe("regular expressions", function()
  it("take a million steps", function()
    local text = ("a"):rep(40)
    assert.match("more than 1000000 steps", raised(('matches("%sb", "^(a|a)*$")'):format(text)))
    assert.match("more than 1000000 steps", raised(('replace("%sX", "^(a|a)+$", "x")'):format(text)))
    assert.match("more than 1000000 steps", raised(('split("%sX", "^(a|a)+$")'):format(text)))
  end)

  it("nest as deep as expressions", function()
    local _, diagnostics = support.eval(('matches("a", "%sa%s")'):format(("(?:"):rep(1000), (")"):rep(1000)))
    assert.match("nested too deep", diagnostics[1])
  end)
end)

describe("diagnostics", function()
  it("are a hundred", function()
    local _, diagnostics = support.eval "for x in 1..1000 return null + 1"
    assert.equal(100, #diagnostics)
  end)

  it("are forgotten outside of an evaluation", function() assert.is_nil(feel.nothing "why") end)
end)

-- Values may hold the same value twice, and that one another twice: a few of them stand for more than there is memory.
describe("values that hold each other", function()
  local doubled = "for i in 1..60 return if i = 1 then [] else [partial[-1], partial[-1]]"

  it("are made as long as they are few", function()
    assert.equal("60", support.text("count(" .. doubled .. ")"))
    assert.equal("[[], []]", support.text("(" .. doubled .. ")[2]"))
  end)

  it("are not looked through without end", function()
    local most = "one evaluation looks at more than 5000000 items"
    assert.match(most, raised("flatten(" .. doubled .. ")"))
    assert.match(most, raised("(" .. doubled .. ").a"))
    assert.match(most, raised("string(" .. doubled .. ")"))
    assert.match(most, raised("{a: " .. doubled .. ", b: " .. doubled .. ", r: a = b}.r"))
    local value = support.eval(doubled)
    assert.is_false(pcall(feel.to_plain, value))
    assert.match(most, raised "for i in 1..100000 return append(partial, i)")
    assert.match(most, raised "for i in 1..100000 return [partial]")
    assert.match(most, raised "count(distinct values(for i in 1..100000 return {a: i}))")
    assert.match(most, raised [[{t: for i in 1..20 return if i = 1 then "aaaaaaaaaaaaaaaa" else partial[-1] + partial[-1],
      r: for i in 1..1000 return t[-1] + string(i)}.r]])
  end)

  it("nest only so deep", function()
    local deep = "for i in 1..5000 return if i = 1 then [] else [partial[-1]]"
    assert.equal("5000", support.text("count(" .. deep .. ")"))
    assert.match("values nest, more than 1000 deep", raised("flatten((" .. deep .. ")[-1])"))
    assert.match("values nest, more than 1000 deep", raised("{a: " .. deep .. ", b: " .. deep .. ", r: a[-1] = b[-1]}.r"))
    assert.is_false(pcall(feel.to_plain, support.eval(deep)))
  end)
end)
