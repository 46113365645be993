-- Inclusive joins and tokens that are at the gateway itself, but do not wait there: one that is about to join, and one that has left.
local orrery = require "orrery"
local peers = require "spec.exec.peers"
local shows, run = peers.shows, peers.run

local function complete(engine, key) engine:task({ key = key }):complete() end

describe("an inclusive join waits", function()
  local HEARD <const> = '<inclusiveGateway id="j"><extensionElements><o:executionListener event="start" class="wait"/>'
    .. "</extensionElements></inclusiveGateway>"

  shows("for a token whose start listener there awaits", function(engine)
    engine:register("wait", function() for _ = 1, 3 do orrery.sleep(0) end end)
    run(engine, '<startEvent id="s"/><parallelGateway id="f"/><userTask id="a"/><userTask id="u"/><userTask id="z"/>' .. HEARD,
      "s -> f f -> a f -> u a -> j u -> j j -> z")
    complete(engine, "a")
    local before = peers.tasks(engine)
    complete(engine, "u")
    return before .. ", " .. peers.tasks(engine)
  end, "u, z")

  -- The boundary event's token comes to the join while the one that has left it waits for the job behind it.
  local LOOP <const> = '<startEvent id="s"/><parallelGateway id="f"/><userTask id="a"/><userTask id="u"/><userTask id="z"/>'
    .. '<boundaryEvent id="b" attachedToRef="u"><messageEventDefinition messageRef="m"/></boundaryEvent><userTask id="aside"/>'
    .. '<exclusiveGateway id="x" default="x_to_z"/><inclusiveGateway id="j" o:asyncAfter="true"/>'
    .. '<sequenceFlow id="back" sourceRef="x" targetRef="j"><conditionExpression>${again}</conditionExpression></sequenceFlow>'

  -- Flowable's token chooses its flow in that job.
  shows("for a token that has left it, and may come back by the flow that it has chosen", function(engine)
    run(engine, LOOP, "s -> f f -> a f -> u u -> aside a -> j b -> j j -> x x -> z", { variables = { again = false } })
    complete(engine, "a")
    engine:message "m"
    local before = engine:count "jobs"
    engine:run_jobs()
    return before .. ", " .. peers.tasks(engine)
  end, { camunda = "1, z z", flowable = "2, z z", orrery = "1, z z" })
end)
