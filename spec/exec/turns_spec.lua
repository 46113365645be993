-- Parallel branches in one transaction: which steps come before which.
local orrery = require "orrery"
local peers = require "spec.exec.peers"
local shows, run, flows = peers.shows, peers.run, peers.flows

local function note(ids)
  local out = {}
  for id in ids:gmatch "%S+" do out[#out + 1] = ('<serviceTask id="%s" o:class="note"/>'):format(id) end
  return table.concat(out)
end

local function notes(engine)
  local log = {}
  engine:register("note", function(execution) log[#log + 1] = execution.activity_id end)
  return log
end

local FORK <const> = '<startEvent id="s"/><parallelGateway id="fork"/>'

describe("parallel branches", function()
  shows("come to a terminate end event by their turns", function(engine)
    local log = notes(engine)
    run(engine, FORK .. note "a b b2 b3" .. '<endEvent id="e"><terminateEventDefinition/></endEvent>',
      "s -> fork fork -> a fork -> b a -> e b -> b2 b2 -> b3")
    return table.concat(log, " ")
  end, { camunda = "a", flowable = "a b", orrery = "a" })

  shows("meet an error that another throws by their turns", function(engine)
    local log = notes(engine)
    engine:register("throw", function() orrery.bpmn_error "err" end)
    run(engine, '<startEvent id="s"/><subProcess id="sub"><startEvent id="ss"/>'
      .. '<parallelGateway id="fork"/>' .. note "a b b2 b3"
      .. '<serviceTask id="t" o:class="throw"/>'
      .. flows "ss -> fork fork -> a fork -> b a -> t b -> b2 b2 -> b3" .. "</subProcess>"
      .. '<boundaryEvent id="bd" attachedToRef="sub"><errorEventDefinition errorRef="err"/></boundaryEvent><userTask id="z"/>',
      "s -> sub bd -> z")
    return table.concat(log, " ") .. ": " .. peers.tasks(engine)
  end, { camunda = "a: z", flowable = "a b b2: z", orrery = "a: z" })

  shows("meet an error end event by their turns; a second one catches nothing", function(engine)
    local log = notes(engine)
    local error_end = '<endEvent id="%s"><errorEventDefinition errorRef="err"/></endEvent>'
    run(engine, '<startEvent id="s"/><subProcess id="sub"><startEvent id="ss"/>'
      .. '<parallelGateway id="fork"/>' .. note "a1 b1 b2"
      .. error_end:format "ae" .. error_end:format "be"
      .. flows "ss -> fork fork -> a1 fork -> b1 a1 -> ae b1 -> be" .. "</subProcess>"
      .. '<boundaryEvent id="bd" attachedToRef="sub"><errorEventDefinition errorRef="err"/>'
      .. '</boundaryEvent><userTask id="z"/>', "s -> sub bd -> z")
    return ("%s: %s, %d"):format(table.concat(log, " "), peers.tasks(engine), #engine:verify())
  end, { camunda = "a1: z, 0", flowable = "a1 b1: z, 0", orrery = "a1: z, 0" })

  shows("fall behind in sub-processes", function(engine)
    local log = notes(engine)
    run(engine, FORK .. '<subProcess id="sub"><startEvent id="ss"/>' .. note "inner" .. flows "ss -> inner" .. "</subProcess>"
      .. note "a a2 a3 after", "s -> fork fork -> sub fork -> a a -> a2 a2 -> a3 sub -> after")
    return table.concat(log, " ")
  end, { camunda = "inner after a a2 a3", flowable = "a a2 inner a3 after", orrery = "inner after a a2 a3" })

  shows("fall behind by each of the sub-processes that end with one another", function(engine)
    local log = notes(engine)
    local deep = '<startEvent id="i"/>' .. note "inner" .. flows "i -> inner"
    for level = 1, 3 do
      deep = ('<startEvent id="ss%d"/><subProcess id="sub%d">%s</subProcess>'):format(level, level, deep)
        .. flows(("ss%d -> sub%d"):format(level, level))
    end
    local row = {}
    for i = 1, 10 do row[i] = ("a%d -> a%d"):format(i, i + 1) end
    run(engine, FORK .. '<subProcess id="sub">' .. deep .. "</subProcess>" .. note "a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 after",
      "s -> fork fork -> sub fork -> a1 sub -> after " .. table.concat(row, " "))
    return table.concat(log, " ")
  end, { camunda = "inner after a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11", flowable = "a1 a2 a3 a4 a5 a6 inner a7 a8 a9 after a10 a11",
    orrery = "inner after a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11" })

  shows("join whatever their turns are", function(engine)
    local log = notes(engine)
    run(engine, FORK .. note "a b b2 c" .. '<parallelGateway id="join"/>',
      "s -> fork fork -> a fork -> b b -> b2 a -> join b2 -> join join -> c")
    return { table.concat(log, " "), #engine:instances {} }
  end, { camunda = { "a b b2 c", 0 }, flowable = { "a b b2 c", 0 }, orrery = { "a b b2 c", 0 } })

  shows("wait inside a delegate's own call until that has run to its end", function(engine)
    local log = notes(engine)
    peers.deploy(engine, peers.process(FORK .. note "x x2 y", "s -> fork fork -> x fork -> y x -> x2", "q"))
    engine:register("start", function(execution)
      log[#log + 1] = execution.activity_id
      engine:start "q"
    end)
    engine:deploy { ["outer.bpmn"] = peers.definitions(peers.process(FORK .. '<serviceTask id="a" o:class="start"/>' .. note "a2 b",
      "s -> fork fork -> a fork -> b a -> a2")) }
    engine:start "p"
    return table.concat(log, " ")
  end, { camunda = "a x x2 y a2 b", flowable = "a x y x2 b a2", orrery = "a x x2 y a2 b" })

  shows("are in the middle of a step while they wait for their turn", function(engine)
    local body = '<startEvent id="s"/>' .. '<parallelGateway id="fork"/>' .. note "a a2 b b2" .. '<userTask id="u"/>'
    local way = "s -> fork fork -> a fork -> b a -> a2 b -> b2 b2 -> u"
    notes(engine)
    local old = peers.deploy(engine, peers.process(body, way)).definitions[1].id
    local target = peers.deploy(engine, peers.process(body, way)).definitions[1].id
    local answer
    engine:register("migrate", function()
      local moving = engine:instance { definition_id = old }
      local plan = engine:migration_plan(old, target)
      local ok, err = pcall(engine.migrate, engine, plan, { instances = { moving.id } })
      answer = ok and "moved" or err.message
    end)
    peers.deploy(engine, peers.process('<startEvent id="rs"/><parallelGateway id="rf"/><callActivity id="call" calledElement="p" '
      .. 'o:calledElementBinding="version" o:calledElementVersion="1"/><serviceTask id="mi" o:class="migrate"/>',
      "rs -> rf rf -> call rf -> mi", "r"))
    engine:start "r"
    return answer
  end, { camunda = "moved", flowable = "the instance is in the middle of a step: migrate it from outside", orrery = "moved" })

  shows("go in loops beside each other", function(engine)
    engine:register("note", function() end)
    run(engine, FORK .. [[<scriptTask id="t" scriptFormat="lua"><script>execution:set("n", (n or 0) + 1)</script></scriptTask>
      <exclusiveGateway id="x" default="x_to_t"/><exclusiveGateway id="mm"/><task id="nn"/><userTask id="z"/>
      <sequenceFlow id="out" sourceRef="x" targetRef="z"><conditionExpression>${n &gt;= 400}</conditionExpression></sequenceFlow>]],
      "s -> fork fork -> mm fork -> nn nn -> mm mm -> t t -> x x -> t")
    return #engine:tasks {}
  end, 2)
end)
