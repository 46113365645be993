-- Jobs in a frame loop (features J17, architecture "Job"): poll leaves a delegate that waits, and comes back.
-- Marks: threads
local orrery = require "orrery"
local folder = require "spec.support.folder"
local support = require "spec.support.process"

local MODEL = [[
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="spec">
  <process id="quest" isExecutable="true">
    <startEvent id="start" /><sequenceFlow id="f0" sourceRef="start" targetRef="walk" />
    <serviceTask id="walk" camunda:class="walk" camunda:asyncBefore="true" /><sequenceFlow id="f1" sourceRef="walk" targetRef="arrived" />
    <userTask id="arrived" />
  </process>
</definitions>]]

local function open(walk, store)
  local engine = orrery.open(store, { clock = "manual", log = "none" })
  engine:register("walk", walk)
  engine:deploy { ["quest.bpmn"] = MODEL }
  return engine
end

describe("poll", function()
  it("leaves a delegate that sleeps, and ends its job in a later frame", function()
    local engine <close> = open(function(execution)
      execution:set("left", true)
      orrery.sleep(10)
      execution:set("back", true)
    end)
    local instance = engine:start "quest"
    assert.equal(0, engine:poll(0.001))
    assert.is_nil(instance:get "left") -- nothing is committed while it waits
    assert.same({ "walk" }, instance:active())
    engine:advance(5)
    assert.equal(0, engine:poll(0.001))
    engine:advance(6)
    assert.equal(1, engine:poll(0.001))
    assert.is_true(instance:get "back")
    assert.same({ "arrived" }, instance:active())
  end)

  it("begins others while one waits: the waits overlap", function()
    local underway, most = 0, 0
    local engine <close> = open(function()
      underway = underway + 1
      most = math.max(most, underway)
      orrery.sleep(10)
      underway = underway - 1
    end)
    for _ = 1, 20 do engine:start "quest" end
    for _ = 1, 20 do engine:poll(0.001) end
    engine:advance(11)
    local ran = 0
    for _ = 1, 3 do ran = ran + engine:poll(0.05) end
    assert.equal(20, most)
    assert.equal(20, ran)
    assert.equal(20, engine:count("tasks", {}))
  end)

  it("begins no exclusive job beside another of its instance that waits, but all that are not exclusive", function()
    for attributes, at_once in pairs { [""] = 1, ['camunda:exclusive="false"'] = 3 } do
      local underway, most, patience = 0, 0, os.time() + 60
      local engine <close> = support.engine()
      engine:register("work", function()
        underway = underway + 1
        most = math.max(most, underway)
        orrery.sleep(10)
        underway = underway - 1
      end)
      local tasks = support.task("a", attributes) .. support.task("b", attributes) .. support.task("c", attributes)
      support.deploy(engine, '<startEvent id="s"/><parallelGateway id="f"/>' .. tasks, "s -> f f -> a f -> b f -> c")
      engine:start "p"
      repeat
        for _ = 1, 3 do engine:poll(0.05) end -- each begins one at least, however slow the machine is
        engine:advance(11)
      until engine:count "instances" == 0 or os.time() > patience
      assert.same({ at_once, 0 }, { most, engine:count "instances" })
      assert.same({}, engine:verify())
    end
  end)

  it("prolongs the locks of the jobs that wait, so that nobody takes them over, however long they wait", function()
    local engine <close> = open(function() orrery.sleep(1000) end)
    for _ = 1, 100 do engine:start "quest" end
    for _ = 1, 100 do engine:poll(0) end
    for _ = 1, 9 do
      engine:advance(110) -- more than a third of the lock time, less than the half
      engine:poll(0)
      engine:poll(0) -- many locks are prolonged in turns
      for _, job in ipairs(engine:jobs {}) do assert.is_true(job.lock_expires > engine:now() + 189, "a lock nears its end") end
    end
    engine:advance(11)
    while engine:poll(0.05) > 0 do end
    assert.equal(100, engine:count("tasks", {}))
    assert.equal(0, engine:count("jobs", {}))
    assert.equal(100, engine:metrics()["job-successful"])
  end)

  it("does not begin a job again whose priority was changed while it waited", function()
    local begun = 0
    local engine <close> = open(function()
      begun = begun + 1
      orrery.sleep(10)
    end)
    engine:start "quest"
    engine:poll(0.001)
    engine:job({}):set_priority(7)
    engine:advance(11)
    assert.equal(1, engine:poll(0.001))
    assert.same({ 1, 1 }, { begun, engine:count("tasks", {}) })
  end)

  --- An engine whose only job is suspended and activated again while its delegate waits. `engine:poll` is tried so often
  --- that a run which rests after its conflict has rested.
  local function suspend_while_it_waits()
    local t = { begun = 0, ran = 0 }
    t.engine = orrery.open(nil, { clock = "manual", log = "none", acquisition = { backoff_time = 0.001, max_backoff = 0.001 } })
    t.engine:register("walk", function()
      t.begun = t.begun + 1
      orrery.sleep(10)
    end)
    t.engine:deploy { ["quest.bpmn"] = MODEL }
    function t.poll() for _ = 1, 300 do t.ran = t.ran + t.engine:poll(0.001) end end
    t.engine:start "quest"
    t.poll()
    t.engine:job({}):suspend()
    return t, setmetatable({}, { __close = function() t.engine:close() end })
  end

  it("keeps nothing of a job that was suspended while it waited, and begins it again once it is activated", function()
    local t, closing <close> = suspend_while_it_waits()
    t.engine:advance(11)
    t.poll()
    assert.same({ 0, 0, 3 }, { t.ran, t.engine:count("tasks", {}), t.engine:job({}).retries })
    t.engine:job({}):activate()
    t.poll()
    assert.same({ 0, 2 }, { t.ran, t.begun })
    t.engine:advance(11)
    t.poll()
    assert.same({ 1, 2, 1 }, { t.ran, t.begun, t.engine:count("tasks", {}) })
    assert.equal(0, #t.engine:verify())
  end)

  it("begins no second run of a job that is activated while the first rests", function()
    local t, closing <close> = suspend_while_it_waits()
    t.engine:advance(11)
    t.ran = t.ran + t.engine:poll(0.001) -- the run ends, and meets the suspension
    t.engine:job({}):activate()
    t.poll()
    t.engine:advance(11)
    t.poll()
    assert.same({ 1, 2, 1 }, { t.ran, t.begun, t.engine:count("tasks", {}) })
  end)

  it("lets a job that was suspended and activated while it waited end as if nothing had been", function()
    local t, closing <close> = suspend_while_it_waits()
    t.engine:job({}):activate()
    t.poll()
    t.engine:advance(11)
    t.poll()
    assert.same({ 1, 1, 1 }, { t.ran, t.begun, t.engine:count("tasks", {}) })
    assert.equal(0, #t.engine:verify())
  end)

  it("counts a failure and records it on the job", function()
    local engine <close> = open(function()
      orrery.sleep(1)
      error "lost in the woods"
    end)
    engine:start "quest"
    engine:poll(0.001)
    engine:advance(2)
    assert.equal(1, engine:poll(0))
    local job = engine:job {}
    assert.equal(2, job.retries)
    assert.matches("lost in the woods", job.error)
  end)

  it("gives back what still waits when the engine closes", function()
    local store = folder.make()
    finally(function() folder.remove(store) end)
    local engine = open(function() orrery.sleep(1000) end, store)
    engine:start "quest"
    engine:poll(0.001)
    assert.is_not_nil(engine:job({}).lock_owner)
    engine:close()
    local again <close> = orrery.open(store, { clock = "manual", log = "none" })
    assert.is_nil(again:job({}).lock_owner)
    assert.same({}, again:verify())
  end)
end)

describe("run_jobs", function()
  local function renewed(engine) return engine:metrics()["job-lock-renewed"] or 0 end

  --- Awaits, turn by turn of the loop, until the lease has been prolonged: nothing but the wait itself could do it.
  local function wait_for_renewal(engine)
    local before, patience = renewed(engine), os.time() + 60
    while renewed(engine) == before and os.time() < patience do orrery.sleep(0) end
    assert(renewed(engine) > before, "nobody prolonged the lease")
  end

  local function check(walk)
    local left
    local engine <close> = open(function(execution)
      execution.engine:advance(200) -- of 300
      walk(execution.engine)
      local job = execution.engine:job { locked = true }
      left = job.lock_expires - execution.engine:now()
    end)
    engine:register("waits", function() wait_for_renewal(engine) end)
    local instance = engine:start "quest"
    assert.equal(1, engine:run_jobs())
    assert.equal(300, left)
    assert.same({ "arrived" }, instance:active())
    assert.same({}, engine:verify())
  end

  it("prolongs the lock of a job while it waits for it", function() check(wait_for_renewal) end)

  it("prolongs it while a call of the job's delegate waits", function()
    check(function(engine)
      local inner = MODEL:gsub("quest", "inner"):gsub('camunda:asyncBefore="true"', ""):gsub('class="walk"', 'class="waits"')
      engine:deploy { ["inner.bpmn"] = inner }
      engine:start "inner"
    end)
  end)
end)
