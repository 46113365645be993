-- Batches and the clean-up of history (features J19).
-- Marks: records
package.path = "spec/job/?.lua;" .. package.path
local orrery = require "orrery"
local model = require "model"

describe("a batch", function()
  local engine, broken

  before_each(function()
    engine = orrery.open(nil, { clock = "manual", now = 1000, log = "none", retries = 1 })
    broken = true
    engine:register("d", function() if broken then error "broken" end end)
    engine:deploy(model.async())
  end)
  after_each(function() engine:close() end)

  local function start(count)
    for i = 1, count do engine:start("p", { variables = { n = i } }) end
  end

  it("gives failed jobs new retries, in steps, and tells its progress", function()
    start(25)
    engine:run_jobs()
    assert.equal(25, engine:count("incidents", {}))
    broken = false
    local batch = engine:batch { action = "retry", filter = { no_retries = true }, size = 10, priority = 5 }
    assert.same({ "running", 25, 0, 10 }, { batch.state, batch.total, batch.done, batch.size })
    local step = engine:job(batch.job_id)
    assert.same({ "batch", 5 }, { step.type, step.priority })
    step:execute()
    batch = engine:batch(batch.id)
    assert.same({ "running", 10, 15, 0 }, { batch.state, batch.done, batch.remaining, batch.failed })
    engine:job(batch.job_id):set_retries(0)
    assert.same({ 15, 10 }, { engine:batch(batch.id).remaining, engine:batch(batch.id).failed })
    engine:job(batch.job_id):set_retries(1)
    assert.equal(15, engine:count("incidents", {}))
    engine:run_jobs()
    batch = engine:batch(batch.id)
    assert.same({ "completed", 25, 0 }, { batch.state, batch.done, batch.skipped })
    assert.equal(0, engine:count("instances", {}))
    assert.same({}, engine:verify())
  end)

  it("gives as many retries as are asked for: one when nothing is said, and none for 0", function()
    start(1)
    engine:run_jobs()
    local function given(retries)
      local job = engine:jobs({ type = "async" })[1] or engine:jobs {}[1]
      engine:run_jobs()
      local batch = engine:batch { action = "retry", retries = retries, filter = { id = job.id } }
      engine:job(batch.job_id):execute()
      return engine:job(job.id).retries
    end
    assert.same({ 1, 3, 0 }, { given(nil), given(3), given(0) })
  end)

  it("cancels instances, and skips those that went before their turn", function()
    start(12)
    local batch = engine:batch { action = "cancel", filter = { definition_key = "p" }, size = 5, reason = "too late" }
    engine:instances {}[12]:delete "by hand"
    for _ = 1, 3 do engine:job(engine:batch(batch.id).job_id):execute() end
    batch = engine:batch(batch.id)
    assert.same({ "completed", 12, 12, 1 }, { batch.state, batch.total, batch.done, batch.skipped })
    assert.equal(0, engine:count("instances", {}))
    assert.equal(11, engine:count("history_instances", { delete_reason = "too late" }))
  end)

  it("sets variables of instances, as the instance's own", function()
    start(7)
    local batch = engine:batch { action = "set_variables", filter = { variables = { n = { le = 5 } } }, size = 2,
      variables = { n = 0, note = { a = { 1 } } } }
    engine:instances({ variables = { n = 1 } })[1]:delete()
    while engine:batch(batch.id).state == "running" do engine:job(engine:batch(batch.id).job_id):execute() end
    batch = engine:batch(batch.id)
    assert.same({ 5, 5, 1 }, { batch.total, batch.done, batch.skipped })
    assert.equal(4, engine:count("instances", { variables = { n = 0 } }))
    assert.same({ a = { 1 } }, engine:instance({ variables = { n = 0 } }):get "note")
    for _, wrong in ipairs { {}, { variables = {} }, { variables = "x" } } do
      wrong.action = "set_variables"
      local ok, err = pcall(engine.batch, engine, wrong)
      assert.same({ false, "argument" }, { ok, err.kind })
    end
  end)

  it("deletes the history of what has ended, and sets when it goes", function()
    start(6)
    for i, instance in ipairs(engine:instances()) do
      if i <= 4 then instance:delete() end
    end
    engine:batch { action = "set_removal_time", filter = { finished = true }, at = 5000 }
    engine:run_jobs()
    assert.equal(4, engine:count("history_instances", { remove_at = 5000 }))
    engine:batch { action = "set_removal_time", filter = { finished = true }, at = orrery.null }
    engine:run_jobs()
    assert.equal(0, engine:count("history_instances", { remove_at_ne = orrery.null }))
    local batch = engine:batch { action = "delete_history", size = 4 }
    engine:run_jobs()
    batch = engine:batch(batch.id)
    assert.same({ "completed", 6, 2 }, { batch.state, batch.done, batch.skipped })
    assert.equal(2, engine:count("history_instances", {}))
    assert.same({}, engine:verify())
    local ok, err = pcall(engine.batch, engine, { action = "set_removal_time" })
    assert.same({ false, "argument" }, { ok, err.kind })
    ok, err = pcall(engine.batch, engine, { action = "delete_history", list = "instances" })
    assert.same({ false, "argument" }, { ok, err.kind })
  end)

  it("gives external tasks new retries", function()
    engine:deploy { ["x.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="spec"
      xmlns:camunda="http://camunda.org/schema/1.0/bpmn"><process id="x" isExecutable="true"><startEvent id="s"/>
      <serviceTask id="t" camunda:type="external" camunda:topic="a"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/></process>
      </definitions>]] }
    for _ = 1, 3 do engine:start "x" end
    for _, task in ipairs(engine:fetch_and_lock { worker = "w", max = 3, topics = { { name = "a", lock = 60 } } }) do
      task:fail("w", { message = "no", retries = 0 })
    end
    assert.equal(3, engine:count("incidents", { type = "failed_external_task" }))
    engine:batch { action = "retry", list = "external_tasks", filter = { no_retries = true }, retries = 4 }
    engine:run_jobs()
    assert.equal(3, engine:count("external_tasks", { no_retries = false }))
    assert.equal(4, engine:external_tasks()[1].retries)
    assert.equal(0, engine:count("incidents", {}))
  end)

  it("suspends and activates instances or jobs", function()
    start(3)
    engine:batch { action = "suspend" }
    engine:run_jobs()
    assert.equal(3, engine:count("instances", { suspended = true }))
    engine:batch { action = "activate" }
    engine:batch { action = "suspend", list = "jobs", filter = { type = "async" } }
    broken = false
    engine:run_jobs(2)
    assert.equal(0, engine:count("instances", { suspended = true }))
  end)

  it("sets priorities", function()
    start(3)
    engine:batch { action = "set_priority", filter = { type = "async" }, value = 7, priority = 100 }
    engine:job(engine:batch { state = "running" }.job_id):execute()
    assert.equal(3, engine:count("jobs", { priority = 7 }))
  end)

  it("that finds nothing is done at once", function()
    local batch = engine:batch { action = "retry" }
    assert.same({ "completed", 0 }, { batch.state, batch.total })
    assert.equal(0, engine:count("jobs", {}))
  end)

  it("ends when it is canceled, and keeps what was done", function()
    start(4)
    local batch = engine:batch { action = "cancel", size = 1 }
    engine:job(batch.job_id):execute()
    engine:cancel_batch(batch.id)
    assert.equal("canceled", engine:batch(batch.id).state)
    assert.equal(3, engine:count("instances", {}))
    assert.equal(0, engine:count("jobs", { type = "batch" }))
    assert.is_false((pcall(engine.cancel_batch, engine, batch.id)))
  end)

  it("refuses what makes no sense", function()
    for _, wrong in ipairs { { action = "explode" }, { action = "retry", list = "instances" }, { action = "cancel", size = 0 },
      { action = "set_priority" }, { action = "retry", retries = -1 },
      { action = "cancel", jobs_per_seed = 0 }, { action = "retry", priority = "x" }, { action = "modify" },
      { action = "modify", instructions = {} }, { action = "migrate" },
      { action = "migrate", plan = { source_definition_id = "1" } }, { action = "restart" }, { action = "restart", definition_id = "x" },
      { action = "correlate_message", message = 5 }, { action = "set_removal_time", at = 1, calculated = true },
      { action = "retry", list = "external_tasks", due = 5 }, { action = "cancel", skip_listeners = "yes" } } do
      local ok, problem = pcall(engine.batch, engine, wrong)
      assert.is_false(ok)
      assert.equal("argument", problem.kind)
    end
    assert.equal(0, engine:count("batches", {}))
  end)
end)

describe("the clean-up of history", function()
  local engine
  local DAY = 86400

  before_each(function()
    engine = orrery.open(nil, { clock = "manual", now = 1000, log = "none" })
    engine:register("d", function() end)
  end)
  after_each(function() engine:close() end)

  local function ended(count, ttl)
    engine:deploy(model.task('camunda:class="d"', ttl and ('camunda:historyTimeToLive="%s"'):format(ttl)))
    for _ = 1, count do engine:start "p" end
  end
  local function left() return engine:count("history_instances", {}) end

  it("takes what has outlived its definition's time to live, in steps", function()
    ended(7, "5")
    ended(2, "P10D")
    ended(1)
    engine:advance(5 * DAY - 1)
    engine:schedule_clean_history { batch_size = 3, priority = 4 }
    assert.same({ "clean-history", 4 }, { engine:jobs {}[1].type, engine:jobs {}[1].priority })
    assert.equal(1, engine:run_jobs())
    assert.equal(10, left())
    engine:advance(1)
    engine:schedule_clean_history { batch_size = 3 }
    assert.equal(3, engine:run_jobs()) -- 3, 3, 1
    assert.equal(3, left())
    engine:advance(5 * DAY)
    engine:schedule_clean_history {}
    engine:run_jobs()
    assert.equal(1, left())
    engine:schedule_clean_history { ended_before = engine:now() }
    engine:run_jobs()
    assert.equal(0, left())
    assert.equal(0, engine:count("history_activities", {}))
  end)

  it("comes again by its schedule, of which there is one", function()
    engine:schedule_clean_history { every = "PT1H" }
    engine:schedule_clean_history { at = 1000 + 60, every = "P1D" }
    assert.equal(1, engine:count("jobs", {}))
    assert.equal(0, engine:run_jobs())
    engine:advance(60)
    for _ = 1, 3 do
      assert.equal(1, engine:run_jobs())
      engine:advance(DAY)
    end
    engine:schedule_clean_history { off = true }
    assert.equal(0, engine:count("jobs", {}))
  end)
end)
