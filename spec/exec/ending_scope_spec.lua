-- A sub-process whose own event sub-process begins while it ends, by an error of its end listener.
local orrery = require "orrery"
local peers = require "spec.exec.peers"
local survives, run, flows = peers.survives, peers.run, peers.flows

local FAILS <const> = '<o:executionListener event="end" class="fail"/>'
local OUTPUT <const> = '<o:inputOutput><o:outputParameter name="out">yes</o:outputParameter>'
  .. "</o:inputOutput>"

local ELEMENTS <const> = [[<startEvent id="s"/><subProcess id="sub" %s>
  <extensionElements>%s</extensionElements><startEvent id="ss"/><userTask id="in"/>%s
  <subProcess id="es" triggeredByEvent="true">
    <startEvent id="es1"><errorEventDefinition errorRef="err"/></startEvent>%s</subProcess>
  </subProcess><userTask id="after"/>]]

--- A sub-process "sub" with a task "in", and an event sub-process of `inner` for the error.
local function sub(extensions, inner, attributes)
  return ELEMENTS:format(attributes or "", extensions, flows "ss -> in", inner)
end

local TASK <const> = '<userTask id="caught"/>' .. flows "es1 -> caught"
local QUICK <const> = '<task id="quick"/>' .. flows "es1 -> quick"

--- Fails as often as told, then no more; counts its calls.
local function failing(times)
  local calls = { n = 0 }
  return function(engine)
    engine:register("fail", function()
      calls.n = calls.n + 1
      if calls.n <= times then orrery.bpmn_error "err" end
    end)
    return engine
  end, calls
end

local function complete(engine, key) engine:task({ key = key }):complete() end

-- In Flowable's dialect nobody catches what an end listener of a sub-process raises.
local UNCAUGHT <const> = { "in", 0 }

local function by_dialect(caught)
  return { camunda = caught, orrery = caught, flowable = UNCAUGHT }
end

describe("an event sub-process that catches what its ending sub-process raised", function()
  survives("holds the sub-process, which leaves once more behind it", function(reopen, dialect)
    local ready, calls = failing(1)
    local engine = ready(reopen())
    run(engine, sub(FAILS, TASK), "s -> sub sub -> after")
    pcall(complete, engine, "in")
    engine = ready(reopen())
    if dialect == "flowable" then return { peers.tasks(engine), #engine:verify() } end
    local seen = { peers.tasks(engine), #engine:verify() }
    complete(engine, "caught")
    engine = reopen()
    table.move({ peers.tasks(engine), #engine:verify(), calls.n }, 1, 3, 3, seen)
    return seen
  end, by_dialect { "caught", 0, "after", 0, 2 })

  survives("may end at once", function(reopen)
    local ready = failing(3)
    local engine = ready(reopen())
    run(engine, sub(FAILS, QUICK), "s -> sub sub -> after")
    pcall(complete, engine, "in")
    engine = reopen()
    return { peers.tasks(engine), #engine:verify() }
  end, by_dialect { "after", 0 })

  survives("may end at once before a save point", function(reopen)
    local ready = failing(1)
    local engine = ready(reopen())
    run(engine, sub(FAILS, QUICK, 'o:asyncAfter="true"'), "s -> sub sub -> after")
    pcall(complete, engine, "in")
    local seen = { peers.tasks(engine), #engine:verify(), engine:count "jobs" }
    pcall(engine.run_jobs, engine)
    engine = reopen()
    table.move({ peers.tasks(engine), #engine:verify() }, 1, 2, 4, seen)
    return seen
  end, { camunda = { "", 0, 1, "after", 0 }, orrery = { "", 0, 1, "after", 0 },
    flowable = { "", 0, 1, "", 0 } })

  survives("runs no output mapping that was due", function(reopen, dialect)
    local ready = failing(1)
    local engine = ready(reopen())
    local instance = run(engine, sub(FAILS .. OUTPUT, TASK), "s -> sub sub -> after")
    pcall(complete, engine, "in")
    if dialect == "flowable" then return { peers.tasks(engine), #engine:verify() } end
    local out = engine:instance(instance.id):get "out"
    complete(engine, "caught")
    engine = reopen()
    local now = engine:instance(instance.id):get "out"
    return { tostring(out), now, peers.tasks(engine), #engine:verify() }
  end, by_dialect { "nil", "yes", "after", 0 })
end)
