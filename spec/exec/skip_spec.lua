-- Skip expressions: what is passed over, and when they count.
local orrery = require "orrery"
local support = require "spec.support.process"

local GATEWAY <const> = [[<exclusiveGateway id="g" default="d"/>
  <sequenceFlow id="fc" sourceRef="g" targetRef="c" o:skipExpression="${skip}">
    <conditionExpression>${false}</conditionExpression></sequenceFlow>
  <sequenceFlow id="d" sourceRef="g" targetRef="e"/><userTask id="c"/><userTask id="e"/></process>]]

local TASKS <const> = support.definitions([[<process id="tasks" isExecutable="true"><startEvent id="s"/>
  <sequenceFlow id="f1" sourceRef="s" targetRef="a"/>
  <userTask id="a" o:skipExpression="${skip}"/><sequenceFlow id="f2" sourceRef="a" targetRef="b"/>
  <serviceTask id="b" o:expression="${execution.setVariable('ran', true)}" o:skipExpression="${skip}"/>
  <sequenceFlow id="f3" sourceRef="b" targetRef="g"/>]] .. GATEWAY)

local FLOW <const> = support.definitions([[<process id="flow" isExecutable="true"><startEvent id="s"/>
  <sequenceFlow id="f1" sourceRef="s" targetRef="g"/>]] .. GATEWAY)

describe("skip expressions", function()
  local engine
  before_each(function()
    engine = support.engine()
    engine:deploy { ["tasks.bpmn"] = TASKS, ["flow.bpmn"] = FLOW }
  end)
  after_each(function() engine:close() end)

  for _, switch in ipairs { "_FLOWABLE_SKIP_EXPRESSION_ENABLED", "_ACTIVITI_SKIP_EXPRESSION_ENABLED" } do
    it("pass tasks and conditions over with " .. switch, function()
      local instance = engine:start("tasks", { variables = { skip = true, [switch] = true } })
      assert.same({ "c" }, instance:active())
      assert.is_nil(instance:get "ran")
      instance = engine:start("tasks", { variables = { skip = false, [switch] = true } })
      assert.same({ "a" }, instance:active())
      engine:task({ instance = instance.id }):complete()
      assert.same({ "e" }, instance:active())
      assert.is_true(instance:get "ran")
    end)

    it("do not count with " .. switch .. " off, null or absent", function()
      for _, off in ipairs { false, orrery.null } do
        assert.same({ "a" }, engine:start("tasks", { variables = { skip = true, [switch] = off } }):active())
        assert.same({ "e" }, engine:start("flow", { variables = { skip = true, [switch] = off } }):active())
      end
      assert.same({ "a" }, engine:start("tasks", { variables = { skip = true } }):active())
    end)

    it("are refused where " .. switch .. " holds no boolean", function()
      for _, key in ipairs { "tasks", "flow" } do
        local ok, err = pcall(engine.start, engine, key, { variables = { skip = true, [switch] = "true" } })
        assert.is_false(ok)
        assert.equal("expression", err.kind)
        assert.matches(switch .. " holds no boolean", err.message, 1, true)
      end
      assert.equal(0, #engine:instances {})
    end)
  end

  --- Flows out of `element` with skip expressions ${a} and ${b}, both conditions true; where its tokens are.
  local function taken(element, a, b, default)
    local flow = '<sequenceFlow id="f%s" sourceRef="x" targetRef="t%s" o:skipExpression="${%s}">'
      .. "<conditionExpression>${true}</conditionExpression></sequenceFlow>"
    engine:deploy { ["way.bpmn"] = support.definitions('<process id="way" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" '
      .. 'sourceRef="s" targetRef="x"/>' .. element:format(default and 'default="d"' or "") .. flow:format("a", "a", "a")
      .. flow:format("b", "b", "b") .. '<userTask id="ta"/><userTask id="tb"/><userTask id="td"/>'
      .. (default and '<sequenceFlow id="d" sourceRef="x" targetRef="td"/>' or "") .. "</process>") }
    local variables = { a = a, b = b, _FLOWABLE_SKIP_EXPRESSION_ENABLED = true }
    local ok, instance = pcall(engine.start, engine, "way", { variables = variables })
    if not ok then return instance.kind end
    local active = instance:active()
    table.sort(active)
    return table.concat(active, " ")
  end

  for name, element in pairs { inclusive = '<inclusiveGateway id="x" %s/>', task = '<task id="x" %s/>' } do
    it("alone decide about the flows of an element: " .. name, function()
      assert.equal("ta", taken(element, true, false))
      assert.equal("ta tb", taken(element, true, true))
      assert.equal("td", taken(element, false, false, true))
      assert.equal("state", taken(element, false, false))
    end)
  end

  it("alone decide about the flows of exclusive and parallel gateways", function()
    assert.equal("tb", taken('<exclusiveGateway id="x" %s/>', false, true, true))
    assert.equal("td", taken('<exclusiveGateway id="x" %s/>', false, false, true))
    assert.equal("tb", taken('<parallelGateway id="x"/>', false, true))
    assert.equal("state", taken('<parallelGateway id="x"/>', false, false))
  end)

  it("do not hold up the only flow out of an activity", function()
    engine:deploy { ["one.bpmn"] = support.definitions [[<process id="one" isExecutable="true"><startEvent id="s"/><userTask id="a"/>
      <sequenceFlow id="f" sourceRef="s" targetRef="a" o:skipExpression="${false}"/></process>]] }
    assert.same({ "a" }, engine:start("one", { variables = { _FLOWABLE_SKIP_EXPRESSION_ENABLED = true } }):active())
  end)

  it("pass receive tasks over", function()
    engine:deploy { ["receive.bpmn"] = support.definitions [[<process id="receive" isExecutable="true"><startEvent id="s"/>
      <sequenceFlow id="f1" sourceRef="s" targetRef="r"/><receiveTask id="r" o:skipExpression="${skip}"/>
      <sequenceFlow id="f2" sourceRef="r" targetRef="a"/><userTask id="a"/></process>]] }
    local switch = "_FLOWABLE_SKIP_EXPRESSION_ENABLED"
    assert.same({ "a" }, engine:start("receive", { variables = { skip = true, [switch] = true } }):active())
    assert.same({ "r" }, engine:start("receive", { variables = { skip = false, [switch] = true } }):active())
    assert.same({ "r" }, engine:start("receive", { variables = { skip = true } }):active())
  end)

  it("must give a boolean", function()
    local ok, err = pcall(engine.start, engine, "tasks", { variables = { skip = "x", _FLOWABLE_SKIP_EXPRESSION_ENABLED = true } })
    assert.is_false(ok)
    assert.equal("expression", err.kind)
  end)
end)
