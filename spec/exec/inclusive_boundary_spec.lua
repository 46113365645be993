-- Inclusive joins and boundary events: an activity's token is not waited for because of a boundary event that leads to the join.
local peers = require "spec.exec.peers"
local shows, survives, run, flows = peers.shows, peers.survives, peers.run, peers.flows

local function boundary(attributes)
  return ('<boundaryEvent id="b" attachedToRef="u" %s><messageEventDefinition messageRef="m"/></boundaryEvent>'):format(attributes or "")
end

local HEAD <const> = '<startEvent id="s"/><parallelGateway id="f"/><userTask id="a"/><userTask id="u"/><inclusiveGateway id="j"/>'
  .. '<userTask id="z"/><userTask id="aside"/>'

local function complete(engine, key) engine:task({ key = key }):complete() end

describe("an inclusive join does not wait", function()
  survives("for an activity whose boundary event alone leads to it", function(reopen)
    local engine = reopen()
    run(engine, HEAD .. boundary(), "s -> f f -> a f -> u a -> j b -> j u -> aside j -> z")
    engine = reopen()
    complete(engine, "a")
    local before = peers.tasks(engine)
    engine = reopen()
    engine:message "m"
    return before .. ", " .. peers.tasks(engine)
  end, "u z, z z")

  shows("for one whose boundary event does not interrupt, so that no token piles up", function(engine)
    run(engine, HEAD .. boundary 'cancelActivity="false"', "s -> f f -> a f -> u a -> j b -> j u -> aside j -> z")
    engine:message "m"
    local first = peers.tasks(engine)
    engine:message "m"
    return first .. ", " .. peers.tasks(engine)
  end, { camunda = "a u, a u z", flowable = "a u, a u", orrery = "a u, a u" })

  shows("for a sub-process, or one that a boundary event of its own path leads to", function(engine)
    run(engine, HEAD:gsub('<userTask id="u"/>', '<subProcess id="u"><startEvent id="us"/><userTask id="in"/>' .. flows "us -> in"
      .. "</subProcess>") .. boundary() .. '<userTask id="on"/><boundaryEvent id="b2" attachedToRef="on">'
      .. '<messageEventDefinition messageRef="m2"/></boundaryEvent>', "s -> f f -> a f -> u a -> j b -> on b2 -> j u -> aside j -> z")
    complete(engine, "a")
    return peers.tasks(engine)
  end, "in z")
end)

describe("an inclusive join waits", function()
  shows("for an activity from which a flow leads to it, too", function(engine)
    run(engine, HEAD .. boundary(), "s -> f f -> a f -> u a -> j b -> j u -> j j -> z")
    complete(engine, "a")
    local before = peers.tasks(engine)
    engine:message "m"
    return before .. ", " .. peers.tasks(engine)
  end, "u, z")

  shows("for what a boundary event has set going", function(engine)
    run(engine, HEAD .. boundary() .. '<userTask id="on"/>', "s -> f f -> a f -> u a -> j b -> on on -> j u -> aside j -> z")
    engine:message "m"
    complete(engine, "a")
    local before = peers.tasks(engine)
    complete(engine, "on")
    return before .. ", " .. peers.tasks(engine)
  end, "on, z")
end)
