-- Races about history, clean-up, batches and incidents (reliability A6), each in all orders of the two commands' steps.
local race = require "spec.sim.race"
local every, process = race.every, race.process

local USER = process('<userTask id="u"/>', "s -> u")
local DAY = 24 * 60 * 60 * 1000

local function complete(engine) return { "task_complete", { task = engine:only("tasks").id } } end
local function schedule(request) return { "schedule_clean_history", { request = request } } end
local function run(job) return { "run_job", { job = job } } end

-- A clean-up job that takes all that has ended.
local function cleaning(engine, size)
  engine:advance(DAY)
  engine:call(table.unpack(schedule { ended_before = "2100-01-01T00:00:00Z", batch_size = size }))
  return engine:only("jobs").id
end

describe("Races of clean-up:", function()
  it("two schedules made at once: there is one", function()
    every("two schedules", nil, { "conflict ok", "ok conflict", "ok ok" }, function()
      return schedule { every = 3600 }, schedule { every = 7200 }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(1, engine:count "jobs", where)
    end)
  end)

  it("a new schedule while the old one's job runs", function()
    every("schedule and run", nil, { "conflict ok", "ok conflict", "ok not_found", "ok ok" }, function(engine)
      engine:call(table.unpack(schedule { every = 3600 }))
      return schedule { every = 7200 }, run(engine:only("jobs").id)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(1, engine:count "jobs", where)
    end)
  end)

  it("the schedule ends while its job runs", function()
    every("end and run", nil, { "conflict ok", "ok conflict", "ok not_found", "ok ok" }, function(engine)
      engine:call(table.unpack(schedule { every = 3600 }))
      return schedule { off = true }, run(engine:only("jobs").id)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and 0 or 1, engine:count "jobs", where)
    end)
  end)

  it("an instance that ends meanwhile is left to the next round, or taken whole", function()
    every("clean-up and end", USER, { "ok ok" }, function(engine)
      return run(cleaning(engine)), complete(engine)
    end, function(engine, a, b, where)
      assert.is_true(a and b, where)
      local rows = engine:count "history_instances"
      assert.same({ engine.history and rows or 0, engine.history and rows or 0 },
        { engine:count "history_tasks", engine:count "history_instances" }, where)
    end)
  end)

  it("a running instance is not touched", function()
    every("clean-up and variable", USER, { "ok ok" }, function(engine)
      return run(cleaning(engine)), { "set_variables", { scope = engine:only("instances").id, variables = { v = 1 } } }
    end, function(engine, a, b, where)
      assert.is_true(a and b, where)
      assert.same({ 1, engine.history and 1 or 0 }, { engine:variable "v", engine:count "history_instances" }, where)
    end)
  end)

  it("two clean-ups at once take each instance once", function()
    every("two clean-ups", USER, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      engine:does(table.unpack(complete(engine)))
      local id = cleaning(engine)
      return run(id), { "clean_history", { ended_before = 4102444800000 } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.same({ 0, 0 }, { engine:count "history_instances", engine:count "history_tasks" }, where)
    end)
  end)

  it("a clean-up and the deletion of the definition with its history", function()
    every("clean-up and cascade", USER, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      engine:does(table.unpack(complete(engine)))
      return run(cleaning(engine)), { "delete_definition", { definition = engine:only("definitions").id, cascade = true } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.same({ 0, 0 }, { engine:count "history_instances", engine:count "history_tasks" }, where)
    end)
  end)
end)

describe("Races of batches:", function()
  local function batch(engine, request)
    request.size = 1
    return engine:call("batch", request)[1]
  end

  it("a step happens once", function()
    every("two steps", USER, { "conflict ok", "not_found ok", "ok conflict", "ok not_found" }, function(engine)
      local made = batch(engine, { action = "suspend" })
      return run(made.job_id), run(made.job_id)
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.same({ "completed", 1 }, { engine:only("batches").state, engine:only("batches").done }, where)
    end)
  end)

  it("a step that cancels, and the end of its instance", function()
    every("cancel and end", USER, { "conflict ok", "ok conflict", "ok not_found", "ok ok" }, function(engine)
      return run(batch(engine, { action = "cancel" }).job_id), complete(engine)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      engine:run_jobs() -- a step that lost is tried again
      local made = engine:only "batches"
      assert.same({ "completed", 1, b and 1 or 0 }, { made.state, made.done, made.skipped }, where)
      assert.equal(0, engine:count "instances", where)
    end)
  end)

  it("a step that cancels, and the user's deletion", function()
    every("cancel and deletion", USER, { "conflict ok", "ok conflict", "ok not_found", "ok ok" }, function(engine)
      return run(batch(engine, { action = "cancel" }).job_id), { "delete_instance", { instance = engine:only("instances").id } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      engine:run_jobs()
      assert.same({ "completed", 0 }, { engine:only("batches").state, engine:count "instances" }, where)
    end)
  end)

  it("a job that a seed makes while its job definition is suspended is suspended, or is made anew", function()
    every("seed and suspension", USER, { "conflict ok", "ok ok" }, function(engine)
      engine:call("start", { key = "p" })
      local made = engine:call("batch", { action = "cancel", size = 1, jobs_per_seed = 1 })[1]
      local seed = engine:list("jobs", { type = "batch-seed" })[1].id
      return run(seed), { "job_definition_suspend", { job_definition = made.batch_job_definition_id } }
    end, function(engine, a, _, where)
      local jobs = engine:list("jobs", { type = "batch" })
      assert.equal(a and 2 or 1, #jobs, where)
      if a then assert.equal(race.second_first(where), jobs[2].suspended, where) end
    end)
  end)

  it("a batch is canceled while its step runs: the step happened, or not", function()
    every("batch canceled", USER, { "conflict ok", "ok conflict", "ok not_found", "ok ok" }, function(engine)
      engine:call("start", { key = "p" })
      local made = batch(engine, { action = "suspend" })
      return { "batch_cancel", { batch = made.id } }, run(made.job_id)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      engine:run_jobs()
      local made = engine:only "batches"
      assert.equal(a and "canceled" or "completed", made.state, where)
      assert.equal(made.done, engine:count("instances", { suspended = true }), where)
      assert.equal(a and (b and 1 or 0) or 2, made.done, where)
      assert.equal(0, engine:count "jobs", where)
    end)
  end)

  it("a step of new retries, and the run of the job", function()
    local model = process('<serviceTask id="t" camunda:class="work" camunda:asyncBefore="true"/><userTask id="u"/>', "s -> t t -> u")
    every("retries and run", model, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      local job = engine:only("jobs").id
      local made = batch(engine, { action = "retry", retries = 9 })
      return run(made.job_id), run(job)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      if not b then
        for _, job in ipairs(engine:list("jobs", { type = "async" })) do assert.equal(9, job.retries, where) end
      end
      engine:run_jobs()
      assert.same({ 1, "u", 0 }, { engine:variable "n", engine:tasks(), engine:count "jobs" }, where)
    end)
  end)
end)
