-- What orrery.testing asserts holds when it does and fails when it does not, with what was and what would be right, at the spec's line.
local orrery = require "orrery"
local testing = require "orrery.testing"

local model = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:orrery="urn:orrery:bpmn" targetNamespace="t">
<message id="m" name="paid"/><signal id="sig" name="stop"/><error id="err" errorCode="DECLINED"/>
<process id="p" isExecutable="true">
  <startEvent id="start"/>
  <serviceTask id="charge" orrery:class="charge" orrery:asyncBefore="true"><extensionElements>
    <orrery:executionListener event="end" class="audit"/></extensionElements></serviceTask>
  <boundaryEvent id="declined" attachedToRef="charge"><errorEventDefinition errorRef="err"/></boundaryEvent>
  <endEvent id="lost"/>
  <receiveTask id="wait" messageRef="m"/>
  <serviceTask id="pack" orrery:type="external" orrery:topic="packing"/>
  <boundaryEvent id="broken" attachedToRef="pack"><errorEventDefinition errorRef="err"/></boundaryEvent>
  <callActivity id="ship" calledElement="shipping"/>
  <userTask id="rate" name="Rate it" orrery:assignee="kermit" orrery:candidateGroups="fans, critics" orrery:dueDate="2026-02-01T00:00:00Z"/>
  <endEvent id="done"/>
  <sequenceFlow id="f1" sourceRef="start" targetRef="charge"/><sequenceFlow id="f2" sourceRef="charge" targetRef="wait"/>
  <sequenceFlow id="f3" sourceRef="wait" targetRef="pack"/><sequenceFlow id="f4" sourceRef="pack" targetRef="ship"/>
  <sequenceFlow id="f5" sourceRef="ship" targetRef="rate"/><sequenceFlow id="f6" sourceRef="rate" targetRef="done"/>
  <sequenceFlow id="f7" sourceRef="declined" targetRef="lost"/><sequenceFlow id="f8" sourceRef="broken" targetRef="lost"/>
</process>
<process id="shipping" isExecutable="true">
  <startEvent id="s"/><sequenceFlow id="g1" sourceRef="s" targetRef="drive"/>
  <intermediateCatchEvent id="drive"><timerEventDefinition><timeDuration>PT6H</timeDuration></timerEventDefinition></intermediateCatchEvent>
  <sequenceFlow id="g2" sourceRef="drive" targetRef="e"/><endEvent id="e"/>
</process></definitions>]]

--- Checks that f(...) fails with this text.
local function fails(text, f, ...)
  local ok, problem = pcall(f, ...)
  assert.is_false(ok, "it should fail: " .. text)
  local message = tostring(problem)
  assert.is_truthy(message:find(text, 1, true), message)
end

describe("orrery.testing", function()
  local t, pi

  before_each(function()
    t = testing.new { deploy = { ["p.bpmn"] = model }, stubs = true }
    pi = t:start("p", { business_key = "o1", variables = { total = 7, list = { 1, { a = true } }, none = orrery.null } })
  end)

  after_each(function() t:close() end)

  local function to_pack()
    t:run()
    t:message "paid"
  end

  local function to_rate()
    to_pack()
    t:complete_external("packing", { boxes = 2 })
    t:skip()
  end

  it("plays a process to its end", function()
    t:waiting_at(pi, "charge")
    t:not_waiting_at(pi, "rate", "wait")
    t:run()
    t:waiting_for(pi, "paid")
    assert.equal("execution", t:message("paid", { business_key = "o1" }).type)
    t:not_waiting_for(pi, "paid")
    t:external_task("packing", { activity_id = "pack", retries = 3, error = orrery.null })
    t:complete_external("packing", { boxes = 2 })
    local shipping = t:called(pi, "shipping")
    t:at(shipping, "drive")
    t:not_ended(pi)
    assert.equal(orrery.parse_time "2026-01-01T06:00:00Z", t:skip())
    t:ended(shipping, "e")
    t:ended(t:called(pi))
    t:task("rate", { name = "Rate it", assignee = "kermit", candidate_groups = { "critics", "fans" }, candidate_group = "fans",
      due = "2026-02-01T00:00:00Z", owner = orrery.null, variables = { boxes = 2 } })
    t:complete("rate", { stars = 5 })
    t:ended(pi, "done")
    t:passed(pi, "charge", "ship", "done")
    t:passed_in_order(pi, "start", "wait", "pack", "done")
    t:not_passed(pi, "declined", "lost")
    t:variables(pi, { total = 7, stars = 5, list = { 1, { a = true } }, none = orrery.null })
    t:no_variables(pi, "nothing")
    t:no_incidents()
    t:count("history_instances", { state = "completed" }, 2)
  end)

  it("says where an instance stands instead", function()
    fails("should wait at rate, but its tokens stand at", t.waiting_at, t, pi, "rate")
    fails("should not wait at charge, but its tokens stand at", t.not_waiting_at, t, pi, "rate", "charge")
    fails("should be at nothing, but its tokens stand at", t.at, t, pi)
    fails("should be suspended, but it is active", t.suspended, t, pi)
    pi:suspend()
    t:suspended(pi)
    pi:delete "enough"
    fails("should be suspended, but it has ended", t.suspended, t, pi)
    fails("should not have ended, but it has ended", t.not_ended, t, pi)
  end)

  it("takes for an instance its id, what a message was delivered to, and what belongs to it",
    function()
    t:run()
    local delivery = t:message "paid"
    t:at(pi.id, "pack")
    t:at(delivery, "pack")
    t:waiting_at(t:external_task "packing", "pack")
    t:complete_external(t:external_task "packing")
    t:at(t:called(delivery), "drive")
    t:skip()
    t:passed(delivery, "wait", "ship")
    t:variables(delivery, { total = 7 })
    t:not_ended(delivery)
    t:no_incidents(delivery)
    t:complete(t:task "rate")
    t:ended(delivery, "done")
    t:ended(pi.id, "done")
    fails("instance: one expected, got a list of 1", t.at, t, { delivery })
    fails("instance: none has the id 999999999", t.at, t, "999999999")
    fails("belongs to none", t.at, t, {})
  end)

  it("starts a process by a message", function()
    local by_message = testing.new { deploy = { ["q.bpmn"] = [[<definitions
      xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
      <message id="m" name="ordered"/><process id="q" isExecutable="true">
      <startEvent id="s"><messageEventDefinition messageRef="m"/></startEvent>
      <sequenceFlow id="f" sourceRef="s" targetRef="look"/><userTask id="look"/></process>
      </definitions>]] } }
    local other <close> = by_message
    local instance = other:start_by_message("ordered", { business_key = "o1",
      variables = { total = 7 } })
    other:at(instance, "look")
    other:variables(instance, { total = 7 })
    other:at(other:message("ordered", { start = true }), "look")
  end)

  -- A name that is written wrong is nil, and nil would mean everything, or fail somewhere within.
  local none = nil
  local of_instance = { "at", "waiting_at", "not_waiting_at", "ended", "not_ended", "suspended",
    "passed",
    "not_passed", "passed_in_order", "variables", "no_variables", "waiting_for", "not_waiting_for",
      "called",
    "no_incidents" }
  local of_one = { "task", "job", "incident", "external_task", "complete", "execute",
    "complete_external",
    "fail_external", "throw_external" }

  it("names an argument that is nil", function()
    local function refuses(text, method, ...)
      local ok, e = pcall(t[method], t, ...)
      assert.is_false(ok, method)
      assert.same({ "argument", text }, { e.kind, e.message:match "%((.*)%)$" }, method)
      assert.matches("'" .. method .. "'", e.message, 1, true)
      assert.matches("^spec/lua/assertions_spec%.lua:", e.where)
    end
    for _, method in ipairs(of_instance) do
      refuses("instance: an instance, a delivery or an id expected, got nil", method, none, "x")
    end
    for _, method in ipairs(of_one) do
      refuses("which: string or table expected, got nil", method, none, { message = "x" })
    end
    for _, method in ipairs { "at", "waiting_at", "not_waiting_at", "passed", "not_passed",
      "passed_in_order",
      "no_variables", "waiting_for", "not_waiting_for" } do
      refuses("name: string expected, got nil", method, pi, "charge", none)
    end
    refuses("wanted: table expected, got nil", "variables", pi, none)
    refuses("failure: table expected, got nil", "fail_external", "packing", none)
    refuses("code: string or number expected, got nil", "throw_external", "packing", none)
    refuses("verb: string expected, got nil", "count", none, {}, 1)
    refuses("filter: table expected, got nil", "count", "jobs", none, 1)
    refuses("wanted: number expected, got nil", "count", "jobs", {}, none)
    refuses("key: string expected, got nil", "start", none)
    refuses("name: string expected, got nil", "start_by_message", none)
    refuses("name: string expected, got nil", "signal", none)
    refuses("name: string expected, got nil", "stub", none)
    refuses("duration: string or number expected, got nil", "pass", none)
    refuses("condition: function expected, got nil", "pass_until", none)
    fails("t.run was called with '.'", t.run)
  end)

  it("names the line of the spec, through helpers of Orrery's", function()
    local function asked() t:complete "rate" end
    local line = debug.getinfo(asked, "S").linedefined
    local _, problem = pcall(asked)
    assert.matches(("^spec/lua/assertions_spec%%.lua:%d: one task { key = \"rate\" } expected, found 0; open tasks: none"):format(line),
      tostring(problem))
  end)

  it("says what was forgotten: to run what is due, a delegate that is not there", function()
    local model_of = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:orrery="urn:orrery:bpmn" targetNamespace="t">
      <process id="q" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="work"/>
      <serviceTask id="work" orrery:class="nowhere" orrery:asyncBefore="true"/></process></definitions>]]
    local other <close> = testing.new { deploy = { ["q.bpmn"] = model_of } }
    local instance = other:start "q"
    fails("open tasks: none\njob of work is due: t:run() runs it", other.complete, other, "pack")
    fails("\njob of work is due: t:run() runs it", other.ended, other, instance)
    other:run()
    fails('\njob of work: nothing is registered as "nowhere"', other.ended, other, instance)
    fails("t:stub, or stubs = true, puts a stub there", other.complete, other, "pack")
  end)

  it("is a failure of a test in busted, and an error elsewhere", function()
    local _, problem = pcall(t.ended, t, pi)
    assert.equal("failure", getmetatable(problem).__type)
    local busted = package.loaded.busted
    package.loaded.busted = nil
    local _, plain = pcall(t.ended, t, pi)
    package.loaded.busted = busted
    assert.equal("string", type(plain))
    assert.matches("^spec/lua/assertions_spec%.lua:%d+: instance %d+ should have ended, but its tokens stand at\n", plain)
  end)

  it("says what was passed instead", function()
    fails("should have passed charge, but it passed start", t.passed, t, pi, "start", "charge")
    to_pack()
    fails("should not have passed wait, but it passed start, charge, wait", t.not_passed, t, pi, "wait")
    fails("should have passed charge after start, wait, but it passed start, charge, wait", t.passed_in_order, t, pi, "start", "wait",
      "charge")
    fails("should have passed wait after wait", t.passed_in_order, t, pi, "wait", "wait")
  end)

  it("does not take what was canceled for passed", function()
    t:stub("charge", { error = "DECLINED" })
    t:run()
    t:ended(pi, "lost")
    t:passed(pi, "declined")
    t:not_passed(pi, "charge")
  end)

  it("says what variables are instead", function()
    fails("variable total of instance " .. pi.id .. " should be 8, but is 7; all are { list = ", t.variables, t, pi, { total = 8 })
    fails("variable x of instance " .. pi.id .. " should be 1, but is nil", t.variables, t, pi, { x = 1 })
    fails("variable list of", t.variables, t, pi, { list = { 1, { a = false } } })
    fails("should have no variable total, but it is 7", t.no_variables, t, pi, "x", "total")
    fails("should have no variable none, but it is null", t.no_variables, t, pi, "none")
  end)

  it("says what is waited for instead", function()
    fails("should wait for paid, but it waits for no message or signal", t.waiting_for, t, pi, "paid")
    t:run()
    fails("should not wait for paid", t.not_waiting_for, t, pi, "stop", "paid")
    fails("should wait for stop, but it waits for paid", t.waiting_for, t, pi, "paid", "stop")
    fails("should have called one instance of shipping, but it called none", t.called, t, pi, "shipping")
  end)

  it("says what facts are instead", function()
    to_rate()
    fails('task rate: assignee should be "gonzo", but is "kermit"', t.task, t, "rate", { assignee = "gonzo" })
    fails("task rate: assignee should be nil", t.task, t, "rate", { assignee = orrery.null })
    fails("task rate: due should be 2026-03-01T00:00:00Z, but is 2026-02-01T00:00:00Z", t.task, t, "rate", { due = "2026-03-01" })
    fails('task rate: candidate_groups should be { "fans", "staff" }, but is { "critics", "fans" }', t.task, t, "rate",
      { candidate_groups = { "fans", "staff" } })
    fails("task rate: candidate_user should be", t.task, t, "rate", { candidate_user = "gonzo" })
    fails("task rate: variables should be", t.task, t, "rate", { variables = { boxes = 3 } })
    fails("2 instances {} expected, found 1", t.count, t, "instances", {}, 2)
  end)

  it("knows failed jobs and incidents", function()
    t:stub("charge", { fails = "the bank is closed", times = 3 })
    t:run()
    fails("job of charge failed, 0 tries left: the bank is closed", t.at, t, pi, "wait")
    t:job("charge", { retries = 0, error = "the bank is closed" })
    t:incident("charge", { type = "failed_job" })
    fails("no incidents expected, found 1: charge: the bank is closed", t.no_incidents, t, pi)
    fails("one job { activity_id = \"rate\" } expected, found 0; open jobs: charge", t.job, t, "rate")
    t:job("charge"):set_retries(1)
    t:execute "charge"
    t:at(pi, "wait")
    t:no_incidents(pi)
    fails("one incident { activity_id = \"charge\" } expected, found 0; open incidents: none", t.incident, t, "charge")
    assert.equal(4, #t.stubs.charge)
  end)

  it("raises what a job raises that it is told to run", function()
    t:stub("charge", { fails = "the bank is closed" })
    fails("the bank is closed", t.execute, t, "charge")
    t:job("charge", { retries = 2 })
  end)

  it("plays the workers of external tasks", function()
    to_pack()
    t:fail_external("packing", { message = "no boxes", retries = 0 })
    t:incident("pack", { type = "failed_external_task", message = "no boxes" })
    t:external_task("packing"):set_retries(1)
    t:throw_external("packing", "DECLINED", "sold out")
    t:ended(pi, "lost")
  end)

  it("throws signals", function()
    t.engine:deploy { ["s.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
      <signal id="sig" name="stop"/><process id="q" isExecutable="true">
      <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="c"/>
      <intermediateCatchEvent id="c"><signalEventDefinition signalRef="sig"/></intermediateCatchEvent></process></definitions>]] }
    local q = t:start "q"
    t:waiting_for(q, "stop")
    t:signal "stop"
    t:ended(q)
  end)
end)

describe("stubs", function()

  it("fail when nothing deployed has their name, at the latest when the test ends", function()
    local t = testing.new { deploy = { ["p.bpmn"] = model }, stubs = true }
    t:stub "chrage"
    local complaint = 'asks for "chrage", which has a stub; did you mean "charge"?'
    fails(complaint, t.run, t)
    t:run() -- said once
    t:stub "chrage"
    fails(complaint, t.close, t)
    local ok, problem = pcall(function()
      local other <close> = testing.new { deploy = { ["p.bpmn"] = model }, stubs = true }
      other:stub "chrage"
      error("what the test found", 0)
    end)
    assert.same({ false, "what the test found" }, { ok, problem })
    local early <close> = testing.new {}
    early:stub "charge"
    early:run() -- nothing is deployed yet
  end)

  it("may have any name where a class is an expression", function()
    local computed = model:gsub('class="audit"', 'class="${x}"')
    local t <close> = testing.new { deploy = { ["p.bpmn"] = computed }, stubs = true }
    t:stub "chrage"
    t:run()
  end)
  it("stand in for delegates that are not there, and remember their calls", function()
    local called = false
    local t <close> = testing.new { deploy = { ["p.bpmn"] = model }, stubs = true, register = { audit = function() called = true end } }
    t:start("p", { business_key = "o1", variables = { total = 7 } })
    t:run()
    assert.is_true(called)
    assert.is_nil(t.stubs.audit)
    local calls = t.stubs.charge
    assert.same({ { activity_id = "charge", instance_id = calls[1].instance_id, business_key = "o1", variables = { total = 7 } } }, calls)
  end)

  it("leave alone what is deployed or on the path", function()
    local t <close> = testing.new { stubs = true, deploy = { ["p.bpmn"] = model:gsub('class="audit"', 'class="orrery.inspect"'),
      ["charge.lua"] = "return function(execution) execution:set('paid', true) end" } }
    assert.same({}, t.stubs)
  end)

  it("are asked for by the right name", function()
    assert.error_matches(function() testing.new { stub = true } end, 'unknown option "stub"; did you mean "stubs"')
    assert.error_matches(function() testing.new { histroy = "full" } end, 'did you mean "history"')
  end)

  it("are not made unless asked for", function()
    local t <close> = testing.new { deploy = { ["p.bpmn"] = model } }
    t:start "p"
    t:run()
    t:job("charge", { waits_for = "charge" })
  end)

  it("set variables, are listeners, and do as a function says", function()
    local t <close> = testing.new { deploy = { ["p.bpmn"] = model } }
    t:stub("charge", { variables = { receipt = "r1" } })
    local audit = t:stub("audit", function(execution) execution:set("audited", execution.activity_id) end)
    local pi = t:start "p"
    t:run()
    t:variables(pi, { receipt = "r1", audited = "charge" })
    assert.equal("end", audit[1].event_name)
    assert.error_matches(function() t:stub("x", { variabels = {} }) end, 'did you mean "variables"')
  end)
end)

describe("time", function()
  local timers = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t"><process id="p" isExecutable="true">
    <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="u"/><userTask id="u"/>
    <boundaryEvent id="b" attachedToRef="u" cancelActivity="false"><timerEventDefinition><timeCycle>R/P1D</timeCycle></timerEventDefinition>
    </boundaryEvent><sequenceFlow id="g" sourceRef="b" targetRef="n"/><scriptTask id="n" scriptFormat="lua"><script>
    execution:set("days", (days or 0) + 1)</script></scriptTask></process></definitions>]]

  it("jumps until a condition holds", function()
    local t <close> = testing.new { deploy = { ["p.bpmn"] = timers } }
    local pi = t:start "p"
    assert.equal(5, t:pass_until(function() return pi:get "days" == 5 and 5 end))
    assert.equal("2026-01-06T00:00:00Z", orrery.format_time(t.engine:now()))
    fails("the condition does not hold within P3D", t.pass_until, t, function() return false end, "P3D")
    pi:delete()
    fails("the condition does not hold at", t.pass_until, t, function() return false end)
    fails("nothing falls due: no timer and no retry waits", t.skip, t)
  end)
end)
