-- Flowable's guide, "Sequence Flow" and "Gateways": each example, deployed and run.
local seed = require "spec.seed.support"

local engine
before_each(function() engine = seed.engine() end)
after_each(function() engine:close() end)

local tasks = '<userTask id="theTask1"/><userTask id="theTask2"/><userTask id="theTask3"/><startEvent id="s"/>'

it("Sequence flow", function()
  seed.deploy(engine, "sequence_flow_1", { process = '<startEvent id="theStart"/><userTask id="theTask"/><userTask id="other"/>',
    flows = "theStart -> other" })
  assert.same({ "other", "theTask" }, engine:start("p"):active(), "all outgoing flows are followed")
end)

describe("Conditional sequence flow", function()
  it("is taken when its condition holds", function()
    seed.deploy(engine, "conditional_sequence_flow_1", { process = '<startEvent id="theStart"/><userTask id="theTask"/>'
      .. '<userTask id="other"/>',
      flows = "theStart -> other" })
    assert.same({ "other", "theTask" }, engine:start("p", { variables = { order = { price = 200 } } }):active())
    assert.same({ "other" }, engine:start("p", { variables = { order = { price = 300 } } }):active())
  end)
  it("calls methods, and must give a boolean", function()
    seed.deploy(engine, "conditional_sequence_flow_3", { whole = true, root = '<process id="p" isExecutable="true">' .. seed.ends
      .. '<sequenceFlow id="f" sourceRef="s" targetRef="e">', fill = { ["</conditionExpression>"] = "</conditionExpression>"
      .. "</sequenceFlow></process>" } })
    engine:register("order", { isStandardOrder = function() return true end })
    assert.is_nil(engine:instance(engine:start("p").id))
    engine:register("order", { isStandardOrder = function() return "perhaps" end })
    local ok, err = pcall(engine.start, engine, "p")
    assert.is_false(ok)
    assert.equal("expression", err.kind)
  end)
end)

it("Default sequence flow", function()
  local body = '<startEvent id="s"/><userTask id="task1"/><userTask id="task2"/><userTask id="task3"/>'
  seed.deploy(engine, "default_sequence_flow_1", { process = body, flows = "s -> exclusiveGw" })
  for expected, variables in pairs { task1 = { conditionA = true, conditionB = true }, task2 = { conditionA = false, conditionB = false },
    task3 = { conditionA = false, conditionB = true } } do
    assert.same({ expected }, engine:start("p", { variables = variables }):active())
  end
end)

it("Exclusive Gateway", function()
  seed.deploy(engine, "exclusive_gateway_1", { process = tasks, flows = "s -> exclusiveGw" })
  for input = 1, 3 do assert.same({ "theTask" .. input }, engine:start("p", { variables = { input = input } }):active()) end
  local ok, err = pcall(engine.start, engine, "p", { variables = { input = 4 } })
  assert.is_false(ok)
  assert.truthy(tostring(err):find "exclusiveGw")
end)

it("Parallel Gateway", function()
  seed.deploy(engine, "parallel_gateway_2", {})
  local instance = engine:start "p"
  assert.same({ "Receive Payment", "Ship Order" }, (function(list)
    local names = {}
    for i, task in ipairs(list) do names[i] = task.name end
    return names
  end)(engine:tasks { instance = instance.id, order_by = "name" }))
  for _, task in ipairs(engine:tasks {}) do task:complete() end
  assert.same({ "archiveOrder" }, instance:active())
  seed.deploy(engine, "parallel_gateway_1", { process = seed.ends, flows = "s -> myParallelGateway myParallelGateway -> e" })
  assert.is_nil(engine:instance(engine:start("p").id))
end)

it("Inclusive Gateway", function()
  seed.deploy(engine, "inclusive_gateway_2", {})
  local both = engine:start("p", { variables = { paymentReceived = false, shipOrder = true } })
  assert.same({ "receivePayment", "shipOrder" }, both:active())
  for _, task in ipairs(engine:tasks {}) do task:complete() end
  assert.same({ "archiveOrder" }, both:active())
  local one = engine:start("p", { variables = { paymentReceived = true, shipOrder = true } })
  assert.same({ "shipOrder" }, one:active())
  engine:task({ instance = one.id }):complete()
  assert.same({ "archiveOrder" }, one:active())
  assert.is_false(pcall(engine.start, engine, "p", { variables = { paymentReceived = true, shipOrder = false } }), "no condition holds")
end)

it("Event-based Gateway", function()
  local text = seed.text("event_based_gateway_1"):gsub('id="catchSignal"', '%0 isExecutable="true"')
  engine:deploy { ["g.bpmn"] = text }
  local signaled, timed = engine:start "catchSignal", engine:start "catchSignal"
  engine:signal("alert", { execution = engine:executions({ signal = "alert", instance = signaled.id })[1].id })
  assert.same({ "task" }, signaled:active())
  assert.equal(1, #engine:jobs {}, "the other event was canceled")
  engine:advance "PT10M"
  engine:run_jobs()
  assert.is_nil(engine:instance(timed.id))
  assert.equal(0, #engine:subscriptions {})
end)
