-- A sub-process that its event sub-process interrupts, and that a listener of what goes by that
-- cancels as a whole.
local orrery = require "orrery"
local peers = require "spec.exec.peers"
local run, flows = peers.run, peers.flows

local STARTS <const> = {
  signal = '<signalEventDefinition signalRef="sig"/>',
  condition = "<conditionalEventDefinition><condition>${go}</condition>"
    .. "</conditionalEventDefinition>",
  error = '<errorEventDefinition errorRef="err"/>',
}
local LISTENERS <const> = {
  ["its end listener"] = '<o:executionListener event="end" class="cancel"/>',
  ["its task's listener"] = '<o:taskListener event="delete" class="cancel"/>',
}

local ELEMENTS <const> = [[<startEvent id="s"/><subProcess id="sub"><startEvent id="ss"/>
  <parallelGateway id="fork"/><userTask id="a"><extensionElements>%s</extensionElements></userTask>
  <receiveTask id="r" messageRef="m"/><serviceTask id="fail" o:class="fail"/>%s
  <subProcess id="es" triggeredByEvent="true"><startEvent id="es1">%s</startEvent>
    <userTask id="u"/>%s</subProcess></subProcess><userTask id="after"/>]]

local function model(start, listener)
  local inner = flows "ss -> fork fork -> a fork -> r r -> fail"
  return ELEMENTS:format(listener, inner, start, flows "es1 -> u")
end

local function interrupt(engine, instance, how)
  if how == "signal" then return engine:signal "sig" end
  if how == "condition" then return instance:set("go", true) end
  engine:message "m"
end

describe("a listener that cancels the sub-process that is being interrupted", function()
  for how, start in pairs(STARTS) do
    for whose, listener in pairs(LISTENERS) do
      local name = ("leaves nothing that waits for nothing: %s, %s"):format(how, whose)
      peers.shows(name, function(engine)
        engine:register("fail", function() orrery.bpmn_error "err" end)
        engine:register("cancel", function(about)
          local instance = engine:instance(about.instance_id or about.execution.instance_id)
          instance:modify { { cancel = "sub" } }
        end)
        local instance = run(engine, model(start, listener), "s -> sub sub -> after",
          { variables = { go = false } })
        pcall(interrupt, engine, instance, how)
        local there = engine:instance(instance.id)
        return { engine:verify(), there and there:active()[1] == nil and "without a token" or nil }
      end, { {} })
    end
  end
end)
