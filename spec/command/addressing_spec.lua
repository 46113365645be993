-- Who is meant: versions, tenants, multi-instance bodies.
local orrery = require "orrery"
local peers = require "spec.exec.peers"
local shows, kind = peers.shows, peers.kind

--- Deploys a process "p" that starts by `start` and waits in the user task `task`; its definition's id.
local function version(engine, start, task, options)
  local body = ('<startEvent id="s">%s</startEvent><userTask id="%s"/>'):format(start, task)
  local model = peers.definitions(peers.process(body, "s -> " .. task))
  return engine:deploy({ ["p.bpmn"] = model }, options).definitions[1].id
end

local MESSAGE <const> = '<messageEventDefinition messageRef="m"/>'
local CONDITION <const> = '<conditionalEventDefinition><condition>${x == 1}</condition></conditionalEventDefinition>'

describe("what is said twice", function()
  it("is refused rather than half heard", function()
    local engine <close> = orrery.open(nil, { clock = "manual", log = "none" })
    local id = version(engine, "", "t", { tenant = "acme" })
    local by_message = version(engine, MESSAGE, "u")
    for _, options in ipairs { { tenant = "acme" }, { tenant = "other" }, { version = 1 }, { version = 9 } } do
      local ok, problem = pcall(engine.start_by_id, engine, id, options)
      assert.is_false(ok)
      assert.equal("argument", problem.kind)
      assert.matches("a definition is of one version and one tenant", problem.message)
    end
    for _, options in ipairs { { version = 1 }, { start_event = "s" }, { definition = by_message, version = 1 } } do
      assert.equal("argument", select(2, pcall(engine.start_by_message, engine, "m", options)).kind)
    end
    assert.equal(0, engine:count("instances", {}))
    assert.equal("acme", engine:start_by_id(id).tenant)
  end)
end)

describe("an older version is started", function()
  shows("by its message, through message and start_by_message", function(engine)
    local old = version(engine, MESSAGE, "old")
    version(engine, MESSAGE, "new")
    engine:message("m", { definition = old })
    engine:start_by_message("m", { definition = old })
    engine:message "m"
    return peers.tasks(engine)
  end, "new old old")

  shows("by its message, by a job", function(engine)
    local old = version(engine, MESSAGE, "old")
    version(engine, MESSAGE, "new")
    engine:message("m", { definition = old, async = true, variables = { x = 7 } })
    engine:run_jobs()
    return { peers.tasks(engine), engine:instance({}):get "x" }
  end, { "old", 7 })

  shows("by its condition", function(engine)
    local old = version(engine, CONDITION, "old")
    version(engine, CONDITION, "new")
    engine:evaluate_conditions { definition = old, variables = { x = 1 } }
    engine:evaluate_conditions { definition = old, variables = { x = 2 } }
    return peers.tasks(engine)
  end, "old")

  shows("not by another message, nor while it is suspended", function(engine)
    local old = version(engine, MESSAGE, "old")
    local plain = version(engine, "", "new")
    engine:suspend_definition(old)
    return { (kind(engine.message, engine, "m", { definition = old })), (kind(engine.message, engine, "m", { definition = plain })),
      (kind(engine.start_by_message, engine, "m2", { definition = old })),
      (kind(engine.evaluate_conditions, engine, { definition = old })) }
  end, { "correlation", "correlation", "correlation", "argument" })
end)

describe("a key", function()
  local function tenants(engine, ...)
    for _, tenant in ipairs { ... } do version(engine, "", "a", { tenant = tenant ~= "" and tenant or nil }) end
    return function(options)
      local failed, instance = kind(engine.start, engine, "p", options)
      return failed or instance.tenant or "nobody"
    end
  end

  shows("without a tenant reaches the only tenant", function(engine) return tenants(engine, "one")() end,
    { camunda = "one", flowable = "not_found", orrery = "one" })
  shows("without a tenant reaches none of several", function(engine) return tenants(engine, "one", "two")() end,
    { camunda = "argument", flowable = "not_found", orrery = "argument" })
  shows("without a tenant reaches nobody's beside them", function(engine) return tenants(engine, "one", "", "two")() end, "nobody")
  shows("with a tenant reaches that one", function(engine) return tenants(engine, "one", "two") { tenant = "two" } end, "two")
  shows("with null for a tenant means nobody's", function(engine)
    local start = tenants(engine, "one", "two")
    local before = start { tenant = orrery.null }
    return { before, tenants(engine, "") { tenant = orrery.null } }
  end, { "not_found", "nobody" })

  shows("of nobody is what messages, conditions and signals with null reach", function(engine)
    local signal = '<signalEventDefinition signalRef="sig"/>'
    version(engine, signal, "tenant", { tenant = "one" })
    engine:signal("sig", { tenant = orrery.null })
    local signaled = peers.tasks(engine)
    version(engine, signal, "nobody")
    engine:signal("sig", { tenant = orrery.null })
    signaled = signaled .. "; " .. peers.tasks(engine)
    version(engine, MESSAGE, "tenant", { tenant = "one" })
    local message = kind(engine.message, engine, "m", { tenant = orrery.null })
    version(engine, CONDITION, "tenant", { tenant = "one" })
    return { signaled, message, #engine:evaluate_conditions { tenant = orrery.null, variables = { x = 1 } } }
  end, { "; nobody", "correlation", 0 })
end)

describe("a signal", function()
  shows("with a tenant reaches those of that tenant alone, without one everybody", function(engine)
    local signal = '<signalEventDefinition signalRef="sig"/>'
    version(engine, signal, "one", { tenant = "one" })
    version(engine, signal, "two", { tenant = "two" })
    version(engine, signal, "nobody")
    engine:signal("sig", { tenant = "one" })
    local first = peers.tasks(engine)
    engine:signal "sig"
    return { first, peers.tasks(engine) }
  end, { "one", "nobody one one two" })

  shows("that an instance of no tenant throws reaches those of no tenant", function(engine)
    local signal = '<signalEventDefinition signalRef="sig"/>'
    version(engine, signal, "one", { tenant = "one" })
    version(engine, signal, "nobody")
    peers.deploy(engine, peers.process('<startEvent id="ts"/><intermediateThrowEvent id="t">' .. signal .. "</intermediateThrowEvent>",
      "ts -> t", "throws"))
    engine:start "throws"
    return peers.tasks(engine)
  end, "nobody")

  shows("to an execution takes no tenant", function(engine)
    local instance = peers.run(engine, '<startEvent id="s"/><receiveTask id="a"/>', "s -> a")
    return kind(engine.signal, engine, "sig", { execution = engine:execution({ activity = "a" }).id, tenant = "one" }), instance and nil
  end, "argument")
end)

describe("executions", function()
  shows("are multi-instance bodies too, but for those of an activity", function(engine)
    peers.run(engine, [[<startEvent id="s"/><userTask id="a"><multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality>
      </multiInstanceLoopCharacteristics></userTask><boundaryEvent id="b" attachedToRef="a"><messageEventDefinition messageRef="m"/>
      </boundaryEvent><userTask id="z"/>]], "s -> a b -> z")
    local all, waiting = #engine:executions {}, engine:executions { message = "m" }
    engine:message("m", { execution = waiting[1].id })
    return { all, #waiting, peers.tasks(engine) }
  end, { 3, 1, "z" })

  shows("of an activity are its instances", function(engine)
    peers.run(engine, [[<startEvent id="s"/><userTask id="a"><multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality>
      </multiInstanceLoopCharacteristics></userTask>]], "s -> a")
    return #engine:executions { activity = "a" }
  end, 2)
end)
