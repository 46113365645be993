-- Camunda's dialect of FEEL: the functions that feel-scala adds.
local models = require "spec.decision.models"
local process = require "spec.support.process"
local support = require "spec.decision.support"

local CAMUNDA = 'xmlns:camunda="http://camunda.org/schema/1.0/dmn" exporter="Camunda Modeler"'

describe("Camunda's functions", function()
  support.rows(it, [==[
    booleans
      is defined(1) => true
      is defined(null) => false
      is defined({a: 1}.b) => false
      is defined(value: false) => true
      get or else("this", "default") => this
      get or else(null, "default") => default
      get or else(value: null, default: null) => null
      get or else(false, true) => false
      assert(4, 4 > 3) => 4
      assert(4, true, "no") => 4
      and([true, false]) => false
      and(true, true) => true
      and(false, null, true) => false
      or([false, true]) => true
      or(false, null) => null!
      true and or(false, true) or and(false) => true
    numbers
      number("1500.5") => 1500.5
      number(" 12 ") => 12
      number("x") => null!
      number("1 500", " ") => 1500
      number("1,500", ",") => 1500
      number("1.500,5", ".", ",") => 1500.5
      number("1 500", "x") => null!
      decimal(2.5, 0) => 2
      decimal(2.5, 0, "half_up") => 3
      decimal(-2.51, 1, "CEILING") => -2.5
      decimal(2.5, 0, "UNNECESSARY") => null!
      decimal(2.50, 1, "unnecessary") => 2.5
      decimal(2.5, 0, "sideways") => null!
      round up(5.1) => 6
      round down(-5.5) => -5
      round half up(5.5) => 6
      round half down(5.5) => 5
      round up(1.121, 2) => 1.13
      abs(number: -3) => 3
      random number() >= 0 and random number() < 1 => true
      count(distinct values([random number(), random number(), random number()])) > 1 => true
    strings
      trim("  a b ") => a b
      trim("") = "" => true
      is blank(" \t") => true
      is blank("") => true
      is blank("a") => false
      is blank("\u2003") => true
      to base64("FEEL") => RkVFTA==
      to base64(value: "ä") => w6Q=
      string length(uuid()) => 36
      matches(uuid(), "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$") => true
      uuid() = uuid() => false
      extract("references are 1234, 1256, 1378", "12[0-9]*") => ["1234", "1256"]
      extract("a", "b") => []
      extract("ab", "x*") => ["", ""]
      extract("a", "(") => null!
      substring("foobar", 3, 10) => obar
      substring("foobar", -2, 10) => ar
      substring("foobar", 3) => obar
      substring("foobar", 9, 1) => null!
      string join(["a", "b"], ", ", "[", "]") => [a, b]
      string join(["a", "b"], null, "<", ">") => <ab>
      string join(["a", null, "c"], "-", null, null) => a-c
      string join([], ", ", "[", "]") => []
      string join([1], ", ", "[", "]") => null!
      string join(["a", "b"]) => ab
    lists
      is empty([]) => true
      is empty([null]) => false
      duplicate values([1, 2, 3, 2, 1]) => [1, 2]
      duplicate values(["a", null, {b: 1}, null, {b: 1}, null]) => [null, {b: 1}]
      duplicate values([]) => []
      partition([1, 2, 3, 4, 5], 2) => [[1, 2], [3, 4], [5]]
      partition([], 2) => []
      partition([1], 0) => null!
      sublist([1, 2, 3], 2, 9) => [2, 3]
      sublist([1, 2, 3], 9) => []
      sublist([1, 2, 3], -2) => [2, 3]
      insert before([1, 3], 2, 2) => [1, 2, 3]
      insert before([1], 9, 2) => [1, 2]
      remove([1, 2, 3], 2) => [1, 3]
      remove([1, 2, 3], -1) => [1, 2]
      remove([1, 2, 3], 9) => [1, 2, 3]
    contexts
      get value({x: {y: {z: 0}}}, ["x", "y"]) => {z: 0}
      get value({a: {b: 3}}, ["b"]) => null
      get value({a: 1}, "a") => 1
      get value(context: {a: 1}, key: "a") => 1
      get value({a: 1}, []) => null!
      get entries(context: {a: 1}) => [{key: "a", value: 1}]
      put({x: 1}, "y", 2) => {x: 1, y: 2}
      put({x: 1}, "x", null) => {x: null}
      put all({x: 1}, {y: 2, x: 3}) => {x: 3, y: 2}
      put all([{x: 1}, {y: 2}]) => {x: 1, y: 2}
      put all({x: 1}, 2) => null!
      context put({x: 1}, ["y", "z"], 2) => {x: 1, y: {z: 2}}
      context([{key: "a", value: 1}, {key: "a", value: 2}]) => {a: 2}
      context([{key: 1, value: 1}]) => null!
    times
      last day of month(date("2026-02-01")) => 2026-02-28
      last day of month(@"2028-02-01T10:00:00") => 2028-02-29
      date and time(@"2020-07-31T14:27:30@Europe/Berlin", "America/Los_Angeles") => 2020-07-31T05:27:30@America/Los_Angeles
      date and time(@"2020-07-31T14:27:30", "Z") => 2020-07-31T14:27:30Z
      date and time(@"2020-07-31T14:27:30Z", "+02:00") => 2020-07-31T16:27:30+02:00
      date and time(@"2020-07-31T14:27:30", "Nowhere/Land") => null!
  ]==], { dialect = "camunda" })

  it("are null in other dialects", function()
    for _, dialect in ipairs { "orrery", "flowable" } do
      for _, text in ipairs { "is defined(1)", 'number("1")', 'string join(["a"], ",", "[", "]")', 'put({}, "a", 1)', "and(true)" } do
        local value, why = support.eval(text, { dialect = dialect })
        assert.is_nil(value, text)
        assert.is_true(#why > 0, text)
      end
    end
    assert.is_nil((support.eval("substring(\"foobar\", 3, 10)")))
  end)

  it("say what assert says", function()
    local ok, err = pcall(support.eval, 'assert(1, 1 > 2, "x should be larger")', { dialect = "camunda" })
    assert.is_false(ok)
    assert.same({ "expression", "x should be larger" }, { err.kind, err.message })
    local file = models.file(models.decision("d", "assert(x, x != null)"), { attributes = CAMUNDA })
    assert.matches("condition", models.raises("expression", models.decide, file, "d", {}).message)
    assert.equal(1, (models.decide(file, "d", { x = 1 })))
  end)

  it("are names of variables where they are not called", function()
    local scope = { get = function(name) return true, name end }
    for _, name in ipairs { "put", "trim", "uuid", "is defined", "random number" } do
      assert.equal(name, (support.eval(name, { open = true, dialect = "camunda" }, scope)))
    end
  end)

  it("are found though a declared variable has the name", function()
    local options = { names = { { "sum", "number", "scope.sum" } }, dialect = "camunda" }
    assert.equal(8, (support.eval("sum([sum, 3])", options, { sum = 5 })))
    assert.equal(8, (support.eval("sum(list: [sum, 3])", options, { sum = 5 })))
    assert.is_nil((support.eval("sum([sum, 3])", { names = options.names }, { sum = 5 })))
  end)

  it("work in the conditions and scripts of Camunda's processes", function()
    local engine <close> = process.engine { dialect = "camunda" }
    process.deploy(engine, [[<startEvent id="s"/><exclusiveGateway id="g" default="g-b"/><userTask id="a"/><userTask id="b"/>
      <scriptTask id="t" scriptFormat="feel" camunda:resultVariable="n"><script>number(get or else(amount, "7"))</script></scriptTask>
      <sequenceFlow id="f" sourceRef="g" targetRef="a"><conditionExpression language="feel">is defined(amount)</conditionExpression>
      </sequenceFlow>]], "s -> t t -> g g -> b")
    local with, without = engine:start("p", { variables = { amount = "1500" } }), engine:start "p"
    assert.same({ 1500, "a" }, { with:get "n", with:active()[1] })
    assert.same({ 7, "b" }, { without:get "n", without:active()[1] })
  end)

  it("work in an unmarked decision that a Camunda process calls", function()
    local engine <close> = models.engine()
    engine:deploy { ["d.dmn"] = models.file(models.decision("d", 'get or else(x, "none")')), ["p.bpmn"] = process.model(
      [[<startEvent id="s"/><userTask id="u"/><businessRuleTask id="t" camunda:decisionRef="d" camunda:mapDecisionResult="singleEntry"
        camunda:resultVariable="o"/>]], "s -> t t -> u") }
    assert.equal("none", engine:start("p"):get "o")
    assert.is_nil(engine:decide("d", {}))
  end)
end)

describe("an unknown function", function()
  it("is a problem with its line", function()
    local file = models.file(models.decision("d", "1 +\n  frobnicate(2) + trim(\"a\")"), { attributes = CAMUNDA })
    assert.same({ '2:3: "frobnicate" is no function: it is null' }, models.problems(file, true))
    assert.same({}, models.problems(file))
  end)

  it("is one of Camunda's in other dialects", function()
    local warnings = models.problems(models.file(models.decision("d", 'trim("a")')), true)
    assert.equal(1, #warnings)
    assert.matches('"trim" is a function of Camunda\'s FEEL, and null in another dialect', warnings[1])
  end)

  it("is none where the text, the model or an item may have it", function()
    for _, text in ipairs { "{f: function(x) x, y: f(1)}.y", "(function(g) g(1))(abs)", "[{g: abs}][g(1) = 1]", "known(1)" } do
      local knowledge = '<businessKnowledgeModel id="k" name="known"><encapsulatedLogic><formalParameter name="x"/>' ..
        "<literalExpression><text>x</text></literalExpression></encapsulatedLogic></businessKnowledgeModel>"
      local file = models.file(knowledge .. models.decision("d", text, { knowledge = { "k" } }), { attributes = CAMUNDA })
      assert.same({}, models.problems(file, true), text)
    end
  end)

  it("is a problem of a process, too", function()
    local engine <close> = process.engine()
    local deployment = process.deploy(engine, [[<startEvent id="s"/><scriptTask id="t" scriptFormat="feel" camunda:resultVariable="n">
      <script>1 +
  nonsense(2)</script></scriptTask><endEvent id="e"/>]], "s -> t t -> e")
    local found
    for _, problem in ipairs(deployment.warnings) do found = found or problem.message:find "nonsense" and problem end
    assert.is_truthy(found)
    assert.matches('"nonsense" is no function', found.message)
    assert.equal(3, found.column)
  end)
end)
