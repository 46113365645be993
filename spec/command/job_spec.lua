-- Commands on jobs, job definitions and incidents.
local orrery = require "orrery"
local support = require "spec.support.process"
local refused = support.refused

local TIMER = [[<startEvent id="s"/><intermediateCatchEvent id="wait">
  <timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></intermediateCatchEvent><endEvent id="e"/>]]

describe("a job", function()
  local engine, instance, job, broken

  before_each(function()
    engine = support.engine { retries = 2, history = "full" }
    broken = true
    engine:register("work", function() if broken then error "out of order" end end)
    support.async(engine)
    instance = engine:start "p"
    job = engine:job {}
  end)

  after_each(function() engine:close() end)

  local function exhaust() job:set_retries(0) end

  local verbs = {
    execute = function(j) j:execute() end,
    set_retries = function(j) j:set_retries(1) end,
    set_due = function(j) j:set_due(0) end,
    recalculate_due = function(j) j:recalculate_due {} end,
    set_priority = function(j) j:set_priority(1) end,
    suspend = function(j) j:suspend() end,
    activate = function(j) j:activate() end,
    delete = function(j) j:delete() end,
    traceback = function(j) j:traceback() end,
    why = function(j) j:why() end,
  }

  for name, call in pairs(verbs) do
    it(name .. " needs a job that exists", function()
      job:delete()
      local err = refused("not_found", call, job)
      assert.truthy(err.message:find("job " .. job.id, 1, true))
    end)
  end

  it("raises what it raises, once its retries were counted down", function()
    local err = refused("script", job.execute, job)
    assert.truthy(err.message:find("out of order", 1, true))
    assert.equal(1, engine:job(job.id).retries)
    assert.truthy(engine:job(job.id).error:find("out of order", 1, true))
    assert.matches("^[^\n]*out of order\n.*job_spec.lua", job:traceback())
  end)

  it("has no traceback before it failed", function() assert.is_nil(job:traceback()) end)

  it("may be due at the epoch, which is no less a time than others", function()
    for _, epoch in ipairs { 0, 0.0, "1970-01-01T00:00:00Z" } do
      job:set_due(engine:now() + 60)
      job:set_due(epoch)
      assert.equal(0.001, engine:job(job.id).due) -- 0 is "none" in records
      job:set_due(orrery.null)
      assert.is_nil(engine:job(job.id).due)
      job:set_retries(2, { due = epoch })
      assert.equal(0.001, engine:job(job.id).due)
    end
  end)

  it("takes its incident along, whatever else it was", function()
    exhaust()
    job:suspend()
    assert.equal(1, #engine:incidents {})
    job:delete()
    assert.same({}, engine:incidents {})
  end)

  it("is not run inside a transaction or while it is suspended", function()
    refused("state", engine.transaction, engine, function() job:execute() end)
    job:suspend()
    refused("suspended", job.execute, job)
    assert.equal(2, engine:job(job.id).retries)
    assert.equal(0, engine:run_jobs())
    job:activate()
    broken = false
    assert.equal(1, engine:run_jobs())
  end)

  it("has an incident exactly while no retries are left", function()
    refused("argument", job.set_retries, job, -1)
    exhaust()
    exhaust()
    assert.equal(1, #engine:incidents { instance = instance.id, activity = "work", type = "failed_job", job = job.id })
    assert.equal(0, engine:run_jobs())
    job:set_retries(3, { due = engine:now() + 10 })
    assert.same({}, engine:incidents {})
    assert.equal("resolved", engine:history_incidents({})[1].state)
    assert.equal(engine:now() + 10, engine:job(job.id).due)
    assert.equal(0, engine:run_jobs())
    engine:advance(10)
    broken = false
    assert.equal(1, engine:run_jobs())
    assert.is_nil(engine:instance(instance.id))
  end)

  it("waits for its due date, which null takes away", function()
    job:set_due(engine:now() + 60)
    assert.equal(0, engine:run_jobs())
    job:set_due(orrery.null)
    assert.is_nil(engine:job(job.id).due)
    broken = false
    assert.equal(1, engine:run_jobs())
  end)

  it("leaves its token where it was when it is deleted", function()
    exhaust()
    job:delete()
    assert.same({}, engine:jobs {})
    assert.same({}, engine:incidents {})
    assert.same({ "work" }, instance:active())
    local states = {}
    for i, row in ipairs(engine:history_jobs { job_id = job.id }) do states[i] = row.state end
    assert.same({ "created", "deleted" }, states)
    instance:delete()
    assert.is_nil(engine:instance(instance.id))
    assert.same({}, engine:verify())
  end)

  it("logs the tries that each run had, and that it went with its instance", function()
    for _ = 1, 2 do pcall(job.execute, job) end
    instance:delete()
    local log = {}
    for i, row in ipairs(engine:history_jobs { job_id = job.id, order_by = "sequence" }) do log[i] = row.state .. " " .. row.retries end
    assert.same({ "created 2", "failed 2", "failed 1", "deleted 0" }, log)
  end)

  it("leaves no log when its definition is deleted with everything", function()
    engine:undeploy(engine:deployments({})[1].id, { cascade = true })
    assert.same({}, engine:history_jobs {})
  end)

  it("that was to start an instance has an incident of its definition", function()
    support.deploy(engine, [[<startEvent id="s"><timerEventDefinition><timeDuration>PT1M</timeDuration></timerEventDefinition></startEvent>
      <serviceTask id="work" camunda:class="work"/><endEvent id="e"/>]], "s -> work work -> e")
    engine:job({ type = "timer" }):set_retries(0)
    local incident = engine:incidents({})[1]
    assert.same({ "s", engine:definition({ latest = true }).id }, { incident.activity_id, incident.definition_id })
    assert.is_nil(incident.instance_id)
  end)

  it("is no timer to be recalculated", function() refused("state", job.recalculate_due, job, {}) end)

  it("takes any priority that is an integer", function()
    for _, p in ipairs { math.mininteger, -1, 0, math.maxinteger } do
      job:set_priority(p)
      assert.equal(p, engine:job(job.id).priority)
    end
    refused("argument", job.set_priority, job, 1.5)
    refused("argument", job.set_priority, job, "high")
  end)
end)

describe("a timer's job", function()
  local engine
  before_each(function()
    engine = support.engine()
    support.deploy(engine, TIMER, "s -> wait wait -> e")
    engine:start "p"
  end)
  after_each(function() engine:close() end)

  it("is due again from its creation or from now", function()
    local job = engine:job {}
    local created = engine:now()
    engine:advance "PT10M"
    job:set_due(engine:now() + 1)
    job:recalculate_due { from_creation = true }
    assert.equal(created + 3600, engine:job(job.id).due)
    job:recalculate_due { from_creation = false }
    assert.equal(engine:now() + 3600, engine:job(job.id).due)
  end)
end)

describe("a timeout's job", function()
  it("is due again by its listener's timer", function()
    local engine <close> = support.engine()
    engine:register("late", function() end)
    support.deploy(engine, [[<startEvent id="s"/><userTask id="task"><extensionElements>
      <camunda:taskListener id="l" event="timeout" class="late"><timerEventDefinition><timeDuration>${wait}</timeDuration>
      </timerEventDefinition></camunda:taskListener></extensionElements></userTask>]], "s -> task")
    local instance = engine:start("p", { variables = { wait = "PT1H" } })
    local job = engine:job {}
    instance:set("wait", "PT2H")
    engine:advance "PT10M"
    job:recalculate_due { from_creation = true }
    assert.equal(job.created + 7200, engine:job(job.id).due)
    job:recalculate_due { from_creation = false }
    assert.equal(engine:now() + 7200, engine:job(job.id).due)
  end)
end)

describe("the job that waits before a timer event", function()
  it("is no timer", function()
    local engine <close> = support.engine()
    support.deploy(engine, TIMER:gsub('id="wait"', '%0 camunda:asyncBefore="true"'), "s -> wait wait -> e")
    engine:start "p"
    local job = engine:job {}
    refused("state", job.recalculate_due, job, {})
  end)
end)

describe("a cycle's job", function()
  -- every minute beside a user task, with a clock that begins at the epoch's zero
  local function cycle()
    local engine = support.engine { now = 0 }
    support.deploy(engine, [[<startEvent id="s"/><userTask id="task"/><boundaryEvent id="every" attachedToRef="task" cancelActivity="false">
      <timerEventDefinition><timeCycle>R3/PT1M</timeCycle></timerEventDefinition></boundaryEvent><task id="work"/>]],
      "s -> task every -> work")
    engine:start "p"
    return engine
  end

  it("moves the later firings with it where they are to follow", function()
    for cascade, second in pairs { [true] = 140, [false] = 120 } do
      local engine <close> = cycle()
      engine:job({}):set_due(80, { cascade = cascade })
      engine:set_time(81)
      engine:run_jobs()
      assert.equal(second, engine:job({}).due)
    end
  end)
end)

describe("a job definition", function()
  local engine, definition

  before_each(function()
    engine = support.engine()
    engine:register("work", function() end)
    support.async(engine)
    definition = engine:job_definition { activity = "work" }
  end)
  after_each(function() engine:close() end)

  local verbs = {
    set_priority = function(d) d:set_priority(1) end,
    clear_priority = function(d) d:clear_priority() end,
    set_retries = function(d) d:set_retries(1) end,
    suspend = function(d) d:suspend {} end,
    activate = function(d) d:activate {} end,
  }
  for name, call in pairs(verbs) do
    it(name .. " needs one that exists", function()
      engine:undeploy(definition.deployment_id)
      refused("not_found", call, definition)
    end)
  end

  it("overrides priorities of jobs to come, and with cascade of present ones", function()
    engine:start "p"
    definition:set_priority(7)
    assert.equal(0, engine:job({}).priority)
    definition:set_priority(8, { cascade = true })
    assert.equal(8, engine:job({}).priority)
    engine:start "p"
    assert.equal(2, engine:count("jobs", { priority = 8 }))
    definition:clear_priority()
    assert.is_nil(engine:job_definition(definition.id).priority)
    engine:start "p"
    assert.equal(1, engine:count("jobs", { priority = 0 }))
  end)

  it("gives new retries to those of its jobs that have none left", function()
    refused("argument", definition.set_retries, definition, -1)
    for i = 1, 3 do
      local id = engine:start("p").id
      if i > 1 then engine:job({ instance = id }):set_retries(0) end
    end
    definition:set_retries(5, { due = engine:now() + 9 })
    assert.equal(2, engine:count("jobs", { retries = 5, due = engine:now() + 9 }))
    assert.equal(1, engine:count("jobs", { retries = 3 }))
  end)

  it("leaves the incidents of what failed open until it succeeds, one for each", function()
    local broken = true
    engine:register("work", function() if broken then error "out of order" end end)
    engine:deploy { ["caller.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="spec">
      <process id="caller" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="call"/>
      <callActivity id="call" calledElement="p"/></process></definitions>]] }
    engine:start "caller"
    engine:run_jobs()
    local before = engine:incidents { order_by = "id" }
    assert.equal(2, #before)
    definition:set_retries(1)
    assert.equal(1, engine:run_jobs())
    local after = engine:incidents { order_by = "id" }
    assert.same({ before[1].id, before[2].id }, { after[1].id, after[2] and after[2].id })
    broken = false
    definition:set_retries(1)
    assert.equal(2, #engine:incidents {})
    assert.equal(1, engine:run_jobs())
    assert.same({}, engine:incidents {})
    assert.same({}, engine:verify())
  end)

  it("has no incident left where a job was only put aside by hand", function()
    engine:start "p"
    engine:job({}):set_retries(0)
    definition:set_retries(2)
    assert.same({}, engine:incidents {})
  end)

  it("is suspended at once or later, with its jobs or without", function()
    engine:start "p"
    local job = engine:job {}
    definition:suspend { at = engine:now() + 60 }
    assert.is_false(engine:job_definition(definition.id).suspended)
    job:set_due(engine:now() + 1000)
    engine:advance(60)
    assert.equal(1, engine:run_jobs())
    assert.is_true(engine:job_definition(definition.id).suspended)
    assert.is_false(engine:job(job.id).suspended)
    definition:suspend { jobs = true }
    assert.is_true(engine:job(job.id).suspended)
    definition:activate { jobs = true, at = engine:now() + 60 }
    engine:advance(60)
    assert.equal(1, engine:run_jobs())
    assert.is_false(engine:job(job.id).suspended)
    assert.is_false(engine:job_definition(definition.id).suspended)
  end)

  it("that was deleted needs no later suspension", function()
    definition:suspend { at = engine:now() + 60 }
    engine:undeploy(definition.deployment_id, { cascade = true })
    engine:advance(60)
    engine:run_jobs()
    assert.same({}, engine:jobs {})
    assert.same({}, engine:verify())
  end)
end)

describe("an incident", function()
  local engine, incident

  before_each(function()
    engine = support.engine { history = "full" }
    engine:register("work", function() end)
    support.async(engine)
    engine:start "p"
    engine:job({}):set_retries(0)
    incident = engine:incidents({})[1]
  end)
  after_each(function() engine:close() end)

  it("needs to exist", function()
    engine:job({}):set_retries(1)
    refused("not_found", incident.resolve, incident)
    refused("not_found", incident.annotate, incident, "text")
  end)

  it("stands while its job has no retries", function()
    local err = refused("state", incident.resolve, incident)
    assert.truthy(err.message:find(tostring(incident.job_id), 1, true))
    assert.equal(1, #engine:incidents {})
  end)

  it("carries an annotation, also in history", function()
    incident:annotate "seen"
    assert.equal("seen", engine:incidents({})[1].annotation)
    assert.equal("seen", engine:history_incidents({})[1].annotation)
    incident:annotate()
    assert.is_nil(engine:incidents({})[1].annotation)
  end)
end)
