-- What is said of a message that nobody may receive now.
local support = require "spec.support.process"

describe("a message whose only receiver is suspended", function()
  local engine
  before_each(function()
    engine = support.engine()
    engine:deploy { ["p.bpmn"] = support.definitions [[<message id="m1" name="begin"/><message id="m2" name="answer"/>
      <process id="p" isExecutable="true"><startEvent id="s"><messageEventDefinition messageRef="m1"/></startEvent>
      <sequenceFlow id="f" sourceRef="s" targetRef="r"/><receiveTask id="r" messageRef="m2"/></process>]] }
  end)
  after_each(function() engine:close() end)

  local function refusal(...) return support.refused("correlation", engine.message, engine, ...).message end

  it("names the instance that waits", function()
    local pi = engine:start_by_message("begin", { business_key = "k" })
    pi:suspend()
    local text = ('message "answer" has no receiver: instance %s, which waits for it, is suspended; activate it first'):format(pi.id)
    assert.matches(text, refusal("answer", { instance = pi.id }), 1, true)
    assert.matches(text, refusal("answer", { business_key = "k" }), 1, true)
    assert.matches("no execution waits for it", refusal("answer", { business_key = "other" }), 1, true)
    assert.matches("no execution waits for it", refusal("answer", { match = { x = 1 } }), 1, true)
    pi:activate()
    engine:message("answer", { instance = pi.id })
    assert.equal(0, engine:count "instances")
  end)

  it("names the process that starts", function()
    engine:suspend_definition { key = "p" }
    assert.matches('message "begin" has no receiver: process "p", which starts by it, is suspended; activate it first',
      refusal "begin", 1, true)
  end)

  it("is no start for what is matched, unless that chooses among executions alone", function()
    assert.matches("no execution waits for it", refusal("begin", { match = { x = 1 } }), 1, true)
    refusal("begin", { local_match = { x = 1 }, all = false })
    local begun = engine:message("begin", { match = { x = 1 }, match_waiting = true,
      variables = { x = 1 } })
    assert.equal("definition", begun.type)
    assert.equal(1, #engine:message("begin", { local_match = { x = 2 }, match_waiting = true,
      all = true }))
    refusal("answer", { match = { x = 2 }, match_waiting = true })
    refusal("begin", { match = { x = 2 }, match_waiting = true, start = false })
    assert.equal("execution", engine:message("answer", { match = { x = 1 },
      match_waiting = true }).type)
    assert.equal(1, engine:count "instances")
  end)

  it("goes to those that are not", function()
    local one, other = engine:start_by_message "begin", engine:start_by_message "begin"
    one:suspend()
    engine:message "answer"
    assert.same({ one.id }, support.each(engine:instances {}, "id"))
    assert.is_nil(engine:instance(other.id))
    assert.same({}, engine:message("answer", { all = true }))
  end)
end)
