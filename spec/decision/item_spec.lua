-- Item definitions: what inputs, decisions and parameters of their types may hold.
local models = require "spec.decision.models"

--- What a decision of the type gives for an expression, and a decision that only reads an input of it.
local function through(definitions, type, vars)
  return (models.decide(models.file(definitions .. models.input("x", type) .. models.decision("d", "x", { inputs = { "x" } })), "d", vars))
end

local function result(definitions, type, expression)
  return (models.decide(models.file(definitions .. models.decision("d", expression, { type = type })), "d"))
end

local function item(name, inside, attributes)
  return ('<itemDefinition name="%s" %s>%s</itemDefinition>'):format(name, attributes or "", inside)
end

local function allowed(text) return ("<allowedValues><text>%s</text></allowedValues>"):format(models.escape(text)) end
local function constraint(text) return ("<typeConstraint><text>%s</text></typeConstraint>"):format(models.escape(text)) end
local function reference(name) return ("<typeRef>%s</typeRef>"):format(name) end
local function component(name, inside, attributes)
  return ('<itemComponent name="%s" %s>%s</itemComponent>'):format(name, attributes or "", inside)
end

describe("item definitions", function()
  it("name a type", function()
    local definition = item("tName", reference "string")
    assert.equal("a", through(definition, "tName", { x = "a" }))
    assert.is_nil(through(definition, "tName", { x = 1 }))
    assert.equal("a", result(definition, "tName", '"a"'))
    assert.is_nil(result(definition, "tName", "1"))
  end)

  it("may be in any order, and built on each other", function()
    local definitions = item("tB", reference "tA") .. item("tA", reference "number" .. allowed "< 10")
    assert.equal(9, result(definitions, "tB", "9"))
    assert.is_nil(result(definitions, "tB", "10"))
  end)

  it("list the values they allow", function()
    local definition = item("tColor", reference "string" .. allowed '"red", "green"')
    assert.equal("red", through(definition, "tColor", { x = "red" }))
    assert.is_nil(through(definition, "tColor", { x = "blue" }))
    assert.equal("green", result(definition, "tColor", '"green"'))
    assert.is_nil(result(definition, "tColor", '"gr" + "ey"'))
    local range = item("tRange", reference "number" .. allowed "[1..5], > 100")
    assert.same({ 5, nil, 101 }, { result(range, "tRange", "5"), result(range, "tRange", "50"), result(range, "tRange", "101") })
    assert.is_nil(result(definition, "tColor", "null"))
  end)

  it("allow values of the items of a collection, and constrain it as a whole", function()
    local definition = item("tColors", reference "string" .. allowed '"red", "green"', 'isCollection="true"')
    assert.same({ "red", "red" }, through(definition, "tColors", { x = { "red", "red" } }))
    assert.is_nil(through(definition, "tColors", { x = { "red", "blue" } }))
    definition = item("tPair", reference "number" .. constraint "count(?) = 2", 'isCollection="true"')
    assert.same({ 1, 2 }, result(definition, "tPair", "[1, 2]"))
    assert.is_nil(result(definition, "tPair", "[1, 2, 3]"))
  end)

  it("have components, each with its own type and constraint", function()
    local definition = item("tPerson", component("first name", reference "string") ..
      component("age", reference "number" .. allowed ">= 0") .. component("children", component("name", reference "string"),
        'isCollection="true"'))
    local ann = { ["first name"] = "Ann", age = 30, children = { { name = "Bob" } } }
    assert.same(ann, through(definition, "tPerson", { x = ann }))
    assert.is_nil(through(definition, "tPerson", { x = { ["first name"] = "Ann", age = -1, children = {} } }))
    assert.is_nil(through(definition, "tPerson", { x = { ["first name"] = "Ann", age = 1, children = { { name = 1 } } } }))
    assert.is_nil(through(definition, "tPerson", { x = { ["first name"] = "Ann" } }))
    local file = models.file(definition .. models.input("p", "tPerson") .. models.decision("d", "p.first name + p.children[1].name",
      { inputs = { "p" } }))
    assert.equal("AnnBob", (models.decide(file, "d", { p = ann })))
  end)

  it("coerce a list of one and an item, one way and the other", function()
    local definition = item("tNumbers", reference "number", 'isCollection="true"')
    assert.equal(1, result("", "number", "[1]"))
    assert.is_nil(result("", "number", "[1, 2]"))
    assert.is_nil(result("", "number", "[[1]]"))
    assert.same({ 1, 2 }, result(definition, "tNumbers", "[1, 2]"))
    assert.is_nil(result(definition, "tNumbers", '[1, "x"]'))
  end)

  it("name functions", function()
    local definition = item("tTwice", '<functionItem outputTypeRef="number"><parameters name="n" typeRef="number"/></functionItem>')
    local file = models.file(definition .. models.decision("f", "function(n: number) 2 * n", { type = "tTwice" }) ..
      models.decision("d", "f(21)", { decisions = { "f" } }))
    assert.equal(42, (models.decide(file, "d")))
  end)

  it("serve as types in FEEL", function()
    local definition = item("tAdult", component("age", reference "number"))
    assert.is_true(result(definition, "boolean", "{age: 3} instance of tAdult"))
    assert.is_false(result(definition, "boolean", '{age: "x"} instance of tAdult'))
  end)

  it("that are wrong are problems, with their place", function()
    local function problem(definitions) return models.problems(models.file(definitions))[1] end
    assert.matches('there is no type "strnig"; did you mean "string"', problem(item("a", reference "strnig")))
    assert.matches('item definition "a" contains itself', problem(item("a", component("b", reference "a"))))
    assert.matches('item definition "a" is declared twice', problem(item("a", reference "string") .. item("a", reference "string")))
    assert.matches("must have a name", problem "<itemDefinition/>")
    assert.matches("must have a name", problem(item("a", "<itemComponent/>")))
    assert.matches("^1:%d+: .* is no FEEL", problem(item("a", reference "number" .. allowed "< <")))
  end)

  it("are also called by the names of tools, and by prefixed ones", function()
    assert.equal(1, result("", "integer", "1"))
    assert.equal(1, result("", "feel:number", "1"))
    assert.is_nil(result("", "feel:string", "1"))
    assert.same({ 1 }, result("", "list&lt;number>", "[1]"))
  end)
end)
