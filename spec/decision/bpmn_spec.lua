-- FEEL in processes: conditions of flows and of events, mappings, scripts.
local support = require "spec.support.process"

describe("FEEL in a process", function()
  local engine
  before_each(function() engine = support.engine() end)
  after_each(function() engine:close() end)

  local function deploy(body)
    engine:deploy { ["p.bpmn"] = support.definitions('<process id="p" isExecutable="true">' .. body .. "</process>") }
  end

  local function problems(body)
    local ok, failure = pcall(deploy, body)
    assert.is_false(ok)
    return failure
  end

  local branch = [[<startEvent id="s"/><exclusiveGateway id="g"/><userTask id="a"/><userTask id="b"/>
    <sequenceFlow id="f1" sourceRef="s" targetRef="g"/>
    <sequenceFlow id="f2" sourceRef="g" targetRef="a"><conditionExpression language="%s">%s</conditionExpression></sequenceFlow>
    <sequenceFlow id="f3" sourceRef="g" targetRef="b"><conditionExpression>${true}</conditionExpression></sequenceFlow>]]

  local function taken(variables) return engine:start("p", { variables = variables }):active()[1] end

  it("decides at a gateway", function()
    deploy(branch:format("feel", "order total &gt;= 100.5 and customer.status in (\"gold\", \"silver\")"))
    assert.equal("a", taken { ["order total"] = 100.5, customer = { status = "gold" } })
    assert.equal("b", taken { ["order total"] = 100.4, customer = { status = "gold" } })
    assert.equal("b", taken { ["order total"] = 200, customer = { status = "new" } })
  end)

  it("may be named by its namespace", function()
    deploy(branch:format("https://www.omg.org/spec/DMN/20191111/FEEL/", "x &gt; 1"))
    assert.equal("a", taken { x = 2 })
  end)

  it("calculates exactly, and knows the engine's time", function()
    deploy(branch:format("feel", "a + b = 0.3 and today() = date(\"2026-01-05\")"))
    engine:advance(1767607200 - engine:now())
    assert.equal("a", taken { a = 0.1, b = 0.2 })
    engine:advance "P1D"
    assert.equal("b", taken { a = 0.1, b = 0.2 })
  end)

  it("that is null is no condition", function()
    deploy(branch:format("feel", "nobody"))
    local ok, failure = pcall(taken, {})
    assert.is_false(ok)
    assert.equal("expression", failure.kind)
    assert.match("a boolean is expected", failure.message)
  end)

  it("is a script, whose value goes to a variable", function()
    deploy [[<startEvent id="s"/><scriptTask id="t" scriptFormat="feel" o:resultVariable="sums">
      <script>for item in items return { name: item.name, sum: item.price * 3, due: string(@"2026-01-31" + @"P1M") }</script></scriptTask>
      <userTask id="u"/><sequenceFlow id="f1" sourceRef="s" targetRef="t"/><sequenceFlow id="f2" sourceRef="t" targetRef="u"/>]]
    local pi = engine:start("p", { variables = { items = { { name = "x", price = 1.1 }, { name = "y", price = 2 } } } })
    assert.same({ { name = "x", sum = 3.3, due = "2026-02-28" }, { name = "y", sum = 6, due = "2026-02-28" } }, pi:variables().sums)
  end)

  it("maps data in and out", function()
    deploy [[<startEvent id="s"/><userTask id="u"><extensionElements><o:inputOutput>
        <o:inputParameter name="doubled"><o:script scriptFormat="feel">amount * 2</o:script></o:inputParameter>
        <o:outputParameter name="label"><o:script scriptFormat="feel">"#" + string(doubled)</o:script></o:outputParameter>
      </o:inputOutput></extensionElements></userTask><userTask id="v"/>
      <sequenceFlow id="f1" sourceRef="s" targetRef="u"/><sequenceFlow id="f2" sourceRef="u" targetRef="v"/>]]
    local pi = engine:start("p", { variables = { amount = 21 } })
    assert.equal(42, engine:task({ key = "u" }):get "doubled")
    engine:task({ key = "u" }):complete()
    assert.equal("#42", pi:variables().label)
  end)

  it("is the condition of an event, looked at when its variables change", function()
    deploy [[<startEvent id="s"/><intermediateCatchEvent id="c"><conditionalEventDefinition>
        <condition language="feel">count(names) &gt; 1</condition></conditionalEventDefinition></intermediateCatchEvent><userTask id="u"/>
      <sequenceFlow id="f1" sourceRef="s" targetRef="c"/><sequenceFlow id="f2" sourceRef="c" targetRef="u"/>]]
    local pi = engine:start("p", { variables = { names = { "a" } } })
    assert.same({ "c" }, pi:active())
    pi:set("names", { "a", "b" })
    assert.same({ "u" }, pi:active())
  end)

  it("that is wrong is a problem of the deployment, at its place", function()
    local failure = problems(branch:format("feel", "\n  x + * 2"))
    local problem = failure.problems[1]
    assert.match('an expression expected, found "%*"', problem.message)
    assert.equal(7, problem.column)
    local other = {}
    for _, each in ipairs(problems(branch:format("groovy", "x")).problems) do other[#other + 1] = each.message end
    assert.match("supported are lua, feel and juel", table.concat(other, "\n"))
  end)

  it("that Lua cannot hold is one, too", function()
    local text, sum = "", {}
    for _, letter in ipairs { "a", "b", "c" } do
      local iterators = {}
      for i = 1, 95 do
        iterators[i] = ("%s%d in [1]"):format(letter, i)
        sum[#sum + 1] = letter .. i
      end
      text = text .. "for " .. table.concat(iterators, ", ") .. " return "
    end
    local failure = problems(branch:format("feel", text .. "function() count([" .. table.concat(sum, ", ") .. "])"))
    assert.match("the FEEL expression is too large: .*upvalues", failure.problems[1].message)
  end)

  it("may lie in a resource", function()
    engine:deploy { ["p.bpmn"] = support.definitions([[<process id="p" isExecutable="true"><startEvent id="s"/>
      <scriptTask id="t" scriptFormat="feel" o:resource="sum.feel" o:resultVariable="r"/><userTask id="u"/>
      <sequenceFlow id="f1" sourceRef="s" targetRef="t"/><sequenceFlow id="f2" sourceRef="t" targetRef="u"/></process>]]),
      ["sum.feel"] = "sum(numbers) // of all" }
    assert.equal(6, engine:start("p", { variables = { numbers = { 1, 2, 3 } } }):variables().r)
  end)

  it("does not loop for ever", function()
    deploy(branch:format("feel", "count(for x in 1..3000000 return x) = 0"))
    local ok, failure = pcall(taken, {})
    assert.is_false(ok)
    assert.match("more than 1000000 iterations", failure.message)
  end)
end)
