-- Seed "The Job Executor", headings "Job Creation", "Job Executor in a Unit Test", "Persistence"; seed "Process Designer: Transactions and
-- Tasks", heading "Job Creation".
local support = require "spec.support.process"

local function only(list)
  assert.equal(1, #list)
  return list[1]
end

-- What every job of an instance says about where it came from.
local function assert_of(job, instance, activity)
  assert.same({ instance.id, instance.id, instance.definition_id, "p", activity },
    { job.instance_id, job.root_id, job.definition_id, job.definition_key, job.activity_id })
  assert.is_not_nil(job.deployment_id)
  assert.is_not_nil(job.execution_id)
end

describe("Job Creation: asynchronous continuations", function()
  it("before an activity", function()
    local engine <close> = support.engine()
    support.single(engine)
    local instance = engine:start "p"
    local job = only(engine:jobs {})
    assert_of(job, instance, "work")
    assert.same({ "async", "async-before", 3, 0, true, false },
      { job.type, job.handler, job.retries, job.priority, job.exclusive, job.suspended })
    assert.is_nil(job.due)
    assert.equal(engine:now(), job.created)
    assert.same({ "work" }, instance:active())
  end)

  it("after an activity, with the activity's work committed", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s"/><serviceTask id="t" camunda:class="work" camunda:asyncAfter="true"/><endEvent id="e"/>',
      "s -> t t -> e")
    local notes = support.record(engine)
    local instance = engine:start "p"
    local job = only(engine:jobs {})
    assert_of(job, instance, "t")
    assert.same({ "async", "async-after" }, { job.type, job.handler })
    assert.same({ "t" }, notes)
    assert.equal(1, engine:run_jobs())
    assert.same({ "t" }, notes)
    assert.is_nil(engine:instance(instance.id))
  end)

  for _, dialect in ipairs { "camunda", "flowable", "orrery" } do
    it("arms nothing of an activity before the job that begins it, in " .. dialect, function()
      local engine <close> = support.engine { dialect = dialect }
      support.deploy(engine, [[<startEvent id="s"/><userTask id="u" o:asyncBefore="true"/><boundaryEvent id="b" attachedToRef="u">
        <messageEventDefinition messageRef="m"/></boundaryEvent><boundaryEvent id="c" attachedToRef="u">]]
        .. support.timer("Duration", "PT1H") .. "</boundaryEvent>", "s -> u", { before = '<message id="m" name="m"/>' })
      engine:start "p"
      assert.same({ { "async-before" }, 0 }, { support.fields(engine:jobs {}, "handler"), #engine:subscriptions {} })
      support.refused("correlation", engine.message, engine, "m", {})
      engine:run_jobs()
      assert.same({ { "timer-boundary" }, 1 }, { support.fields(engine:jobs {}, "handler"), #engine:subscriptions {} })
    end)
  end

  for _, element in ipairs { '<exclusiveGateway id="x" %s/>', '<intermediateThrowEvent id="x" %s/>',
    '<callActivity id="x" calledElement="q" %s/>',
    '<subProcess id="x" %s><startEvent id="xs"/></subProcess>',
    '<scriptTask id="x" scriptFormat="lua" %s><script>return 1</script></scriptTask>' } do
    it("at " .. element:match "<(%a+)", function()
      local engine <close> = support.engine()
      support.deploy(engine, '<startEvent id="qs"/><userTask id="qu"/>', "qs -> qu", { key = "q" })
      support.deploy(engine,
        '<startEvent id="s"/>' .. element:format 'camunda:asyncBefore="true" camunda:asyncAfter="true"' .. '<userTask id="u"/>',
        "s -> x x -> u")
      local instance = engine:start "p"
      assert.equal("async-before", only(engine:jobs { instance = instance.id, activity = "x" }).handler)
      engine:run_jobs(1)
      for _, task in ipairs(engine:tasks { key = "qu" }) do task:complete() end
      assert.equal("async-after", only(engine:jobs { instance = instance.id, activity = "x" }).handler)
      engine:run_jobs(1)
      assert.same({ "u" }, instance:active())
    end)
  end

  it("at a start event: nothing has run when the call returns", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s" camunda:asyncBefore="true"/><serviceTask id="t" camunda:class="work"/>', "s -> t")
    local notes = support.record(engine)
    engine:start "p"
    assert.same({}, notes)
    assert.equal("s", only(engine:jobs {}).activity_id)
    engine:run_jobs()
    assert.same({ "t" }, notes)
  end)

  it("for a multi-instance body and for each of its instances", function()
    local engine <close> = support.engine()
    support.deploy(engine, [[<startEvent id="s"/><serviceTask id="t" camunda:class="work" camunda:asyncBefore="true">
      <multiInstanceLoopCharacteristics camunda:asyncBefore="true"><loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics>
      </serviceTask>]], "s -> t")
    local notes = support.record(engine)
    engine:start "p"
    assert.equal("t", only(engine:jobs {}).activity_id:match "^t")
    engine:run_jobs(1)
    assert.equal(3, #engine:jobs { handler = "async-before" })
    assert.equal(3, engine:run_jobs())
    assert.equal(3, #notes)
  end)
end)

describe("Job Creation: timer jobs", function()
  local function timer_job(engine, handler, activity)
    local job = only(engine:jobs {})
    assert.same({ "timer", handler, activity, 3 }, { job.type, job.handler, job.activity_id, job.retries })
    return job
  end

  it("of a catch event", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s"/><intermediateCatchEvent id="c">' .. support.timer("Duration",
      "PT1H") .. "</intermediateCatchEvent>", "s -> c")
    local instance = engine:start "p"
    local job = timer_job(engine, "timer-catch", "c")
    assert_of(job, instance, "c")
    assert.equal(engine:now() + 3600, job.due)
  end)

  it("of a boundary event", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s"/><userTask id="u"/><boundaryEvent id="b" attachedToRef="u">' .. support.timer("Duration",
      "PT1M") ..
      "</boundaryEvent>", "s -> u")
    engine:start "p"
    assert.equal(engine:now() + 60, timer_job(engine, "timer-boundary", "b").due)
    engine:tasks({})[1]:complete()
    assert.same({}, engine:jobs {})
  end)

  it("of a start event: of a definition, not of an instance", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s">' .. support.timer("Date", "2026-02-01T00:00:00Z") .. "</startEvent>", "")
    local job = timer_job(engine, "timer-start", "s")
    assert.is_nil(job.instance_id)
    assert.equal("p", job.definition_key)
    engine:set_time "2026-02-01T00:00:00Z"
    assert.equal(1, engine:run_jobs())
    assert.equal(1, #engine:history_instances {})
  end)

  it("of an event sub-process", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s"/><userTask id="u"/><subProcess id="sub" triggeredByEvent="true"><startEvent id="ts">' ..
      support.timer("Duration", "PT5M") .. "</startEvent></subProcess>", "s -> u")
    engine:start "p"
    timer_job(engine, "timer-event-subprocess", "ts")
  end)
end)

describe("Job Creation: asynchronous handling of BPMN events", function()
  it("a signal that is caught asynchronously", function()
    local engine <close> = support.engine()
    local event = '<signalEventDefinition signalRef="sig" %s/>'
    support.deploy(engine,
      '<startEvent id="s"/><intermediateThrowEvent id="throw">' .. event:format 'camunda:async="true"' .. "</intermediateThrowEvent>",
      "s -> throw", { before = '<signal id="sig" name="alarm"/>' })
    support.deploy(engine,
      '<startEvent id="s"/><intermediateCatchEvent id="c">' .. event:format "" .. '</intermediateCatchEvent><userTask id="u"/>',
      "s -> c c -> u", { before = '<signal id="sig" name="alarm"/>', key = "q" })
    local waiting = engine:start "q"
    engine:start "p"
    local job = only(engine:jobs {})
    assert.same({ "signal", "signal-async", waiting.id }, { job.type, job.handler, job.instance_id })
    local definition = only(engine:job_definitions {}) -- of the event that catches: there a priority or a suspension has its effect
    assert.same({ "c", job.job_definition_id }, { definition.activity_id, definition.id })
    definition:suspend { jobs = true }
    assert.equal(0, engine:run_jobs())
    definition:activate { jobs = true }
    assert.same({ "c" }, waiting:active())
    engine:run_jobs()
    assert.same({ "u" }, waiting:active())
  end)

  it("a message that is sent asynchronously", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s"/><receiveTask id="r" messageRef="m"/><userTask id="u"/>', "s -> r r -> u",
      { before = '<message id="m" name="order"/>' })
    local instance = engine:start "p"
    engine:message("order", { instance = instance.id, async = true })
    assert.equal("message", only(engine:jobs {}).type)
    assert.same({ "r" }, instance:active())
    engine:run_jobs()
    assert.same({ "u" }, instance:active())
  end)

  it("goes with what it was for: the waiting token, or the instance", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s"/><receiveTask id="r" messageRef="m"/><userTask id="u"/>' ..
      '<subProcess id="sub" triggeredByEvent="true"><startEvent id="e" isInterrupting="false">' ..
      '<messageEventDefinition messageRef="n"/></startEvent></subProcess>', "s -> r r -> u",
      { before = '<message id="m" name="order"/><message id="n" name="note"/>' })
    local instance = engine:start "p"
    engine:message("order", { instance = instance.id, async = true })
    engine:message("note", { instance = instance.id, async = true })
    engine:modify({ { start_before = "u" } }, { instances = { instance.id }, async = true })
    assert.equal(3, #engine:jobs {})
    engine:message("order", { instance = instance.id })
    assert.same({ "u" }, instance:active())
    assert.equal(2, #engine:jobs {})
    assert.same({}, engine:verify())
    instance:delete "no more"
    assert.same({}, engine:jobs {})
    assert.same({}, engine:verify())
  end)
end)

-- What else is done by a job: how each is made, and what it says of itself. Those of an activity have its job definition.
local OTHERS = {
  ["start-async"] = { type = "async", activity = "s", make = function(engine) engine:start("p", { async = true }) end },
  ["async-trigger"] = { type = "async", activity = "r", make = function(engine)
    engine:start "p"
    engine:trigger(engine:execution({ activity = "r" }).id, nil, { async = true })
  end },
  ["signal-async"] = { type = "signal", activity = "c", defined = true, make = function(engine)
    engine:start "p"
    engine:signal("alarm", { async = true })
  end },
  ["timer-task-listener"] = { type = "timer", activity = "u", defined = true, due = 3600, make = function(engine) engine:start "p" end },
  suspend = { type = "suspend", due = 60, make = function(engine)
    engine:suspend_definition({ key = "p" }, { at = engine:now() + 60 })
  end },
  activate = { type = "activate", due = 60, make = function(engine)
    engine:activate_definition({ key = "p" }, { at = engine:now() + 60 })
  end },
  modify = { type = "modify", make = function(engine)
    engine:modify({ { cancel = "r" } }, { instances = { engine:start("p").id }, async = true })
  end },
  migrate = { type = "migrate", make = function(engine, source, again)
    local instance = engine:start_by_id(source.id)
    engine:migrate(engine:migration_plan(source.id, again().id), { instances = { instance.id }, async = true })
  end },
  batch = { type = "batch", defined = true, make = function(engine)
    engine:start "p"
    engine:batch { action = "suspend" }
  end },
  ["batch-monitor"] = { type = "batch-monitor", defined = true, due = 30, make = function(engine)
    engine:start "p"
    engine:batch { action = "suspend" }
  end },
  ["batch-seed"] = { type = "batch-seed", defined = true, make = function(engine)
    for _ = 1, 2 do engine:start "p" end
    engine:batch { action = "suspend", size = 1, jobs_per_seed = 1 }
  end },
  ["clean-history"] = { type = "clean-history", make = function(engine) engine:schedule_clean_history {} end },
}

describe("Job Creation: everything else that runs by a job", function()
  local function deploy(engine)
    return support.deploy(engine, [[<startEvent id="s"/><receiveTask id="r"/><intermediateCatchEvent id="c"><signalEventDefinition
      signalRef="sig"/></intermediateCatchEvent><userTask id="u"><extensionElements><camunda:taskListener event="timeout" id="late"
      class="work">]] .. support.timer("Duration", "PT1H") .. "</camunda:taskListener></extensionElements></userTask>",
      "s -> r s -> c s -> u", { before = '<signal id="sig" name="alarm"/>' }).definitions[1]
  end

  for handler, row in pairs(OTHERS) do
    it(handler, function()
      local engine <close> = support.engine { retries = 4 }
      support.record(engine)
      row.make(engine, deploy(engine), function() return deploy(engine) end)
      local job = only(engine:jobs { handler = handler })
      assert.same({ row.type, row.activity, 4, 0, row.defined or false },
        { job.type, job.activity_id, job.retries, job.priority, job.job_definition_id ~= nil })
      assert.equal(row.due and engine:now() + row.due, job.due)
      assert.equal(engine:now(), job.created)
      if row.defined then assert.equal(handler, engine:job_definition(job.job_definition_id).handler) end
      if row.due then engine:advance(row.due) end
      assert.is_true(engine:run_jobs() > 0)
      assert.same({}, engine:jobs { handler = handler })
      assert.same({}, engine:incidents {})
      assert.same({}, engine:verify())
    end)
  end

  it("with its job definition, a task listener's timer can be given a priority and suspended", function()
    local engine <close> = support.engine()
    deploy(engine)
    engine:start "p"
    local jd = engine:job_definition { handler = "timer-task-listener" }
    jd:set_priority(7, { cascade = true })
    jd:suspend { jobs = true }
    assert.same({ 7, true }, { engine:job({}).priority, engine:job({}).suspended })
  end)
end)

describe("Job definitions", function()
  it("are made at deployment, one for each activity and way of continuing", function()
    local engine <close> = support.engine()
    local deployment = support.deploy(engine, '<startEvent id="s"/>' .. support.task("a",
      'camunda:asyncAfter="true"') .. '<intermediateCatchEvent id="c">' ..
      support.timer("Duration", "PT1H") .. "</intermediateCatchEvent>", "s -> a a -> c")
    local found = {}
    for _, jd in ipairs(engine:job_definitions {}) do
      found[#found + 1] = table.concat({ jd.activity_id, jd.type, jd.handler }, " ")
      assert.same({ "p", deployment.id, false }, { jd.definition_key, jd.deployment_id, jd.suspended })
      assert.is_nil(jd.priority)
    end
    assert.same({ "a async async-after", "a async async-before", "c timer timer-catch" }, support.sorted(found))
    engine:start "p"
    local job = only(engine:jobs {})
    assert.equal("a", engine:job_definition(job.job_definition_id).activity_id)
  end)
end)

describe("Job Executor in a Unit Test", function()
  it("jobs are listed and executed by hand, whatever their due date", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s"/><intermediateCatchEvent id="c">' .. support.timer("Duration",
      "PT1H") .. '</intermediateCatchEvent><userTask id="u"/>', "s -> c c -> u")
    local instance = engine:start "p"
    assert.equal(0, engine:run_jobs())
    only(engine:jobs { instance = instance.id }):execute()
    assert.same({ "u" }, instance:active())
    assert.same({}, engine:jobs {})
  end)

  it("execute raises what the job raises, after its retries were counted down", function()
    local engine <close> = support.engine()
    support.single(engine)
    support.failing(engine, "out of stock")
    engine:start "p"
    local err = support.refused("script", function() only(engine:jobs {}):execute() end)
    assert.matches("out of stock", tostring(err.cause or err))
    assert.equal(2, only(engine:jobs {}).retries)
  end)

  it("poll runs due jobs within a budget and run_jobs at most its limit", function()
    local engine <close> = support.engine()
    support.single(engine)
    local notes = support.record(engine)
    for i = 1, 5 do engine:start("p", { business_key = "k" .. i }) end
    assert.equal(2, engine:run_jobs(2))
    assert.equal(3, #engine:jobs {})
    assert.equal(1, engine:poll(0))
    assert.equal(2, engine:poll(60))
    assert.equal(5, #notes)
  end)
end)

describe("Persistence", function()
  it("jobs and their properties survive a restart", function()
    local folder = require("spec.support.folder").make()
    finally(function() require("spec.support.folder").remove(folder) end)
    local orrery = require "orrery"
    local before
    do
      local engine <close> = orrery.open(folder, { clock = "manual", log = "none" })
      support.single(engine, 'camunda:jobPriority="42"', support.cycle "R7/PT5M")
      engine:start "p"
      before = only(engine:jobs {})
    end
    local engine <close> = orrery.open(folder, { clock = "manual", log = "none" })
    local after = only(engine:jobs {})
    for _, field in ipairs { "id", "type", "handler", "retries", "priority", "created", "exclusive", "activity_id", "job_definition_id" } do
      assert.equal(before[field], after[field], field)
    end
    assert.same({ 7, 42 }, { after.retries, after.priority })
  end)
end)
