-- Races about jobs (reliability A6), each in all orders of the two commands' steps.
-- Marks: threads
local race = require "spec.sim.race"
local every = race.every

local function step(id, more) return ('<serviceTask id="%s" camunda:class="%s"/>'):format(id, more) end

local WORK = race.process(step("t", 'work" camunda:asyncBefore="true') .. '<userTask id="u"/>', "s -> t t -> u")

-- Takes the only job for "x" first, as a worker would have it.
local function locked(engine)
  local id = engine:only("jobs").id
  assert.equal("ok", engine:does("lock_job", { job = id, owner = "x" }))
  return id
end

local function run(id, owner) return { "run_job", { job = id, owner = owner } } end
local function lock(id, owner) return { "lock_job", { job = id, owner = owner } } end
local function suspend(id) return { "job_suspend", { job = id, suspended = true } } end

describe("Races of jobs:", function()
  it("a job made while its job definition changes is as the definition says, or is made anew", function()
    local changes = {
      { "job_definition_suspend", {}, function(job) return job.suspended end },
      { "job_definition_set_priority", { priority = 7 }, function(job) return job.priority == 7 end },
    }
    for _, change in ipairs(changes) do
      every(change[1], nil, { "conflict ok", "ok ok" }, function(engine)
        engine:deploy(WORK)
        change[2].job_definition = engine:only("job_definitions").id
        return { "start", { key = "p" } }, { change[1], change[2] }
      end, function(engine, a, _, where)
        assert.equal(a and 1 or 0, engine:count "jobs", where)
        if a then assert.equal(race.second_first(where), change[3](engine:only "jobs"), where) end
      end)
    end
  end)

  it("two runs of one job commit its effect once", function()
    every("two runs", WORK, { "conflict ok", "not_found ok", "ok conflict", "ok not_found" }, function(engine)
      local id = engine:only("jobs").id
      return run(id), run(id)
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.same({ 1, 0, "u" }, { engine:variable "n", engine:count "jobs", engine:tasks() }, where)
    end)
  end)

  it("a run loses to nobody who activates what is active already", function()
    local last = race.process(step("t", 'work" camunda:asyncBefore="true') .. '<endEvent id="e"/>', "s -> t t -> e")
    every("a run, activating", last, { "ok not_found", "ok ok" }, function(engine)
      return run(engine:only("jobs").id), { "suspend_instance", { instance = engine:only("instances").id, suspended = false } }
    end, function(engine, _, _, where) assert.equal(0, engine:count "instances", where) end)
  end)

  it("of two acquisitions of one job one gets it, the other nothing", function()
    every("two acquisitions", WORK, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      local id = engine:only("jobs").id
      return lock(id, "x"), lock(id, "y")
    end, function(engine, a, b, where)
      local job = engine:only "jobs"
      assert.is_true(job.lock_owner == "x" and a or job.lock_owner == "y" and b, where)
      assert.equal(3, job.retries, where)
    end)
  end)

  it("of a run whose lock was lost and the next owner's, one commits", function()
    every("lost lock", WORK, { "ok conflict", "ok not_found", "ok ok" }, function(engine)
      local id = locked(engine)
      engine:advance(301 * 1000)
      return { "reclaim_jobs", {} }, run(id, "x")
    end, function(engine, _, b, where)
      if b then
        assert.same({ 1, 0 }, { engine:variable "n", engine:count "jobs" }, where)
      else
        assert.same({ [1] = nil, [2] = 3 }, { engine:only("jobs").lock_owner, engine:only("jobs").retries }, where)
        assert.equal(1, engine:run_jobs(), where)
        assert.equal(1, engine:variable "n", where)
      end
    end)
  end)

  it("a run whose lock was lost and taken by another since commits nothing, whether it looks again or not", function()
    for _, looks in ipairs { true, false } do
      for _, failing in ipairs { true, false } do
        local engine <close> = race.open()
        engine:deploy(WORK)
        engine:call("start", { key = "p" })
        local id = locked(engine)
        local late = engine.inside:command("run_job", { job = id, owner = "x", looks = looks })
        late:read()
        engine:advance(301 * 1000)
        assert.equal("ok", engine:does("reclaim_jobs", {}))
        assert.equal("ok", engine:does("lock_job", { job = id, owner = "y" }))
        if failing then assert.equal("not_found", engine:does("fail_job", { job = id, owner = "x" })) end
        late:validate()
        late:commit()
        assert.equal("conflict", late:acknowledge())
        local job = engine:only "jobs"
        assert.same({ "y", 3, nil }, { job.lock_owner, job.retries, job.error })
        assert.same({ 0, nil }, { engine:count "tasks", engine:variable "n" })
        assert.equal("ok", engine:does("run_job", { job = id, owner = "y", looks = looks }))
        assert.same({ 1, 0 }, { engine:variable "n", engine:count "jobs" })
        assert.same({}, engine:call "verify")
      end
    end
  end)

  it("a lease that is prolonged meanwhile is no business of a run, nor of who locks by it", function()
    every("renewal", WORK, { "ok ok" }, function(engine)
      local id = locked(engine)
      engine:advance(100 * 1000)
      return { "renew_owner", { owner = "x" } }, run(id, "x")
    end, function(engine, _, _, where)
      assert.same({ 1, 0 }, { engine:variable "n", engine:count "jobs" }, where)
    end)
    every("renewal and lock", WORK, { "ok ok" }, function(engine)
      local first = locked(engine)
      engine:does("run_job", { job = first, owner = "x" })
      engine:call("start", { key = "p" })
      engine:advance(100 * 1000)
      return { "renew_owner", { owner = "x" } }, lock(engine:only("jobs").id, "x")
    end, function(engine, _, _, where)
      assert.equal("x", engine:only("jobs").lock_owner, where)
      assert.same({ { name = "x", fenced = false, left = 300 * 1000 } }, engine:owners(), where)
    end)
  end)

  it("an owner whose lease is over locks nothing more, and a job that it locked before comes back", function()
    every("fenced", WORK, { "conflict ok", "ok ok" }, function(engine)
      local first = locked(engine)
      engine:does("run_job", { job = first, owner = "x" })
      engine:call("start", { key = "p" })
      engine:advance(301 * 1000)
      return lock(engine:only("jobs").id, "x"), { "reclaim_jobs", {} }
    end, function(engine, _, _, where)
      engine:does("reclaim_jobs", {})
      assert.is_nil(engine:only("jobs").lock_owner, where)
      assert.same({}, engine:owners(), where)
    end)
  end)

  it("a suspended job is not run, a run one not suspended", function()
    every("suspend and run", WORK, { "conflict ok", "not_found ok", "ok conflict", "ok not_found" }, function(engine)
      local id = locked(engine)
      return suspend(id), run(id, "x")
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.equal(b and 1 or nil, engine:variable "n", where)
      if a then assert.same({ true, 3 }, { engine:only("jobs").suspended, engine:only("jobs").retries }, where) end
    end)
  end)

  it("suspending the instance and a run", function()
    every("suspend instance and run", WORK, { "conflict ok", "ok conflict", "ok not_found", "ok ok" }, function(engine)
      local id = locked(engine)
      return { "suspend_instance", { instance = engine:only("instances").id, suspended = true } }, run(id, "x")
    end, function(engine, a, b, where)
      assert.equal(b and 1 or nil, engine:variable "n", where)
      assert.equal(a, engine:only("instances").suspended, where)
      if a and b then assert.is_true(engine:only("tasks").suspended, where) end
    end)
  end)

  it("a suspended job has no owner", function()
    every("suspend and acquire", WORK, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      local id = engine:only("jobs").id
      return suspend(id), lock(id, "x")
    end, function(engine, a, b, where)
      local job = engine:only "jobs"
      assert.is_false(job.suspended and job.lock_owner ~= nil, where)
      assert.equal(a, job.suspended, where)
      assert.is_true(a or b, where)
    end)
  end)

  it("a new priority while the job runs", function()
    every("priority and run", WORK, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      local id = locked(engine)
      return { "job_set_priority", { job = id, priority = 9 } }, run(id, "x")
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      if b then return end
      local job = engine:only "jobs"
      assert.same({ 9, 3, "x" }, { job.priority, job.retries, job.lock_owner }, where)
    end)
  end)

  it("suspending and a new priority: whoever is told ok has its effect", function()
    every("suspend and priority", WORK, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      local id = engine:only("jobs").id
      return suspend(id), { "job_set_priority", { job = id, priority = 9 } }
    end, function(engine, a, b, where)
      local job = engine:only "jobs"
      assert.is_true(a or b, where)
      assert.same({ a, b and 9 or 0 }, { job.suspended, job.priority }, where)
    end)
  end)

  it("a deleted job is not run", function()
    every("delete and run", WORK, { "conflict ok", "not_found ok", "ok conflict", "ok not_found" }, function(engine)
      local id = engine:only("jobs").id
      return { "job_delete", { job = id } }, run(id)
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.equal(0, engine:count "jobs", where)
      assert.equal(b and 1 or nil, engine:variable "n", where)
      return a and 1 or 0
    end)
  end)

  it("a failed job, with its traceback, is deleted or tried again", function()
    every("update and delete of a failed job", WORK, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      local id = engine:only("jobs").id
      assert.equal("ok", engine:does("fail_job", { job = id }))
      return { "job_set_retries", { job = id, retries = 7 } }, { "job_delete", { job = id } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b and 0 or 1, engine:count "jobs", where)
      if not b then assert.equal(7, engine:only("jobs").retries, where) end
      return b and 1 or 0
    end)
  end)

  it("new retries while the job runs", function()
    every("retries and run", WORK, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      local id = locked(engine)
      return { "job_set_retries", { job = id, retries = 7 } }, run(id, "x")
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      if not b then assert.equal(7, engine:only("jobs").retries, where) end
    end)
  end)

  it("a failure counts once, and not after a success", function()
    every("failure and run", WORK, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      local id = engine:only("jobs").id
      return { "fail_job", { job = id } }, run(id)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b and 1 or nil, engine:variable "n", where)
      if not b then assert.equal(2, engine:only("jobs").retries, where) end
    end)
  end)

  it("two failures of one attempt count once", function()
    every("two failures", WORK, { "conflict ok", "not_found ok", "ok conflict", "ok not_found" }, function(engine)
      local id = locked(engine)
      return { "fail_job", { job = id, owner = "x" } }, { "fail_job", { job = id, owner = "x" } }
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.equal(2, engine:only("jobs").retries, where)
    end)
  end)

  it("the last failure and the end of its instance leave no incident behind", function()
    every("incident and deletion", WORK, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      local id = engine:only("jobs").id
      engine:call("job_set_retries", { job = id, retries = 1 })
      return { "fail_job", { job = id } }, { "delete_instance", { instance = engine:only("instances").id } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(a and not b and 1 or 0, engine:count "incidents", where)
      assert.equal(b and 0 or 1, engine:count "instances", where)
    end)
  end)

  it("an instance is deleted while its job runs", function()
    every("delete instance and run", WORK, { "conflict ok", "ok conflict", "ok not_found", "ok ok" }, function(engine)
      local id = locked(engine)
      return { "delete_instance", { instance = engine:only("instances").id } }, run(id, "x")
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.same(a and { 0, 0, 0 } or { 1, 0, 1 }, { engine:count "instances", engine:count "jobs", engine:count "tasks" }, where)
    end)
  end)

  local function fork(of_a, of_b)
    return race.process('<parallelGateway id="fork"/>' .. step("a", of_a) .. step("b", of_b) ..
      '<parallelGateway id="join"/><userTask id="u"/>', "s -> fork fork -> a fork -> b a -> join b -> join join -> u")
  end
  local function two_jobs(engine)
    local jobs = engine:list "jobs"
    assert.equal(2, #jobs)
    return jobs[1].id, jobs[2].id
  end

  it("two jobs that end at one join: the loser keeps its tries and passes later", function()
    local free = 'work" camunda:asyncBefore="true" camunda:exclusive="false'
    every("join", fork(free, free), { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      local first, second = two_jobs(engine)
      return run(first), run(second)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      for _, job in ipairs(engine:list "jobs") do assert.same({ 3, nil }, { job.retries, job.lock_owner }, where) end
      engine:run_jobs()
      assert.same({ "u", 2 }, { engine:tasks(), engine:variable "n" }, where)
    end)
  end)

  it("two jobs of one parallel multi-instance end together: it completes once", function()
    local model = race.process([[<serviceTask id="t" camunda:class="idle"><multiInstanceLoopCharacteristics camunda:asyncBefore="true"
      camunda:exclusive="false"><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics></serviceTask>
      <userTask id="u"/>]], "s -> t t -> u")
    every("multi-instance", model, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      local first, second = two_jobs(engine)
      return run(first), run(second)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      for _, job in ipairs(engine:list "jobs") do assert.same({ 3, nil }, { job.retries, job.lock_owner }, where) end
      engine:run_jobs()
      assert.equal("u", engine:tasks(), where)
    end)
  end)

  it("of two owners that acquire exclusive jobs of one instance one gets its job", function()
    local exclusive = 'work" camunda:asyncBefore="true'
    every("exclusive", fork(exclusive, exclusive), { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      local first, second = two_jobs(engine)
      return lock(first, "x"), lock(second, "y")
    end, function(engine, a, b, where)
      local owners = 0
      for _, job in ipairs(engine:list "jobs") do owners = owners + (job.lock_owner and 1 or 0) end
      assert.is_true(a or b, where)
      assert.equal(1, owners, where)
    end)
  end)

  it("the end of an exclusive job and the acquisition of the next", function()
    local exclusive = 'work" camunda:asyncBefore="true'
    every("exclusive, in turn", fork(exclusive, exclusive), { "ok ok" }, function(engine)
      local first, second = two_jobs(engine)
      assert.equal("ok", engine:does("lock_job", { job = first, owner = "x" }))
      return run(first, "x"), lock(second, "y")
    end, function(engine, a, _, where)
      for _, job in ipairs(engine:list "jobs") do
        if job.lock_owner == "y" then assert.is_true(a, where) end
      end
      if a then
        local left = engine:only "jobs"
        engine:does("lock_job", { job = left.id, owner = "y" })
        assert.equal("y", engine:only("jobs").lock_owner, where)
      end
    end)
  end)

  local function boundary(id, interrupting)
    return ([[<boundaryEvent id="%s" attachedToRef="u" cancelActivity="%s"><timerEventDefinition><timeDuration>PT1S</timeDuration>
      </timerEventDefinition></boundaryEvent><userTask id="u%s"/>]]):format(id, interrupting, id)
  end

  it("an interrupting and a non-interrupting boundary timer that are due together", function()
    local model = race.process('<userTask id="u"/>' .. boundary("x", true) .. boundary("y", false), "s -> u x -> ux y -> uy")
    every("boundary timers", model, { "conflict ok", "ok conflict", "ok not_found", "ok ok" }, function(engine)
      engine:advance(1000)
      local first, second = two_jobs(engine)
      return run(first), run(second)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      engine:run_jobs()
      assert.equal(0, engine:count "jobs", where)
      assert.is_true(engine:tasks() == "ux" or engine:tasks() == "ux uy", where)
    end)
  end)

  it("a boundary timer and the completion of its activity: one of them goes on", function()
    local model = race.process('<userTask id="u"/>' .. boundary("x", true) .. '<userTask id="next"/>', "s -> u x -> ux u -> next")
    every("boundary timer and completion", model, { "conflict ok", "not_found ok", "ok conflict", "ok not_found" }, function(engine)
      engine:advance(1000)
      return run(engine:only("jobs").id), { "task_complete", { task = engine:only("tasks").id } }
    end, function(engine, a, b, where)
      assert.is_true(a ~= b, where)
      assert.same({ a and "ux" or "next", 0 }, { engine:tasks(), engine:count "jobs" }, where)
    end)
  end)

  it("a cycle's firing and the end of its activity leave no next firing behind", function()
    local model = race.process([[<userTask id="u"/><boundaryEvent id="x" attachedToRef="u" cancelActivity="false">
      <timerEventDefinition><timeCycle>R3/PT1S</timeCycle></timerEventDefinition></boundaryEvent><userTask id="ux"/>
      <userTask id="next"/>]], "s -> u x -> ux u -> next")
    every("cycle and completion", model, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      engine:advance(1000)
      return run(engine:only("jobs").id), { "task_complete", { task = engine:only("tasks").id } }
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b and 0 or 1, engine:count "jobs", where)
      assert.equal((b and "next" or "u") .. (a and " ux" or ""), engine:tasks(), where)
    end)
  end)

  it("a new due date and the timer's firing", function()
    local model = race.process('<userTask id="u"/>' .. boundary("x", true), "s -> u x -> ux")
    every("due and run", model, { "conflict ok", "not_found ok", "ok conflict", "ok ok" }, function(engine)
      engine:advance(1000)
      local id = engine:only("jobs").id
      return { "job_set_due", { job = id, due = 4102444800000 } }, run(id)
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      assert.equal(b and "ux" or "u", engine:tasks(), where)
      if not b then assert.equal(4102444800, engine:only("jobs").due, where) end
    end)
  end)
end)

describe("Races of jobs that are handed over:", function()
  local FORK = race.process('<parallelGateway id="g"/>' .. step("a", 'idle" camunda:asyncBefore="true')
    .. step("b", 'idle" camunda:asyncBefore="true'), "s -> g g -> a g -> b")
  local KEYED = race.process('<serviceTask id="t" camunda:class="work" camunda:asyncBefore="true" o:limitKey="k"/><userTask id="u"/>',
    "s -> t t -> u")

  --- Starts "p" up to the commit: its jobs are handed over, and not begun.
  local function begun(engine, xml, queue)
    engine:deploy(xml)
    engine.inside:start_executor(queue)
    local start = engine.inside:command("start", { key = "p" })
    start:read()
    start:validate()
    return start
  end

  it("a new instance's other exclusive job is nobody else's while one is handed over", function()
    for _, history in ipairs { "default", "none" } do
      local engine <close> = race.open(history)
      local start = begun(engine, FORK, 1)
      start:commit()
      local findings, free, owners = engine:call "verify", nil, {}
      for _, job in ipairs(engine:list "jobs") do
        if not job.lock_owner then free = job end
      end
      local answer = engine:does("lock_job", { job = free.id, owner = "y" })
      for _, job in ipairs(engine:list "jobs") do owners[#owners + 1] = job.lock_owner end
      assert.equal("ok", start:acknowledge()) -- before anything may fail: an executor waits for what is handed over to it
      assert.is_true(engine.inside:wait_idle())
      assert.same({ {}, "ok", 1 }, { findings, answer, #owners })
      assert.not_equal("y", owners[1])
      assert.same({ 0, 0, 2 }, { engine:count "jobs", engine:count "instances", engine:runs() })
    end
  end)

  it("a limit that is set between the look and the commit refuses the commit", function()
    local engine <close> = race.open()
    local start = begun(engine, KEYED, 10)
    engine:call("set_limit", { key = "k", max = 1 })
    start:commit()
    assert.equal("conflict", start:acknowledge())
    assert.same({ 0, 0 }, { engine:count "jobs", engine:count "instances" })
    assert.equal("ok", engine:does("start", { key = "p" }))
    assert.is_true(engine.inside:wait_idle())
    assert.same({ 0, 1 }, { engine:count "jobs", engine:count "tasks" })
  end)
end)

describe("Races of jobs at a limit:", function()
  local LIMITED = race.process('<serviceTask id="t" camunda:class="work" camunda:asyncBefore="true" o:limitKey="k"/><userTask id="u"/>',
    "s -> t t -> u")
  local ONE = { key = "k", max = 1 }

  local function two_limited(engine)
    engine:call("start", { key = "p" })
    engine:call("set_limit", ONE)
    local jobs = engine:list "jobs"
    return jobs[1].id, jobs[2].id
  end

  it("two acquisitions are granted one place", function()
    every("two grants", LIMITED, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      local first, second = two_limited(engine)
      return lock(first, "x"), lock(second, "y")
    end, function(engine, a, b, where)
      assert.is_true(a or b, where)
      local granted = {}
      for _, job in ipairs(engine:list "jobs") do
        if job.lock_owner then granted[#granted + 1] = { job = job.id, owner = job.lock_owner } end
      end
      assert.equal(1, #granted, where)
      assert.equal("ok", engine:does("run_job", granted[1]))
      assert.same({ 1, 2 }, { engine:run_jobs(), engine:count "tasks" }, where) -- whoever was put aside has its turn
    end)
  end)

  it("the place that a job gives back is there for the next", function()
    every("a place given back", LIMITED, { "ok ok" }, function(engine)
      local first, second = two_limited(engine)
      assert.equal("ok", engine:does("lock_job", { job = first, owner = "x" }))
      return run(first, "x"), lock(second, "y")
    end, function(engine, a, b, where)
      assert.is_true(a, where)
      engine:run_jobs()
      local left = engine:list "jobs"
      assert.is_true(#left == 0 or b and left[1].lock_owner == "y", where)
    end)
  end)

  it("the limit goes while a job is put aside behind it", function()
    every("clearing a limit", LIMITED, { "ok conflict", "ok ok" }, function(engine)
      local first, second = two_limited(engine)
      assert.equal("ok", engine:does("lock_job", { job = first, owner = "x" }))
      return { "clear_limit", { key = "k", whole = true } }, lock(second, "y")
    end, function(engine, a, _, where)
      assert.is_true(a, where)
      assert.equal(0, engine:count "limits", where)
      engine:run_jobs() -- nobody waits for a limit that is gone
      for _, job in ipairs(engine:list "jobs") do assert.is_truthy(job.lock_owner, where) end
    end)
  end)

  it("the limit goes, in one commit, while a job is put aside behind it", function()
    every("clearing a limit at once", LIMITED, { "conflict ok", "ok conflict", "ok ok" }, function(engine)
      local first, second = two_limited(engine)
      assert.equal("ok", engine:does("lock_job", { job = first, owner = "x" }))
      return { "clear_limit", { key = "k" } }, lock(second, "y")
    end, function(engine, a, _, where)
      if not a then assert.equal("ok", engine:does("clear_limit", { key = "k" }), where) end
      engine:run_jobs()
      for _, job in ipairs(engine:list "jobs") do assert.is_truthy(job.lock_owner, where) end
    end)
  end)

  it("two limits set at once: the last one told ok stands", function()
    every("two limits", LIMITED, { "conflict ok", "ok conflict", "ok ok" }, function()
      return { "set_limit", ONE }, { "set_limit", { key = "k", max = 2 } }
    end, function(engine, a, b, where)
      local max = engine:only("limits").max
      assert.is_true(max == 1 and a or max == 2 and b, where)
    end)
  end)
end)
