-- What batches do to tokens and instances, how their jobs come and go, and that nothing is lost between two of these.
-- Marks: threads
package.path = "spec/job/?.lua;" .. package.path
local model = require "model"
local orrery = require "orrery"
local folder = require "spec.support.folder"

local HEAD = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="spec"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn">]]

-- start -> a (user task) -> b (user task) -> end, with a listener on a's end
local function steps(version)
  return { ["steps.bpmn"] = HEAD .. ([[<process id="steps" name="v%d" isExecutable="true" camunda:historyTimeToLive="P5D">
    <startEvent id="s"/><userTask id="a"><extensionElements><camunda:executionListener event="end" expression="${heard.add()}"/>
    </extensionElements></userTask><userTask id="b"/><endEvent id="e"/>
    <sequenceFlow id="f1" sourceRef="s" targetRef="a"/><sequenceFlow id="f2" sourceRef="a" targetRef="b"/>
    <sequenceFlow id="f3" sourceRef="b" targetRef="e"/></process></definitions>]]):format(version) }
end

local waiting = { ["w.bpmn"] = HEAD .. [[<message id="m" name="paid"/><process id="w" isExecutable="true">
  <startEvent id="s"/><intermediateCatchEvent id="c"><messageEventDefinition messageRef="m"/></intermediateCatchEvent>
  <userTask id="t"/><sequenceFlow id="f1" sourceRef="s" targetRef="c"/><sequenceFlow id="f2" sourceRef="c" targetRef="t"/>
  </process></definitions>]] }

local function open(path, options)
  local all = { clock = "manual", now = 1000, log = "none", retries = 1 }
  for key, value in pairs(options or {}) do all[key] = value end
  return orrery.open(path, all)
end

local function numbers(batch)
  return { batch.state, batch.jobs, batch.jobs_created, batch.jobs_completed, batch.jobs_remaining, batch.jobs_failed }
end

describe("what a batch does", function()
  local engine, heard

  before_each(function()
    engine, heard = open(nil, { history = "full" }), 0
    engine:register("heard", { add = function() heard = heard + 1 end })
    engine:deploy(steps(1))
  end)
  after_each(function() engine:close() end)

  local function start(n, key)
    for i = 1, n do engine:start(key or "steps", { variables = { n = i }, business_key = "k" .. i }) end
  end

  local function done(request)
    local batch = engine:batch(request)
    engine:run_jobs()
    batch = batch:reload()
    assert.equal("completed", batch.state)
    assert.same({}, engine:verify())
    return batch
  end

  it("delivers a message to the instances that wait for it, and passes over the others", function()
    engine:deploy(waiting)
    start(3, "w")
    engine:message("paid", { business_key = "k1" })
    local batch = done { action = "correlate_message", filter = { definition_key = "w" }, message = "paid", variables = { sum = 5 } }
    assert.same({ "correlate-message", 3, 1 }, { batch.type, batch.done, batch.skipped })
    assert.equal(3, engine:count("tasks", { key = "t" }))
    assert.equal(2, engine:count("instances", { variables = { sum = 5 } }))
  end)

  local function mapped()
    local function mapping(kind) return ('<camunda:%sParameter name="%s">${n}</camunda:%sParameter>'):format(kind, kind, kind) end
    local function task(id)
      return ('<userTask id="%s"><extensionElements><camunda:inputOutput>%s%s</camunda:inputOutput></extensionElements></userTask>')
        :format(id, mapping "input", mapping "output")
    end
    engine:deploy { ["mapped.bpmn"] = HEAD .. '<process id="mapped" isExecutable="true"><startEvent id="s"/>' .. task "a" .. task "b"
      .. '<sequenceFlow id="f1" sourceRef="s" targetRef="a"/><sequenceFlow id="f2" sourceRef="a" targetRef="b"/></process></definitions>' }
    start(1, "mapped")
  end

  --- The variables of the mappings that the instance has had, but for the input of the task it began with.
  local function mappings()
    local found = {}
    for _, row in ipairs(engine:history_variables { name_in = { "input", "output" } }) do found[#found + 1] = row.name end
    table.sort(found)
    assert.equal("input", table.remove(found, 1))
    return table.concat(found, " ")
  end

  for skips, left in pairs { [false] = "input output", [true] = "" } do
    it("modifies instances and " .. (skips and "skips" or "does") .. " mappings", function()
      mapped()
      done { action = "modify", instructions = { { cancel = "a" }, { start_before = "b" } }, skip_io_mappings = skips,
        definition_id = engine:definition({ key = "mapped" }).id }
      assert.equal(left, mappings())
    end)

    it("cancels instances and " .. (skips and "skips" or "does") .. " mappings", function()
      mapped()
      done { action = "cancel", skip_io_mappings = skips, filter = { definition_key = "mapped" } }
      assert.equal(skips and "" or "output", mappings())
    end)
  end

  it("modifies instances", function()
    start(3)
    local request = { action = "modify", size = 1, instructions = { { cancel = "a" }, { start_before = "b" } },
      definition_id = engine:definition({ key = "steps" }).id }
    assert.equal("instance-modification", done(request).type)
    assert.same({ 0, 3, 3 }, { engine:count("tasks", { key = "a" }), engine:count("tasks", { key = "b" }), heard })
    request.instructions = { { start_before = "nowhere" } }
    local ok, err = pcall(engine.batch, engine, request)
    assert.same({ false, "argument" }, { ok, err.kind })
    done { action = "modify", instructions = { { start_before = "a" }, { cancel = "b" } } }
    done { action = "modify", instructions = { { start_before = "b" }, { cancel = "a" } }, skip_listeners = true }
    assert.equal(3, heard)
  end)

  it("migrates instances, whose plan is checked when it is made", function()
    start(3)
    local from = engine:definition { key = "steps" }
    engine:deploy(steps(2))
    local to = engine:definition { key = "steps", latest = true }
    assert.equal("instance-migration", done({ action = "migrate", plan = engine:migration_plan(from.id, to.id) }).type)
    assert.equal(3, engine:count("instances", { definition = to.id }))
    local wrong = { source_definition_id = from.id, target_definition_id = to.id, instructions = { { from = "a", to = "s" } } }
    local ok, err = pcall(engine.batch, engine, { action = "migrate", plan = wrong })
    assert.same({ false, "argument" }, { ok, err.kind })
    local batch = engine:batch { action = "migrate", plan = engine:migration_plan(from.id, to.id), size = 1 }
    engine:run_jobs() -- none of them runs by that version any more
    assert.same({ "running", 3, 3, 0, 3, 3 }, numbers(batch:reload()))
    assert.matches("definition", engine:jobs({ batch_id = batch.id })[1].error)
  end)

  it("starts ended instances again", function()
    start(3)
    for _, instance in ipairs(engine:instances()) do instance:delete() end
    local id = engine:definition({ key = "steps" }).id
    local batch = done { action = "restart", definition_id = id, instructions = { { start_before = "b" } },
      filter = { finished = true, business_key_ne = "k2" } }
    assert.same({ "instance-restart", "history_instances", 2 }, { batch.type, batch.list, batch.done })
    assert.equal(2, engine:count("tasks", { key = "b", business_key_in = { "k1", "k3" } }))
    assert.equal(1, engine:count("instances", { variables = { n = 3 } }))
    done { action = "restart", definition_id = id, filter = { business_key = "k2" }, without_business_key = true }
    assert.equal(1, engine:count("tasks", { key = "a", business_key = orrery.null }))
  end)

  it("cancels without listeners where that is asked for", function()
    start(2)
    done { action = "cancel", skip_listeners = true, filter = { business_key = "k1" } }
    assert.equal(0, heard)
    done { action = "cancel" }
    assert.equal(1, heard)
  end)

  it("sets removal times by the time to live, and of whole hierarchies", function()
    start(2)
    engine:advance(60)
    for _, instance in ipairs(engine:instances()) do instance:delete() end
    done { action = "set_removal_time", at = orrery.null }
    assert.equal(0, engine:count("history_instances", { remove_at_ne = orrery.null }))
    engine:advance(60)
    done { action = "set_removal_time", calculated = true }
    assert.equal(2, engine:count("history_instances", { remove_at = 1060 + 5 * 86400 }))

    engine:deploy { ["c.bpmn"] = HEAD .. [[<process id="c" isExecutable="true"><startEvent id="s"/>
      <callActivity id="call" calledElement="steps"/><sequenceFlow id="f" sourceRef="s" targetRef="call"/></process></definitions>]] }
    local root = engine:start "c"
    done { action = "set_removal_time", at = 7000, filter = { super = root.id } }
    assert.equal(1, engine:count("history_instances", { remove_at = 7000 }))
    done { action = "set_removal_time", at = 8000, filter = { super = root.id }, hierarchical = true }
    assert.equal(2, engine:count("history_instances", { remove_at = 8000 }))
  end)

  it("gives failed jobs tries and a due date, or none", function()
    engine:register("d", function() error "broken" end)
    engine:deploy(model.async())
    start(2, "p")
    engine:run_jobs()
    done { action = "retry", filter = { no_retries = true }, retries = 2, due = 5000 }
    assert.equal(2, engine:count("jobs", { due = 5000, retries = 2 }))
    done { action = "retry", filter = { type = "async" }, retries = 0 }
    assert.equal(2, engine:count("incidents", {}))
  end)
end)

describe("a batch's jobs", function()
  local engine, broken

  before_each(function()
    engine, broken = open(nil, { history = "full" }), true
    engine:register("d", function() if broken then error "broken" end end)
    engine:deploy(model.async())
    for i = 1, 10 do engine:start("p", { variables = { n = i } }) end
  end)
  after_each(function() engine:close() end)

  it("are made by seeds in groups, and watched by a monitor", function()
    local batch = engine:batch { action = "cancel", size = 2, jobs_per_seed = 2, priority = 3 }
    assert.same({ "running", 5, 2, 0, 5, 0 }, numbers(batch))
    local function kinds()
      local out = {}
      for _, job in ipairs(engine:jobs { batch_id = batch.id, order_by = "id" }) do out[#out + 1] = job.type end
      return table.concat(out, " ")
    end
    assert.equal("batch batch batch-seed", kinds())
    engine:job({ type = "batch-seed" }):execute()
    assert.equal("batch batch batch batch batch-seed", kinds())
    engine:job({ type = "batch-seed" }):execute()
    assert.equal("batch batch batch batch batch batch-monitor", kinds())
    assert.equal(3, engine:job({ type = "batch-monitor" }).priority)
    assert.equal(1030, engine:job({ type = "batch-monitor" }).due)
    engine:job(batch.job_id):execute()
    batch:reload()
    assert.same({ "running", 5, 5, 1, 4, 0 }, numbers(batch))
    assert.same({ 2, 8, 0 }, { batch.done, batch.remaining, batch.failed })
    assert.equal(1000, batch.first_run_at)
    assert.same({ "batch-seed", "batch-monitor", "batch" }, { engine:job_definition(batch.seed_job_definition_id).handler,
      engine:job_definition(batch.monitor_job_definition_id).handler, engine:job_definition(batch.batch_job_definition_id).handler })
    engine:run_jobs()
    batch:reload()
    assert.same({ "completed", 5, 5, 5, 0, 0 }, numbers(batch))
    assert.same({ 0, 0 }, { engine:count("jobs", { batch_id = batch.id }),
      engine:count("job_definitions", { type_like = "batch%" }) })
    assert.same({}, engine:verify())
  end)

  it("that failed are told apart and get new tries", function()
    engine:deploy(steps(1))
    engine:register("heard", { add = function() end })
    engine:start("steps", { variables = { n = 11 } })
    local batch = engine:batch { action = "modify", size = 1, instructions = { { start_before = "b" } },
      filter = { variables = { n = { ge = 10 } } } }
    engine:run_jobs()
    batch:reload()
    assert.same({ "running", 2, 2, 1, 1, 1 }, numbers(batch))
    assert.same({ 1, 1, 1 }, { batch.done, batch.remaining, batch.failed })
    assert.equal(1, engine:count("incidents", { job = batch.job_id }))
    assert.equal(1, engine:count("batches", { jobs_failed_gt = 0 }))
    engine:job_definition(batch.batch_job_definition_id):set_retries(1)
    assert.equal(0, batch:reload().jobs_failed)
    engine:run_jobs()
    assert.equal(1, batch:reload().jobs_failed)
    engine:advance(30)
    engine:run_jobs() -- the monitor sees that one is left, and comes again
    batch:retry(2)
    assert.equal(2, engine:job(batch.job_id).retries)
    engine:job(batch.job_id):delete() -- the operator gives it up: the monitor sees that nothing is left
    assert.equal("running", batch:reload().state)
    engine:advance(30)
    engine:run_jobs()
    assert.same({ "completed", 2 }, { batch:reload().state, batch.done })
  end)

  it("wait while their job definition is suspended, those that the batch is yet to make too", function()
    local batch = engine:batch { action = "cancel", size = 1, jobs_per_seed = 4 }
    engine:job_definition(batch.batch_job_definition_id):suspend()
    local before = engine:count("jobs", { type = "batch", suspended = true })
    engine:job({ type = "batch-seed" }):execute()
    assert.equal(before + 4, engine:count("jobs", { type = "batch", suspended = true }))
    assert.is_false(batch:reload().suspended)
  end)

  it("wait while the batch is suspended, those that it is yet to make too", function()
    local batch = engine:batch { action = "cancel", size = 1, jobs_per_seed = 4 }
    batch:suspend()
    assert.is_true(batch:reload().suspended)
    broken = false
    local seed = engine:job { type = "batch-seed" }
    seed:activate() -- by hand, alone
    seed:execute()
    assert.equal(8, engine:count("jobs", { type = "batch", suspended = true }))
    assert.is_true(engine:job_definition(batch.batch_job_definition_id).suspended)
    assert.equal(10, engine:run_jobs(10))
    assert.equal(0, batch:reload().done)
    batch:activate()
    engine:run_jobs()
    assert.same({ "completed", false }, { batch:reload().state, batch.suspended })
    local ok, err = pcall(batch.suspend, batch)
    assert.same({ false, "state" }, { ok, err.kind })
  end)

  it("go when it is canceled or deleted", function()
    local batch = engine:batch { action = "cancel", size = 1, jobs_per_seed = 4 }
    engine:job(batch.job_id):execute()
    local ok, err = pcall(batch.delete, batch)
    assert.same({ false, "state" }, { ok, err.kind })
    batch:cancel()
    batch:reload()
    assert.same({ "canceled", 1, 0 }, { batch.state, batch.done, batch.remaining })
    assert.equal(9, engine:count("instances", {}))
    batch:delete()
    assert.is_nil(batch:reload())
    engine:batch({ action = "suspend", jobs_per_seed = 1, size = 1 }):delete { cascade = true }
    assert.same({ 0, 0, 0 }, { engine:count("batches", {}), engine:count("job_definitions", { type_like = "batch%" }),
      engine:count("jobs", { type_like = "batch%" }) })
    assert.same({}, engine:verify())
  end)

  it("are a limit's business by their job definition", function()
    local batch = engine:batch { action = "cancel", size = 5 }
    engine:set_limit({ job_definition = batch.batch_job_definition_id }, { max = 1 })
    engine:run_jobs()
    assert.equal("completed", batch:reload().state)
  end)

  it("are told by who made them, and what was done to them is logged", function()
    local batch
    engine:as("ann", function()
      batch = engine:batch { action = "suspend" }
      batch:suspend()
      batch:activate()
      batch:cancel()
      batch:delete()
    end)
    assert.equal("ann", batch.user)
    local types = {}
    for _, row in ipairs(engine:history_operations { batch_id = batch.id, order_by = "id" }) do
      types[#types + 1] = row.type .. (row.property and ":" .. row.property or "")
    end
    assert.same({ "Create:action", "Create:nrOfInstances", "Create:async", "SuspendBatch:suspensionState",
      "ActivateBatch:suspensionState", "Delete", "DeleteHistory" }, types)
  end)

  it("and the batches themselves are cleaned up in time", function()
    engine:batch { action = "suspend" }
    engine:run_jobs()
    engine:batch { action = "activate" }
    engine:run_jobs()
    engine:batch { action = "set_removal_time", list = "batches", filter = { action = "suspend" }, at = 2000 }
    engine:run_jobs()
    engine:batch { action = "set_priority", value = 1, size = 1 } -- runs
    engine:advance(2000)
    engine:schedule_clean_history {}
    engine:run_jobs(1)
    while engine:count("jobs", { type = "clean-history" }) > 0 do engine:run_jobs(1) end
    assert.equal(0, engine:count("batches", { action = "suspend" }))
    assert.equal(1, engine:count("batches", { action = "activate" }))
    engine:clean_history { ended_before = engine:now() + 1 }
    assert.equal(0, engine:count("batches", { ended_at_ne = orrery.null }))
  end)
end)

describe("a batch that is killed", function()
  -- The store is opened anew between any two steps, without a word to the engine before: what is not committed is gone.
  it("goes on at the step that it was at", function()
    local path = os.tmpname()
    os.remove(path)
    local engine = open(path)
    engine:register("heard", { add = function() end })
    engine:deploy(steps(1))
    for i = 1, 7 do engine:start("steps", { variables = { n = i } }) end
    local id = engine:batch({ action = "set_variables", size = 2, jobs_per_seed = 1, variables = { seen = true } }).id
    local steps_taken, done_before = 0, 0
    repeat
      engine:close()
      engine = open(path)
      local batch = engine:batch(id)
      assert.is_true(batch.done >= done_before)
      assert.equal(batch.done, engine:count("instances", { variables = { seen = true } }))
      assert.equal(batch.jobs, batch.jobs_completed + batch.jobs_remaining)
      assert.same({}, engine:verify())
      done_before = batch.done
      -- a step that fails at its end leaves nothing: it is run within a transaction that is rolled back
      pcall(engine.transaction, engine, function()
        engine:batch { action = "suspend", list = "jobs", filter = { batch_id = id } }
        error "killed"
      end)
      steps_taken = steps_taken + engine:run_jobs(1)
    until engine:batch(id).ended_at
    assert.equal(7, steps_taken) -- four jobs and three seeds
    assert.equal(7, engine:count("instances", { variables = { seen = true } }))
    engine:close()
    os.execute("rm -rf " .. path)
  end)
end)

--- Asks until the answer is yes; an error after a minute.
local function wait_for(ask, what)
  local began = os.time()
  while not ask() do
    assert(os.time() - began < 60, "waited in vain for " .. what)
    orrery.sleep(0.01)
  end
end

describe("a batch with many workers", function()
  --- Of an engine whose clock stands still, so that the batch's monitor is due 30 s later than the batch was made: moves it to
  --- each look that is planned.
  local function ended(engine, batch)
    assert.is_true(engine:wait_idle(60))
    while batch:reload().state ~= "completed" do
      local due = engine:jobs({ type = "batch-monitor", order_by = "due" })[1].due
      engine:advance(due - engine:now())
      assert.is_true(engine:wait_idle(60))
    end
    return batch
  end

  it("ends at once when its last jobs are done together", function()
    local engine <close> = open()
    engine:register("heard", { add = function() end })
    engine:deploy(steps(1))
    for i = 1, 60 do engine:start("steps", { variables = { n = i } }) end
    engine:start_executor { threads = 4 }
    for round = 1, 5 do
      local batch = ended(engine, engine:batch { action = "set_variables", size = 3, jobs_per_seed = 6, variables = { round = round } })
      assert.is_true(batch.ended_at < batch.created + 30, "its monitor ended it")
      assert.equal(60, engine:count("instances", { variables = { round = round } }))
    end
    engine:stop_executor()
    assert.same({}, engine:verify())
  end)

  it("is looked at again and again while its last jobs are at work, however many they are", function()
    local engine <close> = orrery.open(nil, { log = "none" })
    local place = folder.make()
    finally(function() folder.remove(place) end)
    engine:register("gate", function(n, path)
      while n < 12 and not io.open(path .. "/open") do require("orrery").sleep(0.01) end
    end)
    engine:deploy { ["gated.bpmn"] = (steps(1)["steps.bpmn"]:gsub("heard.add%(%)", "gate(n, path)")) }
    for i = 1, 12 do engine:start("steps", { variables = { n = i, path = place } }) end
    engine:start_executor { threads = 1 }
    local batch = engine:batch { action = "modify", size = 1, instructions = { { cancel = "a" }, { start_before = "b" } },
      definition_id = engine:definition({ key = "steps" }).id }
    -- the one job that does not wait is done, and what looks behind it, beside the monitor, is planned anew each time that it finds
    -- the others
    wait_for(function() return batch:reload().jobs_completed == 1 and engine:count("jobs", { type = "batch-monitor" }) == 2 end, "a look")
    assert(io.open(place .. "/open", "w")):close()
    wait_for(function() return batch:reload().state == "completed" end, "the batch's end")
    assert.equal(12, engine:count("tasks", { key = "b" }))
    engine:stop_executor()
    assert.same({}, engine:verify())
  end)
end)
