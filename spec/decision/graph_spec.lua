-- The requirements graph: inputs, decisions, knowledge models, services, imports.
local models = require "spec.decision.models"

local decision, input, text = models.decision, models.input, models.text

local function knowledge(name, parameters, logic, options)
  options = options or {}
  local formal = {}
  for i, p in ipairs(parameters) do
    formal[i] = ('<formalParameter name="%s" %s/>'):format(p[1], p[2] and ('typeRef="%s"'):format(p[2]) or "")
  end
  local required = {}
  for i, id in ipairs(options.knowledge or {}) do
    required[i] = ('<knowledgeRequirement><requiredKnowledge href="#%s"/></knowledgeRequirement>'):format(id)
  end
  return ('<businessKnowledgeModel id="%s" name="%s"><variable name="%s" %s/><encapsulatedLogic>%s%s</encapsulatedLogic>%s' ..
    "</businessKnowledgeModel>"):format(name, name, name, options.type and ('typeRef="%s"'):format(options.type) or "",
      table.concat(formal),
      logic:find "^%s*<" and logic or text(logic), table.concat(required))
end

local function service(name, options)
  local out = { ('<decisionService id="%s" name="%s"><variable name="%s"/>'):format(name, name, name) }
  for _, kind in ipairs { "outputDecision", "encapsulatedDecision", "inputDecision", "inputData" } do
    for _, id in ipairs(options[kind] or {}) do out[#out + 1] = ('<%s href="#%s"/>'):format(kind, id) end
  end
  out[#out + 1] = "</decisionService>"
  return table.concat(out)
end

describe("decisions", function()
  it("see what they require, by names with blanks and operators", function()
    local file = models.file(input("Monthly Fee - net", "number") .. decision("Yearly Fee", "Monthly Fee - net * 12",
      { inputs = { "Monthly Fee - net" } }) .. decision("d", "Yearly Fee + 1", { decisions = { "Yearly Fee" } }))
    assert.equal(121, (models.decide(file, "d", { ["Monthly Fee - net"] = 10 })))
  end)

  it("are evaluated once, however many require them, also when they are null", function()
    local chain = {}
    for i = 1, 40 do
      local logic = i == 1 and 'x' or ("if d%d = null and d%d = null then null else 1"):format(i - 1, i - 1)
      chain[i] = decision("d" .. i, logic, { inputs = { "x" }, decisions = i > 1 and { "d" .. i - 1, "d" .. i - 1 } or nil })
    end
    local file = models.file(input "x" .. table.concat(chain))
    assert.is_nil((models.decide(file, "d40", {}))) -- 2^40 evaluations would not end
  end)

  it("without logic have the value that the caller gives", function()
    local file = models.file('<decision id="g" name="g"><variable name="g" typeRef="number"/></decision>' ..
      decision("d", "g + 1", { decisions = { "g" } }))
    assert.equal(6, (models.decide(file, "d", { g = 5 })))
  end)

  it("give null where a name is not known, with a reason", function()
    local value, why = models.decide(models.file(decision("d", "nowhere + 1")), "d")
    assert.is_nil(value)
    assert.matches("nowhere", why[1])
  end)

  it("that require each other in a circle are refused", function()
    local problems = models.problems(models.file(decision("a", "b", { decisions = { "b" } }) ..
      decision("b", "c", { decisions = { "c" } }) .. decision("c", "a", { decisions = { "a" } })))
    assert.equal(1, #problems)
    assert.matches("may not form a circle", problems[1])
    assert.matches("circle", models.problems(models.file(decision("a", "a", { decisions = { "a" } })))[1])
  end)

  it("that require what does not exist are refused", function()
    local problems = models.problems(models.file(decision("a", "1", { decisions = { "b" } }) ..
      decision("c", "1", { inputs = { "x" } }) ..
      '<decision id="e" name="e"><informationRequirement><requiredDecision/></informationRequirement></decision>'))
    assert.matches('<requiredDecision> refers to "#b", which does not exist', problems[1])
    assert.matches('<requiredInput> refers to "#x", which does not exist', problems[2])
    assert.matches("must have an href", problems[3])
  end)

  it("have ids and names of their own", function()
    local problems = models.problems(models.file(decision("a", "1") .. decision("a", "2") .. "<decision><literalExpression/></decision>"))
    assert.matches('id "a" is used twice', problems[1])
    assert.matches("<decision> must have a name", problems[2])
  end)

  it("form chains, up to a limit", function()
    local function chain(n)
      local out = {}
      for i = 1, n do
        out[i] = decision("d" .. i, i == 1 and "1" or ("d%d + 1"):format(i - 1), { decisions = i > 1 and { "d" .. i - 1 } or nil })
      end
      local reversed = {}
      for i = n, 1, -1 do reversed[#reversed + 1] = out[i] end -- found from the last one on
      return models.file(table.concat(reversed))
    end
    assert.equal(900, (models.decide(chain(900), "d900")))
    assert.matches("require each other more than 1000 deep", models.problems(chain(1100))[1])
  end)

  it("require up to a hundred others", function()
    local function wide(n)
      local inputs, names = {}, {}
      for i = 1, n do
        inputs[i], names[i] = input("x" .. i, "number"), "x" .. i
      end
      return models.file(table.concat(inputs) .. decision("d", "sum([" .. table.concat(names, ", ") .. "])", { inputs = names }))
    end
    local vars = {}
    for i = 1, 100 do vars["x" .. i] = i end
    assert.equal(5050, (models.decide(wide(100), "d", vars)))
    assert.matches("requires 101 others; the limit is 100", models.problems(wide(101))[1])
  end)
end)

describe("knowledge models", function()
  it("are called by position, by name and boxed", function()
    local invocation = "<invocation>" .. text "area" .. '<binding><parameter name="w"/>' .. text "3" .. "</binding>" ..
      '<binding><parameter name="h"/>' .. text "4" .. "</binding></invocation>"
    local file = models.file(knowledge("area", { { "w", "number" }, { "h", "number" } }, "w * h") ..
      decision("a", "area(2, 3)", { knowledge = { "area" } }) .. decision("b", "area(h: 5, w: 2)", { knowledge = { "area" } }) ..
      decision("c", invocation, { knowledge = { "area" } }))
    assert.equal(6, (models.decide(file, "a")))
    assert.equal(10, (models.decide(file, "b")))
    assert.equal(12, (models.decide(file, "c")))
  end)

  it("use each other, and tables, but no variables", function()
    local rules = models.table { inputs = { { "n", "number" } }, rules = { { "< 10", "twice(n)" }, { ">= 10", "secret" } } }
    local file = models.file(knowledge("twice", { { "n" } }, "2 * n") ..
      knowledge("f", { { "n", "number" } }, rules, { knowledge = { "twice" } }) ..
      decision("d", "f(x)", { knowledge = { "f" } }))
    assert.equal(8, (models.decide(file, "d", { x = 4, secret = 1 })))
    assert.is_nil((models.decide(file, "d", { x = 40, secret = 1 })))
  end)

  it("check their parameters' and results' types", function()
    local file = models.file(knowledge("f", { { "n", "number" } }, 'if n = 1 then "one" else n', { type = "number" }) ..
      decision("a", 'f("x")', { knowledge = { "f" } }) .. decision("b", "f(1)", { knowledge = { "f" } }) ..
      decision("c", "f(2)", { knowledge = { "f" } }))
    assert.is_nil((models.decide(file, "a")))
    assert.is_nil((models.decide(file, "b")))
    assert.equal(2, (models.decide(file, "c")))
  end)

  it("may call themselves, to a limit", function()
    local file = models.file(knowledge("f", { { "n", "number" } }, "if n = 0 then 0 else 1 + f(n - 1)", { knowledge = { "f" } }) ..
      decision("d", "f(n)", { knowledge = { "f" } }))
    assert.equal(50, (models.decide(file, "d", { n = 50 })))
    models.raises("limit", models.decide, file, "d", { n = -1 })
    assert.equal(50, (models.decide(file, "d", { n = 50 }))) -- and nothing is left of the failure
  end)
end)

describe("decision services", function()
  local body = input("x", "number") .. decision("inner", "x * 10", { inputs = { "x" } }) ..
    decision("given", "1000", { type = "number" }) ..
    decision("out", "inner + given", { decisions = { "inner", "given" } }) .. decision("other", "inner + 1", { decisions = { "inner" } })

  it("answer with their output decision; input decisions are given", function()
    local file = models.file(body .. service("s", { outputDecision = { "out" }, encapsulatedDecision = { "inner" },
      inputDecision = { "given" }, inputData = { "x" } }))
    assert.equal(25, (models.decide(file, "s", { x = 2, given = 5 })))
    assert.equal(1020, (models.decide(file, "out", { x = 2, given = 5 })))
    assert.is_nil((models.decide(file, "s", { x = 2 })))
  end)

  it("answer with a context when they have several", function()
    local file = models.file(body .. service("s", { outputDecision = { "inner", "other" }, inputData = { "x" } }))
    assert.same({ inner = 20, other = 21 }, (models.decide(file, "s", { x = 2 })))
  end)

  it("are functions: input data first, then input decisions", function()
    local file = models.file(body .. service("s", { outputDecision = { "out" }, inputDecision = { "given" }, inputData = { "x" } }) ..
      decision("a", "s(3, 4)", { knowledge = { "s" } }) .. decision("b", "s(given: 1, x: 2)", { knowledge = { "s" } }) ..
      decision("c", 's("x", 1)', { knowledge = { "s" } }))
    assert.equal(34, (models.decide(file, "a")))
    assert.equal(21, (models.decide(file, "b", { x = 99 })))
    assert.is_nil((models.decide(file, "c")))
  end)

  it("that call themselves without end meet a limit", function()
    local file = models.file(decision("d", "s()", { knowledge = { "s" } }) .. service("s", { outputDecision = { "d" } }))
    local err = models.raises("limit", models.decide, file, "d")
    assert.matches("deep", err.message)
  end)

  it("need an output decision that exists", function()
    local problems = models.problems(models.file(service("s", {}) .. service("t", { outputDecision = { "nowhere" } })))
    local all = table.concat(problems, "\n")
    assert.matches('"s" has no output decision', all)
    assert.matches('refers to "#nowhere"', all)
  end)
end)

describe("imports", function()
  local function import(name, namespace)
    return ('<import name="%s" namespace="%s" importType="%s"/>'):format(name, namespace, models.NAMESPACES["1.5"])
  end

  local library = models.file('<itemDefinition name="tAge"><typeRef>number</typeRef><allowedValues><text>[0..150]</text>' ..
    "</allowedValues></itemDefinition>" ..
    input("age", "number") .. decision("is adult", "age >= 18", { inputs = { "age" } }) ..
    knowledge("greet", { { "name", "string" } }, '"Hello " + name'), { namespace = "urn:library" })

  local function requiring(name, kind, href, expression, element)
    return ('<decision id="%s" name="%s"><variable name="%s"/><%sRequirement><%s href="%s"/></%sRequirement>%s</decision>'):format(
      name, name, name, kind, element or "requiredKnowledge", href, kind, text(expression))
  end

  local function using(body) return models.file(import("lib", "urn:library") .. body) end
  local beside = { ["library.dmn"] = library }

  it("bring decisions, knowledge and types by the import's name", function()
    local file = using(input("years", "lib.tAge") .. requiring("a", "knowledge", "urn:library#greet", 'lib.greet("Ann")') ..
      requiring("b", "information", "urn:library#is adult", "lib.is adult", "requiredDecision") ..
      decision("c", "years", { inputs = { "years" } }))
    assert.equal("Hello Ann", (models.decide(file, "a", {}, beside)))
    assert.equal(200 < 18, (models.decide(file, "b", { age = 3 }, beside)))
    assert.equal(70, (models.decide(file, "c", { years = 70 }, beside)))
    assert.is_nil((models.decide(file, "c", { years = 700 }, beside)))
  end)

  it("take imported inputs by their name, by both names, and from a table of the import's", function()
    local file = using(requiring("b", "information", "urn:library#age", "lib.age", "requiredInput"))
    assert.equal(1, (models.decide(file, "b", { age = 1 }, beside)))
    assert.equal(2, (models.decide(file, "b", { ["lib.age"] = 2, age = 1 }, beside)))
    assert.equal(3, (models.decide(file, "b", { lib = { age = 3 }, age = 1 }, beside)))
  end)

  it("reach through imports of imports", function()
    local middle = models.file(import("base", "urn:library") ..
      requiring("m", "knowledge", "urn:library#greet", 'base.greet("Bob")'), { namespace = "urn:middle" })
    local file = models.file(import("mid", "urn:middle") .. requiring("d", "information", "urn:middle#m", "mid.m", "requiredDecision"))
    assert.equal("Hello Bob", (models.decide(file, "d", {}, { ["library.dmn"] = library, ["middle.dmn"] = middle })))
    assert.equal("Hello Bob", (models.decide(file, "mid.m", {}, { ["library.dmn"] = library, ["middle.dmn"] = middle })))
  end)

  it("are models of their own: one that is imported by two ways may have two values for one input", function()
    local function middle(namespace)
      return models.file(import("lib", "urn:library") .. requiring("m", "information", "urn:library#age", "lib.age", "requiredInput"),
        { namespace = namespace })
    end
    local file = models.file(import("one", "urn:one") .. import("two", "urn:two") .. requiring("a", "information", "urn:one#m", "one.m",
      "requiredDecision") .. requiring("b", "information", "urn:two#m", "two.m", "requiredDecision") ..
      models.decision("d", "[a, b]", { decisions = { "a", "b" } }))
    local others = { ["library.dmn"] = library, ["one.dmn"] = middle "urn:one", ["two.dmn"] = middle "urn:two" }
    assert.same({ 1, 2 }, (models.decide(file, "d", { one = { lib = { age = 1 } }, two = { lib = { age = 2 } } }, others)))
    assert.same({ 1, 2 }, (models.decide(file, "d", { ["one.lib.age"] = 1, lib = { age = 2 } }, others)))
    assert.same({ 3, 3 }, (models.decide(file, "d", { age = 3 }, others)))
  end)

  it("are limited, each way to a model counting", function()
    local others = {}
    for i = 1, 8 do
      local body = i < 8 and import("a", "urn:m" .. i + 1) .. import("b", "urn:m" .. i + 1) or ""
      others[("m%d.dmn"):format(i)] = models.file(body, { namespace = "urn:m" .. i })
    end
    assert.same({}, models.problems(models.file(import("x", "urn:m4")), false, others))
    local problems = models.problems(models.file(import("x", "urn:m1")), false, others)
    assert.matches("more than 100 models are imported", table.concat(problems, "\n"))
  end)

  it("that are missing, or form a circle, are refused", function()
    assert.matches("is not in this deployment", models.problems(using "")[1])
    local other = models.file(import("back", "urn:spec"), { namespace = "urn:other" })
    local problems = models.problems(models.file(import("other", "urn:other")), false, { ["other.dmn"] = other })
    assert.equal(1, #problems)
    assert.matches('the import of "model.dmn" closes a circle of imports', problems[1])
    problems = models.problems(models.file(import("me", "urn:spec")))
    assert.matches("closes a circle of imports", problems[1])
    assert.matches("does not import", models.problems(models.file((decision("d", "1"):gsub("<variable",
      '<informationRequirement><requiredDecision href="urn:x#y"/></informationRequirement><variable', 1))))[1])
  end)

  it("of other kinds are ignored with a word", function()
    local file = models.file('<import name="x" namespace="urn:x" importType="http://www.w3.org/2001/XMLSchema"/>')
    assert.matches("no DMN model", models.problems(file, true)[1])
  end)
end)
