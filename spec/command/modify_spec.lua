-- Modification of a running instance: events and their sub-processes.
local orrery = require "orrery"
local peers = require "spec.exec.peers"
local shows, run, active, kind, flows = peers.shows, peers.run, peers.active, peers.kind, peers.flows

local HANDLER <const> = '<subProcess id="es" triggeredByEvent="true"><startEvent id="es1">'
  .. '<messageEventDefinition messageRef="m"/></startEvent>' .. '<userTask id="h"/>' .. flows "es1 -> h" .. "</subProcess>"
local IN_PROCESS <const> = '<startEvent id="s"/><userTask id="a"/><userTask id="b"/>' .. HANDLER
local IN_SUB <const> = '<startEvent id="s"/><subProcess id="sub"><startEvent id="ss"/><userTask id="a"/><userTask id="b"/>'
  .. flows "ss -> a a -> b" .. HANDLER .. "</subProcess>"

local function state(engine, instance)
  local keys = instance:active()
  table.sort(keys)
  return table.concat(keys, " ") .. " " .. #engine:subscriptions {}
end

describe("modification", function()
  for where, model in pairs { process = { IN_PROCESS, "s -> a a -> b" }, ["sub-process"] = { IN_SUB, "s -> sub" } } do
    shows("into an interrupting event sub-process of a " .. where .. " settles its start or not",
      function(engine)
      local instance = run(engine, model[1], model[2])
      local states = { state(engine, instance) }
      for i, instruction in ipairs { { start_before = "h" }, { cancel = "h" }, { start_before = "b" } } do
        instance:modify { instruction }
        states[i + 1] = state(engine, instance)
      end
      engine:message "m"
      states[5] = state(engine, instance)
      return states
    end, { camunda = { "a 1", "a h 1", "a 1", "a b 1", "h 0" },
      flowable = { "a 1", "a h 0", "a 0", "a b 1", "h 0" },
      orrery = { "a 1", "a h 0", "a 0", "a b 1", "h 0" } })

    shows("starts an interrupting event sub-process of a " .. where .. " by its start event", function(engine)
      local instance = run(engine, model[1], model[2])
      instance:modify { { start_before = "es1" } }
      return state(engine, instance)
    end, { camunda = "h 0", flowable = "a h 0", orrery = "h 0" })
  end

  shows("leaves the start of an event sub-process alone that does not interrupt", function(engine)
    local instance = run(engine, IN_PROCESS:gsub('id="es1"', 'id="es1" isInterrupting="false"'), "s -> a a -> b")
    instance:modify { { start_before = "h" } }
    return state(engine, instance)
  end, "a h 1")

  local COMPENSATED <const> = [[<startEvent id="s"/><userTask id="a"/><boundaryEvent id="b" attachedToRef="a"><compensateEventDefinition/>
    </boundaryEvent><userTask id="undo" isForCompensation="true"/><association id="as" sourceRef="b" targetRef="undo"/>]]

  shows("refuses to start before a compensation boundary event", function(engine)
    local instance = run(engine, COMPENSATED, "s -> a")
    local modified, err = kind(instance.modify, instance, { { start_before = "b" } })
    assert(err.message:find('"b" is a compensation boundary event', 1, true), err.message)
    return { modified, (kind(engine.start, engine, "p", { instructions = { { start_before = "b" } } })), active(instance) }
  end, { "argument", "argument", "a" })

  local THROWS <const> = COMPENSATED .. '<userTask id="a2"/><boundaryEvent id="b2" attachedToRef="a2">'
    .. '<compensateEventDefinition/></boundaryEvent><userTask id="undo2" isForCompensation="true"/>'
    .. '<association id="as2" sourceRef="b2" targetRef="undo2"/><intermediateThrowEvent id="throw">'
    .. '<compensateEventDefinition/></intermediateThrowEvent><userTask id="behind"/>'

  shows("cancels compensation handlers: their throw waits for those that are left", function(engine)
    local instance = run(engine, THROWS, "s -> a a -> a2 a2 -> throw throw -> behind")
    engine:task({ key = "a" }):complete()
    engine:task({ key = "a2" }):complete()
    local states = { active(instance) }
    instance:modify { { cancel = "undo" } }
    states[2] = active(instance)
    engine:task({ key = "undo2" }):complete()
    states[3] = active(instance)
    return states
  end, { camunda = { "throw undo undo2", "throw undo2", "behind" },
    flowable = { "behind undo undo2", "behind undo2", "behind" },
    orrery = { "throw undo undo2", "throw undo2", "behind" } })

  shows("cancels the last compensation handler, and with it the throw that waits", function(engine)
    local instance = run(engine, THROWS, "s -> a a -> a2 a2 -> throw throw -> behind")
    engine:task({ key = "a" }):complete()
    engine:task({ key = "a2" }):complete()
    instance:modify { { cancel = "undo" } }
    instance:modify { { cancel = "undo2" } }
    return engine:instance(instance.id) and active(instance) or "gone"
  end, { camunda = "gone", flowable = "behind", orrery = "gone" })

  local SLOW <const> = '<startEvent id="s"/><userTask id="a"/><subProcess id="sub"><extensionElements>'
    .. '<o:executionListener event="start" class="waits"/></extensionElements><startEvent id="ss"/>'
    .. '<subProcess id="inner"><extensionElements><o:executionListener event="start" class="waits"/>'
    .. '</extensionElements><startEvent id="is"/><task id="passes"/></subProcess></subProcess>'
    .. '<userTask id="b"/>'

  shows("starts in scopes whose start listeners wait only behind those", function(engine)
    local running = 0
    engine:register("waits", function()
      running = running + 1
      for _ = 1, 3 do orrery.sleep(0) end
      running = running - 1
    end)
    local instance = run(engine, SLOW, "s -> a a -> sub sub -> b")
    instance:modify { { start_before = "passes" } }
    return { active(instance), running, #engine:verify() }
  end, { "a b", 0, 0 })

  -- What cancels several tokens at once, each in a scope whose end listener waits. Flowable's
  -- dialect tells no end listener of what is canceled.
  local LISTENS <const> = '<extensionElements><o:executionListener event="end" class="waits"/>'
    .. "</extensionElements>"
  local TASK <const> = '<userTask id="t"/>'

  -- A sub-process that each message "m" starts once more, with these elements in it.
  local function starts_again(inside)
    return '<startEvent id="s"/><userTask id="a"/><subProcess id="es" triggeredByEvent="true">'
      .. LISTENS .. '<startEvent id="es1" isInterrupting="false"><messageEventDefinition'
      .. ' messageRef="m"/></startEvent>' .. inside .. "</subProcess>"
  end

  local function heard_on(engine)
    local heard = {}
    engine:register("waits", function(execution)
      for _ = 1, 3 do orrery.sleep(0) end
      local at = execution.activity_id or "process"
      heard[at] = (heard[at] or 0) + 1
    end)
    return heard
  end

  local function three_run(engine, inside)
    local instance = run(engine, starts_again(inside), "s -> a")
    for _ = 1, 3 do engine:message "m" end
    return instance
  end

  local function left(engine, instance)
    return { engine:instance(instance.id) and active(instance) or "gone",
      #engine:executions { activity_id = "es" }, #engine:verify() }
  end

  shows("cancels several tokens with their scopes, whose end listeners wait", function(engine)
    local heard = heard_on(engine)
    local instance = three_run(engine, TASK .. flows "es1 -> t")
    instance:modify { { cancel = "t" } }
    return { left(engine, instance), heard }
  end, { camunda = { { "a", 0, 0 }, { es = 3 } }, flowable = { { "a", 0, 0 }, {} },
    orrery = { { "a", 0, 0 }, { es = 3 } } })

  local DEEP <const> = '<subProcess id="deep">' .. LISTENS .. '<startEvent id="d1"/>' .. TASK
    .. flows "d1 -> t" .. "</subProcess>" .. flows "es1 -> deep"

  shows("cancels several tokens with scopes within scopes, whose end listeners wait", function(engine)
    local heard = heard_on(engine)
    local instance = three_run(engine, DEEP)
    instance:modify { { cancel = "t" } }
    return { left(engine, instance), heard }
  end, { camunda = { { "a", 0, 0 }, { es = 3, deep = 3 } }, flowable = { { "a", 0, 0 }, {} },
    orrery = { { "a", 0, 0 }, { es = 3, deep = 3 } } })

  shows("cancels the handlers of several throws, with them and their scopes", function(engine)
    local heard = heard_on(engine)
    local instance = three_run(engine, '<task id="d"/><boundaryEvent id="b" attachedToRef="d">'
      .. '<compensateEventDefinition/></boundaryEvent><userTask id="t" isForCompensation="true"/>'
      .. '<association id="as" sourceRef="b" targetRef="t"/><intermediateThrowEvent id="throw">'
      .. LISTENS .. '<compensateEventDefinition/></intermediateThrowEvent><userTask id="behind"/>'
      .. flows "es1 -> d d -> throw throw -> behind")
    instance:modify { { cancel = "t" } }
    return { left(engine, instance), heard }
  end, { camunda = { { "a", 0, 0 }, { es = 3, throw = 3 } },
    flowable = { { "a behind behind behind", 3, 0 }, { throw = 3 } },
    orrery = { { "a", 0, 0 }, { es = 3, throw = 3 } } })

  local CALLED <const> = "<startEvent id=\"cs\"/>" .. TASK
  local CALL <const> = '<callActivity id="c" calledElement="called">' .. LISTENS
    .. "</callActivity>"

  shows("cancels several calls with what they called, and the scopes around them", function(engine)
    local heard = heard_on(engine)
    peers.deploy(engine, peers.process(starts_again(CALL .. flows "es1 -> c"), "s -> a")
      .. peers.process(LISTENS .. CALLED, "cs -> t", "called"))
    local instance = engine:start "p"
    for _ = 1, 3 do engine:message "m" end
    instance:modify { { cancel = "c" } }
    return { left(engine, instance), #engine:instances {}, heard }
  end, { camunda = { { "a", 0, 0 }, 1, { es = 3, c = 3, process = 3 } },
    flowable = { { "a", 0, 0 }, 1, { process = 3 } },
    orrery = { { "a", 0, 0 }, 1, { es = 3, c = 3, process = 3 } } })

  shows("cancels the last tokens of a called instance, and what is around that", function(engine)
    local heard = heard_on(engine)
    local body = starts_again(TASK .. flows "es1 -> t"):gsub('"s"', '"cs"'):gsub('"a"', '"t2"')
    peers.deploy(engine, peers.process('<startEvent id="s"/><subProcess id="sub">' .. LISTENS
      .. '<startEvent id="ss"/>' .. CALL .. "</subProcess>", "s -> sub ss -> c")
      .. peers.process(LISTENS .. body, "cs -> t2", "called"))
    local instance = engine:start "p"
    for _ = 1, 3 do engine:message "m" end
    engine:instance({ definition_key = "called" }):modify { { cancel = "t2" }, { cancel = "t" } }
    return { left(engine, instance), #engine:instances {}, heard }
  end, { camunda = { { "gone", 0, 0 }, 0, { es = 3, c = 1, process = 1, sub = 1 } },
    flowable = { { "gone", 0, 0 }, 0, { c = 1, process = 1, sub = 1 } }, -- the caller goes on
    orrery = { { "gone", 0, 0 }, 0, { es = 3, c = 1, process = 1, sub = 1 } } })
end)
