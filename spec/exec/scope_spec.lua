-- Scopes: what canceling, errors, compensation and events do to the tokens inside.
-- Marks: records
local orrery = require "orrery"
local support = require "spec.support.process"

local function deploy(engine, body, before)
  engine:deploy { ["a.bpmn"] = support.definitions((before or "") .. '<process id="p" isExecutable="true">' .. body .. "</process>") }
end

local flows = support.flows

local function listen(event, name)
  return ('<extensionElements><o:executionListener event="%s" class="%s"/></extensionElements>'):format(event, name)
end

describe("scope", function()
  local engine, seen
  before_each(function()
    engine = support.engine()
    seen = {}
    engine:register("see", function(execution) seen[#seen + 1] = execution.activity_id .. (execution.canceled and "!" or "") end)
  end)
  after_each(function() engine:close() end)

  it("keeps what an error or escalation was when the scope that caught it is left", function()
    engine:register("fails", function() orrery.bpmn_error("e", "no luck") end)
    deploy(engine, [[<startEvent id="s"/>
      <subProcess id="outer"><startEvent id="os"/><serviceTask id="t" o:class="fails"/>
        <boundaryEvent id="b" attachedToRef="t">
          <errorEventDefinition o:errorCodeVariable="code" o:errorMessageVariable="text"/></boundaryEvent>
        <endEvent id="e"><escalationEventDefinition escalationRef="up"/></endEvent>
        <subProcess id="inner" triggeredByEvent="true"><startEvent id="is">
          <escalationEventDefinition o:escalationCodeVariable="reason"/></startEvent></subProcess>]]
      .. flows "os -> t b -> e" .. [[</subProcess><userTask id="after"/>]] .. flows "s -> outer outer -> after",
      '<escalation id="up" escalationCode="high"/>')
    local pi = engine:start "p"
    assert.same({ "after" }, pi:active())
    assert.same({ code = "e", text = "no luck", reason = "high" }, pi:variables())
  end)

  it("writes what an error was to the nearest variable of that name", function()
    engine:register("fails", function() orrery.bpmn_error("e", "no luck") end)
    deploy(engine, [[<startEvent id="s"/><subProcess id="outer"><extensionElements><o:inputOutput>
        <o:inputParameter name="code">none</o:inputParameter></o:inputOutput></extensionElements>
        <startEvent id="os"/><serviceTask id="t" o:class="fails"/><userTask id="u"/>
        <boundaryEvent id="b" attachedToRef="t"><errorEventDefinition o:errorCodeVariable="code"/></boundaryEvent>]]
      .. flows "os -> t b -> u" .. "</subProcess>" .. flows "s -> outer")
    local pi = engine:start "p"
    assert.equal("e", engine:task({}):get "code")
    assert.is_nil(pi:get "code")
  end)

  it("cancels inner activities before outer ones, with their end listeners", function()
    deploy(engine, '<startEvent id="s"/><subProcess id="outer">' .. listen("end",
      "see") .. '<startEvent id="s2"/><userTask id="inner">' .. listen("end", "see")
      .. '</userTask>' .. flows "s2->inner" .. '</subProcess><boundaryEvent id="b" attachedToRef="outer">'
      .. '<messageEventDefinition messageRef="m"/></boundaryEvent>'
      .. '<userTask id="after"/>' .. flows "s->outer b->after", '<message id="m" name="stop"/>')
    local pi = engine:start "p"
    engine:message "stop"
    assert.same({ "inner!", "outer!" }, seen)
    assert.same({ "after" }, pi:active())
    assert.same({}, engine:subscriptions {})
  end)

  it("lets an event sub-process catch before a boundary event, a code before a catch-all", function()
    engine:register("fail", function() orrery.bpmn_error("E1", "why") end)
    deploy(engine, '<startEvent id="s"/><subProcess id="sub"><startEvent id="s2"/><serviceTask id="t" o:class="fail"/>' .. flows "s2->t"
      .. '<subProcess id="any" triggeredByEvent="true"><startEvent id="s3"><errorEventDefinition/></startEvent><userTask id="u3"/>'
      .. flows "s3->u3" .. '</subProcess>'
      .. '<subProcess id="e1" triggeredByEvent="true"><startEvent id="s4">'
      .. '<errorEventDefinition errorRef="E1" o:errorMessageVariable="said"/></startEvent>'
      .. '<userTask id="u4"/>' .. flows "s4->u4" .. '</subProcess></subProcess>'
      .. '<boundaryEvent id="b" attachedToRef="sub"><errorEventDefinition errorRef="E1"/></boundaryEvent><userTask id="u"/>'
      .. flows "s->sub b->u",
      '<error id="E1" errorCode="E1"/>')
    local pi = engine:start "p"
    assert.same({ "u4" }, pi:active())
    assert.equal("why", pi:get "said")
  end)

  it("has each variable once, however often it is entered in one transaction", function()
    local again = '<conditionExpression>${round == 1}</conditionExpression>'
    local mapping = '<o:inputOutput><o:inputParameter name="mine">${round}</o:inputParameter></o:inputOutput>'
    for name, inside in pairs {
      sub = '<startEvent id="s2"/><serviceTask id="t" o:class="see"/>' .. flows "s2->t",
      transaction = '<startEvent id="s2"/><serviceTask id="t" o:class="see"/><boundaryEvent id="c" attachedToRef="t">' ..
        '<compensateEventDefinition/></boundaryEvent><serviceTask id="undo" isForCompensation="true" o:class="see"/>' ..
        '<association id="x" sourceRef="c" targetRef="undo" associationDirection="One"/>' .. flows "s2->t",
    } do
      deploy(engine, ([[<startEvent id="s"/><scriptTask id="n" scriptFormat="lua"><script>
        execution:set("round", (round or 0) + 1)</script></scriptTask>
        <subProcess id="sub"><extensionElements>%s</extensionElements>%s</subProcess><exclusiveGateway id="g" default="out"/>
        <sequenceFlow id="back" sourceRef="g" targetRef="n">%s</sequenceFlow><sequenceFlow id="out" sourceRef="g" targetRef="u"/>
        <userTask id="u"/>]]):format(mapping, inside, again) .. flows "s->n n->sub sub->g")
      local pi = engine:start "p"
      assert.same({ "u" }, pi:active(), name)
      assert.same({}, engine:verify())
      pi:delete "done"
    end
  end)

  it("puts a caught error's code where the event says", function()
    engine:register("fail", function() orrery.bpmn_error("E1", "why") end)
    engine:register("look", function(execution) seen[#seen + 1] = execution:get "fault" or "none" end)
    local look = '<serviceTask id="look" o:class="look"/><userTask id="u"/>' .. flows "look->u"
    for _, case in ipairs {
      { "", { fault = "E1" } },
      { 'o:errorVariableLocalScope="true"', { fault = "E1" } },
      { 'o:errorVariableTransient="true"', {} },
      { "", { fault = "E1" }, true },
      { 'o:errorVariableLocalScope="true"', {}, true },
      { 'o:errorVariableTransient="true"', {}, true },
    } do
      local event = '<errorEventDefinition errorRef="E1" o:errorVariableName="fault" ' .. case[1] .. "/>"
      deploy(engine, '<startEvent id="s"/><serviceTask id="t" o:class="fail"/>' .. (case[3]
        and '<subProcess id="sub" triggeredByEvent="true"><startEvent id="c">' .. event .. "</startEvent>" .. flows "c->look" .. look
          .. "</subProcess>" .. flows "s->t"
        or '<boundaryEvent id="c" attachedToRef="t">' .. event .. "</boundaryEvent>" .. look .. flows "s->t c->look"))
      local pi = engine:start "p"
      assert.equal("E1", table.remove(seen))
      assert.same(case[2], pi:variables())
    end
  end)

  it("lets an error's catcher map the error itself, its code and message, beside what was sent along", function()
    local sent
    engine:register("fail", function() orrery.bpmn_error("E1", "it broke", sent) end)
    local mappings = '<extensionElements><o:in source="errorCode" target="code"/><o:in source="errorMessage" target="message"/>'
      .. '<o:in sourceExpression="${error.code}: ${error.message}" target="whole"/><o:in source="part" target="part"/></extensionElements>'
    deploy(engine, '<startEvent id="s"/><serviceTask id="t" o:class="fail"/><boundaryEvent id="b" attachedToRef="t">' .. mappings
      .. '<errorEventDefinition errorRef="E1"/></boundaryEvent><userTask id="u"/>' .. flows "s->t b->u")
    sent = { part = "lid" }
    assert.same({ code = "E1", message = "it broke", whole = "E1: it broke", part = "lid" }, engine:start("p"):variables())
    sent = { errorMessage = "its own words" }
    assert.same({ code = "E1", message = "its own words", whole = "E1: it broke", part = orrery.null }, engine:start("p"):variables())
  end)

  it("lets catchers of errors and signals map into variables that are never stored", function()
    local seen = {}
    engine:register("look", function(execution) seen[#seen + 1] = execution:get "brief" end)
    engine:register("fail", function() orrery.bpmn_error("E1", "it broke") end)
    local function take(source)
      return '<extensionElements><o:in transient="true" target="brief" source="' .. source .. '"/></extensionElements>'
    end
    local rest = '<serviceTask id="l" o:class="look"/><userTask id="u"/>'
    deploy(engine, '<startEvent id="s"/><serviceTask id="t" o:class="fail"/><boundaryEvent id="b" attachedToRef="t">' .. take "errorCode"
      .. '<errorEventDefinition errorRef="E1"/></boundaryEvent>' .. rest .. flows "s->t b->l l->u")
    assert.same({}, engine:start("p"):variables())
    local signal = '<signalEventDefinition signalRef="sig"/>'
    deploy(engine, '<startEvent id="s"/><intermediateCatchEvent id="b">' .. take "x" .. signal .. "</intermediateCatchEvent>" .. rest
      .. flows "s->b b->l l->u" .. '</process><process id="q" isExecutable="true"><startEvent id="qs">' .. take "x" .. signal
      .. '</startEvent><serviceTask id="ql" o:class="look"/><userTask id="qu"/>' .. flows "qs->ql ql->qu", '<signal id="sig" name="sig"/>')
    local waiting = engine:start "p"
    engine:signal("sig", { variables = { x = 7, y = 8 } })
    assert.same({}, waiting:variables())
    assert.same({}, engine:instance({ key = "q" }):variables())
    assert.same({ "E1", 7, 7 }, seen)
  end)

  it("maps what fails in a called process, however deep, to an error of the call activity", function()
    local raised
    engine:register("fail", function() error(raised) end)
    local function call(id, called, mapping)
      return ('<startEvent id="s%s"/><callActivity id="%s" calledElement="%s"><extensionElements>%s<o:out source="left" target="left"/>'
        .. "</extensionElements></callActivity>"):format(id, id, called, mapping or "") .. flows(("s%s->%s"):format(id, id))
    end
    deploy(engine, call("top", "mid", '<o:mapException errorCode="LATE">net.Timeout</o:mapException>')
      .. '<boundaryEvent id="b" attachedToRef="top"><errorEventDefinition errorRef="LATE"/></boundaryEvent>'
      .. '<userTask id="u"/>' .. flows "b->u",
      '<process id="mid" isExecutable="true">' .. call("inner", "leaf", '<o:mapException errorCode="X">net.Other</o:mapException>')
        .. '</process><process id="leaf" isExecutable="true"><startEvent id="ls"/><scriptTask id="lw" scriptFormat="lua">'
        .. '<script>execution:set("left", 1)</script></scriptTask><serviceTask id="lt" o:class="fail"/>'
        .. '<sequenceFlow id="l1" sourceRef="ls" targetRef="lw"/><sequenceFlow id="l2" sourceRef="lw" targetRef="lt"/></process>')
    raised = { type = "net.Timeout", message = "too late" }
    local pi = engine:start "p"
    assert.same({ "u" }, pi:active())
    assert.equal(1, pi:get "left")
    assert.equal(1, engine:count("instances", {}))
    raised = { type = "net.Refused", message = "no" }
    assert.equal("lt", support.refused("script", function() engine:start "p" end).activity_id)
  end)

  it("puts what a listener's script gives into a variable", function()
    local function script(text, variable)
      return ('type="script"><o:script language="lua" resultVariable="%s">%s</o:script>'):format(variable, text)
    end
    deploy(engine, '<extensionElements><o:executionListener event="start" ' .. script("return 6 * 7", "answer")
      .. '</o:executionListener></extensionElements><startEvent id="s"/><userTask id="u"><extensionElements>'
      .. '<o:executionListener event="start" ' .. script("return { answer }", "${into}") .. "</o:executionListener>"
      .. '<o:taskListener event="create" ' .. script("return task.name", "none") .. "</o:taskListener>"
      .. '<o:taskListener event="complete" ' .. script("return task.key", "done") .. "</o:taskListener></extensionElements></userTask>"
      .. '<userTask id="after"/>' .. flows "s->u u->after")
    local pi = engine:start("p", { variables = { into = "list" } })
    assert.same({ answer = 42, list = { 42 }, none = orrery.null, into = "list" }, pi:variables())
    engine:task({}):complete()
    assert.equal("u", pi:get "done")
  end)

  it("tells the ids of what it begins by names that may be expressions", function()
    deploy(engine, '<startEvent id="s"/><userTask id="u" o:taskIdVariableName="task_${n}" o:taskCompleterVariableName="${by}"/>'
      .. '<callActivity id="c" calledElement="q" o:idVariableName="${sub}"/>' .. flows "s->u u->c",
      '<process id="q" isExecutable="true"><startEvent id="qs"/><userTask id="qu"/>'
        .. '<sequenceFlow id="qf" sourceRef="qs" targetRef="qu"/></process>')
    local pi = engine:start("p", { variables = { n = 1, by = "who", sub = "called" } })
    local task = engine:task {}
    assert.equal(task.id, pi:get "task_1")
    engine:as("mary", function() task:complete() end)
    assert.equal("mary", pi:get "who")
    assert.equal(engine:instance({ super = pi.id }).id, pi:get "called")
  end)

  it("ends an activity whose error is caught, although the boundary event says that it would not", function()
    engine:register("fail", function() orrery.bpmn_error "E1" end)
    local deployed = engine:deploy { ["a.bpmn"] = support.definitions('<process id="p" isExecutable="true"><startEvent id="s"/>'
      .. '<serviceTask id="t" o:class="fail"/><boundaryEvent id="b" attachedToRef="t" cancelActivity="false"><errorEventDefinition/>'
      .. '</boundaryEvent><userTask id="u"/>' .. flows "s->t b->u" .. "</process>") }
    assert.matches("always interrupts", deployed.warnings[1].message)
    assert.same({ "u" }, engine:start("p"):active())
  end)

  it("is made of whatever waits for an event, for what is local to it", function()
    deploy(engine, '<startEvent id="s"/><parallelGateway id="g"/><intermediateCatchEvent id="a"><messageEventDefinition messageRef="m"/>'
      .. '</intermediateCatchEvent><receiveTask id="b" messageRef="m"/>' .. flows "s->g g->a g->b", '<message id="m" name="go"/>')
    local pi = engine:start "p"
    for _, id in ipairs { "a", "b" } do engine:execution({ activity = id }):set_local("where", id) end
    assert.same({}, pi:variables())
    engine:message("go", { local_match = { where = "a" }, local_variables = { more = 1 } })
    assert.same({ "b" }, pi:active())
    assert.same({}, pi:variables())
    assert.equal("b", engine:execution({ activity = "b" }):get_local "where")
  end)

  it("rolls back what an uncaught error leaves", function()
    engine:register("fail", function() orrery.bpmn_error "E1" end)
    deploy(engine, '<startEvent id="s"/><userTask id="u"/><serviceTask id="t" o:class="fail"/>' .. flows "s->u u->t")
    local pi = engine:start "p"
    local err = support.refused("bpmn_error", function() engine:task {}:complete { x = 1 } end)
    assert.matches("E1", err.message)
    assert.same({ "u" }, pi:active())
    assert.is_nil(pi:get "x")
  end)

  it("ends the path of an uncaught error where the engine is told so", function()
    local other = support.engine { unhandled_bpmn_error = "end" }
    finally(function() other:close() end)
    other:register("fail", function() orrery.bpmn_error "E1" end)
    deploy(other, '<startEvent id="s"/><serviceTask id="t" o:class="fail"/><userTask id="u"/>' .. flows "s->t t->u")
    assert.is_true(other:start("p").ended)
  end)

  it("compensates in reverse order, in completed sub-processes with the variables they had", function()
    engine:register("undo", function(execution) seen[#seen + 1] = execution.activity_id .. tostring(execution:get "inner") end)
    engine:register("mark", function(execution) execution:set_in("sub", "inner", "7") end)
    local handler = '<boundaryEvent id="c%s" attachedToRef="%s"><compensateEventDefinition/></boundaryEvent>'
      .. '<serviceTask id="undo%s" isForCompensation="true" o:class="undo"/>'
      .. '<association id="as%s" sourceRef="c%s" targetRef="undo%s" associationDirection="One"/>'
    deploy(engine, '<startEvent id="s"/><task id="a"/>' .. handler:gsub("%%s",
      "a") .. '<subProcess id="sub"><startEvent id="s2"/><serviceTask id="m" o:class="mark"/>'
      .. '<task id="b"/>' .. handler:gsub("%%s", "b") .. flows "s2->m m->b" .. '</subProcess>'
      .. '<intermediateThrowEvent id="back"><compensateEventDefinition/></intermediateThrowEvent><userTask id="u"/>'
      .. flows "s->a a->sub sub->back back->u")
    assert.same({ "u" }, engine:start("p"):active())
    assert.same({ "undob7", "undoanil" }, seen)
    assert.same({}, engine:subscriptions {})
  end)

  it("waits for handlers that wait", function()
    deploy(engine, '<startEvent id="s"/><task id="a"/><boundaryEvent id="c" attachedToRef="a"><compensateEventDefinition/></boundaryEvent>'
      .. '<userTask id="undo" isForCompensation="true"/><association id="as" sourceRef="c" targetRef="undo" associationDirection="One"/>'
      .. '<intermediateThrowEvent id="back"><compensateEventDefinition/></intermediateThrowEvent><userTask id="u"/>'
      .. flows "s->a a->back back->u")
    local pi = engine:start "p"
    assert.same({ "back", "undo" }, pi:active())
    engine:task {}:complete()
    assert.same({ "u" }, pi:active())
  end)

  it("compensates a canceled transaction and leaves it by its cancel event", function()
    engine:register("undo", function() seen[#seen + 1] = "undo" end)
    deploy(engine, '<startEvent id="s"/><transaction id="tx"><startEvent id="s2"/><task id="a"/><boundaryEvent id="c" attachedToRef="a">'
      .. '<compensateEventDefinition/></boundaryEvent>'
      .. '<serviceTask id="undo" isForCompensation="true" o:class="undo"/>'
      .. '<association id="as" sourceRef="c" targetRef="undo" associationDirection="One"/>'
      .. '<parallelGateway id="g"/><userTask id="other"/><endEvent id="x"><cancelEventDefinition/></endEvent>'
      .. flows "s2->a a->g g->other g->x"
      .. '</transaction><boundaryEvent id="b" attachedToRef="tx"><cancelEventDefinition/></boundaryEvent><userTask id="u"/>'
      .. flows "s->tx b->u")
    assert.same({ "u" }, engine:start("p"):active())
    assert.same({ "undo" }, seen)
    assert.same({}, engine:subscriptions {})
  end)

  it("shows a variable change to conditional events when the step that made it is over", function()
    engine:register("twice", function(execution)
      execution:set("x", 1)
      seen[#seen + 1] = "after"
    end)
    deploy(engine, '<startEvent id="s"/><serviceTask id="t" o:class="twice"/><userTask id="u"/>' .. flows "s->t t->u"
      .. '<subProcess id="e" triggeredByEvent="true"><startEvent id="s2"><conditionalEventDefinition><condition>${x == 1}</condition>'
      .. '</conditionalEventDefinition></startEvent><userTask id="caught"/>' .. flows "s2->caught" .. '</subProcess>')
    assert.same({ "caught" }, engine:start("p"):active())
    assert.same({ "after" }, seen)
  end)

  it("bears a listener that ends its own instance's path", function()
    engine:register("stop", function(execution) execution.engine:message "stop" end)
    deploy(engine, '<startEvent id="s"/><subProcess id="sub"><startEvent id="s2"/><task id="t">' .. listen("start",
      "stop") .. '</task><userTask id="never"/>'
      .. flows "s2->t t->never" .. '</subProcess><boundaryEvent id="b" attachedToRef="sub"><messageEventDefinition messageRef="m"/>'
      .. '</boundaryEvent>'
      .. '<userTask id="u"/>' .. flows "s->sub b->u", '<message id="m" name="stop"/>')
    assert.same({ "u" }, engine:start("p"):active())
  end)

  it("gives the caller what a listener raises while its task is canceled, whoever could catch it", function()
    engine:register("fail", function() orrery.bpmn_error("E1", "not now") end)
    deploy(engine, '<startEvent id="s"/><userTask id="t"><extensionElements><o:taskListener event="delete" class="fail"/>'
      .. '</extensionElements></userTask><boundaryEvent id="b" attachedToRef="t"><errorEventDefinition/></boundaryEvent>'
      .. '<userTask id="u"/>' .. flows "s->t b->u")
    local pi = engine:start "p"
    assert.matches("not now", support.refused("bpmn_error", function() pi:delete() end).message)
    assert.same({ "t" }, pi:active())
  end)

  it("keeps the variables of each of its rounds for compensation", function()
    engine:register("round", function(execution)
      local n = (execution:get "n" or 0) + 1
      execution.engine:instance(execution.instance_id):set("n", n)
      execution:set_local("mine", n)
    end)
    engine:register("undo", function(execution) seen[#seen + 1] = execution:get "mine" end)
    deploy(engine, '<startEvent id="s"/><exclusiveGateway id="join"/><subProcess id="sub">' .. listen("start", "round")
      .. '<startEvent id="s2"/><task id="t"/><boundaryEvent id="b" attachedToRef="t"><compensateEventDefinition/></boundaryEvent>'
      .. '<serviceTask id="u" isForCompensation="true" o:class="undo"/><association id="as" sourceRef="b" targetRef="u"/>'
      .. flows "s2->t" .. '</subProcess><exclusiveGateway id="again" default="out"/><sequenceFlow id="back" sourceRef="again"'
      .. ' targetRef="join"><conditionExpression>${n != 3}</conditionExpression></sequenceFlow>'
      .. '<sequenceFlow id="out" sourceRef="again" targetRef="e"/><endEvent id="e"><compensateEventDefinition/></endEvent>'
      .. flows "s->join join->sub sub->again")
    engine:start "p"
    assert.same({ 3, 2, 1 }, seen)
  end)

  it("terminates its own tokens alone, or the whole instance", function()
    deploy(engine, '<startEvent id="s"/><parallelGateway id="g"/><userTask id="outer"/><subProcess id="sub"><startEvent id="s2"/>'
      .. '<parallelGateway id="g2"/>'
      .. '<userTask id="inner"/><userTask id="go"/><endEvent id="x"><terminateEventDefinition/></endEvent>'
      .. flows "s2->g2 g2->inner g2->go go->x"
      .. '</subProcess><userTask id="after"/>' .. flows "s->g g->outer g->sub sub->after")
    local pi = engine:start "p"
    engine:task { key = "go" }:complete()
    assert.same({ "after", "outer" }, pi:active())
  end)

  it("tells a delegate's trigger method what comes to its task, which goes on unless it is told to wait", function()
    local data, calls = {}, 0
    engine:register("ask", { execute = function() calls = calls + 1 end,
      trigger = function(_, _, given)
        data[#data + 1] = given.answer
        return given.answer == "later" and orrery.wait or nil
      end })
    deploy(engine, '<startEvent id="s"/><serviceTask id="t" o:class="ask" o:triggerable="true"/><userTask id="u"/>' .. flows "s->t t->u")
    local pi = engine:start "p"
    for _, answer in ipairs { "later", "yes" } do
      assert.same({ "t" }, pi:active())
      engine:trigger(engine:execution({ activity = "t" }).id, { answer = answer })
    end
    assert.same({ "u" }, pi:active())
    assert.same({ "later", "yes" }, data)
    assert.equal(1, calls)
    assert.equal("yes", pi:get "answer")
  end)

  it("does not call a plain function again when its task is triggered", function()
    local calls = 0
    engine:register("ask", function() calls = calls + 1 end)
    deploy(engine, '<startEvent id="s"/><serviceTask id="t" o:class="ask" o:triggerable="true"/><userTask id="u"/>' .. flows "s->t t->u")
    local pi = engine:start "p"
    engine:trigger(engine:execution({ activity = "t" }).id)
    assert.same({ "u" }, pi:active())
    assert.equal(1, calls)
  end)

  it("hands a collection attribute to the handler of the collection element", function()
    engine:register("words", { collect = function(_, text)
      local list = {}
      for word in text:gmatch "%a+" do list[#list + 1] = word end
      return list
    end })
    deploy(engine, '<startEvent id="s"/><userTask id="u"><multiInstanceLoopCharacteristics o:collection="${text}" o:elementVariable="word">'
      .. '<extensionElements><o:collection class="words"/></extensionElements></multiInstanceLoopCharacteristics></userTask>'
      .. flows "s->u")
    engine:start("p", { variables = { text = "red green" } })
    assert.same({ "green", "red" }, (function()
      local got = {}
      for i, task in ipairs(engine:tasks {}) do got[i] = task:get "word" end
      table.sort(got)
      return got
    end)())
  end)
end)
