-- Event sub-processes: what they interrupt, when, and what survives them.
local orrery = require "orrery"
local peers = require "spec.exec.peers"
local shows, run, active, kind, flows = peers.shows, peers.run, peers.active, peers.kind, peers.flows

local CONDITION <const> = '<conditionalEventDefinition><condition>${x == 1}</condition></conditionalEventDefinition>'
local MESSAGE <const> = '<messageEventDefinition messageRef="m"/>'
local ERROR <const> = '<errorEventDefinition errorRef="err"/>'

--- An event sub-process that starts by `event` and waits in the user task "h".
local function handler(event, attributes)
  return ('<subProcess id="es" triggeredByEvent="true"><startEvent id="es1" %s>%s</startEvent><userTask id="h"/>%s</subProcess>')
    :format(attributes or "", event, flows("es1 -> h"))
end

--- A sub-process "sub" that runs into the user task "a"; `head` and `rest` go into it.
local function sub(head, rest)
  return ('<subProcess id="sub">%s<startEvent id="ss"/><userTask id="a"/>%s%s</subProcess>'):format(head, flows("ss -> a"), rest)
end

local function listener(event)
  return ('<extensionElements><o:executionListener event="%s" class="throw"/></extensionElements>'):format(event)
end

local function throws(engine) engine:register("throw", function() orrery.bpmn_error "err" end) end

describe("event sub-process", function()
  describe("whose condition holds on entry, interrupts", function()
    shows("a process", function(engine)
      return active(run(engine, '<startEvent id="s"/><userTask id="a"/>' .. handler(CONDITION), "s -> a", { variables = { x = 1 } }))
    end, "h")

    shows("a sub-process", function(engine)
      local instance = run(engine, '<startEvent id="s"/><userTask id="z"/>' .. sub("", handler(CONDITION)), "s -> sub sub -> z",
        { variables = { x = 1 } })
      local entered = active(instance)
      engine:task({}):complete()
      return entered .. ", " .. active(instance)
    end, "h, z")

    shows("each instance of a sub-process", function(engine)
      local multi = '<multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics>'
      return active(run(engine, '<startEvent id="s"/>' .. sub(multi, handler(CONDITION)), "s -> sub", { variables = { x = 1 } }))
    end, "h h")

    shows("nothing when it does not interrupt", function(engine)
      return active(run(engine, '<startEvent id="s"/>' .. sub("", handler(CONDITION, 'isInterrupting="false"')), "s -> sub",
        { variables = { x = 1 } }))
    end, "a h")
  end)

  shows("lets its boundary event for errors stay when it interrupts", function(engine)
    throws(engine)
    local head = sub("", handler(MESSAGE):gsub('<userTask id="h"/>', '<serviceTask id="h" o:class="throw"/>'))
    local instance = run(engine, '<startEvent id="s"/><userTask id="z"/>' .. head
      .. '<boundaryEvent id="b" attachedToRef="sub"><errorEventDefinition errorRef="err"/></boundaryEvent>', "s -> sub b -> z")
    engine:message "m"
    return active(instance)
  end, "z")

  shows("takes the boundary event for escalations away as the others", function(engine)
    local escalate = '<intermediateThrowEvent id="h"><escalationEventDefinition escalationRef="up"/></intermediateThrowEvent>'
    local head = sub("", handler(MESSAGE):gsub('<userTask id="h"/>', escalate .. '<userTask id="h2"/>' .. flows "h -> h2"))
    local instance = run(engine, '<startEvent id="s"/><userTask id="z"/>' .. head
      .. '<boundaryEvent id="b" attachedToRef="sub"><escalationEventDefinition escalationRef="up"/></boundaryEvent>', "s -> sub b -> z")
    engine:message "m"
    return active(instance)
  end, { camunda = "h2", flowable = "h2", orrery = "z" })

  shows("has no boundary event of its own that would catch an error", function(engine)
    throws(engine)
    local ok, instance = pcall(run, engine, '<startEvent id="s"/><userTask id="a"/><userTask id="z"/>'
      .. handler(MESSAGE):gsub('<userTask id="h"/>', '<serviceTask id="h" o:class="throw"/>')
      .. '<boundaryEvent id="b" attachedToRef="es"><errorEventDefinition errorRef="err"/></boundaryEvent>', "s -> a b -> z")
    return ok and kind(engine.message, engine, "m") or instance.kind
  end, { camunda = "deployment", flowable = "bpmn_error", orrery = "deployment" })

  shows("of a caller goes on beside the called process, or ends it", function(engine)
    peers.deploy(engine, peers.process('<startEvent id="s"/><callActivity id="c" calledElement="q"/>'
        .. handler '<escalationEventDefinition escalationRef="up"/>', "s -> c")
      .. peers.process('<startEvent id="qs"/><intermediateThrowEvent id="th"><escalationEventDefinition escalationRef="up"/>'
        .. '</intermediateThrowEvent><userTask id="qa"/>', "qs -> th th -> qa", "q"))
    engine:start "p"
    return peers.tasks(engine)
  end, { camunda = "h", flowable = "h qa", orrery = "h" })

  describe("that catches what its sub-process's own listener throws", function()
    shows("takes the place of what has not begun", function(engine)
      throws(engine)
      local k, instance = kind(run, engine, '<startEvent id="s"/><userTask id="z"/>' .. sub(listener "start", handler(ERROR)),
        "s -> sub sub -> z")
      if k then return k end
      local entered = active(instance)
      engine:task({}):complete()
      return entered .. ", " .. active(instance)
    end, { camunda = "h, z", flowable = "bpmn_error", orrery = "h, z" })
  end)

  shows("ends its scope when it interrupts what is being canceled already, by that one's listener", function(engine)
    engine:register("throw", function(task) task.execution.engine:signal "sig" end)
    local instance = run(engine, [[<startEvent id="s"/><subProcess id="sub"><startEvent id="ss"/><userTask id="a"><extensionElements>
      <o:taskListener event="delete" class="throw"/></extensionElements></userTask>]] .. flows "ss -> a" .. [[</subProcess>
      <boundaryEvent id="b" attachedToRef="sub">]] .. MESSAGE .. [[</boundaryEvent><userTask id="x"/>
      <subProcess id="es" triggeredByEvent="true"><startEvent id="es1"><signalEventDefinition signalRef="sig"/></startEvent><task id="h"/>]]
      .. flows "es1 -> h" .. "</subProcess>", "s -> sub b -> x")
    engine:message "m"
    return { engine:verify(), engine:history_instance(instance.id).state, engine:count("history_activities", { activity = "h" }) }
  end, { {}, "completed", 1 })
end)
