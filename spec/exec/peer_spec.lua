-- What real engines showed, where no row of the table of dialects is about it.
local orrery = require "orrery"
local peers = require "spec.exec.peers"
local shows, run, tasks = peers.shows, peers.run, peers.tasks

local function on(kind, event, name)
  return ('<extensionElements><o:%sListener event="%s" class="%s"/></extensionElements>')
    :format(kind, event, name)
end

local function heard(engine)
  local log = {}
  engine:register("hear", function(x) log[#log + 1] = x.activity_id or "task" end)
  engine:register("gone", function(task) log[#log + 1] = task.event_name end)
  return log
end

describe("a user task", function()
  shows("that an error nobody catches leaves tells its listeners that it goes", function(engine)
    local log = heard(engine)
    local task = '<userTask id="a">' .. on("task", "delete", "gone") .. "</userTask>"
    run(engine, '<startEvent id="s"/>' .. task, "s -> a")
    local raised = peers.kind(function() engine:task({ key = "a" }):bpmn_error "E" end)
    local row = engine:history_tasks({ key = "a" })[1]
    return { raised or "ends", table.concat(log, " "), row.delete_reason or "open" }
  end, { camunda = { "ends", "delete", "deleted" }, flowable = { "bpmn_error", "", "open" },
    orrery = { "bpmn_error", "", "open" } })
end)

describe("an error that a sub-process's own event sub-process catches", function()
  shows("ends the call that it comes out of, by dialect nothing beside it", function(engine)
    engine:register("throw", function() orrery.bpmn_error "err" end)
    peers.deploy(engine, peers.process('<startEvent id="s"/><subProcess id="sub">'
      .. '<startEvent id="ss"/><parallelGateway id="f"/><userTask id="a"/>'
      .. '<callActivity id="c" calledElement="q"/><subProcess id="es" triggeredByEvent="true">'
      .. '<startEvent id="x"><errorEventDefinition errorRef="err"/></startEvent><userTask id="b"/>'
      .. peers.flows "x -> b" .. "</subProcess>" .. peers.flows "ss -> f f -> a f -> c"
      .. "</subProcess>", "s -> sub") .. peers.process('<startEvent id="qs"/><userTask id="w"/>'
      .. '<serviceTask id="i" o:class="throw"/>', "qs -> w w -> i", "q"))
    engine:start "p"
    engine:task({ key = "w" }):complete()
    return { tasks(engine), engine:count("instances", {}), #engine:verify() }
  end, { camunda = { "b", 1, 0 }, flowable = { "a b", 1, 0 }, orrery = { "b", 1, 0 } })
end)

describe("a multi-instance that a job leaves", function()
  shows("tells its listeners of its end before the job, not again behind it", function(engine)
    local log = heard(engine)
    run(engine, '<startEvent id="s"/><userTask id="a" o:asyncAfter="true">'
      .. on("execution", "end", "hear")
      .. "<multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality>"
      .. '</multiInstanceLoopCharacteristics></userTask><userTask id="z"/>', "s -> a a -> z")
    for _, task in ipairs(engine:tasks {}) do task:complete() end
    local before = #log
    engine:run_jobs()
    return { before, #log, tasks(engine) }
  end, { camunda = { 2, 2, "z" }, flowable = { 3, 3, "z" }, orrery = { 3, 3, "z" } })
end)

describe("an error that a called process throws", function()
  shows("hands over what the call's mappings name", function(engine)
    engine:register("throw", function(x)
      x:set("x", 2)
      orrery.bpmn_error "err"
    end)
    peers.deploy(engine, peers.process('<startEvent id="s"/><callActivity id="c" calledElement="q">'
      .. '<extensionElements><o:out source="x" target="x"/></extensionElements></callActivity>'
      .. '<boundaryEvent id="b" attachedToRef="c"><errorEventDefinition errorRef="err"/>'
      .. '</boundaryEvent><userTask id="z"/>', "s -> c b -> z")
      .. peers.process('<startEvent id="qs"/><serviceTask id="i" o:class="throw"/>', "qs -> i",
        "q"))
    return engine:start("p", { variables = { x = 1 } }):get "x"
  end, 2)
end)

describe("an activity that a job leaves", function()
  shows("can be compensated before that job runs, and once", function(engine)
    run(engine, '<startEvent id="s"/><userTask id="a" o:asyncAfter="true"/>'
      .. '<boundaryEvent id="c" attachedToRef="a"><compensateEventDefinition/></boundaryEvent>'
      .. '<userTask id="undo" isForCompensation="true"/><userTask id="z"/>'
      .. '<association id="as" sourceRef="c" targetRef="undo" associationDirection="One"/>',
      "s -> a a -> z")
    local function armed() return #engine:subscriptions { type = "compensation" } end
    engine:task({ key = "a" }):complete()
    local before = armed()
    engine:run_jobs()
    return { before, armed(), tasks(engine), #engine:verify() }
  end, { 1, 1, "z", 0 })
end)
