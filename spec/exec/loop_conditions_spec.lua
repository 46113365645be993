-- The counters of a multi-instance activity as changes that conditional events see.
local peers = require "spec.exec.peers"
local shows, run = peers.shows, peers.run

--- Completes the instances of a task "a", which has a boundary event with this condition; how often it had happened before each, and
--- at the end.
local function counted(sequential, condition, name)
  return function(engine)
    local times = 0
    engine:register("count", function() times = times + 1 end)
    run(engine, ([[<startEvent id="s"/><userTask id="a"><multiInstanceLoopCharacteristics isSequential="%s">
      <loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics></userTask>
      <boundaryEvent id="b" attachedToRef="a" cancelActivity="false"><conditionalEventDefinition %s><condition>%s</condition>
      </conditionalEventDefinition></boundaryEvent><serviceTask id="h" o:class="count"/>]]):format(sequential,
      name and ('o:variableName="%s"'):format(name) or "", condition), "s -> a b -> h")
    local seen = {}
    for i = 1, 3 do
      seen[i] = times
      engine:tasks({})[1]:complete()
    end
    seen[4] = times
    return seen
  end
end

describe("conditional events of a multi-instance activity", function()
  shows("see three counters as it begins, two as each instance completes", counted(false, "${nrOfInstances == 3}"), { 3, 5, 7, 9 })
  shows("happen on entry, and by four counters where instances come one after another", counted(true, "${true}"), { 5, 7, 9, 9 })
  for name, expected in pairs {
    nrOfInstances = { 2, 2, 2, 2 }, nrOfActiveInstances = { 2, 2, 2, 2 }, nrOfCompletedInstances = { 2, 3, 4, 4 },
    loopCounter = { 2, 3, 4, 4 },
  } do shows("see " .. name .. " by its name", counted(true, "${true}", name), expected) end

  shows("interrupt it before its instances begin when they hold on entry", function(engine)
    local begun = 0
    engine:register("begin", function() begun = begun + 1 end)
    local instance = run(engine, [[<startEvent id="s"/><serviceTask id="a" o:class="begin"><multiInstanceLoopCharacteristics>
      <loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics></serviceTask>
      <boundaryEvent id="b" attachedToRef="a"><conditionalEventDefinition><condition>${true}</condition></conditionalEventDefinition>
      </boundaryEvent><userTask id="z"/>]], "s -> a b -> z")
    return { begun, peers.active(instance) }
  end, { 0, "z" })
end)
