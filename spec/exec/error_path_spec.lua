-- Which way errors and escalations take, and what has not completed because of them.
local orrery = require "orrery"
local peers = require "spec.exec.peers"
local shows, survives, run, flows, kind = peers.shows, peers.survives, peers.run, peers.flows, peers.kind

local EVENTS <const> = { error = '<errorEventDefinition errorRef="err"/>', escalation = '<escalationEventDefinition escalationRef="up"/>' }

--- An event sub-process that sleeps; a task in it has a boundary event for `event`.
local function sleeping(event, start)
  return ('<subProcess id="es" triggeredByEvent="true"><startEvent id="es1">%s</startEvent><callActivity id="inner" calledElement="q"/>'
    .. '<boundaryEvent id="wrong" attachedToRef="inner">%s</boundaryEvent><userTask id="astray"/>%s</subProcess>'):format(
    start or '<messageEventDefinition messageRef="m"/>', event, flows "es1 -> inner wrong -> astray")
end

--- An event sub-process that catches `event`.
local function right(event)
  return ('<subProcess id="ok" triggeredByEvent="true"><startEvent id="ok1">%s</startEvent><userTask id="caught"/>%s</subProcess>')
    :format(event, flows "ok1 -> caught")
end

describe("a boundary event inside a sleeping event sub-process", function()
  for name, event in pairs(EVENTS) do
    local throw = ('<userTask id="a"/><endEvent id="t">%s</endEvent>'):format(event)

    shows(("does not catch an %s of the process"):format(name), function(engine)
      local instance = run(engine, '<startEvent id="s"/>' .. throw .. sleeping(event), "s -> a a -> t")
      local raised = kind(function() engine:task({ key = "a" }):complete() end)
      return { raised or "none", peers.tasks(engine), #engine:verify(), engine:history_instance(instance.id).state }
    end, name == "error" and { camunda = { "none", "", 0, "completed" }, flowable = { "bpmn_error", "a", 0, "active" },
      orrery = { "bpmn_error", "a", 0, "active" } } or { "none", "", 0, "completed" })

    survives(("leaves an %s of the process to the event sub-process that catches it"):format(name), function(reopen)
      local engine = reopen()
      run(engine, '<startEvent id="s"/>' .. throw .. sleeping(event) .. right(event), "s -> a a -> t")
      engine = reopen()
      engine:task({ key = "a" }):complete()
      return peers.tasks(reopen())
    end, "caught")

    shows(("leaves an %s in a sub-process to that sub-process's own boundary event"):format(name), function(engine)
      run(engine, '<startEvent id="s"/><subProcess id="sub"><startEvent id="ss"/>' .. throw .. flows "ss -> a a -> t" .. sleeping(event)
        .. ('</subProcess><boundaryEvent id="b" attachedToRef="sub">%s</boundaryEvent><userTask id="z"/>'):format(event), "s -> sub b -> z")
      engine:task({ key = "a" }):complete()
      return peers.tasks(engine)
    end, "z")

    shows(("leaves an %s of a called process to the call's own boundary event"):format(name), function(engine)
      peers.deploy(engine, peers.process('<startEvent id="s"/><callActivity id="c" calledElement="q"/>' .. sleeping(event)
          .. ('<boundaryEvent id="b" attachedToRef="c">%s</boundaryEvent><userTask id="z"/>'):format(event), "s -> c b -> z")
        .. peers.process('<startEvent id="qs"/>' .. throw, "qs -> a a -> t", "q"))
      engine:start "p"
      engine:task({ key = "a" }):complete()
      return peers.tasks(engine)
    end, "z")

    shows(("catches an %s of its own activity once the event sub-process runs"):format(name), function(engine)
      peers.deploy(engine, peers.process('<startEvent id="s"/><userTask id="w"/>' .. sleeping(event), "s -> w")
        .. peers.process('<startEvent id="qs"/>' .. throw, "qs -> a a -> t", "q"))
      engine:start "p"
      engine:message "m"
      engine:task({ key = "a" }):complete()
      return peers.tasks(engine)
    end, "astray")
  end
end)

-- What is left by an error that nobody catches has not completed: there is nothing to compensate.
describe("an activity that an uncaught error left", function()
  local UNDONE <const> = '<boundaryEvent id="c_%s" attachedToRef="%s"><compensateEventDefinition/></boundaryEvent>'
    .. '<serviceTask id="undo_%s" isForCompensation="true" o:class="undo"/>'
    .. '<association id="as_%s" sourceRef="c_%s" targetRef="undo_%s" associationDirection="One"/>'
  local function undone(id) return (UNDONE:gsub("%%s", id)) end

  --- What handlers ran when "go" is completed behind a fork of which `branch` ends by an error.
  local function undoes(branch, play)
    return function(reopen)
      local ran = {}
      local function ready()
        local engine = reopen { unhandled_bpmn_error = "end" }
        engine:register("undo", function(execution) ran[#ran + 1] = execution.activity_id end)
        engine:register("fail", function() orrery.bpmn_error "E1" end)
        return engine
      end
      local engine = ready()
      run(engine, '<startEvent id="s"/><parallelGateway id="f"/><task id="done"/>' .. undone "done" .. branch .. undone "x"
        .. '<userTask id="go"/><intermediateThrowEvent id="back"><compensateEventDefinition/></intermediateThrowEvent><userTask id="z"/>',
        "s -> f f -> done done -> go f -> x go -> back back -> z")
      if play then play(engine) end
      engine = ready()
      engine:task({ key = "go" }):complete()
      local left = {}
      for i, subscription in ipairs(engine:subscriptions { type = "compensation" }) do left[i] = subscription.activity_id end
      return { table.concat(ran, " "), peers.tasks(engine), table.concat(left, " ") }
    end
  end

  local DONE <const> = { "undo_done", "z", "" }
  local INNER <const> = '<startEvent id="i_x"/><task id="x_in"/>' .. undone "x_in" .. '<userTask id="t"/>'

  survives("is not compensated: a service task", undoes '<serviceTask id="x" o:class="fail"/>', DONE)
  survives("is not compensated: a user task", undoes('<userTask id="x"/>', function(engine)
    engine:task({ key = "x" }):bpmn_error "E1"
  end), DONE)
  survives("is not compensated: an external task", undoes('<serviceTask id="x" o:type="external" o:topic="t"/>', function(engine)
    engine:fetch_and_lock({ worker = "w", max = 1, topics = { { name = "t", lock = "PT1M" } } })[1]:bpmn_error("w", "E1")
  end), DONE)
  survives("is not compensated: one whose end listener raised it",
    undoes '<task id="x"><extensionElements><o:executionListener event="end" class="fail"/></extensionElements></task>', DONE)
  survives("is not compensated: a sub-process with what completed in it", undoes('<subProcess id="x"><extensionElements>'
    .. '<o:executionListener event="end" class="fail"/></extensionElements>' .. INNER
    .. flows "i_x -> x_in x_in -> t" .. "</subProcess>", function(engine) engine:task({ key = "t" }):complete() end), DONE)
  survives("is compensated where the error ended a path inside it alone", undoes('<subProcess id="x">' .. INNER
    .. '<serviceTask id="bad" o:class="fail"/>' .. flows "i_x -> x_in x_in -> t t -> bad" .. "</subProcess>",
    function(engine) engine:task({ key = "t" }):complete() end),
    { "undo_x_in undo_x undo_done", "z", "" })
  survives("is not compensated: a transaction that was canceled, without a boundary event", undoes('<transaction id="x">'
    .. INNER .. '<endEvent id="no"><cancelEventDefinition/></endEvent>' .. flows "i_x -> x_in x_in -> t t -> no" .. "</transaction>",
    function(engine) pcall(function() engine:task({ key = "t" }):complete() end) end),
    { camunda = { "undo_x_in undo_done", "z", "" }, orrery = { "undo_x_in undo_done", "z", "" },
      flowable = { "undo_done", "t z", "x_in" } }) -- which refuses it
end)

-- Where it ends the path, it does so in the job. Nothing else that was planned happens.
describe("an error that nobody catches, of an activity that is asynchronous after,", function()
  local function extended(text) return "<extensionElements>" .. text .. "</extensionElements>" end
  local function on(event)
    return extended(('<o:executionListener event="%s" class="throw"/>'):format(event))
  end
  local function mapped(way)
    return extended(([[<o:inputOutput><o:%sParameter name="x"><o:script scriptFormat="lua">
      require("orrery").bpmn_error "E"</o:script></o:%sParameter></o:inputOutput>]]):format(
      way, way))
  end
  local function activity(kind, inner, class)
    return ('<%s id="a" %s o:asyncAfter="true">%s</%s>'):format(kind,
      class and ('o:class="%s"'):format(class) or "", inner, kind)
  end
  local function service(inner, class) return activity("serviceTask", inner, class or "ok") end
  local TIMER <const> = '<boundaryEvent id="b" attachedToRef="a"><timerEventDefinition>'
    .. '<timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent>'
    .. '<userTask id="late"/>' .. flows "b -> late"
  local ways = {
    ["by an end listener"] = { service(on "end") },
    ["by an end listener of a task that a user completes"] = {
      activity("userTask", on "end"), true },
    ["by an end listener of a sub-process"] = {
      activity("subProcess", on "end" .. '<startEvent id="as"/>') .. TIMER },
    ["by its output mapping"] = { service(mapped "output") },
    ["by its input mapping, before its timer is armed"] = {
      service(mapped "input") .. TIMER },
    ["by its start listener"] = { service(on "start") .. TIMER },
    ["by what it calls"] = { service("", "throw") .. TIMER },
  }
  for way, of in pairs(ways) do
    it(way .. " ends its path in one job", function()
      local engine <close> = peers.engine "camunda"
      engine:register("throw", function() orrery.bpmn_error "E" end)
      engine:register("ok", function() end)
      run(engine, '<startEvent id="s"/><userTask id="u"/>' .. of[1], "s -> a a -> u")
      if of[2] then engine:task({ key = "a" }):complete() end
      local waits = { #engine:jobs {}, engine:jobs({})[1].handler, engine:verify() }
      engine:run_jobs()
      assert.same({ { 1, "async-after", {} }, {}, {}, {}, {} },
        { waits, engine:jobs {}, engine:incidents {}, engine:instances {}, engine:verify() })
    end)
  end

  it("by an end listener of a loop's instances ends each of them in one job", function()
    local engine <close> = peers.engine "camunda"
    engine:register("throw", function() orrery.bpmn_error "E" end)
    engine:register("ok", function() end)
    run(engine, '<startEvent id="s"/><userTask id="u"/><serviceTask id="a" o:class="ok">'
      .. on "end" .. '<multiInstanceLoopCharacteristics o:asyncAfter="true">'
      .. '<loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics></serviceTask>',
      "s -> a a -> u")
    local waits = { #engine:jobs {}, engine:verify() }
    engine:run_jobs()
    assert.same({ { 2, {} }, {}, {}, {}, "u" },
      { waits, engine:jobs {}, engine:incidents {}, engine:verify(), peers.tasks(engine) })
  end)
end)
