-- instance:active() and instance:tree().
local support = require "spec.support.process"

local function shape(node)
  local parts = {}
  for i, child in ipairs(node.children) do
    local inner = shape(child)
    parts[i] = child.activity_id .. (inner ~= "" and "(" .. inner .. ")" or "")
  end
  table.sort(parts)
  return table.concat(parts, " ")
end

describe("where tokens stand", function()
  local engine
  before_each(function() engine = support.engine() end)
  after_each(function() engine:close() end)

  it("is a leaf under the instance", function()
    support.user_task(engine)
    local pi = engine:start "p"
    local root = pi:tree()
    assert.same({ pi.id, "p", "process", pi.id }, { root.id, root.activity_id, root.type, root.execution_id })
    local leaf = root.children[1]
    assert.same({ "task", "My task", "userTask", {} }, { leaf.activity_id, leaf.name, leaf.type, leaf.children })
    assert.equal(engine:task({}).execution_id, leaf.execution_id)
    assert.same({ "task" }, pi:active())
  end)

  it("is every leaf of nested scopes, sorted, waiting ones too", function()
    support.deploy(engine, [[<startEvent id="s"/><parallelGateway id="fork"/><parallelGateway id="join"/>
      <subProcess id="sub"><startEvent id="is"/><sequenceFlow id="i1" sourceRef="is" targetRef="inner"/><userTask id="inner"/></subProcess>
      <manualTask id="later" camunda:asyncBefore="true"/><manualTask id="quick"/><endEvent id="e"/>]],
      "s -> fork fork -> sub fork -> later fork -> quick quick -> join later -> join sub -> join join -> e")
    local pi = engine:start "p"
    assert.same({ "inner", "join", "later" }, pi:active())
    assert.equal("join later sub(inner)", shape(pi:tree()))
  end)

  it("shows a multi-instance body above its instances", function()
    support.deploy(engine, [[<startEvent id="s"/><userTask id="task"><multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality>
      </multiInstanceLoopCharacteristics></userTask><endEvent id="e"/>]], "s -> task task -> e")
    local pi = engine:start "p"
    assert.same({ "task", "task", "task" }, pi:active())
    assert.equal("task#multiInstanceBody(task task task)", shape(pi:tree()))
    assert.equal("multiInstanceBody", pi:tree().children[1].type)
  end)

  it("shows the body of a multi-instance whose instances are compensated", function()
    support.deploy(engine, [[<startEvent id="s"/><serviceTask id="task" camunda:expression="${1}">
        <multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics></serviceTask>
      <boundaryEvent id="b" attachedToRef="task"><compensateEventDefinition/></boundaryEvent>
      <userTask id="undo" isForCompensation="true"/><association id="a" sourceRef="b" targetRef="undo"/>
      <endEvent id="e"><compensateEventDefinition/></endEvent>]], "s -> task task -> e")
    local pi = engine:start "p"
    assert.equal("e task#multiInstanceBody(undo undo)", shape(pi:tree()))
    for _, task in ipairs(engine:tasks {}) do task:complete() end
    assert.is_nil(engine:instance(pi.id))
  end)

  it("is asked of running instances only", function()
    support.user_task(engine)
    local pi = engine:start "p"
    engine:task({}):complete()
    support.refused("not_found", pi.active, pi)
    support.refused("not_found", pi.tree, pi)
  end)
end)
