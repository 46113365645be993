-- Boxed expressions, each alone and within others.
local models = require "spec.decision.models"

local text = models.text

local function value(xml, vars) return models.decide(models.file(models.decision("d", xml)), "d", vars) end

local function entry(name, xml, type)
  return ('<contextEntry>%s%s</contextEntry>'):format(
    name and ('<variable name="%s" %s/>'):format(name, type and ('typeRef="%s"'):format(type) or "") or "", xml)
end

describe("a context", function()
  it("is its entries; later ones see earlier ones", function()
    assert.same({ a = 1, ["b c"] = 3 }, (value("<context>" .. entry("a", text "1") .. entry("b c", text "a + 2") .. "</context>")))
  end)

  it("is the entry without a name when there is one", function()
    assert.equal(6, (value("<context>" .. entry("a", text "2") .. entry(nil, text "a * 3") .. "</context>")))
  end)

  it("checks the types of its entries", function()
    assert.same({ a = require "orrery".null }, (value("<context>" .. entry("a", text '"x"', "number") .. "</context>")))
  end)

  it("may hold functions, which may call themselves", function()
    local f = '<functionDefinition><formalParameter name="n" typeRef="number"/>' .. text "if n <= 1 then 1 else n * fact(n - 1)" ..
      "</functionDefinition>"
    assert.equal(120, (value("<context>" .. entry("fact", f) .. entry(nil, text "fact(5)") .. "</context>")))
  end)

  it("may hold tables and contexts", function()
    local rules = models.table { policy = "FIRST", inputs = { { "a", "number" } }, rules = { { "< 5", '"low"' }, { "-", '"high"' } } }
    local inner = "<context>" .. entry("a", text "7") .. entry("rank", rules) .. "</context>"
    assert.same({ outer = { a = 7, rank = "high" } }, (value("<context>" .. entry("outer", inner) .. "</context>")))
  end)

  it("takes more entries than Lua has locals", function()
    local entries = {}
    for i = 1, 300 do entries[i] = entry("e" .. i, text(i == 1 and "1" or ("e%d + 1"):format(i - 1))) end
    assert.equal(300, (value("<context>" .. table.concat(entries) .. entry(nil, text "e300") .. "</context>")))
  end)

  it("refuses an entry without a name in its middle", function()
    local problems = models.problems(models.file(models.decision("d",
      "<context>" .. entry(nil, text "1") .. entry("a", text "2") .. "</context>")))
    assert.matches("only the last entry of a context may have no name", problems[1])
  end)
end)

describe("a list", function()
  it("keeps nulls, and holds any expressions", function()
    local null = require "orrery".null
    assert.same({ 1, null, { 2 } }, (value("<list>" .. text "1" .. text "null" .. "<list>" .. text "2" .. "</list></list>")))
    assert.same({}, (value "<list/>"))
  end)
end)

describe("a relation", function()
  local rows = '<relation><column name="name"/><column name="age" typeRef="number"/><row>' .. text '"Ann"' .. text "30" .. "</row><row>" ..
    text '"Bob"' .. text '"old"' .. "</row></relation>"

  it("is a list of contexts whose values are of the columns' types", function()
    assert.same({ { name = "Ann", age = 30 }, { name = "Bob", age = require "orrery".null } }, (value(rows)))
  end)

  it("refuses a row that is longer than it", function()
    local problems = models.problems(models.file(models.decision("d",
      '<relation><column name="a"/><row>' .. text "1" .. text "2" .. "</row></relation>")))
    assert.matches("more cells than the relation has columns", problems[1])
  end)
end)

describe("functions", function()
  local add = '<functionDefinition><formalParameter name="a" typeRef="number"/><formalParameter name="b"/>' .. text "a + b" ..
    "</functionDefinition>"

  local function invoke(...)
    local bindings = {}
    for _, pair in ipairs { ... } do
      bindings[#bindings + 1] = ('<binding><parameter name="%s"/>%s</binding>'):format(pair[1], text(pair[2]))
    end
    return "<context>" .. entry("add", add) .. entry(nil, "<invocation>" .. text "add" .. table.concat(bindings) .. "</invocation>") ..
      "</context>"
  end

  it("are called by name, in any order of arguments", function()
    assert.equal(3, (value(invoke({ "b", "1" }, { "a", "2" }))))
  end)

  it("give null for arguments that do not fit", function()
    for _, arguments in ipairs { { { "a", "1" } }, { { "a", "1" }, { "c", "2" } }, { { "a", '"x"' }, { "b", "2" } } } do
      local result, why = value(invoke(table.unpack(arguments)))
      assert.is_nil(result)
      assert.truthy(why[1])
    end
  end)

  it("of other kinds are known, warned of, and give null", function()
    local java = '<functionDefinition kind="Java"><formalParameter name="a"/><context>' .. entry("class", text '"java.lang.Math"') ..
      entry("method signature", text '"cos(double)"') .. "</context></functionDefinition>"
    local xml = models.file(models.decision("d", "<context>" .. entry("cos", java) .. entry(nil, text "cos(1)") .. "</context>"))
    assert.matches('functions of kind "Java" are not supported', models.problems(xml, true)[1])
    local result, why = models.decide(xml, "d")
    assert.is_nil(result)
    assert.matches("external", why[1])
  end)

  it("take up to a hundred parameters", function()
    local function taking(n)
      local parameters = {}
      for i = 1, n do parameters[i] = ('<formalParameter name="p%d"/>'):format(i) end
      return models.file(models.decision("d", "<context>" .. entry("f", "<functionDefinition>" .. table.concat(parameters) ..
        text(("p%d"):format(n)) .. "</functionDefinition>") .. entry(nil, text("f(" .. ("1, "):rep(n - 1) .. "7)")) .. "</context>"))
    end
    assert.equal(7, (models.decide(taking(100), "d")))
    assert.matches("a function has 101 parameters; the limit is 100", models.problems(taking(101))[1])
  end)

  it("that are named wrongly are problems", function()
    local problems = models.problems(models.file(models.decision("d", "<invocation><binding/></invocation>")))
    assert.matches("must say what it invokes", problems[1])
    assert.matches("<binding> must have a <parameter> with a name", problems[2])
  end)
end)

describe("conditionals and iterators", function()
  local function part(name, expression) return ("<%s>%s</%s>"):format(name, text(expression), name) end

  it("choose", function()
    local function choose(condition)
      return (value("<conditional>" .. part("if", condition) .. part("then", "1 + 1") .. part("else", '"no"') .. "</conditional>"))
    end
    assert.equal(2, choose "1 = 1")
    assert.equal("no", choose "1 = 2")
    assert.is_nil(choose "null")
    assert.is_nil(choose '"abc"')
  end)

  it("filter by item and by the item's members", function()
    local function filter(list, match) return (value("<filter>" .. part("in", list) .. part("match", match) .. "</filter>")) end
    assert.same({ 3, 4 }, filter("[1, 2, 3, 4]", "item > 2"))
    assert.same({}, filter("[1]", "item > 2"))
    assert.same({ { a = 2 } }, filter("[{a: 1}, {a: 2}]", "a = 2"))
    assert.is_nil(filter("[1, 2]", '"yes"'))
    assert.is_nil(filter("[1, 2]", 'if item = 1 then true else "yes"'))
  end)

  it("loop, with the results so far", function()
    local function loop(list, result)
      return (value('<for iteratorVariable="x">' .. part("in", list) .. part("return", result) .. "</for>"))
    end
    assert.same({ 1, 4, 9 }, loop("[1, 2, 3]", "x * x"))
    assert.same({ 2, 3 }, loop("[2..3]", "x"))
    assert.same({ 1, 2, 4 }, loop("[1, 2, 3]", "if x = 1 then 1 else partial[-1] * 2"))
  end)

  it("quantify; every answer must be true or false", function()
    local function quantify(verb, list, test)
      return (value(('<%s iteratorVariable="x">'):format(verb) .. part("in", list) .. part("satisfies", test) .. ("</%s>"):format(verb)))
    end
    assert.is_true(quantify("some", "[1, 2]", "x = 2"))
    assert.is_false(quantify("some", "[1, 2]", "x = 3"))
    assert.is_false(quantify("some", "[]", "x = 3"))
    assert.is_true(quantify("every", "[1, 2]", "x < 3"))
    assert.is_false(quantify("every", "[1, 2]", "x < 2"))
    assert.is_true(quantify("every", "[]", "x < 2"))
    assert.is_nil(quantify("some", "[1, 2]", 'if x = 1 then true else "no"'))
    assert.is_nil(quantify("every", "[1, 2]", 'if x = 1 then false else "no"'))
  end)

  it("say what they lack", function()
    local problems = models.problems(models.file(models.decision("d", "<conditional>" .. part("if", "true") .. "</conditional>")))
    assert.matches("<conditional> must have an <then>", problems[1])
    problems = models.problems(models.file(models.decision("d", "<for>" .. part("in", "[1]") .. part("return", "1") .. "</for>")))
    assert.matches("must have an iteratorVariable", problems[1])
  end)
end)

describe("a boxed expression", function()
  it("is made to be of its own type, then of what it stands in", function()
    assert.is_nil((value(text("1", 'typeRef="string"'))))
    assert.equal(1, (value(text("[1]", 'typeRef="number"'))))
  end)

  it("that is blank is null", function()
    assert.is_nil((value(text "")))
    assert.is_nil((value "<literalExpression/>"))
  end)

  it("nests as deep as XML may, and no deeper", function()
    local function nested(depth) return ("<list>"):rep(depth) .. text "1" .. ("</list>"):rep(depth) end
    local result = value(nested(55))
    for _ = 1, 55 do result = result[1] end
    assert.equal(1, result)
    assert.matches("deep", models.problems(models.file(models.decision("d", nested(70))))[1])
  end)
end)
