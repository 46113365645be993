-- job:why(): every reason, each brought about for real. Seed "The Job Executor: What Is Going on in My Process Engine?", headings
-- "Diagnosing ACT_RU_JOB" to "Diagnosing the Thread Pool". What other processes' executors say: spec/executor/processes_spec.lua.
-- Marks: threads
local support = require "spec.support.process"

describe("why a job does not run", function()
  local engine, job

  local function open(options)
    engine = support.engine(options)
    engine:register("work", function() error "out of order" end)
    support.async(engine)
    engine:start "p"
    job = engine:job {}
  end

  after_each(function() engine:close() end)

  local function is(reason, pattern)
    local why = job:why()
    assert.equal(reason, why.reason)
    if pattern then assert.truthy(why.text:find(pattern, 1, true), why.text) end
    assert.truthy(#why.cure > 0)
  end

  it("nobody runs jobs", function()
    open()
    is "no_executor"
  end)

  it("it is not due", function()
    open()
    job:set_due(engine:now() + 60)
    is("not_due", "2026-01-01T00:01:00Z")
  end)

  it("its engine's clock lies behind", function()
    open { now = 1000 }
    job:set_due(2000)
    engine:set_time(10)
    is("not_due", "the clock says 1970-01-01T00:00:10Z, which lies before the job's creation")
  end)

  it("it failed and waits for its next try", function()
    open { retry_time_cycle = "R3/PT10M" }
    engine:run_jobs()
    is("retry_later", "again at 2026-01-01T00:10:00Z (it is 2026-01-01T00:00:00Z), 2 tries left; the last one failed with: ")
    is("retry_later", "out of order")
    job:set_retries(1, { due = engine:now() + 60 })
    is("retry_later", ", 1 try left; ")
    job:set_retries(3, { due = engine:now() })
    is "no_executor"
  end)

  it("its delegate is unknown here", function()
    engine = support.engine {}
    support.async(engine)
    engine:start "p"
    engine:run_jobs()
    job = engine:job {}
    is("delegate_missing", '"work"')
  end)

  it("it, its instance, its job definition or its process definition is suspended", function()
    open()
    job:suspend()
    is("suspended", "the job is suspended")
    engine:job_definition({}):suspend {}
    is("suspended", "job definition")
    engine:instance({}):suspend()
    is("suspended", "process instance")
    engine:suspend_definition { key = "p" }
    is("suspended", "process definition")
    assert.equal("activate the process definition with its instances", job:why().cure)
    engine:activate_definition({ key = "p" }, { instances = true }) -- which is the cure that was named
    is "no_executor"
  end)

  it("a caller of its instance is suspended", function()
    open()
    job:delete()
    engine:register("work", function() end)
    engine:deploy { ["q.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="spec">
      <process id="q" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="c"/>
      <callActivity id="c" calledElement="p"/></process></definitions>]] }
    local caller = engine:start "q"
    job = engine:job {}
    caller:suspend()
    engine:run_jobs()
    is("suspended", ("in process instance %s, a caller that is suspended"):format(caller.id))
    caller:activate()
    is "no_executor"
  end)

  it("it has no retries left, and what failed last", function()
    open { retries = 1 }
    engine:run_jobs()
    is("no_retries", "out of order")
  end)

  it("its priority is outside the range", function()
    open { acquisition = { priority_min = 5 } }
    is("priority", "priority 0")
    job:set_priority(5)
    is "no_executor"
  end)

  it("its deployment is not registered here", function()
    open { acquisition = { deployment_aware = true } }
    engine:unregister_deployment(job.deployment_id)
    is "deployment"
    engine:register_deployment(job.deployment_id)
    is "no_executor"
  end)

  it("somebody has it, and with it its instance", function()
    open()
    local seen
    engine:register("work", function(execution) seen = execution.engine:job(job.id):why() end)
    engine:run_jobs()
    assert.equal("locked", seen.reason)
    assert.truthy(seen.text:find("until 2026-01-01T00:05:00Z", 1, true), seen.text)
  end)

  --- The job of a store whose process died in it.
  local function open_after_death(owner)
    local folder = require "spec.support.folder"
    local path = folder.make()
    finally(function() folder.remove(path) end)
    engine = require "orrery".open(path, { clock = "manual", log = "none" })
    support.async(engine)
    engine:start "p"
    require "spec.support.process".die_running(path, engine:now(), 60, owner)
    job = engine:job {}
  end

  it("the process that had it is gone", function()
    open_after_death()
    is("locked", "which is gone")
    assert.matches("^locked until 2026%-01%-01T00:01:00Z by process %d+ on ", job:why().text)
    engine:advance(60)
    is("lock_expired", "which is gone; its lock expired at 2026-01-01T00:01:00Z")
    engine:register("work", function() end)
    assert.equal(1, engine:run_jobs()) -- the cure
  end)

  it("the process that had it is gone, which stops nobody who runs or deletes it by hand", function()
    open_after_death()
    engine:register("work", function() error "still broken" end)
    support.refused("script", job.execute, job)
    job = engine:job(job.id)
    assert.same({ 2, nil }, { job.retries, job.lock_owner })
    assert.matches("still broken", job.error)
    assert.same({}, engine:verify())
    engine:close()
    open_after_death()
    engine:register("work", function() end)
    assert.is_string(job.lock_owner)
    job:execute()
    assert.same({ 0, 0 }, { engine:count "jobs", #engine:verify() })
    engine:close()
    open_after_death()
    job:delete()
    assert.equal(0, engine:count "jobs")
    engine:close()
    open_after_death "somebody" -- who may be there still
    support.refused("state", job.execute, job)
    support.refused("state", job.delete, job)
  end)

  it("its lock has expired, of an owner that nobody can look for", function()
    open_after_death "somebody"
    is "locked"
    assert.matches("^locked by somebody %(process %d+ on %S+%) until 2026%-01%-01T00:01:00Z", job:why().text)
    engine:advance(60)
    is "lock_expired"
    assert.matches("^locked by somebody %(process %d+ on %S+%); its lock expired at 2026%-01%-01T00:01:00Z", job:why().text)
  end)

  describe("with an executor of its own:", function()
    local gate
    before_each(function()
      gate = os.tmpname()
      engine = support.engine { clock = "system", package_path = "spec/job/?.lua;" .. package.path }
      support.deploy(engine, [[<startEvent id="s"/><parallelGateway id="fork"/>
        <serviceTask id="a" camunda:class="delegates.slow" camunda:asyncBefore="true"/>
        <serviceTask id="b" camunda:class="delegates.slow" camunda:asyncBefore="true"/>]], "s -> fork fork -> a fork -> b")
    end)
    after_each(function()
      os.remove(gate)
      engine:stop_executor()
      os.remove(gate .. ".began")
    end)

    --- Starts instances, and goes on once the first job of the first is at work; `job` is the last.
    local function begin(how, instances, options)
      engine:start_executor(options)
      assert.is_true(engine:wait_idle(60)) -- no round is under way, which has all the room: the first job is handed over first
      for _ = 1, instances do engine:start("p", { variables = { path = gate, how = how } }) end
      local function began() return io.open(gate .. ".began") end
      local file
      repeat
        file = began()
        engine:wait_idle(0.002)
      until file
      file:close()
      local jobs = engine:jobs { order_by = "id" }
      job = jobs[#jobs]
      return jobs[1]
    end

    it("it runs, and another of its instance behind it", function()
      local first = begin("awaits", 1, { threads = 1 })
      is("instance_busy", ("waits behind job %s: exclusive jobs of an instance"):format(first.id))
      job = first
      repeat engine:wait_idle(0.002) until job:why().text:find("awaits", 1, true) -- it began before it awaited
      is("running", "awaits something")
    end)

    it("all threads are at other jobs", function()
      local first = begin("computes", 2, { threads = 1 })
      is("instance_busy", "waits behind job") -- the second branch of the second instance
      job = engine:jobs({ order_by = "id", activity = "a" })[2]
      is("threads_busy", ("waits behind job %s on thread 1: all threads"):format(first.id))
      assert.matches("more threads", job:why().cure)
      job = first
      is("running", "this engine's executor runs the job")
    end)

    it("the queue is full", function()
      begin("awaits", 2, { threads = 1, queue_size = 1 })
      is("queue_full", "the queue of every executor")
    end)

    it("nothing: it is acquired next", function()
      begin("awaits", 1, { threads = 1, wait_time = 3600 })
      engine:transaction(function()
        engine:start("p", { variables = { path = gate, how = "awaits" } })
        job = engine:jobs({ order_by = "id" })[4]
        is("ready", "this engine's executor acquires it next")
      end)
    end)
  end)
end)

describe("the reasons", function()
  it("are told in the troubleshooting chapter, each with what helps", function()
    local function text_of(path)
      local file <close> = assert(io.open(path))
      return file:read "a"
    end
    local docs, count = text_of "docs/job-executor.md", 0
    for _, path in ipairs { "runtime/command/job/why_commands.c", "runtime/command/job/why_executors.c" } do
      assert.is_nil(text_of(path):match '{%s*"[%l_]+"%s*,', "a reason that the header does not name")
      for name in text_of(path):gmatch "ORR_WHY_([%u_]+)" do
        local reason = text_of "runtime/include/orrery/jobs.h":match("#define ORR_WHY_" .. name .. ' "([%l_]+)"')
        count = count + 1
        assert.truthy(docs:find(("`%s`"):format(reason), 1, true), reason)
      end
    end
    assert.is_true(count > 10)
  end)
end)

describe("registered deployments", function()
  local engine
  before_each(function() engine = support.engine() end)
  after_each(function() engine:close() end)

  it("are those deployed here, and may come and go", function()
    local first, second = support.user_task(engine), support.user_task(engine)
    assert.same({ first.id, second.id }, engine:registered_deployments())
    engine:unregister_deployment(first.id)
    engine:unregister_deployment(first.id)
    assert.same({ second.id }, engine:registered_deployments())
    engine:register_deployment(first.id)
    engine:register_deployment(first.id)
    assert.same({ first.id, second.id }, engine:registered_deployments())
  end)

  it("exist", function()
    support.refused("not_found", engine.register_deployment, engine, 4711)
    assert.same({}, engine:registered_deployments())
  end)
end)
