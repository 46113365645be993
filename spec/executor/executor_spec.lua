-- Seed "The Job Executor", headings "Job Executor Activation", "The Two Phases of Job Acquisition", "Thread Pool", "The Job Executor and
-- Multiple Process Engines", "Cluster Setups", "Job Execution in Heterogeneous Clusters".
-- Marks: threads
local orrery = require "orrery"
local folder = require "spec.support.folder"
local support = require "spec.support.process"

local function engine_of(options)
  local merged = { clock = "system" }
  for k, v in pairs(options or {}) do merged[k] = v end
  return support.engine(merged)
end

local function quick(engine)
  engine:register("work", function() end)
end

-- A delegate that waits inside its worker until the file `gate` is there, and at least once: a run that never waited would not look again
-- at its job before it commits.
local function gated(engine)
  engine:register("work", function(execution)
    local sleep, gate = require("orrery").sleep, execution:get "gate"
    local n = execution:get "runs" or 0
    execution:set("runs", n + 1)
    local log = assert(io.open(gate .. ".log", "a"))
    log:write(execution.instance_id, "\n")
    log:close()
    while true do
      sleep(0.001)
      local file = io.open(gate)
      if file then return file:close() end
    end
  end)
end

local function count_lines(path)
  local n = 0
  local file = io.open(path)
  if not file then return 0 end
  for _ in file:lines() do n = n + 1 end
  file:close()
  return n
end

-- Lets the executor's threads go on until `condition` holds; the engine's own verbs are the pause between two looks.
local function until_true(engine, condition, what)
  for _ = 1, 100000 do
    if condition() then return end
    engine:wait_idle(0.001)
  end
  error("never came true: " .. what, 2)
end

local gate
local function open_gate() assert(io.open(gate, "w")):close() end
before_each(function()
  gate = os.tmpname()
  os.remove(gate)
end)
after_each(function()
  os.remove(gate)
  os.remove(gate .. ".log")
end)

describe("Job Executor Activation", function()
  it("is off until it is asked for", function()
    local engine <close> = engine_of()
    support.single(engine)
    quick(engine)
    engine:start "p"
    assert.is_false(engine:executor_active())
    assert.equal(1, #engine:jobs {})
    engine:start_executor { threads = 1 }
    assert.is_true(engine:executor_active())
    assert.is_true(engine:wait_idle(60))
    assert.same({}, engine:jobs {})
    engine:stop_executor()
    assert.is_false(engine:executor_active())
  end)

  it("starts with the engine when its options are given, and does not when they are false", function()
    local engine <close> = engine_of { executor = { threads = 1 } }
    assert.is_true(engine:executor_active())
    local off <close> = engine_of { executor = false }
    assert.is_false(off:executor_active())
  end)

  it("starts, stops and starts again; starting twice is refused", function()
    local engine <close> = engine_of()
    support.single(engine)
    quick(engine)
    for round = 1, 5 do
      engine:start_executor { threads = 1 + round % 2 }
      support.refused("state", function() engine:start_executor {} end)
      engine:start "p"
      assert.is_true(engine:wait_idle(60))
      engine:stop_executor()
    end
    assert.same({}, engine:instances {})
  end)
end)

describe("The Two Phases of Job Acquisition", function()
  it("asks for a configurable number of jobs at a stroke", function()
    local function rounds(page)
      local engine <close> = engine_of()
      support.single(engine)
      quick(engine)
      for _ = 1, 50 do engine:start "p" end
      engine:start_executor { threads = 1, max_jobs_per_acquisition = page }
      assert.is_true(engine:wait_idle(60))
      assert.equal(50, engine:metrics()["job-acquired-success"])
      return engine:metrics()["job-acquisition-attempt"]
    end
    assert.is_true(rounds(1) >= 50)
    assert.is_true(rounds(50) < 50)
  end)

  it("each executor locks by a name of its own unless it is given one", function()
    local owners = {}
    for i, name in ipairs { "first", "second" } do
      local engine <close> = engine_of { name = name }
      support.single(engine)
      gated(engine)
      engine:start("p", { variables = { gate = gate } })
      engine:start_executor { threads = 1 }
      until_true(engine, function() return count_lines(gate .. ".log") == 1 end, "the job begins")
      owners[i] = engine:job({}).lock_owner
      open_gate()
      engine:stop_executor()
      os.remove(gate)
      os.remove(gate .. ".log")
    end
    assert.is_string(owners[1])
    assert.not_equal(owners[1], owners[2])
  end)

  it("a running job is locked by this executor until a time ahead; a stop leaves no job locked", function()
    local engine <close> = engine_of()
    support.single(engine)
    gated(engine)
    engine:start("p", { variables = { gate = gate } })
    engine:start_executor { threads = 1, lock_time = 100, owner = "node-1" }
    until_true(engine, function() return count_lines(gate .. ".log") == 1 end, "the job begins")
    local job = engine:job {}
    assert.equal("node-1", job.lock_owner)
    assert.is_true(job.lock_expires > engine:now() and job.lock_expires <= engine:now() + 100)
    assert.equal(1, #engine:jobs { locked = true })
    open_gate()
    engine:stop_executor()
    assert.same({}, engine:jobs { locked = true })
  end)

  it("a lock of a job that runs is prolonged, again and again; the run keeps its result and runs once", function()
    local engine <close> = engine_of()
    support.single(engine)
    gated(engine)
    local instance = engine:start("p", { variables = { gate = gate } })
    engine:start_executor { threads = 1, lock_time = 0.03 }
    until_true(engine, function() return (engine:metrics()["job-lock-renewed"] or 0) >= 5 end, "five prolongings")
    open_gate()
    assert.is_true(engine:wait_idle(60))
    engine:stop_executor()
    assert.is_nil(engine:instance(instance.id))
    assert.equal(1, count_lines(gate .. ".log"))
    assert.same({}, engine:verify())
  end)

  it("a job of an executor whose process died on this machine comes back before its lock expires", function()
    local store = folder.make()
    finally(function() folder.remove(store) end)
    local now
    do
      local engine <close> = orrery.open(store, { clock = "manual", log = "none" })
      support.single(engine)
      engine:start "p"
      now = engine:now()
    end
    support.die_running(store, now)
    local engine <close> = orrery.open(store, { clock = "manual", now = now, log = "none" })
    quick(engine)
    engine:start_executor { threads = 1 }
    assert.is_true(engine:wait_idle(60))
    engine:stop_executor()
    assert.same({}, engine:instances {})
    assert.same({}, engine:verify())
  end)
end)

describe("Thread Pool", function()
  it("never holds more acquired jobs than queue_size, and loses none", function()
    local engine <close> = engine_of()
    support.single(engine)
    gated(engine)
    for _ = 1, 20 do engine:start("p", { variables = { gate = gate } }) end
    engine:start_executor { threads = 2, queue_size = 3, max_jobs_per_acquisition = 2 }
    until_true(engine, function() return count_lines(gate .. ".log") >= 3 end, "three jobs begin")
    assert.is_true(#engine:jobs { locked = true } <= 3)
    assert.equal(20, #engine:jobs {})
    open_gate()
    assert.is_true(engine:wait_idle(60))
    engine:stop_executor()
    assert.same({}, engine:jobs {})
    assert.equal(20, count_lines(gate .. ".log"))
  end)

  it("follow-up jobs do not open the queue without bounds", function()
    local engine <close> = engine_of()
    support.deploy(engine, '<startEvent id="s"/>' .. support.task("a", 'camunda:asyncAfter="true"') .. support.task("b",
      'camunda:asyncAfter="true"') ..
      support.task "c", "s -> a a -> b b -> c")
    quick(engine)
    for _ = 1, 60 do engine:start "p" end
    engine:start_executor { threads = 2, queue_size = 1, max_jobs_per_acquisition = 50 }
    until_true(engine, function()
      assert.is_true(#engine:jobs { locked = true } <= 2)
      return #engine:jobs {} == 0
    end, "all are done")
  end)

  it("a thread goes on with others while a job waits", function()
    local engine <close> = engine_of()
    support.single(engine)
    gated(engine)
    for _ = 1, 50 do engine:start("p", { variables = { gate = gate } }) end
    engine:start_executor { threads = 1 }
    until_true(engine, function() return count_lines(gate .. ".log") == 50 end, "all fifty wait on one thread")
    open_gate()
    assert.is_true(engine:wait_idle(60))
    assert.same({}, engine:instances {})
  end)
end)

describe("Stopping", function()
  it("waits for what runs", function()
    local engine <close> = engine_of()
    support.single(engine)
    engine:register("work", function()
      for _ = 1, 20 do require("orrery").sleep(0.001) end
    end)
    for _ = 1, 5 do engine:start "p" end
    engine:start_executor { threads = 2 }
    until_true(engine, function() return (engine:metrics()["job-started"] or 0) >= 1 end, "one begins")
    engine:stop_executor()
    assert.same({}, engine:jobs { locked = true })
    assert.equal(engine:metrics()["job-started"], engine:metrics()["job-successful"])
    assert.equal(5 - engine:metrics()["job-successful"], #engine:jobs {})
  end)

  it("no longer than drain_time: then what waits is abandoned, unlocked, and runs again elsewhere", function()
    local engine <close> = engine_of()
    support.single(engine)
    gated(engine)
    for _ = 1, 3 do engine:start("p", { variables = { gate = gate } }) end
    engine:start_executor { threads = 2, drain_time = 0.01 }
    until_true(engine, function() return count_lines(gate .. ".log") == 3 end, "all wait")
    engine:stop_executor()
    assert.equal(3, #engine:jobs {})
    assert.same({}, engine:jobs { locked = true })
    assert.same({ 3, 3, 3 }, support.fields(engine:jobs {}, "retries"))
    assert.same({}, engine:verify())
    open_gate()
    engine:start_executor { threads = 2 }
    assert.is_true(engine:wait_idle(60))
    assert.same({}, engine:instances {})
    assert.equal(6, count_lines(gate .. ".log"))
    for _, row in ipairs(engine:history_variables { name = "runs" }) do assert.equal(1, row.value) end
  end)

  it("and <close> handlers of what is abandoned can await nothing", function()
    local engine <close> = engine_of()
    support.single(engine)
    engine:register("work", function(execution)
      local log = execution:get "log"
      local function note(text)
        local file <close> = assert(io.open(log, "a"))
        file:write(text, "\n")
      end
      local _ <close> = setmetatable({}, { __close = function()
        local never = require("orrery").future()
        note("closes: " .. tostring(select(2, pcall(require("orrery").await, never))))
      end })
      note "waits"
      require("orrery").await(require("orrery").future())
    end)
    for _ = 1, 3 do engine:start("p", { variables = { log = gate .. ".log" } }) end
    engine:start_executor { threads = 1, drain_time = 0.01 }
    until_true(engine, function() return count_lines(gate .. ".log") == 3 end, "all wait")
    engine:stop_executor()
    local said = assert(io.open(gate .. ".log")):read "a"
    assert.equal(3, select(2, said:gsub("closes: [^\n]*this call has been given up", "")), said)
    assert.same({ 3, 3, 3 }, support.fields(engine:jobs {}, "retries"))
  end)
end)

describe("Fencing", function()
  for name, interfere in pairs {
    ["is suspended"] = function(engine, job) engine:job(job.id):suspend() end,
    ["goes with its instance"] = function(engine, job) engine:instance(job.instance_id):delete "gone" end,
  } do
    it("the commit of a run is refused when its job " .. name .. " meanwhile", function()
      local engine <close> = engine_of { history = "full" }
      support.deploy(engine, '<startEvent id="s"/>' .. support.task "work" .. '<userTask id="u"/>', "s -> work work -> u")
      gated(engine)
      engine:start("p", { variables = { gate = gate } })
      engine:start_executor { threads = 1 }
      until_true(engine, function() return count_lines(gate .. ".log") == 1 end, "the job begins")
      interfere(engine, engine:job {})
      open_gate()
      until_true(engine, function() return (engine:metrics()["job-conflict"] or 0) >= 1 end, "the run is refused")
      engine:stop_executor()
      assert.same({}, engine:tasks {})
      assert.same({}, support.fields(engine:history_variables { name = "runs" }, "value"))
      assert.same({}, engine:verify())
    end)
  end
end)

describe("A running job", function()
  local function run_while(interfere)
    local engine <close> = engine_of()
    support.single(engine)
    gated(engine)
    engine:start("p", { variables = { gate = gate } })
    engine:start_executor { threads = 1 }
    until_true(engine, function() return count_lines(gate .. ".log") == 1 end, "the job begins")
    interfere(engine)
    open_gate()
    assert.is_true(engine:wait_idle(60))
    assert.same({}, engine:instances {})
    local runs = count_lines(gate .. ".log")
    os.remove(gate)
    os.remove(gate .. ".log")
    return runs
  end

  it("cannot be deleted", function()
    assert.equal(1, run_while(function(engine) support.refused("state", function() engine:job({}):delete() end) end))
  end)

  it("is not preempted by a new priority, of its own or of its definition, and does its work once", function()
    assert.equal(1, run_while(function(engine) engine:job({}):set_priority(77) end))
    assert.equal(1, run_while(function(engine) engine:job_definition({}):set_priority(0, { cascade = true }) end))
  end)

  it("does its work again when it is given another due date", function()
    assert.equal(2, run_while(function(engine) engine:job({}):set_due(engine:now()) end))
  end)
end)

describe("The Job Executor and Multiple Process Engines", function()
  it("one pool serves several engines, in turn", function()
    local a <close> = engine_of { name = "a" }
    local b <close> = engine_of { name = "b" }
    local executor <close> = orrery.executor { threads = 1, queue_size = 2000 }
    for _, engine in ipairs { a, b } do
      support.single(engine)
      engine:register("work", function(execution)
        if execution:get "name" == "a" and not held then -- the thread's first job waits until the queues of both engines are filled
          held = true
          io.open(execution:get "gate" .. ".fifo"):close()
        end
        local log = assert(io.open(execution:get "gate" .. ".log", "a"))
        log:write(execution:get "name", "\n")
        log:close()
      end)
    end
    assert(os.execute(("mkfifo '%s.fifo'"):format(gate)))
    for _ = 1, 1000 do a:start("p", { variables = { gate = gate, name = "a" } }) end
    for _ = 1, 10 do b:start("p", { variables = { gate = gate, name = "b" } }) end
    executor:add(a)
    executor:add(b)
    executor:start()
    until_true(a, function() return a:count("jobs", { locked = false }) == 0 and b:count("jobs", { locked = false }) == 0 end,
      "all jobs are locked")
    assert(io.open(gate .. ".fifo", "w")):close()
    assert.is_true(a:wait_idle(60) and b:wait_idle(60))
    executor:stop()
    os.remove(gate .. ".fifo")
    local last_b, n = 0, 0
    for line in io.lines(gate .. ".log") do
      n = n + 1
      if line == "b" then last_b = n end
    end
    assert.equal(1010, n)
    assert.is_true(last_b < n, "the small engine was served last")
  end)

  it("an engine may leave; the others go on", function()
    local a <close> = engine_of()
    local b <close> = engine_of()
    local executor <close> = orrery.executor { threads = 1 }
    for _, engine in ipairs { a, b } do
      support.single(engine)
      quick(engine)
      executor:add(engine)
    end
    executor:start()
    executor:remove(a)
    assert.is_false(a:executor_active())
    a:start "p"
    b:start "p"
    assert.is_true(b:wait_idle(60))
    assert.same({ 1, 0 }, { #a:jobs {}, #b:jobs {} })
  end)

  it("each engine may have an executor to itself", function()
    local a <close> = engine_of { name = "a", executor = { threads = 1 } }
    local b <close> = engine_of { name = "b", executor = { threads = 1 } }
    for _, engine in ipairs { a, b } do
      support.single(engine)
      quick(engine)
      engine:start "p"
    end
    a:stop_executor()
    assert.is_true(b:executor_active())
    assert.is_true(b:wait_idle(60))
    assert.same({}, b:jobs {})
  end)

  it("of the engines of one executor each may be deployment aware or not", function()
    local shared <close> = engine_of()
    local own <close> = engine_of { acquisition = { deployment_aware = true } }
    local executor <close> = orrery.executor { threads = 1 }
    for _, engine in ipairs { shared, own } do
      local deployment = support.single(engine)
      quick(engine)
      engine:unregister_deployment(deployment.id)
      engine:start "p"
      executor:add(engine)
    end
    executor:start()
    assert.is_true(shared:wait_idle(60) and own:wait_idle(60))
    assert.same({ 0, 1 }, { #shared:jobs {}, #own:jobs {} })
  end)

  it("acquisitions wait each in its own way when there are no jobs", function()
    local eager <close> = engine_of()
    local calm <close> = engine_of()
    local often <close> = orrery.executor { threads = 1, wait_time = 0.001, max_wait = 0.001 }
    local seldom <close> = orrery.executor { threads = 1, wait_time = 3600, max_wait = 3600 }
    local function rounds(engine) return engine:metrics()["job-acquisition-attempt"] or 0 end
    often:add(eager)
    seldom:add(calm)
    often:start()
    seldom:start()
    until_true(calm, function() return rounds(calm) > 0 end, "the calm one looks")
    local before = rounds(calm)
    local from = rounds(eager)
    while rounds(eager) < from + 20 do assert.is_nil(eager:job {}) end
    assert.is_true(rounds(calm) <= before + 2)
  end)

  it("acquisitions are configured each in its own way", function()
    local fast <close> = engine_of()
    local slow <close> = engine_of()
    local high <close> = orrery.executor { threads = 1, priority_min = 10, owner = "high" }
    local rest <close> = orrery.executor { threads = 1, priority_max = 9, owner = "rest" }
    for _, engine in ipairs { fast, slow } do
      support.single(engine, 'camunda:jobPriority="${n}"')
      quick(engine)
      for _, n in ipairs { 5, 10 } do engine:start("p", { variables = { n = n } }) end
    end
    high:add(fast)
    rest:add(slow)
    high:start()
    rest:start()
    assert.is_true(fast:wait_idle(60) and slow:wait_idle(60))
    assert.same({ { 5 }, { 10 } }, { support.fields(fast:jobs {}, "priority"), support.fields(slow:jobs {}, "priority") })
  end)
end)

describe("Job Execution in Heterogeneous Clusters", function()
  local function deployed(engine)
    return support.single(engine, nil, nil, { key = "a" }), support.single(engine, nil, nil, { key = "b" })
  end

  it("deployment_aware: only jobs of registered deployments, whose own are registered by themselves", function()
    local engine <close> = support.engine { acquisition = { deployment_aware = true } }
    local a, b = deployed(engine)
    local notes = support.record(engine, function(execution) return execution.definition_key end)
    assert.same(support.sorted { a.id, b.id }, support.sorted(engine:registered_deployments()))
    engine:unregister_deployment(a.id)
    engine:start "a"
    engine:start "b"
    assert.equal(1, engine:run_jobs())
    assert.same({ "b" }, notes)
    engine:register_deployment(a.id)
    assert.equal(1, engine:run_jobs())
    assert.same({ "b", "a" }, notes)
  end)

  it("deployment_aware: what a process deployed before it was started again is registered when it deploys again", function()
    local store = folder.make()
    finally(function() folder.remove(store) end)
    local function open() return orrery.open(store, { log = "none", acquisition = { deployment_aware = true } }) end
    local function model(id, options)
      return support.model('<startEvent id="s"/>' .. support.task(id), "s -> " .. id, options)
    end
    local function deploy(engine, resources, how) return engine:deploy(resources, { name = "app", filter_duplicates = how }).id end
    local first, second, other
    do
      local engine <close> = open()
      first = deploy(engine, { ["p.bpmn"] = model "a" }, true)
      engine:start "p"
      second = deploy(engine, { ["p.bpmn"] = model "b" }, true)
      engine:start "p"
      other = engine:deploy({ ["q.bpmn"] = model("c", { key = "q" }) }, { name = "other app" }).id
      engine:start "q"
    end
    for _, how in ipairs { true, "changed" } do
      local engine <close> = open()
      assert.same({}, engine:registered_deployments())
      assert.equal(second, deploy(engine, { ["p.bpmn"] = model "b" }, how))
      assert.same({ first, second }, engine:registered_deployments())
    end
    local engine <close> = open()
    engine:register("work", function() end)
    engine:start_executor { threads = 1, wait_time = 3600, max_wait = 3600 }
    assert.is_true(engine:wait_idle(120))
    local why = engine:job({ definition_key = "p", activity = "a" }):why()
    assert.equal("deployment", why.reason)
    assert.matches("deploy it there again", why.cure)
    deploy(engine, { ["p.bpmn"] = model "b" }, true)
    engine:register_deployment(other) -- wakes the executor, as does a deployment
    repeat until engine:count("jobs", {}) == 0
  end)

  it("a second node does not have the first one's deployments, unless it is told to or is not aware of them", function()
    local store = folder.make()
    finally(function() folder.remove(store) end)
    local ids = {}
    do
      local first <close> = orrery.open(store, { log = "none" })
      ids[1], ids[2] = deployed(first)
      first:start "a"
      first:start "b"
    end
    do
      local second <close> = orrery.open(store, { log = "none", acquisition = { deployment_aware = true } })
      support.record(second)
      assert.same({}, second:registered_deployments())
      assert.equal(0, second:run_jobs())
      second:register_deployment(ids[1].id)
      assert.equal(1, second:run_jobs())
      assert.equal("b", second:job({}).definition_key)
    end
    local third <close> = orrery.open(store, { log = "none" })
    support.record(third)
    assert.equal(1, third:run_jobs())
  end)
end)
