-- Marks: records
-- Variables that have the names of built-in functions.
local models = require "spec.decision.models"
local process = require "spec.support.process"
local support = require "spec.decision.support"

local vendors = {
  orrery = "",
  camunda = 'xmlns:camunda="http://camunda.org/schema/1.0/dmn" exporter="Camunda Modeler"',
  flowable = 'xmlns:flowable="http://flowable.org/dmn" exporter="Flowable Open Source Modeler"',
}

local function builtins()
  local names = {}
  for line in io.lines "runtime/decision/feel/builtin.def" do names[#names + 1] = line:match '^BUILTIN%("([%w ]+)"' end
  return names
end

--- A scope that has these variables.
local function scope(variables)
  return { get = function(name) return variables[name] ~= nil, variables[name] end }
end

describe("a name of a built-in function", function()
  it("is the variable, whichever name it is", function()
    for _, name in ipairs(builtins()) do
      local value = support.eval(name .. " + 1", { open = true }, scope { [name] = 41 })
      assert.equal(42, value, name)
    end
  end)

  it("is the function where it is called, or where no variable has it", function()
    local three = scope { count = 3, sum = 5 }
    assert.equal(2, (support.eval("count([sum, 1])", { open = true }, three)))
    assert.equal(4, (support.eval("count + count(list: [1])", { open = true }, three)))
    assert.equal("function(list)", support.text("count", { open = true }, scope {}))
    assert.equal("null", support.text("count", { open = true }, { get = function() return true, nil end }))
  end)

  it("is a member of a filter's item first", function()
    local rows = scope { count = 3, rows = { { count = 1 }, { count = 7 }, { name = "x" } } }
    assert.equal(1, (support.eval("count(rows[count = 7])", { open = true }, rows)))
    assert.equal(1, (support.eval("count(rows[count = 3])", { open = true }, rows)))
  end)

  it("is among the names that are read, for who waits for a change", function()
    local _, code = support.compile("count > sum([1])", { open = true })
    assert.same({ "count" }, code.names)
  end)

  for vendor, attributes in pairs(vendors) do
    it("is the variable in tables in the dialect " .. vendor, function()
      local options = { policy = "FIRST", inputs = { { "count", "number", language = "feel" } },
        rules = { { "> sum", '"over"', language = "feel" }, { "-", "duration", language = "feel" } } }
      local file = models.file(models.decision("d", models.table(options)), { attributes = attributes })
      assert.equal("over", (models.decide(file, "d", { count = 3, sum = 2, duration = "short" })))
      assert.equal("short", (models.decide(file, "d", { count = 3, sum = 4, duration = "short" })))
    end)

    it("is the variable in conditions and mappings in the dialect " .. vendor, function()
      local engine <close> = process.engine(vendor ~= "orrery" and { dialect = vendor } or nil)
      engine:deploy { ["p.bpmn"] = process.definitions [[<process id="p" isExecutable="true">
        <startEvent id="s"/><scriptTask id="t" scriptFormat="feel" o:resultVariable="total"><script>number + mean</script></scriptTask>
        <exclusiveGateway id="g" default="f4"/><userTask id="a"/><userTask id="b"/>
        <sequenceFlow id="f1" sourceRef="s" targetRef="t"/><sequenceFlow id="f2" sourceRef="t" targetRef="g"/>
        <sequenceFlow id="f3" sourceRef="g" targetRef="a"><conditionExpression language="feel">count &gt; min</conditionExpression>
        </sequenceFlow><sequenceFlow id="f4" sourceRef="g" targetRef="b"/></process>]] }
      local instance = engine:start("p", { variables = { count = 3, min = 2, number = 40, mean = 2 } })
      assert.same({ "a" }, instance:active())
      assert.equal(42, instance:get "total")
    end)
  end

  it("wakes a condition that waits for the variable", function()
    local engine <close> = process.engine()
    engine:deploy { ["p.bpmn"] = process.definitions [[<process id="p" isExecutable="true">
      <startEvent id="s"/><intermediateCatchEvent id="c"><conditionalEventDefinition><condition language="feel">count &gt; 1</condition>
      </conditionalEventDefinition></intermediateCatchEvent><userTask id="u"/>
      <sequenceFlow id="f1" sourceRef="s" targetRef="c"/><sequenceFlow id="f2" sourceRef="c" targetRef="u"/></process>]] }
    local instance = engine:start("p", { variables = { count = 1 } })
    assert.same({ "c" }, instance:active())
    instance:set("count", 2)
    assert.same({ "u" }, instance:active())
  end)
end)
