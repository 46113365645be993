-- History rows of boundary events that begin when the events are armed, as Flowable's do.
local orrery = require "orrery"

local engine
before_each(function() engine = orrery.open(nil, { clock = "manual", dialect = "flowable", log = "none", durability = "none" }) end)
after_each(function() engine:close() end)

local function start(activity)
  engine:deploy { ["p.bpmn"] = ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="spec"><process id="p"
    isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="a"/>%s<boundaryEvent id="b" attachedToRef="a"
    cancelActivity="false"><timerEventDefinition><timeCycle>R2/PT1H</timeCycle></timerEventDefinition></boundaryEvent><task id="t"/>
    <sequenceFlow id="g" sourceRef="b" targetRef="t"/></process></definitions>]]):format(activity) }
  return engine:start "p"
end

local function rows(pi)
  local out = {}
  for i, row in ipairs(engine:history_activities { instance = pi.id, activity = "b" }) do
    out[i] = { row.started_at - pi.started_at, row.ended_at and row.ended_at - pi.started_at, row.canceled }
  end
  return out
end

describe("the history of an armed boundary event", function()
  it("ends with its first firing; later ones have rows of their own", function()
    local pi = start '<userTask id="a"/>'
    assert.same({ { 0, nil, false } }, rows(pi))
    for _ = 1, 2 do
      engine:advance(3600)
      engine:run_jobs()
    end
    assert.same({ { 0, 3600, false }, { 7200, 7200, false } }, rows(pi))
    engine:task({}):complete()
    assert.equal(2, #rows(pi))
  end)

  it("is canceled as the activity completes", function()
    local pi = start '<userTask id="a"/>'
    engine:advance(60)
    engine:task({}):complete()
    assert.same({ { 0, 60, true } }, rows(pi))
  end)

  it("is canceled with its instance", function()
    local pi = start '<userTask id="a"/>'
    pi:delete()
    assert.same({ { 0, 0, true } }, rows(pi))
  end)

  it("belongs to the whole of a multi-instance activity", function()
    local pi = start [[<userTask id="a"><multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality>
      </multiInstanceLoopCharacteristics></userTask>]]
    assert.equal(1, #rows(pi))
    for _, task in ipairs(engine:tasks {}) do task:complete() end
    assert.same({ { 0, 0, true } }, rows(pi))
  end)

  it("has no row where no history is kept", function()
    engine:close()
    engine = orrery.open(nil, { clock = "manual", dialect = "flowable", log = "none", durability = "none", history = "none" })
    local pi = start '<userTask id="a"/>'
    engine:task({}):complete()
    assert.equal(0, #rows(pi))
  end)
end)
