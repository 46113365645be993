-- What the engine tells of its jobs (features J18).
-- Marks: threads, records
package.path = "spec/job/?.lua;" .. package.path
local orrery = require "orrery"
local model = require "model"

describe("metrics", function()
  it("are a text that Prometheus reads", function()
    local engine <close> = orrery.open(nil, { clock = "manual", now = 1000, log = "none", name = 'a "b"', retries = 1 })
    engine:register("d", function(execution) if execution:get "n" == 1 then error "broken" end end)
    engine:deploy(model.async('camunda:jobPriority="${n == 2 ? 50 : 0}"'))
    for n = 1, 3 do engine:start("p", { variables = { n = n } }) end
    engine:run_jobs(1)
    engine:run_jobs(0)
    for n = 1, 3 do engine:start("p", { variables = { n = n } }) end
    engine:advance(90)
    local text = engine:metrics_text()
    local values = {}
    for line in text:gmatch "[^\n]+" do
      if line:sub(1, 1) == "#" then
        assert.matches("^# [HT][EY][LP][PE] orrery_[%w_]+ .", line)
      else
        local name, labels, value = line:match '^(orrery_[%w_]+)({engine="a \\"b\\"".*}) ([-%d.]+)$'
        assert.truthy(name, line)
        values[name .. (labels:match 'priority="([^"]*)"' or "")] = tonumber(value)
      end
    end
    assert.equal(3, values.orrery_job_started_total)
    assert.equal(2, values.orrery_job_successful_total)
    assert.equal(1, values.orrery_job_failed_total)
    assert.equal(3, values.orrery_jobs_ready)
    assert.equal(1, values.orrery_jobs_exhausted)
    assert.equal(0, values.orrery_jobs_locked)
    assert.same({ 0, 0 }, { values.orrery_views_held, values.orrery_view_longest_seconds })
    assert.equal(90, values["orrery_job_oldest_wait_seconds0"])
    assert.equal(90, values["orrery_job_oldest_wait_seconds10 to 99"])
    assert.is_nil(values["orrery_job_oldest_wait_seconds1 to 9"])
  end)

  it("count how long jobs were due before they ran", function()
    local engine <close> = orrery.open(nil, { clock = "manual", now = 1000, log = "none" })
    engine:register("d", function() end)
    engine:deploy(model.async())
    for _ = 1, 2 do
      engine:start "p"
      engine:advance(3)
    end
    engine:run_jobs()
    assert.same({ 2, 9000 }, { engine:metrics()["job-started"], engine:metrics()["job-waited-ms"] })
  end)

  it("count instances and activities, but nothing that was rolled back", function()
    local engine <close> = orrery.open(nil, { log = "none" })
    engine:register("d", function() end)
    engine:deploy(model.task 'camunda:class="d"')
    pcall(engine.transaction, engine, function()
      engine:start "p"
      error "not after all"
    end)
    for _ = 1, 2 do engine:start "p" end
    local metrics = engine:metrics()
    assert.equal(2, metrics["root-process-instance-start"])
    assert.equal(2, metrics["process-instance-end"])
    assert.equal(6, metrics["activity-instance-start"])
  end)

  it("count exclusive jobs, whether acquired or handed over", function()
    local engine <close> = orrery.open(nil, { log = "none" })
    engine:register("d", function() end)
    engine:deploy(model.async())
    for _ = 1, 3 do engine:start "p" end
    engine:start_executor { threads = 1 }
    assert.is_true(engine:wait_idle(60))
    assert.equal(3, engine:metrics()["job-locked-exclusive"])
  end)
end)

-- Seed: "Diagnosing a Job During Execution": what is it at?
describe("the executor's threads", function()
  local gate
  before_each(function()
    gate = os.tmpname()
  end)
  after_each(function()
    os.remove(gate)
    os.remove(gate .. ".began")
  end)

  local function began()
    local file = io.open(gate .. ".began")
    if file then file:close() end
    return file ~= nil
  end

  --- Runs the slow delegate in an executor, asks, lets it end.
  local function ask(how, options)
    options.log, options.package_path = "none", "spec/job/?.lua;" .. package.path
    local engine <close> = orrery.open(nil, options)
    engine:deploy(model.task 'camunda:asyncBefore="true" camunda:class="delegates.slow"')
    engine:start_executor { threads = 2 }
    local instance = engine:start("p", { variables = { how = how, path = gate } })
    while not began() do engine:wait_idle(0.001) end
    local running
    repeat running = engine:running(10) until how ~= "awaits" or running[1].state == "awaiting"
    local executor = engine:executors()[1]
    os.remove(gate)
    assert.is_true(engine:wait_idle(120))
    assert.same({}, engine:running(10))
    return running, instance, executor
  end

  local on_disk = require("spec.support.folder").only(it, pending, "how many jobs wait is told by an executor's file beside the store")

  on_disk("tell what awaits where, with its traceback", function()
    local running, instance, executor = ask("awaits", {})
    assert.equal(1, #running)
    assert.same({ 1, 0 }, { executor.waiting, #executor.jobs })
    assert.same({ "t", instance.id, "awaiting" }, { running[1].activity_id, running[1].instance_id, running[1].state })
    assert.matches("slow.lua:%d+", running[1].traceback)
  end)

  it("are not stopped: one that computes tells its line, too", function()
    local before = os.time()
    local running = ask("computes", {})
    assert.equal(1, #running)
    assert.same({ "t", "running" }, { running[1].activity_id, running[1].state })
    assert.matches("slow.lua:%d+", running[1].traceback)
    assert.is_true(running[1].since >= before - 1 and running[1].since <= os.time() + 1)
  end)

  it("tell the line of a coroutine that the delegate runs, and its own below", function()
    local running = ask("computes in a coroutine", {})
    assert.equal("running", running[1].state)
    local _, stacks = running[1].traceback:gsub("stack traceback:", "")
    assert.equal(2, stacks, running[1].traceback)
    assert.matches("in upvalue 'keep'.*in function 'delegates.slow'", running[1].traceback)
  end)

  it("answer within a script too when scripts have a budget", function()
    local engine <close> = orrery.open(nil, { log = "none", sandbox = { instructions = 1000000000 } })
    local resources = model.task 'camunda:asyncBefore="true" camunda:class="d"'
    resources["p.bpmn"] = resources["p.bpmn"]:gsub("<serviceTask.-/>",
      [[<scriptTask id="t" camunda:asyncBefore="true" scriptFormat="lua"><script>
        local n = 0
        while n ~= 30000000 do n = n + 1 end</script></scriptTask>]])
    engine:deploy(resources)
    engine:start_executor { threads = 1 }
    engine:start "p"
    local running
    repeat running = engine:running(10) until running[1] or engine:count("jobs", {}) == 0
    assert.equal("running", running[1].state)
    assert.matches("%d+: in ", running[1].traceback)
    assert.is_true(engine:wait_idle(120))
  end)
end)

-- Seed: "Identifying the problem: set the loggers to DEBUG".
describe("the log", function()
  it("tells each step of a job's way, with its fields", function()
    local events = {}
    local engine <close> = orrery.open(nil, { clock = "manual", now = 1000, retries = 2, log = function(level, message, fields)
      if fields.event then
        events[#events + 1] = { level, fields.event }
        events[#events].fields, events[#events].message = fields, message
      end
    end })
    local broken = true
    engine:register("d", function() if broken then error "broken" end end)
    engine:deploy(model.async())
    local instance = engine:start "p"
    local job = engine:jobs {}[1]
    engine:run_jobs()
    engine:advance(10)
    local function names()
      local out = {}
      for i, event in ipairs(events) do out[i] = event[1] .. ": " .. event[2] end
      return out
    end
    assert.same({ "debug: job locked", "debug: job started", "warning: job failed", "debug: job locked", "debug: job started",
      "warning: job failed", "warning: job incident" }, names())
    local started, failed, incident = events[2].fields, events[3], events[7].fields
    assert.same({ "async-before", "t", 1, 0 }, { started.handler, started.activity, started.attempt, started.waited_ms })
    assert.equal(tostring(job.id), tostring(started.job))
    assert.equal(tostring(instance.id), tostring(started.instance))
    assert.equal(1, failed.fields.retries)
    assert.matches("^job failed job=%d+ retries=1 .*activity=t: .*broken", failed.message)
    assert.equal("t", incident.activity)
    assert.matches("broken$", failed.fields.text)
    events, broken = {}, false
    engine:job(job.id):set_retries(1)
    engine:run_jobs()
    assert.same({ "debug: job locked", "debug: job started", "debug: job succeeded" }, names())
  end)

  --- An engine that notes the events of its jobs, by name.
  local function noting(options)
    local names = {}
    options.log = function(_, _, fields) names[#names + 1] = fields.event end
    return orrery.open(nil, options), names
  end

  it("says that a job succeeded when its commit is made, not before", function()
    local opened, names = noting {}
    local engine <close> = opened
    local first = true
    engine:register("d", function(execution)
      execution:set("x", 1)
      if first then orrery.sleep(0.001) end
      first = false
    end)
    engine:deploy(model.async())
    local instance = engine:start("p", { variables = { x = 0 } })
    engine:poll(0)
    instance:set("x", 2) -- meanwhile
    repeat engine:poll(0.01) until engine:count "jobs" == 0
    assert.same({ "job locked", "job started", "job conflict", "job started", "job succeeded" }, names)
  end)

  it("says by whom a job is held that neither failed nor went on", function()
    local opened, names = noting { clock = "manual" }
    local engine <close> = opened
    local support = require "spec.support.process"
    support.single(engine)
    support.deploy(engine, '<startEvent id="s"/><callActivity id="c" calledElement="p"/>', "s -> c", { key = "q" })
    engine:register("work", function() end)
    engine:start("q"):suspend()
    engine:run_jobs()
    assert.same({ "job locked", "job started", "job held" }, names)
  end)

  -- Seed: "Diagnosing the Thread Pool": the time between acquisition and execution; "Working with Log Files": thread ids.
  it("says when and on which thread, also of what is heard later", function()
    local events, order = {}, {}
    local engine <close> = orrery.open(nil, { log = function(_, _, fields)
      if fields.event then
        events[fields.event] = events[fields.event] or fields
        order[#order + 1] = fields.event
      end
    end })
    engine:register("d", function() end)
    engine:deploy(model.async())
    engine:transaction(function()
      for _ = 1, 2 do engine:start "p" end
    end)
    local before = engine:now()
    engine:start_executor { threads = 1, queue_size = 77, wait_time = 7, max_wait = 7, priority_max = 50 }
    assert.is_true(engine:wait_idle(60))
    engine:stop_executor()
    local after = engine:now()
    for _, event in pairs(events) do
      assert.is_true(event.time >= before and event.time <= after, event.event)
      assert.is_true(#event.thread > 0)
    end
    assert.equal("orr-acquire", events["job locked"].thread)
    assert.equal("orr-worker-1", events["job started"].thread)
    assert.is_true(events["jobs acquired"].time <= events["job started"].time)
    assert.same({ "executor started", "executor stopped" }, { order[1], order[#order] })
    local started = events["executor started"]
    assert.same({ 1, 77, false, 50 }, { started.threads, started.queue_size, started.deployment_aware, started.priority_max })
    assert.is_nil(started.priority_min)
    assert.is_true(events["jobs acquired"].rest_ms <= 7000)
  end)

  -- Seed: "Diagnosing Job Acquisition": how many are asked for with every look.
  it("shows rounds that are full, for which max_jobs_per_acquisition is too low", function()
    local rounds = {}
    local engine <close> = orrery.open(nil, { log = function(_, _, fields)
      if fields.event == "jobs acquired" then rounds[#rounds + 1] = { fields.asked, fields.acquired } end
    end })
    engine:register("d", function() end)
    engine:deploy(model.async())
    for _ = 1, 5 do engine:start "p" end
    engine:start_executor { threads = 1, max_jobs_per_acquisition = 2 }
    assert.is_true(engine:wait_idle(60))
    engine:stop_executor()
    assert.same({ { 2, 2 }, { 2, 2 }, { 2, 1 } }, { rounds[1], rounds[2], rounds[3] })
  end)

  it("goes to the standard error with all of that in each line", function()
    local script = os.tmpname()
    finally(function() os.remove(script) end)
    local file = assert(io.open(script, "w"))
    file:write [[
      local engine <close> = require("orrery").open(nil, { clock = "manual", name = "shop", log = "debug", retry_time_cycle = "R2/PT5M" })
      engine:register("work", function() error("out of order", 0) end)
      require("spec.support.process").single(engine)
      engine:start "p"
      engine:run_jobs()]]
    file:close()
    local command = require "spec.cli.command"
    local _, _, said = command.run { "lua", script }
    local lines = {}
    for line in said:gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.equal(3, #lines)
    for _, line in ipairs(lines) do assert.matches("^2026%-01%-01T00:00:00Z orrery shop %[orrery%] %a+: job ", line) end
    assert.matches("warning: job failed job=%d+ retries=1 due=2026%-01%-01T00:05:00Z instance=%d+ activity=work: out of order$", lines[3])
  end)
end)
