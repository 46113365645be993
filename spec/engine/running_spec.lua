-- Starting, correlating, signaling, modifying, suspending: what the conformance cases leave open.
local orrery = require "orrery"
local support = require "spec.support.process"

describe("engine", function()
  local engine
  before_each(function() engine = support.engine() end)
  after_each(function() engine:close() end)

  describe("start", function()
    before_each(function() engine:deploy { ["a.bpmn"] = support.definitions(support.waiting "a") } end)

    it("names what there is none of", function()
      assert.matches('"b"', support.refused("not_found", function() engine:start "b" end).message)
      assert.matches("version 7", support.refused("not_found", function() engine:start("a", { version = 7 }) end).message)
      support.refused("not_found", function() engine:start_by_id(tostring(1 << 40)) end)
      support.refused("correlation", function() engine:start_by_message "nothing" end)
    end)

    it("by a job runs nothing yet, but the instance is there", function()
      local pi = engine:start("a", { async = true, variables = { x = 1 } })
      assert.same({ "start" }, pi:active())
      assert.equal(1, pi:get "x")
      assert.equal(1, engine:run_jobs())
      assert.same({ "wait" }, pi:active())
      assert.same({}, engine:jobs {})
    end)

    it("names the initiator wherever it starts", function()
      engine:deploy { ["i.bpmn"] = support.definitions(support.waiting("i", '<startEvent id="start" o:initiator="who"/>')) }
      for _, options in ipairs { { initiator = "kermit" }, { initiator = "kermit", instructions = { { start_before = "wait" } } } } do
        assert.equal("kermit", engine:start("i", options):get "who")
      end
      local by_nobody = engine:start("i", { instructions = { { start_before = "wait" } } })
      assert.same({ who = orrery.null }, by_nobody:variables())
    end)

    it("by a job follows its instructions", function()
      local pi = engine:start("a", { async = true, instructions = { { start_before = "end" } } })
      engine:run_jobs()
      assert.is_nil(engine:instance(pi.id))
      assert.equal("completed", engine:history_instances({ id = pi.id })[1].state)
    end)

    it("refuses instructions that cancel", function()
      support.refused("argument", function() engine:start("a", { instructions = { { cancel = "wait" } } }) end)
    end)
  end)

  describe("message", function()
    local model = support.definitions([[<message id="m" name="go"/><process id="r" isExecutable="true"><startEvent id="start"/>
      <sequenceFlow id="f1" sourceRef="start" targetRef="wait"/><receiveTask id="wait" messageRef="m"/>
      <sequenceFlow id="f2" sourceRef="wait" targetRef="after"/><userTask id="after"/></process>]])
    before_each(function() engine:deploy { ["r.bpmn"] = model } end)

    it("needs criteria that fit one receiver", function()
      local one, two = engine:start("r", { variables = { n = 1 } }), engine:start("r", { variables = { n = 2 } })
      assert.matches("2 receivers", support.refused("correlation", function() engine:message "go" end).message)
      assert.equal(two.id, engine:message("go", { match = { n = 2 } }).instance_id)
      assert.equal(one.id, engine:message(nil, { instance = one.id }).instance_id)
      support.refused("correlation", function() engine:message "go" end)
      assert.same({}, engine:message("go", { all = true }))
    end)

    it("refuses contradictions", function()
      support.refused("argument", function() engine:message("go", { start = true, match = { n = 1 } }) end)
      support.refused("argument", function() engine:message(nil, {}) end)
      support.refused("not_found", function() engine:message("go", { instance = tostring(1 << 40) }) end)
    end)

    it("by a job arrives when the job runs, with its variables", function()
      local pi = engine:start("r", { business_key = "k" })
      engine:message("go", { business_key = "k", async = true, variables = { answer = 42 } })
      assert.same({ "wait" }, pi:active())
      assert.equal(1, engine:run_jobs())
      assert.same({ "after" }, pi:active())
      assert.equal(42, pi:get "answer")
    end)

    it("gives the variables it leaves behind", function()
      engine:start("r", { variables = { a = 1 } })
      assert.same({ a = 1, b = 2 }, engine:message("go", { variables = { b = 2 }, return_variables = true }).variables)
    end)

    it("does not reach a suspended instance", function()
      local pi = engine:start "r"
      pi:suspend()
      support.refused("correlation", function() engine:message "go" end)
      support.refused("suspended", function() engine:message("go", { execution = engine:executions({ instance = pi.id })[1].id }) end)
    end)
  end)

  describe("transient variables", function()
    local seen
    before_each(function()
      seen = {}
      engine:register("see", function(execution) seen[#seen + 1] = execution:get "passing" or "nothing" end)
      engine:deploy { ["p.bpmn"] = support.definitions [[<signal id="go" name="go"/>
        <process id="waits" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="c"/>
          <intermediateCatchEvent id="c"><signalEventDefinition signalRef="go"/></intermediateCatchEvent>
          <sequenceFlow id="f2" sourceRef="c" targetRef="t"/><serviceTask id="t" o:class="see"/>
          <sequenceFlow id="f3" sourceRef="t" targetRef="u"/><userTask id="u"/></process>
        <process id="starts" isExecutable="true"><startEvent id="s2"><signalEventDefinition signalRef="go"/></startEvent>
          <sequenceFlow id="f4" sourceRef="s2" targetRef="t2"/><serviceTask id="t2" o:class="see"/></process>
        <process id="holds" isExecutable="true"><startEvent id="s3"><conditionalEventDefinition>
          <condition xsi:type="tFormalExpression">${passing + kept == 3}</condition></conditionalEventDefinition></startEvent>
          <sequenceFlow id="f5" sourceRef="s3" targetRef="t3"/><serviceTask id="t3" o:class="see"/></process>]] }
    end)
    after_each(function() assert.same({}, engine:history_variables { name = "passing" }) end)

    it("come with a signal, to whom it reaches and what it starts", function()
      local pi = engine:start "waits"
      engine:signal("go", { transient = { passing = 1 }, variables = { kept = 2 } })
      assert.same({ 1, 1 }, seen)
      assert.same({ kept = 2 }, pi:variables())
    end)

    it("come with a signal to one execution", function()
      engine:start "waits"
      engine:signal("go", { execution = engine:execution({ signal = "go" }).id, transient = { passing = 1 } })
      assert.same({ 1 }, seen)
    end)

    it("come with no signal that jobs deliver", function()
      engine:start "waits"
      support.refused("argument", function() engine:signal("go", { async = true, transient = { passing = 1 } }) end)
      assert.same({}, engine:jobs {})
    end)

    it("come with nothing that jobs do, whichever way they are told", function()
      local passing = orrery.typed { type = "Integer", value = 1, transient = true }
      local pi = engine:start "waits"
      local token = engine:execution({ signal = "go" }).id
      for _, options in ipairs { { transient = { passing = 1 } }, { variables = { passing = passing } } } do
        options.async = true
        local before = engine:count "instances"
        local message = { instance = pi.id, async = true, transient = options.transient, variables = options.variables }
        for _, call in ipairs { function() engine:start("waits", options) end, function() engine:signal("go", options) end,
          function() engine:message("go", message) end } do
          assert.matches("takes no transient variables", support.refused("argument", call).message)
        end
        assert.equal(before, engine:count "instances")
      end
      support.refused("argument", function() engine:trigger(token, { passing = passing }, { async = true }) end)
      support.refused("argument", function() engine:trigger(token, {}, { async = true, transient = { passing = 1 } }) end)
      assert.same({}, engine:jobs {})
    end)

    it("are seen by the conditions of start events", function()
      assert.equal(0, #engine:evaluate_conditions { variables = { kept = 2 } })
      assert.equal(0, #engine:evaluate_conditions {})
      assert.equal(1, #engine:evaluate_conditions { variables = { kept = 2 }, transient = { passing = 1 } })
      assert.equal(1, #engine:evaluate_conditions { transient = { passing = 1, kept = 2 } })
      assert.same({ 1, 1 }, seen)
    end)

    it("come with what a modification starts, and not with what it cancels", function()
      local pi = engine:start "waits"
      pi:modify { { start_before = "t", transient = { passing = 1 } } }
      engine:start("waits", { instructions = { { transition = "f2", transient = { passing = 2 } } } })
      assert.same({ 1, 2 }, seen)
      support.refused("argument", function() pi:modify { { cancel = "u", transient = { passing = 1 } } } end)
    end)

    it("are maps", function()
      support.refused("argument", function() engine:signal("go", { transient = 1 }) end)
      support.refused("argument", function() engine:evaluate_conditions { transient = 1 } end)
    end)
  end)

  it("refuses to trigger what waits for something else", function()
    engine:deploy { ["a.bpmn"] = support.definitions(support.waiting "a") }
    local pi = engine:start "a"
    local token = engine:executions({ instance = pi.id, activity = "wait" })[1]
    assert.matches("wait", support.refused("state", function() engine:trigger(token.id) end).message)
    support.refused("not_found", function() engine:trigger(tostring(1 << 40)) end)
    support.refused("argument", function() engine:trigger(token.id, "x", { async = true }) end)
  end)

  describe("modification", function()
    local model = support.definitions [[<process id="p" isExecutable="true"><startEvent id="start"/>
      <sequenceFlow id="f1" sourceRef="start" targetRef="one"/><userTask id="one"/><sequenceFlow id="f2" sourceRef="one" targetRef="each"/>
      <subProcess id="each"><multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics>
        <startEvent id="in"/><sequenceFlow id="f3" sourceRef="in" targetRef="two"/><userTask id="two"/></subProcess></process>]]
    local pi
    before_each(function()
      engine:deploy { ["p.bpmn"] = model }
      pi = engine:start "p"
    end)

    it("opens a multi-instance body and one instance around what it starts", function()
      pi:modify { { start_before = "two", local_variables = { mine = true } } }
      local body = pi:tree().children[2]
      assert.same({ "each#multiInstanceBody", "one" }, support.each(pi:tree().children, "activity_id"))
      body = body.activity_id == "one" and pi:tree().children[1] or body
      assert.equal(1, #body.children)
      assert.equal(true, engine:task({ key = "two" }):get "mine")
      pi:modify { { start_before = "each", ancestor = body.id } }
      assert.equal(2, #engine:tasks { key = "two" })
      for _, task in ipairs(engine:tasks { key = "two" }) do task:complete() end
      assert.same({ "one" }, pi:active())
    end)

    it("asks which instance is meant when there are several", function()
      engine:task({ key = "one" }):complete()
      assert.matches("several times", support.refused("argument", function() pi:modify { { start_before = "two" } } end).message)
      assert.equal(2, #engine:tasks {})
    end)

    it("is all or nothing", function()
      support.refused("argument", function() pi:modify { { cancel = "one" }, { start_before = "nowhere" } } end)
      support.refused("argument", function() pi:modify { { cancel = "one" }, { cancel_instance = tostring(1 << 40) } } end)
      support.refused("argument", function() pi:modify { { cancel = "one", start_before = "two" } } end)
      assert.same({ "one" }, pi:active())
    end)

    it("gives the caller the error that a listener of a scope it opens raises, whoever could catch it", function()
      engine:register("refuse", function() orrery.bpmn_error("E1", "closed") end)
      engine:deploy { ["q.bpmn"] = support.definitions [[<error id="e1" errorCode="E1"/><process id="q" isExecutable="true">
        <startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="one"/><userTask id="one"/>
        <subProcess id="sub"><extensionElements><o:executionListener event="start" class="refuse"/></extensionElements>
          <startEvent id="in"/><sequenceFlow id="f2" sourceRef="in" targetRef="two"/><userTask id="two"/></subProcess>
        <boundaryEvent id="b" attachedToRef="sub"><errorEventDefinition errorRef="e1"/></boundaryEvent></process>]] }
      local q = engine:start "q"
      assert.matches("closed", support.refused("bpmn_error", function() q:modify { { start_before = "two" } } end).message)
      assert.same({ "one" }, q:active())
    end)

    it("starts nothing in a suspended instance, but cancels there", function()
      pi:modify { { start_before = "one" } }
      pi:suspend()
      for _, start in ipairs { { start_before = "one" }, { start_after = "one" } } do
        support.refused("suspended", function() pi:modify { { cancel = "one" }, start } end)
      end
      assert.same({ "one", "one" }, pi:active())
      pi:modify { { cancel_instance = pi:tree().children[1].id } }
      assert.same({ "one" }, pi:active())
    end)

    it("arms the events of an activity that has got variables before its job", function()
      engine:deploy { ["q.bpmn"] = support.definitions [[<message id="m" name="stop"/><process id="q" isExecutable="true">
        <startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="one"/><userTask id="one"/>
        <userTask id="two" o:async="true"/>
        <boundaryEvent id="b" attachedToRef="two"><messageEventDefinition messageRef="m"/></boundaryEvent></process>]] }
      local q = engine:start "q"
      q:modify { { start_before = "two", local_variables = { mine = 1 } } }
      engine:run_jobs()
      assert.equal(1, engine:task({ key = "two" }):get "mine")
      engine:message("stop", { instance = q.id })
      assert.same({ "one" }, q:active())
    end)

    it("keeps the instance while it replaces its last token", function()
      pi:modify { { cancel = "one" }, { start_before = "one" } }
      assert.same({ "one" }, pi:active())
      pi:modify { { cancel = "one" } }
      assert.equal("terminated", engine:history_instances({ id = pi.id })[1].state)
    end)
  end)

  it("suspends every version of a key by one job, later", function()
    for _ = 1, 2 do engine:deploy { ["a.bpmn"] = support.definitions(support.waiting "a") } end
    local pi = engine:start "a"
    engine:suspend_definition({ key = "a" }, { instances = true, at = engine:now() + 60 })
    assert.equal(1, #engine:jobs {})
    engine:advance(60)
    engine:run_jobs()
    assert.equal(2, #engine:definitions { suspended = true })
    assert.is_true(pi:reload().suspended)
    support.refused("suspended", function() engine:task({}):complete() end)
    engine:activate_definition({ key = "a" }, { instances = true })
    engine:task({}):complete()
    support.refused("not_found", function() engine:suspend_definition { key = "unknown" } end)
  end)

  it("evaluates over variables or in an execution", function()
    assert.equal(5, engine:evaluate("${a + b}", { variables = { a = 2, b = 3 } }))
    engine:deploy { ["a.bpmn"] = support.definitions(support.waiting "a") }
    local pi = engine:start("a", { variables = { name = "x" } })
    assert.equal("hello x", engine:evaluate("hello ${name}", { execution = pi.id }))
    support.refused("expression", function() engine:evaluate "${1 +" end)
    support.refused("argument", function() engine:evaluate("${a}", { variables = {}, execution = pi.id }) end)
  end)

  it("has a clock that is set only when it is manual", function()
    local before = engine:now()
    engine:advance "PT1H"
    assert.equal(before + 3600, engine:now())
    local real = orrery.open(nil, { log = "none" })
    support.refused("state", function() real:set_time(0) end)
    real:close()
  end)

  it("has a clock that begins with 1970", function()
    local early <close> = orrery.open(nil, { clock = "manual", now = 0, log = "none" })
    assert.equal(0, early:now())
    early:deploy { ["a.bpmn"] = support.definitions(support.waiting "a") }
    local pi = early:start "a"
    early:tasks({ instance = pi.id })[1]:complete()
    for _, list in ipairs { early:history_instances {}, early:history_activities {}, early:history_tasks {} } do
      assert.is_true(#list > 0)
      for _, row in ipairs(list) do assert.equal(0.001, row.ended_at) end
    end
    support.refused("argument", function() early:set_time(-0.001) end)
    support.refused("argument", function() orrery.open(nil, { clock = "manual", now = -1 }) end)
    support.refused("argument", function() early:set_time(1e12) end)
  end)

  it("refuses a configuration that makes no sense", function()
    support.refused("argument", function() support.engine { time_zone = "Mars/Olympus" } end)
    support.refused("argument", function() support.engine { unhandled_bpmn_error = "ignore" } end)
  end)

  it("acts for a user during one call, and for nobody before and after it", function()
    local unnamed = support.engine()
    finally(function() unnamed:close() end)
    unnamed:deploy { ["a.bpmn"] = support.definitions(support.waiting("a", '<startEvent id="start" o:initiator="who"/>')) }
    assert.equal("ann", unnamed:as("ann", function() return unnamed:start "a" end):get "who")
    assert.is_nil(unnamed:start("a"):get "who")
  end)
end)
