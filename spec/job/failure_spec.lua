-- Seed "The Job Executor", headings "Failed Jobs", "Retry Time Cycle Configuration" to "Custom Retry Configuration"; seed "Process
-- Designer:
-- Transactions and Tasks", headings "Failed Job", "Transaction Rollback Without Error Handling".
local support = require "spec.support.process"

local MINUTE = 60

-- Lets the job fail until it is not tried any more; the waits in seconds between its tries, and behind the last one.
local function waits_of(engine, job_of)
  local waits, last = {}, engine:now()
  for _ = 1, 50 do
    local job = job_of()
    if job.due and job.due > engine:now() then engine:set_time(job.due) end
    if engine:run_jobs(1) == 0 then break end
    waits[#waits + 1] = engine:now() - last
    last = engine:now()
  end
  table.remove(waits, 1)
  local left = job_of().due
  return waits, left and left - last
end

local function only_job(engine)
  local list = engine:jobs {}
  assert.equal(1, #list)
  return list[1]
end

describe("Failed Jobs", function()
  local engine, instance
  local function job() return engine:job { instance = instance.id } end

  before_each(function()
    engine = support.engine { history = "full" } -- as in the seed, jobs and incidents are in the full history
    support.single(engine)
    support.failing(engine, "out of stock")
    instance = engine:start "p"
  end)
  after_each(function() engine:close() end)

  it("is retried: three tries in all, then it is not executed any more", function()
    assert.equal(1, engine:run_jobs(1))
    assert.equal(2, job().retries)
    assert.equal(2, engine:run_jobs())
    assert.equal(0, job().retries)
    assert.equal(0, engine:run_jobs())
    assert.same({ "work" }, instance:active())
  end)

  it("is unlocked: neither owner nor expiry remain", function()
    engine:run_jobs(1)
    assert.is_nil(job().lock_owner)
    assert.is_nil(job().lock_expires)
  end)

  it("keeps the text, the traceback and where it happened", function()
    engine:run_jobs(1)
    assert.matches("out of stock", job().error)
    assert.matches("traceback", job():traceback())
    assert.equal("work", job().failed_activity_id)
  end)

  it("gives the text alone where no script has raised it", function()
    engine:deploy { ["open.bpmn"] = [[
      <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="spec"
        xmlns:camunda="http://camunda.org/schema/1.0/bpmn">
      <process id="open" isExecutable="true" camunda:historyTimeToLive="P1D"><startEvent id="s"/>
        <sequenceFlow id="a" sourceRef="s" targetRef="g"/>
        <exclusiveGateway id="g" camunda:asyncBefore="true"/>
        <sequenceFlow id="b" sourceRef="g" targetRef="e">
          <conditionExpression>${no}</conditionExpression></sequenceFlow>
        <sequenceFlow id="c" sourceRef="g" targetRef="e">
          <conditionExpression>${no}</conditionExpression></sequenceFlow>
        <endEvent id="e"/></process></definitions>]] }
    local id = engine:start("open", { variables = { no = false } }).id
    assert.is_nil(engine:job { instance = id }:traceback())
    engine:run_jobs()
    local failed = engine:job { instance = id }
    assert.truthy(#failed.error > 0)
    assert.equal(failed.error, failed:traceback())
  end)

  it("rolls back what the transaction did", function()
    engine:register("work", function(execution)
      execution:set("seen", true)
      error "late"
    end)
    engine:run_jobs(1)
    assert.is_nil(instance:get "seen")
  end)

  it("at zero retries there is an incident; raising the retries resolves it, and the job runs again", function()
    engine:run_jobs()
    local incident, past = engine:incidents { job = job().id }, engine:history_incidents { job = job().id }
    assert.same({ 1, 1 }, { #incident, #past })
    incident = incident[1]
    assert.equal(incident.id, past[1].id)
    assert.same({ "failed_job", "work", "work", instance.id, job().id },
      { incident.type, incident.activity_id, incident.failed_activity_id, incident.instance_id, incident.job_id })
    assert.matches("out of stock", incident.message)
    job():set_retries(1)
    assert.same({}, engine:incidents {})
    assert.equal("resolved", engine:history_incidents({})[1].state)
    support.record(engine)
    assert.equal(1, engine:run_jobs())
    assert.is_nil(engine:instance(instance.id))
  end)

  it("has no incident while tries remain", function()
    engine:run_jobs(2)
    assert.same({}, engine:incidents {})
  end)

  it("an incident shows on the whole call hierarchy, with its cause", function()
    support.deploy(engine, '<startEvent id="s"/><callActivity id="c1" calledElement="p"/>', "s -> c1", { key = "mid" })
    support.deploy(engine, '<startEvent id="s"/><callActivity id="c2" calledElement="mid"/>', "s -> c2", { key = "top" })
    job():delete()
    local top = engine:start "top"
    engine:run_jobs()
    local root = engine:incidents({ activity = "work" })[1]
    assert.equal(3, #engine:incidents {})
    local of_top = engine:incidents({ instance = top.id })[1]
    assert.same({ "c2", root.id }, { of_top.activity_id, of_top.root_cause_id })
    engine:job({ no_retries = true }):set_retries(1)
    assert.same({}, engine:incidents {})
  end)

  it("waits for a suspended caller that would catch what its called instance raises", function()
    for _, kind in ipairs { "error", "escalation" } do
      support.deploy(engine, ('<startEvent id="s"/><endEvent id="e" o:async="true"><%sEventDefinition %sRef="x"/></endEvent>')
        :format(kind, kind), "s -> e", { key = "q" .. kind, before = ('<%s id="x" %sCode="x"/>'):format(kind, kind) })
      support.deploy(engine, ([[<startEvent id="s"/><callActivity id="c" calledElement="q%s"/><boundaryEvent id="b" attachedToRef="c">
        <%sEventDefinition/></boundaryEvent><userTask id="u"/>]]):format(kind, kind), "s -> c b -> u", { key = "top" .. kind })
      local top = engine:start("top" .. kind)
      top:suspend()
      local raising = engine:job { activity = "e" }
      support.refused("suspended", raising.execute, raising)
      assert.equal(3, engine:job({ id = raising.id }).retries)
      assert.same({ "c" }, top:active())
      top:activate()
      engine:job({ id = raising.id }):execute()
      assert.same({ "u" }, top:active())
    end
  end)

  it("costs nothing when only the suspension of a caller was in the way", function()
    support.record(engine)
    support.deploy(engine, '<startEvent id="s"/><callActivity id="c1" calledElement="p"/><endEvent id="e"/>', "s -> c1 c1 -> e",
      { key = "mid" })
    support.deploy(engine, '<startEvent id="s"/><callActivity id="c2" calledElement="mid"/>', "s -> c2", { key = "top" })
    job():delete()
    local top = engine:start "top"
    local held = engine:job { activity = "work" }
    top:suspend()
    assert.equal(1, engine:run_jobs())
    held = engine:job { id = held.id }
    assert.same({ 3, true }, { held.retries, held.suspended })
    assert.is_nil(held.error)
    assert.same({}, engine:incidents {})
    assert.equal(0, engine:run_jobs())
    local called = engine:instances({ key = "p", parent = engine:instances({ key = "mid" })[1].id })[1]
    called:suspend() -- is what keeps the job from now on
    top:activate()
    assert.equal(0, engine:run_jobs())
    top:suspend()
    called:activate()
    support.refused("suspended", held.execute, held)
    assert.equal(3, engine:job({ id = held.id }).retries)
    top:activate()
    assert.equal(1, engine:run_jobs())
    assert.equal(0, engine:count("instances", { key = "top" }))
  end)

  it("the job log has every step", function()
    engine:run_jobs(1)
    support.record(engine)
    engine:run_jobs()
    local states = support.fields(engine:history_jobs {}, "state")
    assert.same({ "created", "failed", "succeeded" }, states)
  end)
end)

describe("Retry Time Cycle Configuration", function()
  -- Where a cycle may stand: model, handler of the job that fails.
  local function failing_after(activity) return activity .. '<serviceTask id="after" camunda:class="work"/>' end
  local c = support.cycle "R3/PT5M"
  local timer = support.timer("Duration", "PT0S")
  local places = {
    task = { support.task("x", "", c), "s -> x" },
    ["script task"] = { '<scriptTask id="x" scriptFormat="lua" camunda:asyncBefore="true">'
      .. c .. "<script>error 'no'</script></scriptTask>", "s -> x" },
    ["call activity"] = { '<callActivity id="x" calledElement="nobody" camunda:asyncBefore="true">' .. c .. "</callActivity>", "s -> x" },
    ["embedded sub-process"] = { '<subProcess id="x" camunda:asyncBefore="true">' .. c ..
      '<startEvent id="xs"/><serviceTask id="xt" camunda:class="work"/><sequenceFlow id="xf" sourceRef="xs" targetRef="xt"/></subProcess>',
      "s -> x" },
    transaction = { '<transaction id="x" camunda:asyncBefore="true">' .. c ..
      '<startEvent id="xs"/><serviceTask id="xt" camunda:class="work"/><sequenceFlow id="xf" sourceRef="xs" targetRef="xt"/></transaction>',
      "s -> x" },
    ["intermediate timer catch event"] = { failing_after('<intermediateCatchEvent id="x">' .. c .. timer .. "</intermediateCatchEvent>"),
      "s -> x x -> after" },
    ["boundary timer event"] = { failing_after('<userTask id="u"/><boundaryEvent id="x" attachedToRef="u">'
      .. c .. timer .. "</boundaryEvent>"),
      "s -> u x -> after" },
    ["intermediate throw event"] = { failing_after('<intermediateThrowEvent id="x" camunda:asyncBefore="true">'
      .. c .. "</intermediateThrowEvent>"), "s -> x x -> after" },
  }
  for name, place in pairs(places) do
    it("holds at a " .. name, function()
      local engine <close> = support.engine()
      support.deploy(engine, '<startEvent id="s"/>' .. place[1], place[2])
      support.failing(engine)
      engine:start "p"
      local waits = waits_of(engine, function() return engine:job { activity = "x" } end)
      assert.same({ 5 * MINUTE, 5 * MINUTE }, waits)
      assert.equal(0, engine:job({ activity = "x" }).retries)
    end)
  end

  it("holds at a timer start event", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="x">' .. c .. support.timer("Duration", "PT0S")
      .. '</startEvent><serviceTask id="after" camunda:class="work"/>', "x -> after")
    support.failing(engine)
    assert.same({ 5 * MINUTE, 5 * MINUTE }, (waits_of(engine, function() return engine:job { activity = "x" } end)))
  end)

  it("by an expression", function()
    local engine <close> = support.engine()
    support.single(engine, "", support.cycle "${retryCycle}")
    support.failing(engine)
    engine:start("p", { variables = { retryCycle = "R2/PT7M" } })
    assert.same({ 7 * MINUTE }, (waits_of(engine, function() return engine:job {} end)))
  end)

  it("by an expression at a start event, which sees what is registered but no variables", function()
    for text, tries in pairs { ["${cycles.of(7)}"] = 7, ["${retryCycle}"] = 3 } do
      local engine <close> = support.engine()
      engine:register("cycles", { of = function(_, n) return ("R%d/PT5M"):format(n) end })
      support.deploy(engine, '<startEvent id="x">' .. support.cycle(text) .. support.timer("Duration", "PT0S")
        .. '</startEvent><serviceTask id="after" camunda:class="work"/>', "x -> after")
      support.failing(engine)
      assert.equal(tries, engine:job({}).retries)
      engine:run_jobs(1)
      assert.same({ tries - 1, tries == 7 and 300 or 0 }, { engine:job({}).retries, engine:job({}).due - engine:now() })
    end
  end)

  it("globally; a local one takes precedence", function()
    local engine <close> = support.engine { retry_time_cycle = "R5/PT5M" }
    support.single(engine)
    support.single(engine, "", support.cycle "R2/PT1M", { key = "q" })
    support.failing(engine)
    engine:start "p"
    assert.equal(5, engine:job({}).retries)
    local waits = waits_of(engine, function() return engine:job {} end)
    assert.same({ 300, 300, 300, 300 }, waits)
    local q = engine:start "q"
    assert.same({ 60 }, (waits_of(engine, function() return engine:job { instance = q.id } end)))
  end)

  it("retries are performed at once where nothing is configured", function()
    local engine <close> = support.engine()
    support.single(engine)
    support.failing(engine)
    engine:start "p"
    assert.equal(3, engine:run_jobs())
  end)

  it("the engine's option `retries` says how often a job is tried in all", function()
    local engine <close> = support.engine { retries = 5 }
    support.single(engine)
    support.failing(engine)
    engine:start "p"
    assert.equal(5, engine:run_jobs())
  end)
end)

describe("Use a Custom Job Retry Configuration for Events", function()
  it("three tries, five seconds apart, of what follows a boundary timer", function()
    local engine <close> = support.engine()
    support.deploy(engine, [[<startEvent id="s"/><userTask id="MyActivity"/>
      <boundaryEvent id="BoundaryEvent" name="BoundaryName" attachedToRef="MyActivity">]] .. support.cycle "R3/PT5S" .. [[
        <outgoing>BoundaryEvent-after</outgoing>
        <timerEventDefinition><timeDuration>PT10S</timeDuration></timerEventDefinition>
      </boundaryEvent><serviceTask id="after" camunda:class="work"/>]], "s -> MyActivity BoundaryEvent -> after")
    support.failing(engine)
    local instance = engine:start "p"
    assert.equal(engine:now() + 10, engine:job({}).due)
    assert.same({ 5, 5 }, (waits_of(engine, function() return engine:job {} end)))
    assert.same({ "MyActivity" }, instance:active()) -- the failures took back the interruption, too
    local incident = engine:incidents({})[1]
    assert.same({ "BoundaryEvent", "after" }, { incident.activity_id, incident.failed_activity_id })
  end)
end)

describe("Use a Custom Job Retry Configuration for Multi-Instance Activities", function()
  local function body(engine, inner_fails, after_fails)
    support.deploy(engine, '<startEvent id="s"/><serviceTask id="failingServiceTask" camunda:asyncAfter="true" camunda:class="inner">'
      .. support.cycle "R5/PT5M" .. '<multiInstanceLoopCharacteristics isSequential="false" camunda:asyncBefore="true">'
      .. support.cycle "R3/PT5S" .. [[<loopCardinality>5</loopCardinality></multiInstanceLoopCharacteristics></serviceTask>
      <serviceTask id="after" camunda:class="after"/>]], "s -> failingServiceTask failingServiceTask -> after")
    engine:register("inner", function(execution) if inner_fails(execution:get "loopCounter") then error "no luck" end end)
    engine:register("after", function() if after_fails then error "no luck" end end)
    return engine:start "p"
  end

  it("the job of the instance that fails is tried three times, five seconds apart; the others are done", function()
    local engine <close> = support.engine()
    body(engine, function(counter) return counter == 2 end)
    assert.equal(5, #engine:jobs { handler = "async-before", retries = 3 })
    assert.equal(5, engine:run_jobs())
    assert.same({ 5 }, (waits_of(engine, function() return engine:job { handler = "async-before" } end)))
    assert.equal(0, only_job(engine).retries)
  end)

  it("the job behind all of them is tried five times, five minutes apart", function()
    local engine <close> = support.engine()
    body(engine, function() return false end, true)
    assert.equal(5, engine:run_jobs(5))
    assert.same({ "async-after", 5 }, { only_job(engine).handler, only_job(engine).retries })
    assert.same({ 300, 300, 300, 300 }, (waits_of(engine, function() return only_job(engine) end)))
    assert.equal(0, only_job(engine).retries)
  end)

  it("the activity's is the body's alone", function()
    local engine <close> = support.engine { retry_time_cycle = "R4/PT1M" }
    support.deploy(engine, '<startEvent id="s"/><serviceTask id="t" camunda:class="work" camunda:asyncBefore="true">' ..
      support.cycle "R5/PT5M" .. [[<multiInstanceLoopCharacteristics camunda:asyncBefore="true"><loopCardinality>2</loopCardinality>
      </multiInstanceLoopCharacteristics></serviceTask>]], "s -> t")
    support.failing(engine)
    engine:start "p"
    assert.equal(5, only_job(engine).retries)
    engine:run_jobs(2)
    assert.same({ 3, 4 }, support.sorted(support.fields(engine:jobs {}, "retries")))
    assert.equal(engine:now() + MINUTE, engine:job({ retries = 3 }).due)
  end)

  it("the activity's is the body's, the loop's is each instance's", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s"/>'
      .. [[<serviceTask id="t" camunda:class="work" camunda:asyncBefore="true" camunda:asyncAfter="true">]] ..
      support.cycle "R5/PT5M" .. [[<multiInstanceLoopCharacteristics camunda:asyncBefore="true">]] .. support.cycle "R3/PT5S" ..
      [[<loopCardinality>5</loopCardinality></multiInstanceLoopCharacteristics></serviceTask>]], "s -> t")
    support.failing(engine)
    engine:start "p"
    assert.equal(5, engine:job({}).retries)
    engine:run_jobs(1)
    local inner = engine:jobs { handler = "async-before" }
    assert.same({ 3, 3, 3, 3, 3 }, support.fields(inner, "retries"))
    engine:run_jobs(1)
    local failed = engine:job { with_error = true }
    assert.same({ 2, engine:now() + 5 }, { failed.retries, failed.due })
  end)
end)

describe("Retry Intervals", function()
  it("of a list: each wait in turn, the last again when no try is left", function()
    local engine <close> = support.engine { retry_time_cycle = "PT10M,PT17M,PT20M" }
    support.single(engine)
    support.failing(engine)
    engine:start "p"
    local waits, left = waits_of(engine, function() return engine:job {} end)
    assert.same({ 10 * MINUTE, 17 * MINUTE, 20 * MINUTE }, waits)
    assert.equal(20 * MINUTE, left)
    assert.equal(0, engine:job({}).retries)
  end)

  it("are exact: there is no least interval, unlike in the seed", function()
    local engine <close> = support.engine { retry_time_cycle = "R3/PT1S" }
    support.single(engine)
    support.failing(engine)
    engine:start "p"
    assert.same({ 1, 1 }, (waits_of(engine, function() return engine:job {} end)))
  end)

  it("of a list: a local one takes precedence over the engine's", function()
    local engine <close> = support.engine { retry_time_cycle = "PT10M,PT17M,PT20M" }
    support.single(engine, "", support.cycle "PT1M, PT2M")
    support.failing(engine)
    engine:start "p"
    assert.equal(3, engine:job({}).retries)
    assert.same({ 60, 120 }, (waits_of(engine, function() return engine:job {} end)))
  end)

  it("may be expressions in a list, but what a variable holds is data: it is never evaluated in its turn", function()
    local engine <close> = support.engine()
    support.single(engine, "", support.cycle "${first},PT15M,${last}")
    support.single(engine, "", support.cycle "${first}", { key = "q" })
    support.failing(engine)
    engine:start("p", { variables = { first = "PT5M", last = "PT25M" } })
    assert.same({ 300, 900, 1500 }, (waits_of(engine, function() return engine:job { definition_key = "p" } end)))
    engine:start("q", { variables = { first = "${last}", last = "PT1M" } })
    assert.equal(3, engine:job({ definition_key = "q" }).retries)
  end)

  it("follow the tries that are left: retries above the list wait by its first, then the list is gone through", function()
    local engine <close> = support.engine { retry_time_cycle = "PT3M,PT10M,PT8M" }
    support.single(engine)
    support.failing(engine)
    engine:start "p"
    engine:run_jobs(1)
    assert.same({ 3, engine:now() + 3 * MINUTE }, { engine:job({}).retries, engine:job({}).due })
    engine:job({}):set_retries(5, { due = engine:now() })
    local waits, left = waits_of(engine, function() return engine:job {} end)
    assert.same({ 3 * MINUTE, 3 * MINUTE, 10 * MINUTE, 8 * MINUTE }, waits)
    assert.equal(8 * MINUTE, left)
  end)

  it("follow the tries that are left: fewer retries begin within the list", function()
    local engine <close> = support.engine { retry_time_cycle = "PT3M,PT10M,PT8M" }
    support.single(engine)
    support.failing(engine)
    engine:start "p"
    engine:job({}):set_retries(2)
    assert.same({ 8 * MINUTE }, (waits_of(engine, function() return engine:job {} end)))
  end)

  it("a due date with the new retries decides when it is picked up", function()
    local engine <close> = support.engine { retry_time_cycle = "R3/PT1H" }
    support.single(engine)
    support.failing(engine)
    engine:start "p"
    engine:run_jobs(1)
    assert.equal(0, engine:run_jobs(1))
    engine:job({}):set_retries(3, { due = engine:now() - 1 })
    assert.equal(1, engine:run_jobs(1))
    engine:job({}):set_retries(1)
    pcall(function() engine:job({}):execute() end)
    engine:job_definition({}):set_retries(8, { due = engine:now() + 30 })
    assert.same({ 8, engine:now() + 30 }, { engine:job({}).retries, engine:job({}).due })
  end)
end)

describe("Custom Retry Configuration: strategies", function()
  local function failing(options, attributes, content)
    local engine = support.engine(options)
    support.single(engine, attributes, content)
    support.failing(engine, "503 from the service")
    engine:start "p"
    return engine
  end
  local function job(engine) return engine:job {} end

  it("a registered table decides retries and wait", function()
    local engine <close> = failing({ retry_strategy = "patient" })
    local seen = {}
    engine:register("patient", { retry = function(_, what, message)
      seen[#seen + 1] = { what.activity_id, what.retries, what.failures, message:match "503" }
      return { retries = what.failures < 3 and 9 or 0, wait = 10 ^ what.failures }
    end })
    assert.same({ 10, 100 }, (waits_of(engine, function() return job(engine) end)))
    assert.same({ { "work", 2, 1, "503" }, { "work", 8, 2, "503" }, { "work", 8, 3, "503" } }, seen)
    assert.equal(0, job(engine).retries)
    assert.equal(1, #engine:incidents {})
  end)

  it("an activity names its own; a plain function and a number of seconds will do", function()
    local engine <close> = failing({ retry_strategy = "never called" }, 'o:retryStrategy="hourly"')
    engine:register("hourly", function() return 3600 end)
    engine:run_jobs(1)
    assert.same({ 2, engine:now() + 3600 }, { job(engine).retries, job(engine).due })
  end)

  it("waits and times may be texts, too", function()
    for answer, due in pairs { PT2H = 7200, [{ wait = "PT90S" }] = 90, [{ due = "2026-01-01T00:10:00Z" }] = 600 } do
      local engine <close> = failing { retry_strategy = "worded" }
      engine:register("worded", function() return answer end)
      engine:run_jobs(1)
      assert.same({ 2, engine:now() + due }, { job(engine).retries, job(engine).due })
    end
  end)

  it("nil leaves the decision to the cycle", function()
    local engine <close> = failing(nil, 'o:retryStrategy="shy"', support.cycle "R4/PT2M")
    engine:register("shy", function() end)
    engine:run_jobs(1)
    assert.same({ 3, engine:now() + 120 }, { job(engine).retries, job(engine).due })
  end)

  for name, strategy in pairs {
    raises = function() error "broken" end, ["answers nonsense"] = function() return "soon" end,
    ["answers no time"] = function() return { wait = "" } end,
    ["answers a bad number"] = function() return { retries = -1 } end,
  } do
    it("one that " .. name .. " is passed over, and the failure is recorded all the same", function()
      local engine <close> = failing { retry_strategy = "bad" }
      engine:register("bad", strategy)
      engine:run_jobs(1)
      assert.equal(2, job(engine).retries)
      assert.matches("503", job(engine).error)
    end)
  end
end)
