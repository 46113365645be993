-- Seed "The Job Executor", headings "Acquirable Jobs", "Job Acquisition performance optimization", "The Order of Job Acquisition",
-- "Job Executor priority range", "A note on Job Starvation"; seed "Process Designer: Transactions and Tasks", heading "Acquiring a Job".
-- Marks: threads
local support = require "spec.support.process"

describe("Acquirable Jobs", function()
  local engine, instance

  local function job() return engine:job { instance = instance.id } end

  before_each(function()
    engine = support.engine()
    support.single(engine)
    support.record(engine)
    instance = engine:start "p"
  end)
  after_each(function() engine:close() end)

  it("due: not before its due date", function()
    job():set_due(engine:now() + 60)
    engine:advance(59.999)
    assert.equal(0, engine:run_jobs())
    engine:advance(0.001)
    assert.equal(1, engine:run_jobs())
  end)

  it("not locked: not while its lock lasts, and again once it has expired", function()
    local folder = require "spec.support.folder"
    local store, orrery = folder.make(), require "orrery"
    finally(function() folder.remove(store) end)
    local now
    do
      local first <close> = orrery.open(store, { clock = "manual", log = "none" })
      support.single(first)
      first:start "p"
      now = first:now()
    end
    support.die_running(store, now, 300, "another")
    local second <close> = orrery.open(store, { clock = "manual", now = now, log = "none" })
    support.record(second)
    assert.same({ "another", now + 300 }, { second:job({}).lock_owner, second:job({}).lock_expires })
    assert.equal(0, second:run_jobs())
    second:advance(299.999)
    assert.equal(0, second:run_jobs())
    support.refused("state", function() second:job({}):execute() end)
    second:advance(0.001)
    assert.equal(1, second:run_jobs())
    assert.same({}, second:verify())
  end)

  it("retries greater than zero", function()
    job():set_retries(0)
    assert.equal(0, engine:run_jobs())
    job():set_retries(1)
    assert.equal(1, engine:run_jobs())
  end)

  it("not suspended, by whatever was suspended", function()
    local ways = {
      { function() job():suspend() end, function() job():activate() end },
      { function() instance:suspend() end, function() instance:activate() end },
      { function() engine:job_definition({}):suspend { jobs = true } end,
        function() engine:job_definition({}):activate { jobs = true } end },
      { function() engine:suspend_definition({ key = "p" }, { instances = true }) end,
        function() engine:activate_definition({ key = "p" }, { instances = true }) end },
      { function() engine:suspend_jobs { instance = instance.id } end, function() engine:activate_jobs { instance = instance.id } end },
    }
    for i, way in ipairs(ways) do
      way[1]()
      assert.is_true(job().suspended, "way " .. i)
      assert.equal(0, engine:run_jobs(), "way " .. i)
      way[2]()
      assert.is_false(job().suspended, "way " .. i)
    end
    assert.equal(1, engine:run_jobs())
  end)

  it("a suspended definition's new jobs are suspended, also those of running instances", function()
    engine:job_definition({}):suspend()
    engine:start "p"
    assert.equal(1, #engine:jobs { suspended = true })
    assert.equal(1, engine:run_jobs())
  end)

  it("suspension and activation at a time are jobs themselves", function()
    engine:suspend_definition({ key = "p" }, { instances = true, at = engine:now() + 60 })
    engine:activate_definition({ key = "p" }, { instances = true, at = engine:now() + 120 })
    assert.is_false(job().suspended)
    engine:advance(60)
    job():set_due(engine:now() + 3600) -- the spec is about the others
    engine:run_jobs()
    assert.is_true(job().suspended)
    engine:advance(60)
    engine:run_jobs()
    assert.is_false(job().suspended)
  end)
end)

describe("Job Acquisition performance optimization", function()
  it("a job to be run at once has no due date", function()
    local engine <close> = support.engine()
    support.single(engine)
    engine:start "p"
    assert.is_nil(engine:job({}).due)
  end)

  it("ensure_due_not_null: it has its creation date", function()
    local engine <close> = support.engine { ensure_due_not_null = true }
    support.single(engine)
    support.record(engine)
    engine:start "p"
    assert.equal(engine:now(), engine:job({}).due)
    assert.equal(1, engine:run_jobs())
  end)

  it("ensure_due_not_null: so have batches and clean-up, and whoever takes a due date away gets the present", function()
    local engine <close> = support.engine { ensure_due_not_null = true }
    support.single(engine)
    engine:start "p"
    engine:batch { action = "suspend" }
    engine:schedule_clean_history {}
    local at_once = engine:jobs { type_ne = "batch-monitor" } -- which looks after half a minute
    assert.same({ engine:now(), engine:now(), engine:now() }, support.fields(at_once, "due"))
    local job = engine:job { type = "async" }
    job:set_due(engine:now() + 60)
    job:set_due(require "orrery".null)
    assert.equal(engine:now(), job:reload().due)
    job:set_retries(2, { due = require "orrery".null })
    assert.equal(engine:now(), job:reload().due)
  end)

  it("jobs made without one before are still acquired, unlike in the seed", function()
    local folder = require "spec.support.folder"
    local store = folder.make()
    finally(function() folder.remove(store) end)
    local orrery = require "orrery"
    do
      local engine <close> = orrery.open(store, { log = "none" })
      support.single(engine)
      engine:start "p"
    end
    local engine <close> = orrery.open(store, { log = "none", ensure_due_not_null = true })
    support.record(engine)
    assert.equal(1, engine:run_jobs())
  end)
end)

-- Three jobs of each kind, made so that every ordering gives another sequence.
--   name      priority  type   due            made
local JOBS = {
  { "async-low", 1, "async", nil, 0 }, { "timer-late-low", 1, "timer", 50, 10 }, { "async-high", 9, "async", nil, 20 },
  { "timer-early-high", 9, "timer", 40, 25 }, { "timer-early-low", 1, "timer", 35, 30 }, { "async-mid", 5, "async", nil, 55 },
}

local function make_jobs(engine)
  support.single(engine, 'camunda:jobPriority="${n}"', nil, { key = "async" })
  support.deploy(engine, '<startEvent id="s"/><intermediateCatchEvent id="c" camunda:jobPriority="${n}">' .. support.timer("Date",
    "${due}") ..
    '</intermediateCatchEvent><serviceTask id="work" camunda:class="work"/>', "s -> c c -> work", { key = "timer" })
  local start = engine:now()
  for _, row in ipairs(JOBS) do
    engine:set_time(start + row[5])
    engine:start(row[3], { business_key = row[1], variables = { n = row[2], due = row[4] and start + row[4] } })
  end
  engine:set_time(start + 60)
end

-- The order that the flags ask for, by sorting: among equals the older job comes first.
local function expected(flags, now_before)
  local rows = table.move(JOBS, 1, #JOBS, 1, {})
  local function key(row)
    local due = flags.acquire_by_due_date and (row[4] or (flags.ensure_due_not_null and row[5] or -1)) or 0
    return { flags.acquire_by_priority and -row[2] or 0, flags.prefer_timer_jobs and (row[3] == "timer" and 0 or 1) or 0, due,
      row[5] + now_before }
  end
  table.sort(rows, function(a, b)
    local ka, kb = key(a), key(b)
    for i = 1, #ka do
      if ka[i] ~= kb[i] then return ka[i] < kb[i] end
    end
    return false
  end)
  return support.fields(rows, 1)
end

describe("The Order of Job Acquisition", function()
  for bits = 0, 7 do
    for _, not_null in ipairs { false, true } do
      local flags = { acquire_by_priority = bits & 4 ~= 0, prefer_timer_jobs = bits & 2 ~= 0, acquire_by_due_date = bits & 1 ~= 0 }
      local name = ("priority %s, timers first %s, due date %s, due dates always %s"):format(flags.acquire_by_priority,
        flags.prefer_timer_jobs, flags.acquire_by_due_date, not_null)
      it(name, function()
        local engine <close> = support.engine { acquisition = flags, ensure_due_not_null = not_null }
        make_jobs(engine)
        local notes = support.record(engine)
        assert.equal(#JOBS, engine:run_jobs())
        local order = {}
        for key, value in pairs(flags) do order[key] = value end
        order.ensure_due_not_null = not_null
        assert.same(expected(order, 0), notes)
        assert.same({}, engine:verify())
      end)
    end
  end

  it("an order that is asked for later holds for the jobs that are there", function()
    local folder = require "spec.support.folder"
    local store = folder.make()
    finally(function() folder.remove(store) end)
    local orrery = require "orrery"
    local now
    do
      local engine <close> = orrery.open(store, { clock = "manual", log = "none" })
      make_jobs(engine)
      now = engine:now()
    end
    local engine <close> = orrery.open(store, { clock = "manual", now = now, log = "none",
      acquisition = { acquire_by_priority = true, prefer_timer_jobs = true } })
    local notes = support.record(engine)
    engine:run_jobs()
    assert.same(expected({ acquire_by_priority = true, prefer_timer_jobs = true }, 0), notes)
  end)
end)

describe("A note on Job Starvation: aging", function()
  local TAU = 10 -- seconds that a point of priority is worth

  it("orders by creation - priority * tau", function()
    local engine <close> = support.engine { acquisition = { acquire_by_aging = TAU } }
    support.single(engine, 'camunda:jobPriority="${n}"')
    local notes = support.record(engine)
    local start, rows = engine:now(), {}
    for i, row in ipairs { { 0, 0 }, { 15, 1 }, { 16, 3 }, { 19, 2 }, { 25, 3 }, { 26, 2 }, { 40, 0 } } do
      engine:set_time(start + row[1])
      engine:start("p", { variables = { n = row[2] }, business_key = tostring(i) })
      rows[i] = { tostring(i), row[1] - row[2] * TAU, i }
    end
    engine:run_jobs()
    table.sort(rows, function(a, b) return a[2] < b[2] or (a[2] == b[2] and a[3] < b[3]) end)
    assert.same(support.fields(rows, 1), notes)
  end)

  it("nothing starves: a job waits for no job made later than priority difference * tau after it", function()
    local engine <close> = support.engine { acquisition = { acquire_by_aging = TAU } }
    support.single(engine, 'camunda:jobPriority="${n}"')
    local notes = support.record(engine)
    engine:start("p", { variables = { n = 0 }, business_key = "low" })
    local seconds = 0
    repeat -- more high ones arrive than are served, for ever
      seconds = seconds + 1
      engine:advance(1)
      for _ = 1, 3 do engine:start("p", { variables = { n = 5 }, business_key = "high" }) end
      engine:run_jobs(2)
    until notes[#notes] == "low" or notes[#notes - 1] == "low" or seconds > 1000
    -- Before it come those made within 5 * TAU seconds of it: 3 a second, served 2 a second.
    assert.is_true(seconds <= 5 * TAU * 3 / 2 + 1, "waited " .. seconds .. " s")
  end)

  it("with strict priorities it does starve, as the seed warns", function()
    local engine <close> = support.engine { acquisition = { acquire_by_priority = true } }
    support.single(engine, 'camunda:jobPriority="${n}"')
    local notes = support.record(engine)
    engine:start("p", { variables = { n = 0 }, business_key = "low" })
    for _ = 1, 200 do
      engine:advance(1)
      for _ = 1, 3 do engine:start("p", { variables = { n = 5 }, business_key = "high" }) end
      engine:run_jobs(2)
    end
    for _, note in ipairs(notes) do assert.equal("high", note) end
  end)
end)

describe("Job Executor priority range", function()
  local function ran(acquisition)
    local engine <close> = support.engine { acquisition = acquisition }
    support.single(engine, 'camunda:jobPriority="${n}"')
    local notes = support.record(engine)
    for _, n in ipairs { math.mininteger, -1, 0, 50, 100, 101, 199, 200, math.maxinteger } do
      engine:start("p", { variables = { n = n }, business_key = tostring(n) })
    end
    engine:run_jobs()
    return notes
  end
  local MIN, MAX = tostring(math.mininteger), tostring(math.maxinteger)

  it("is inclusive at both ends", function()
    assert.same({ "0", "50", "100" }, ran { priority_min = 0, priority_max = 100 })
  end)
  it("may be open at either end", function()
    assert.same({ MIN, "-1", "0" }, ran { priority_max = 0 })
    assert.same({ "200", MAX }, ran { priority_min = 200 })
    assert.same({ MIN }, ran { priority_max = math.mininteger })
  end)
  it("leaves alone what falls into a gap between executors", function()
    local both = ran { priority_min = 0, priority_max = 100 }
    table.move(ran { priority_min = 200 }, 1, 2, #both + 1, both)
    assert.same({ "0", "50", "100", "200", MAX }, both)
  end)
  it("holds for batches and the clean-up of history, which have 0 unless they are given another", function()
    local engine <close> = support.engine { acquisition = { priority_min = 1 } }
    support.single(engine)
    engine:start "p"
    engine:batch { action = "suspend" }
    engine:batch { action = "activate", priority = 1 }
    engine:schedule_clean_history {}
    assert.same({ 0, 0, 0, 1 }, support.sorted(support.fields(engine:jobs { type_ne = "batch-monitor" }, "priority")))
    assert.equal(1, engine:run_jobs())
    assert.same({ "running", "completed" }, support.fields(engine:batches { order_by = "id" }, "state"))
    engine:schedule_clean_history { priority = 1 }
    assert.equal(1, engine:run_jobs())
  end)
  it("min above max is refused", function()
    local engine <close> = support.engine()
    support.refused("argument", function() engine:start_executor { priority_min = 2, priority_max = 1 } end)
  end)
  it("holds with every order", function()
    assert.same({ "100", "50", "0" }, ran { priority_min = 0, priority_max = 100, acquire_by_priority = true })
  end)
end)
