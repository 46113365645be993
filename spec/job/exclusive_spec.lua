-- Seed "The Job Executor", headings "Concurrent Job Execution", "Exclusive Jobs", "Exclusive Jobs of Process Hierarchies"; seed "Process
-- Designer: Transactions and Tasks", heading "Concurrent Job Execution". The delegates wait inside, so that overlapping would show.
-- Marks: threads
local support = require "spec.support.process"

local function fork(attributes, content)
  local parts, flows = { '<startEvent id="s"/><parallelGateway id="fork"/><parallelGateway id="join"/><endEvent id="e"/>' },
  { "s -> fork join -> e" }
  for i = 1, 4 do
    parts[#parts + 1] = support.task("t" .. i, attributes, content)
    flows[#flows + 1] = ("fork -> t%d t%d -> join"):format(i, i)
  end
  return table.concat(parts), table.concat(flows, " ")
end

-- Registers "work": marks when it enters and leaves, and lets others in between. Threads share no Lua values, so the marks go to a file.
local function mark(engine, path)
  engine:register("work", function(execution)
    local path = execution:get "path"
    local function note(what)
      local file = assert(io.open(path, "a"))
      file:write(what, " ", execution.root_id, " ", execution.instance_id, "\n")
      file:close()
    end
    note "begin"
    local orrery = require "orrery"
    for _ = 1, 5 do orrery.sleep(0.002) end
    note "end"
  end)
  return path
end

-- The most that were inside at once, by the key that `key(root, instance)` gives.
local function most_at_once(path, key)
  local inside, most = {}, 0
  for line in io.lines(path) do
    local what, root, instance = line:match "(%a+) (%S+) (%S+)"
    local k = key(root, instance)
    inside[k] = (inside[k] or 0) + (what == "begin" and 1 or -1)
    most = math.max(most, inside[k])
  end
  return most
end

local function by_instance(_, instance) return instance end
local function by_root(root) return root end
local function together() return "all" end

local function run(engine, path, executor)
  engine:start_executor(executor)
  assert.is_true(engine:wait_idle(60))
  engine:stop_executor()
  assert.same({}, engine:verify())
  assert.same({}, engine:instances {})
  return path
end

describe("Exclusive Jobs", function()
  local path
  before_each(function() path = os.tmpname() end)
  after_each(function() os.remove(path) end)

  it("those of one instance never overlap, whoever takes them; those of several instances do", function()
    local engine <close> = support.engine { clock = "system" }
    support.deploy(engine, fork())
    mark(engine, path)
    for _ = 1, 5 do engine:start("p", { variables = { path = path } }) end
    run(engine, path, { threads = 4 })
    assert.equal(1, most_at_once(path, by_instance))
    assert.is_true(most_at_once(path, together) > 1, "nothing ran at the same time: this shows nothing")
  end)

  it("all asynchronous continuations and timers are by default", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s"/>' .. support.task "a" .. '<userTask id="u"/><boundaryEvent id="b" attachedToRef="u">' ..
      support.timer("Duration", "PT1H") .. "</boundaryEvent>", "s -> a s -> u")
    engine:start "p"
    assert.same({ true, true }, support.fields(engine:jobs {}, "exclusive"))
  end)

  it("asyncLeaveExclusive=\"false\" excepts the job behind an activity, and that alone", function()
    local engine <close> = support.engine { dialect = "flowable" }
    support.deploy(engine, [[<startEvent id="s"/><manualTask id="t" o:async="true" o:asyncLeave="true"
      o:asyncLeaveExclusive="false"/>]], "s -> t")
    engine:start "p"
    local before = engine:job {}
    assert.same({ "async-before", true }, { before.handler, before.exclusive })
    before:execute()
    local after = engine:job {}
    assert.same({ "async-after", false }, { after.handler, after.exclusive })
  end)

  it("exclusive=\"false\" lets them overlap; lost races at the join cost no retry", function()
    local engine <close> = support.engine { clock = "system", retries = 1 }
    support.deploy(engine, fork 'camunda:exclusive="false"')
    mark(engine, path)
    for _ = 1, 3 do engine:start("p", { variables = { path = path } }) end
    assert.same({ false }, support.fields(engine:jobs { limit = 1 }, "exclusive"))
    run(engine, path, { threads = 4 })
    assert.is_true(most_at_once(path, by_instance) > 1)
    assert.same({}, engine:incidents {})
  end)

  it("exclusive=\"false\" at an expression's task, whose work is done by the job", function()
    local engine <close> = support.engine()
    support.deploy(engine, [[<startEvent id="s"/><serviceTask id="service" camunda:expression="${myService.performBooking(hotel, dates)}"
      camunda:asyncBefore="true" camunda:exclusive="false" />]], "s -> service")
    local booked = {}
    engine:register("myService", { performBooking = function(_, hotel, dates) booked[#booked + 1] = { hotel, dates } end })
    engine:start("p", { variables = { hotel = "Ritz", dates = { "2026-05-01", "2026-05-03" } } })
    assert.is_false(engine:job({}).exclusive)
    assert.same({}, booked)
    assert.equal(1, engine:run_jobs())
    assert.same({ { "Ritz", { "2026-05-01", "2026-05-03" } } }, booked)
  end)

  -- Unlike in the seed the asynchronous join does not save the work before it from being done again: see docs/job-executor.md.
  it("with exclusive=\"false\" an asynchronous join is tried until it passes, at the cost of no retry", function()
    local engine <close> = support.engine { clock = "system", retries = 1 }
    local elements, flows = fork 'camunda:exclusive="false"'
    support.deploy(engine, elements:gsub('<parallelGateway id="join"/>',
      '<parallelGateway id="join" camunda:asyncBefore="true" camunda:exclusive="false"/>'), flows)
    mark(engine, path)
    for _ = 1, 3 do engine:start("p", { variables = { path = path } }) end
    run(engine, path, { threads = 4 })
    assert.equal(3, engine:count("history_instances", { state = "completed" }))
    assert.same({}, engine:incidents {})
  end)

  it("a job made later joins the row of the one that runs", function()
    local engine <close> = support.engine { clock = "system" }
    support.deploy(engine, '<startEvent id="s"/><parallelGateway id="fork"/>' .. support.task("a",
      'camunda:asyncAfter="true"') .. support.task "b" ..
      support.task "c", "s -> fork fork -> a fork -> b a -> c")
    mark(engine, path)
    engine:start_executor { threads = 4 }
    for _ = 1, 10 do engine:start("p", { variables = { path = path } }) end
    assert.is_true(engine:wait_idle(60))
    assert.equal(1, most_at_once(path, by_instance))
    assert.same({}, engine:instances {})
  end)
end)

describe("Exclusive Jobs of Process Hierarchies", function()
  local path
  before_each(function() path = os.tmpname() end)
  after_each(function() os.remove(path) end)

  local function hierarchy(engine)
    support.deploy(engine, '<startEvent id="s"/>' .. support.task "inner", "s -> inner", { key = "called" })
    support.deploy(engine, [[<startEvent id="s"/><callActivity id="c" calledElement="called"><extensionElements>
      <camunda:in variables="all"/>
      </extensionElements><multiInstanceLoopCharacteristics><loopCardinality>6</loopCardinality></multiInstanceLoopCharacteristics>
      </callActivity>]], "s -> c")
    mark(engine, path)
    engine:start("p", { variables = { path = path } })
  end

  it("by default only jobs of the same instance exclude each other", function()
    local engine <close> = support.engine { clock = "system" }
    hierarchy(engine)
    run(engine, path, { threads = 4 })
    assert.is_true(most_at_once(path, by_root) > 1)
    assert.equal(1, most_at_once(path, by_instance))
  end)

  it("exclusive_over_hierarchies, as an option of the executor: all jobs below one root", function()
    local engine <close> = support.engine { clock = "system" }
    hierarchy(engine)
    run(engine, path, { threads = 4, exclusive_over_hierarchies = true })
    assert.equal(1, most_at_once(path, by_root))
  end)

  it("exclusive_over_hierarchies, as the engine's default", function()
    local engine <close> = support.engine { clock = "system", acquisition = { exclusive_over_hierarchies = true } }
    hierarchy(engine)
    run(engine, path, { threads = 4 })
    assert.equal(1, most_at_once(path, by_root))
  end)

  it("a lock is given back where it was taken, by whichever setting that was", function()
    local folder = require "spec.support.folder"
    local store, orrery = folder.make(), require "orrery"
    finally(function() folder.remove(store) end)
    local now
    do
      local engine <close> = orrery.open(store, { clock = "manual", log = "none" })
      hierarchy(engine)
      now = engine:now()
    end
    support.die_running(store, now) -- takes the called instance
    local engine <close> = orrery.open(store, { clock = "manual", now = now + 301, log = "none",
      acquisition = { exclusive_over_hierarchies = true } })
    support.record(engine)
    assert.equal(6, engine:run_jobs())
    assert.same({}, engine:instances {})
    assert.same({}, engine:verify())
  end)
end)
