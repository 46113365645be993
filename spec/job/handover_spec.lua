-- Handing over: which follow-up jobs stay with the executor that made them, and which acquisition finds.
local orrery = require "orrery"

local function definitions(elements)
  return ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn" targetNamespace="spec">
<process id="p" isExecutable="true">%s</process></definitions>]]):format(elements)
end

local chain = definitions [[
<startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="a"/>
<task id="a" o:asyncBefore="true"/><sequenceFlow id="f2" sourceRef="a" targetRef="b"/>
<task id="b" o:asyncBefore="true"/><sequenceFlow id="f3" sourceRef="b" targetRef="c"/>
<task id="c" o:asyncBefore="true"/><sequenceFlow id="f4" sourceRef="c" targetRef="end"/><endEvent id="end"/>]]

local fork = definitions [[
<startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="first"/>
<task id="first" o:asyncBefore="true" o:jobPriority="5"/>
<sequenceFlow id="f2" sourceRef="first" targetRef="low"/><sequenceFlow id="f3" sourceRef="first" targetRef="high"/>
<task id="low" o:asyncBefore="true" o:jobPriority="1"/><task id="high" o:asyncBefore="true" o:jobPriority="9"/>]]

describe("handing over", function()
  local engine
  before_each(function() engine = orrery.open(nil, {}) end)
  after_each(function() engine:close() end)

  local function drain(options)
    engine:start_executor(options)
    assert.is_true(engine:wait_idle(60))
    engine:stop_executor()
    assert.same({}, engine:instances {})
    return engine:metrics()
  end

  it("gives a successor the place of its predecessor, however full the queue is", function()
    engine:deploy { ["p.bpmn"] = chain }
    for _ = 1, 10 do engine:start "p" end
    local metrics = drain { threads = 1, queue_size = 1 }
    assert.equal(30, metrics["job-successful"])
    assert.equal(20, metrics["job-handed-over"])
    assert.equal(0, metrics["job-execution-rejected"])
  end)

  it("gives only one of several successors that place", function()
    engine:deploy { ["p.bpmn"] = fork }
    engine:start "p"
    local metrics = drain { threads = 1, queue_size = 1 }
    assert.equal(3, metrics["job-successful"])
    assert.equal(1, metrics["job-handed-over"])
    assert.equal(1, metrics["job-execution-rejected"])
  end)

  it("leaves follow-up jobs to acquisition when that has an order of its own", function()
    engine:deploy { ["p.bpmn"] = fork }
    engine:start "p"
    local metrics = drain { threads = 1, queue_size = 1, acquire_by_priority = true }
    assert.equal(0, metrics["job-handed-over"])
    local order = {}
    for _, row in ipairs(engine:history_activities { type = "task", order_by = "sequence" }) do order[#order + 1] = row.activity_id end
    assert.same({ "first", "high", "low" }, order)
  end)
end)
