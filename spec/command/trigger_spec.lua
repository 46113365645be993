-- engine:trigger: what waits for it goes on, and nothing else.
local support = require "spec.support.process"

local MULTI <const> = [[<multiInstanceLoopCharacteristics isSequential="true"><loopCardinality>2</loopCardinality>
  </multiInstanceLoopCharacteristics>]]

describe("a trigger", function()
  local engine
  before_each(function() engine = support.engine() end)
  after_each(function()
    assert.same({}, engine:verify())
    engine:close()
  end)

  local function refused(execution)
    local ok, failure = pcall(engine.trigger, engine, execution)
    assert.is_false(ok)
    assert.equal("state", failure.kind)
    assert.matches('does not wait to be triggered; it stands at "r"', failure.message, 1, true)
  end

  it("goes to the instances of a multi-instance, not to the whole, and not to what is left of it to compensate", function()
    support.deploy(engine, '<startEvent id="s"/><receiveTask id="r">' .. MULTI .. "</receiveTask>"
      .. '<userTask id="undo" isForCompensation="true"/>'
      .. '<boundaryEvent id="b" attachedToRef="r"><compensateEventDefinition/></boundaryEvent>'
      .. '<association id="a" associationDirection="One" sourceRef="b" targetRef="undo"/>'
      .. '<endEvent id="e"><compensateEventDefinition/></endEvent>', "s -> r r -> e")
    local pi = engine:start "p"
    local body = pi:tree().children[1]
    refused(body.execution_id)
    for _ = 1, 2 do engine:trigger(pi:tree().children[1].children[1].execution_id) end
    assert.same({ "e", "undo", "undo" }, pi:active())
    for _, execution in ipairs(engine:executions { activity = "r" }) do refused(execution.id) end
    assert.is_true(#engine:executions { activity = "r" } > 0)
    for _, task in ipairs(engine:tasks {}) do task:complete() end
    assert.is_nil(engine:instance(pi.id))
  end)
end)
