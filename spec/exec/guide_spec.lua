-- What the guides say of compensation, starts, transactions and gateways, in every dialect.
local peers = require "spec.exec.peers"

local shows, run, active = peers.shows, peers.run, peers.active

local compensated = [[<startEvent id="s"/><task id="a"/><boundaryEvent id="c" attachedToRef="a"><compensateEventDefinition/></boundaryEvent>
  <userTask id="undo" isForCompensation="true"/><association id="as" sourceRef="c" targetRef="undo" associationDirection="One"/>]]

describe("a compensation throw", function()
  local function thrown(attributes)
    return compensated .. ('<intermediateThrowEvent id="th"><compensateEventDefinition %s/></intermediateThrowEvent><userTask id="next"/>')
      :format(attributes)
  end

  shows("is left once compensation is done", function(engine)
    local pi = run(engine, thrown "", "s -> a a -> th th -> next")
    local before = active(pi)
    engine:task({ key = "undo" }):complete()
    return { before, active(pi) }
  end, { camunda = { "th undo", "next" }, flowable = { "next undo", "next" },
    orrery = { "th undo", "next" } })

  shows("is left at once when it does not wait", function(engine)
    local pi = run(engine, thrown 'waitForCompletion="false"', "s -> a a -> th th -> next")
    local before = active(pi)
    engine:task({ key = "next" }):complete()
    local between = active(pi)
    engine:task({ key = "undo" }):complete()
    return { before, between, engine:instance(pi.id) == nil }
  end, { "next undo", "undo", true })

  shows("of an end event ends its path at once when it does not wait, and the process with the handlers", function(engine)
    local ends = [[<endEvent id="e"><compensateEventDefinition waitForCompletion="false"/></endEvent>]]
    local refused, pi = peers.kind(run, engine, compensated .. ends, "s -> a a -> e")
    if refused then return refused end
    local before = active(pi)
    engine:task({ key = "undo" }):complete()
    return ("%s, %s, %d"):format(before, engine:history_instances({ id = pi.id })[1].state, #engine:verify())
  end, { camunda = "undo, completed, 0", flowable = "deployment", orrery = "undo, completed, 0" })
end)

describe("a start", function()
  local two = [[<startEvent id="s"><messageEventDefinition messageRef="m"/></startEvent><startEvent id="s2">
    <messageEventDefinition messageRef="m2"/></startEvent><userTask id="a"/><userTask id="b"/>]]
  local flows = "s -> a s2 -> b"

  shows("by key among message start events raises or takes the first", function(engine)
    peers.deploy(engine, peers.process(two, flows))
    local first = peers.kind(engine.start, engine, "p") or peers.tasks(engine)
    return { first, active(engine:start_by_message "m2") }
  end, { camunda = { "state", "b" }, flowable = { "a", "b" }, orrery = { "state", "b" } })

  shows("by a call activity among message start events does the same", function(engine)
    peers.deploy(engine, peers.process(two, flows))
    engine:deploy { ["c.bpmn"] = peers.definitions(peers.process('<startEvent id="cs"/><callActivity id="c" calledElement="p"/>',
      "cs -> c", "caller")):gsub('<message id.-/>', "") }
    local first = peers.kind(engine.start, engine, "caller") or peers.tasks(engine)
    return { first, engine:count("instances", {}) }
  end, { camunda = { "state", 0 }, flowable = { "a", 2 }, orrery = { "state", 0 } })

  shows("by key or call activity takes the none start event beside them", function(engine)
    peers.deploy(engine, peers.process(two .. '<startEvent id="none"/><userTask id="d"/>', flows .. " none -> d"))
    engine:deploy { ["c.bpmn"] = peers.definitions(peers.process('<startEvent id="cs"/><callActivity id="c" calledElement="p"/>',
      "cs -> c", "caller")):gsub('<message id.-/>', "") }
    engine:start "caller"
    return { active(engine:start "p"), peers.tasks(engine) }
  end, { "d", "d d" })
end)

describe("a warning", function()
  local function warnings(engine, body, flows)
    local out = {}
    for i, problem in ipairs(peers.deploy(engine, peers.process(body, flows)).warnings) do
      out[i] = problem.element .. ": " .. problem.message
    end
    return table.concat(out, "\n")
  end

  local canceled = '<startEvent id="s"/><transaction id="tx"><startEvent id="i"/><endEvent id="e"><cancelEventDefinition/></endEvent>'
    .. peers.flows "i -> e"

  shows("is given of an event-based gateway with one flow", function(engine)
    local text = warnings(engine, [[<startEvent id="s"/><eventBasedGateway id="g"/><intermediateCatchEvent id="c">
      <messageEventDefinition messageRef="m"/></intermediateCatchEvent>]], "s -> g g -> c")
    engine:start "p"
    engine:message "m"
    return { text:match "g: .*one outgoing sequence flow" ~= nil, engine:count("instances", {}) }
  end, { true, 0 })

  shows("is given of a cancel end event whose transaction has no cancel boundary event", function(engine)
    return warnings(engine, canceled .. "</transaction>", "s -> tx"):match 'transaction "tx" has no cancel boundary event' ~= nil
  end, true)

  shows("is not given where there is one", function(engine)
    return warnings(engine, canceled .. [[</transaction><boundaryEvent id="b" attachedToRef="tx"><cancelEventDefinition/></boundaryEvent>
      <userTask id="u"/>]], "s -> tx b -> u")
  end, "")
end)
