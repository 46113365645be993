-- Decision tables: hit policies, defaults, output values, types, the forms that large tables take.
local models = require "spec.decision.models"

local table_of = models.table

local function decide(options, vars)
  return models.decide(models.file(models.decision("d", table_of(options), { type = options.type })), "d", vars)
end

local ages = { { "age", "number" } }

-- Rules that overlap from 10 up and from 20 up.
local function overlapping(policy, extra)
  local options = { policy = policy, inputs = ages, outputs = { { nil, "string", values = '"c", "b", "a"' } },
    rules = { { ">= 10", '"a"' }, { ">= 20", '"b"' }, { ">= 20", '"b"' } } }
  for key, value in pairs(extra or {}) do options[key] = value end
  return options
end

describe("a cell", function()
  it("that asks for another input than its own is a value to compare with", function()
    local options = { policy = "FIRST", inputs = { { "b", "boolean" } }, outputs = { { "o", "string" } },
      rules = { { "5 in (? > 1)", '"yes"' }, { "-", '"no"' } } }
    assert.equal("yes", (decide(options, { b = true })))
    assert.equal("no", (decide(options, { b = false })))
  end)
end)

describe("hit policies", function()
  it("UNIQUE gives the only hit, and null with a reason when there are two", function()
    assert.equal("a", (decide(overlapping "UNIQUE", { age = 15 })))
    local value, why = decide(overlapping "UNIQUE", { age = 25 })
    assert.is_nil(value)
    assert.matches("rules 1 and 2 both match", why[1])
  end)

  it("is UNIQUE when none is given", function()
    local xml = models.file(models.decision("d", (table_of(overlapping "UNIQUE"):gsub('hitPolicy="UNIQUE"', ""))))
    assert.is_nil((models.decide(xml, "d", { age = 25 })))
  end)

  it("FIRST gives the first hit", function()
    assert.equal("a", (decide(overlapping "FIRST", { age = 25 })))
    assert.is_nil((decide(overlapping "FIRST", { age = 5 })))
  end)

  it("ANY gives what all hits agree on, else null", function()
    local rules = { { ">= 10", '"b"' }, { ">= 20", '"b"' }, { ">= 30", '"a"' } }
    assert.equal("b", (decide(overlapping("ANY", { rules = rules }), { age = 25 })))
    local value, why = decide(overlapping("ANY", { rules = rules }), { age = 35 })
    assert.is_nil(value)
    assert.matches("different outputs", why[1])
  end)

  it("PRIORITY gives the output that stands first among the output values", function()
    assert.equal("b", (decide(overlapping "PRIORITY", { age = 25 })))
  end)

  it("RULE ORDER and OUTPUT ORDER give lists", function()
    assert.same({ "a", "b", "b" }, (decide(overlapping "RULE ORDER", { age = 25 })))
    assert.same({ "b", "b", "a" }, (decide(overlapping "OUTPUT ORDER", { age = 25 })))
  end)

  it("COLLECT gives a list, empty without hits", function()
    assert.same({ "a", "b", "b" }, (decide(overlapping "COLLECT", { age = 25 })))
    assert.same({}, (decide(overlapping "COLLECT", { age = 5 })))
  end)

  it("COLLECT aggregates", function()
    local rules = { { ">= 10", "5" }, { ">= 20", "1.5" }, { ">= 20", "3" } }
    local function collect(aggregation, age)
      return (decide({ policy = "COLLECT", aggregation = aggregation, inputs = ages, outputs = { { nil, "number" } }, rules = rules },
        { age = age }))
    end
    assert.equal(9.5, collect("SUM", 25))
    assert.equal(1.5, collect("MIN", 25))
    assert.equal(5, collect("MAX", 25))
    assert.equal(3, collect("COUNT", 25))
    assert.equal(0, collect("COUNT", 5))
    assert.is_nil(collect("SUM", 5))
  end)

  it("takes the letters that people write for them", function()
    for letter, expected in pairs { U = false, F = "a", P = "b", A = false } do
      assert.equal(expected or nil, (decide(overlapping(letter), { age = 25 })))
    end
    assert.same({ "a", "b", "b" }, (decide(overlapping "C", { age = 25 })))
    assert.equal(3, (decide({ policy = "C#", inputs = ages, rules = { { "-", "1" }, { "-", "2" }, { "-", "3" } } }, { age = 25 })))
  end)

  it("refuses what is no policy and no aggregation", function()
    local problems = models.problems(models.file(models.decision("d", table_of(overlapping "SOMETIMES"))))
    assert.matches("hit policy \"SOMETIMES\" is none of", problems[1])
    problems = models.problems(models.file(models.decision("d", table_of(overlapping("COLLECT", { aggregation = "AVERAGE" })))))
    assert.matches("aggregation \"AVERAGE\" is none of", problems[1])
  end)
end)

describe("outputs", function()
  local two = { { "rank", "string", values = '"high", "low"' }, { "rate", "number" } }

  it("are a context when there are several", function()
    local options = { inputs = ages, outputs = two, rules = { { "< 30", '"low"', "age * 2" }, { ">= 30", '"high"', "3" } } }
    assert.same({ rank = "low", rate = 40 }, (decide(options, { age = 20 })))
    assert.same({ rank = "high", rate = 3 }, (decide(options, { age = 30 })))
  end)

  it("take their defaults when no rule hits", function()
    local outputs = { { "rank", "string", default = '"none"' }, { "rate", "number", default = "age + 1" } }
    local options = { inputs = ages, outputs = outputs, rules = { { "< 30", '"low"', "1" } } }
    assert.same({ rank = "none", rate = 41 }, (decide(options, { age = 40 })))
  end)

  it("are ordered by the first output, then by the next", function()
    local outputs = { { "a", "string", values = '"x", "y"' }, { "b", "number", values = "2, 1" } }
    local options = { policy = "OUTPUT ORDER", inputs = ages, outputs = outputs,
      rules = { { "-", '"y"', "1" }, { "-", '"x"', "1" }, { "-", '"x"', "2" } } }
    assert.same({ { a = "x", b = 2 }, { a = "x", b = 1 }, { a = "y", b = 1 } }, (decide(options, { age = 1 })))
    options.policy = "PRIORITY"
    assert.same({ a = "x", b = 2 }, (decide(options, { age = 1 })))
  end)

  it("that are none of the output values are null", function()
    local outputs = { { nil, "string", values = '"x", "y"' } }
    assert.is_nil((decide({ inputs = ages, outputs = outputs, rules = { { "-", '"z"' } } }, { age = 1 })))
    local value, why = decide({ inputs = ages, outputs = outputs, rules = { { "-", '"z" + "z"' } } }, { age = 1 })
    assert.is_nil(value)
    assert.matches("none of the output values", why[1])
  end)

  it("are made to be of the decision's type, or null", function()
    local options = { policy = "COLLECT", type = "number", inputs = ages, rules = { { "< 10", "7" } } }
    assert.equal(7, (decide(options, { age = 1 })))
    options = { type = "string", inputs = ages, rules = { { "< 10", "7" } } }
    assert.is_nil((decide(options, { age = 1 })))
  end)
end)

describe("inputs", function()
  it("that are none of the allowed values make the result null", function()
    local options = { inputs = { { "color", "string", values = '"red", "green"' } }, rules = { { "-", "1" } } }
    assert.equal(1, (decide(options, { color = "red" })))
    local value, why = decide(options, { color = "blue" })
    assert.is_nil(value)
    assert.matches("none of the allowed values", why[1])
  end)

  it("of a wrong type match no test of their type", function()
    local options = { policy = "FIRST", inputs = ages, rules = { { ">= 18", '"adult"' }, { "-", '"other"' } } }
    assert.equal("other", (decide(options, { age = "old" })))
    assert.equal("other", (decide(options, {})))
  end)

  it("may be any expression, and cells any test", function()
    local options = { policy = "FIRST", inputs = { { "count(items)", "number" }, { "items", nil } },
      rules = { { "0", "-", '"none"' }, { "[1..2]", "list contains(?, 7)", '"seven"' }, { "-", "-", '"other"' } } }
    assert.equal("none", (decide(options, { items = {} })))
    assert.equal("seven", (decide(options, { items = { 7 } })))
    assert.equal("other", (decide(options, { items = { 7, 8, 9 } })))
  end)

  it("are exact: no cell sees a rounded number", function()
    local options = { inputs = { { "a + b", "number" } }, rules = { { "0.3", '"yes"' }, { "not(0.3)", '"no"' } } }
    assert.equal("yes", (decide(options, { a = 0.1, b = 0.2 })))
  end)
end)

describe("large tables", function()
  local function rules(n, make)
    local list = {}
    for i = 1, n do list[i] = make(i) end
    return list
  end

  -- Every answer of a table must be that of the same table scanned rule by rule.
  local function same_answers(options, values, name)
    local xml = models.file(models.decision("d", table_of(options)))
    local loaded, compiled = models.load(xml)
    local feel = require "orrery.feel"
    local node = loaded:node "d"
    for _, value in ipairs(values) do
      local got = loaded:run(node, { [name] = value[1] }, {})
      got = got ~= nil and feel.to_plain(got) or nil
      assert.same(value[2], got, tostring(value[1]))
    end
    return compiled.code
  end

  it("find texts by an index", function()
    local options = { policy = "FIRST", inputs = { { "x", "string" } },
      rules = rules(500, function(i) return { ('"k%d", "o%d"'):format(i, i % 50), tostring(i) } end) }
    options.rules[501] = { "-", "0" }
    local code = same_answers(options, { { "k1", 1 }, { "k500", 500 }, { "o0", 50 }, { "o7", 7 }, { "other", 0 } }, "x")
    assert.matches("D%.index_texts", code)
  end)

  it("find ranges by an index, with bounds in and out", function()
    local list = rules(300, function(i) return { ("[%d..%d)"):format(i * 10, i * 10 + 10), tostring(i) } end)
    list[301] = { "< 10", "-1" }
    list[302] = { ">= 3010", "-2" }
    local options = { policy = "UNIQUE", inputs = { { "x", "number" } }, rules = list }
    local code = same_answers(options, { { 10, 1 }, { 19, 1 }, { 19.5, 1 }, { 20, 2 }, { 9.99, -1 }, { -5, -1 }, { 3009.5, 300 },
      { 3010, -2 }, { 1e9, -2 } }, "x")
    assert.matches("D%.index_numbers", code)
  end)

  it("look at every cell where ranges overlap too much for an index", function()
    local list = rules(100, function(i) return { ("%s %d"):format(i % 2 == 0 and ">" or ">=", i), tostring(i) } end)
    list[101], list[102] = { "-", "101" }, { "(3..2000]", "102" }
    local options = { policy = "RULE ORDER", inputs = { { "x", "number" } }, rules = list }
    local code = same_answers(options, { { 0, { 101 } }, { 1, { 1, 101 } }, { 2, { 1, 101 } }, { 3, { 1, 2, 3, 101 } },
      { 3.5, { 1, 2, 3, 101, 102 } }, { nil, { 101 } } }, "x")
    assert.matches("D%.index_numbers", code)
    assert.equal(103, 1 + #models.decide(models.file(models.decision("d", table_of(options))), "d", { x = 200 }))
  end)

  it("keep every hit in the order of rules", function()
    local list = rules(200, function(i) return { ('"k%d"'):format(i % 20), tostring(i) } end)
    list[201] = { "-", "201" }
    local options = { policy = "RULE ORDER", inputs = { { "x", "string" } }, rules = list }
    local expected = {}
    for i = 7, 200, 20 do expected[#expected + 1] = i end
    expected[#expected + 1] = 201
    same_answers(options, { { "k7", expected }, { "nothing", { 201 } } }, "x")
  end)

  it("notice a collision behind an index and behind blocks", function()
    for _, test in ipairs { '"k%d"', 'starts with(?, "k%d#")' } do
      local list = rules(300, function(i) return { test:format(i), tostring(i) } end)
      list[301] = { test:format(5), "301" }
      local options = { policy = "UNIQUE", inputs = { { "x", "string" } }, rules = list }
      local suffix = test:find "#" and "#" or ""
      same_answers(options, { { "k5" .. suffix, nil }, { "k6" .. suffix, 6 }, { "k300" .. suffix, 300 } }, "x")
    end
  end)

  it("scan in blocks when no input divides them", function()
    for policy, expected in pairs { FIRST = 150, COLLECT = { 150, 250 } } do
      local list = rules(250, function(i) return { ("modulo(?, 1000) = %d"):format(i), tostring(i) } end)
      list[250] = { "modulo(?, 1000) = 150", "250" }
      local options = { policy = policy, inputs = { { "x", "number" } }, rules = list }
      local code = same_answers(options, { { 5150, expected } }, "x")
      assert.not_matches("D%.index", code)
    end
  end)

  it("read what is around them from wherever they are tested", function()
    local list = rules(250, function(i) return { ("modulo(?, base) = %d"):format(i), ("base + %d"):format(i) } end)
    local body = models.input("base", "number") .. models.input("x", "number") ..
      models.decision("d", models.table { policy = "FIRST", inputs = { { "x", "number" } }, rules = list }, { inputs = { "base", "x" } })
    assert.equal(1210, (models.decide(models.file(body), "d", { x = 5210, base = 1000 })))
  end)

  --- A function from x to what the table gives, as text.
  local function loaded_table(options)
    local loaded = models.load(models.file(models.decision("d", table_of(options))))
    local node = loaded:node "d"
    return function(x) return tostring(loaded:run(node, { x = x }, {})) end
  end

  it("give one index answer and its scan the same result for random ranges", function()
    local random = require "spec.support.random"
    local n = random.seeded(7)
    for _ = 1, 20 do
      local list = {}
      for i = 1, 60 do
        local low = n(40)
        local forms = { ("[%d..%d]"):format(low, low + n(6)), ("(%d..%d)"):format(low, low + 1 + n(6)), ("< %d"):format(n(10)),
          (">= %d"):format(30 + n(10)), tostring(low), "-" }
        list[i] = { forms[1 + (n(60) == 1 and 6 or n(5)) % 6], tostring(i) }
      end
      local plain = { policy = "RULE ORDER", inputs = { { "x", "number" } }, rules = list }
      local scanned = { policy = "RULE ORDER", inputs = { { "x" } }, rules = list } -- an input of no type has no index
      local with, without = loaded_table(plain), loaded_table(scanned)
      for x = -1, 96 do assert.same(without(x / 2), with(x / 2)) end
    end
  end)
end)

describe("a table that is malformed", function()
  local function problem(xml) return models.problems(models.file(models.decision("d", xml)))[1] end

  local input = "<input><inputExpression><text>a</text></inputExpression></input>"
  local cell, result = "<inputEntry><text>1</text></inputEntry>", "<outputEntry><text>1</text></outputEntry>"

  local function of(...) return "<decisionTable>" .. table.concat { ... } .. "</decisionTable>" end

  it("says which rule has too few or too many entries", function()
    assert.matches("the rule has 2 input entries; the table has 1 input$",
      problem(of(input, "<output/><rule>", cell, cell, result, "</rule>")))
    assert.matches("the rule has 0 output entries; the table has 1 output$",
      problem(of(input, "<output/><rule>", cell, "</rule>")))
  end)

  it("needs an output, names for several, and expressions for its inputs", function()
    assert.matches("must have an output", problem(of(input)))
    assert.matches("one of several outputs must have a name", problem '<decisionTable><output/><output name="x"/></decisionTable>')
    assert.matches("has no expression", problem '<decisionTable><input label="L"/><output/></decisionTable>')
  end)

  it("meets the limits of columns and rules", function()
    local inputs, entries = {}, {}
    for i = 1, 51 do inputs[i], entries[i] = { "x" .. i }, "-" end
    entries[52] = "1"
    assert.matches("51 inputs and 1 outputs; the limit is 50", problem(table_of { inputs = inputs, rules = { entries } }))
    local outer, inner, sum = {}, {}, {}
    for i = 1, 90 do
      outer[i], inner[i] = ('<formalParameter name="a%d"/>'):format(i), ('<formalParameter name="b%d"/>'):format(i)
      sum[i] = ("a%d + b%d"):format(i, i)
    end
    local table_text = table_of { inputs = { { "1" } }, rules = { { "-", table.concat(sum, " + ") } } }
    assert.matches("the table reads 181 different names; the limit is 160", problem("<functionDefinition>" .. table.concat(outer) ..
      "<functionDefinition>" .. table.concat(inner) .. table_text .. "</functionDefinition></functionDefinition>"))
    local rules = ("<rule>" .. cell .. result .. "</rule>"):rep(30001)
    assert.matches("the table has 30001 rules; the limit is 30000", problem(of(input, "<output/>", rules)))
  end)
end)
