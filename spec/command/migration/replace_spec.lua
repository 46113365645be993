-- Migrations of Flowable models that end activities and begin others: one to several, several to one, another kind; a new assignee.
local migrating = require "spec.command.migration.migrating"
local support = require "spec.support.process"

local process, user, sub, multi, inner = migrating.process, migrating.user, migrating.sub, migrating.multi, migrating.inner
local prepare, timer, message, boundary = migrating.prepare, migrating.timer, migrating.message, migrating.boundary

local fork <const> = '<parallelGateway id="f"/><parallelGateway id="j"/>' .. user "a" .. user "b" .. user "z"
local parallel <const> = process(fork, "start>f f>a f>b a>j b>j j>z")
local plain <const> = process(user "a" .. user "z", "start>a a>z")

describe("migration in Flowable models", function()
  local engine
  before_each(function() engine = migrating.open { dialect = "flowable" } end)
  after_each(migrating.close)

  local function move(from, to, instructions, start)
    local pi, plan = prepare(from, to, { instructions = instructions }, start)
    engine:migrate(plan, { instances = { pi.id } })
    return pi, plan
  end

  it("makes of one activity several", function()
    local pi = move(plain, parallel, { { from = "a", to = { "a", "b" } } })
    assert.same({ "a", "b" }, pi:active())
    migrating.complete "a"
    assert.same({ "b", "j" }, pi:active())
    migrating.complete "b"
    migrating.complete "z"
    assert.is_true(migrating.gone(pi))
  end)

  it("makes of several activities one, which begins once", function()
    local pi = move(parallel, plain, { { from = { "a", "b" }, to = "a" } })
    assert.same({ "a" }, pi:active())
    assert.equal(1, #engine:tasks {})
    migrating.complete "a"
    migrating.complete "z"
    assert.is_true(migrating.gone(pi))
  end)

  it("begins nothing in place of what does not run", function()
    local pi = move(parallel, process(fork .. user "c", "start>f f>a f>b a>j b>j j>z z>c"), { { from = "z", to = { "z", "c" } } })
    assert.same({ "a", "b" }, pi:active())
  end)

  for name, from in pairs { ["receive task"] = '<receiveTask id="a"/>', ["timer"] = migrating.catch("a", timer "PT1H"),
    ["message event"] = migrating.catch("a", message), ["external task"] = '<serviceTask id="a" o:type="external-worker" o:topic="t"/>',
    ["call activity"] = '<callActivity id="a" calledElement="called"/>' } do
    it("makes a user task of a " .. name, function()
      engine:deploy { ["c.bpmn"] = support.definitions(support.waiting "called") }
      local pi = move(process(from .. user "z", "start>a a>z"), plain, { { from = "a", to = "a" } })
      assert.same({ "a" }, pi:active())
      assert.same({ 0, 0, 0, 1 },
        { #engine:jobs {}, #engine:external_tasks {}, engine:count("instances", { key = "called" }), #engine:tasks {} })
      migrating.complete "a"
      migrating.complete "z"
      assert.is_true(migrating.gone(pi))
    end)
  end

  it("makes a receive task of a user task, and a multi-instance of one task", function()
    local pi = move(plain, process('<receiveTask id="a"/>' .. multi "mi", "start>a a>mi"), { { from = "a", to = { "a", "mi" } } })
    assert.equal(3, #engine:tasks { key = "mi" })
    engine:trigger(engine:execution({ instance = pi.id, activity = "a" }).id)
    assert.equal(6, #engine:tasks { key = "mi" })
  end)

  for _, way in ipairs { "", 'isSequential="true"' } do
    it("makes other tasks of a multi-instance task " .. way, function()
      local from = process(multi("mi", way) .. user "z", "start>mi mi>z")
      local pi = move(from, process('<receiveTask id="a"/>' .. user "z", "start>a a>z"),
        { { from = "mi", to = "a" } })
      assert.same({ "a" }, pi:active())
      assert.equal(0, #engine:tasks {})
      engine:trigger(engine:execution({ instance = pi.id, activity = "a" }).id)
      migrating.complete "z"
      assert.is_true(migrating.gone(pi))
      pi = move(from, parallel, { { from = "mi", to = { "a", "b" } } })
      assert.same({ "a", "b" }, pi:active())
      pi = move(from, process(multi "mi" .. user "a" .. user "z", "start>a a>mi mi>z"),
        { { from = "mi", to = { "mi", "a" } } })
      assert.equal(3, #engine:tasks { key = "mi", instance = pi.id })
      assert.equal(1, #engine:tasks { key = "a", instance = pi.id })
      assert.same({}, engine:verify())
    end)
  end

  it("opens the scopes around what begins, and keeps those in which something ended", function()
    local s = sub("s", inner("ss", "ss>a") .. user "a" .. user "b")
    local pi = move(plain, process(s .. user "z", "start>s s>z"), { { from = "a", to = { "a", "b" } } })
    assert.equal(1, #pi:tree().children)
    assert.equal(2, #pi:tree().children[1].children)
    local kept = pi:tree().children[1].id
    local target = migrating.deploy(process(s .. user "z" .. user "y", "start>s s>z z>y"))
    local plan = engine:migration_plan(pi:reload().definition_id, target.id, { instructions = { { from = { "a", "b" }, to = "b" } } })
    engine:migrate(plan, { instances = { pi.id } })
    assert.equal(kept, pi:tree().children[1].id)
    assert.same({ "b" }, pi:active())
    migrating.complete "b"
    assert.same({ "z" }, pi:active())
  end)

  it("takes what is attached to an ended activity along, and arms what is new", function()
    local with = process(user "a" .. boundary("t", "a", timer "PT1H") .. user "z", "start>a a>z t>z")
    local pi = move(with, process('<receiveTask id="a"/>' .. boundary("t", "a", timer "PT3H") .. user "z", "start>a a>z t>z"),
      { { from = "a", to = "a" } })
    engine:advance "PT2H"
    engine:run_jobs()
    assert.same({ "a" }, pi:active())
    engine:advance "PT2H"
    engine:run_jobs()
    assert.same({ "z" }, pi:active())
  end)

  it("gives the task to somebody, and what begins variables of its own", function()
    local pi = move(plain, parallel, { { from = "a", to = "a", assignee = "kermit" } })
    assert.equal("kermit", engine:task({ instance = pi.id }).assignee)
    pi = move(process('<receiveTask id="a"/>' .. user "z", "start>a a>z"), plain,
      { { from = "a", to = "a", assignee = "piggy", local_variables = { n = 1 } } })
    local task = engine:task { instance = pi.id }
    assert.same({ "piggy", 1, nil }, { task.assignee, task:get "n", pi:get "n" })
  end)

  it("keeps an event sub-process listening that is active, though no instruction names it", function()
    local model = process(user "a" .. migrating.on_event("e", "es", message, 'isInterrupting="false"'), "start>a")
    local source = migrating.deploy(model)
    local pi = engine:start_by_id(source.id)
    engine:message("go", { instance = pi.id })
    local plan = engine:migration_plan(source.id, migrating.deploy(model).id,
      { map_equal = false, instructions = { { from = "a", to = "a" }, { from = "in_e", to = "in_e" } } })
    engine:migrate(plan, { instances = { pi.id } })
    engine:message("go", { instance = pi.id })
    assert.same({ "a", "in_e", "in_e" }, pi:active())
  end)

  it("shows and takes the plan as a table", function()
    local pi, plan = prepare(plain, parallel, { instructions = { { from = "a", to = { "a", "b" }, assignee = "x" } } })
    assert.same({ from = "a", to = { "a", "b" }, assignee = "x" }, plan.instructions[1])
    assert.same({}, plan:validate { instances = { pi.id } })
  end)

  it("refuses what cannot begin or end by itself, an assignee without a task, and a suspended instance", function()
    local nested = process(sub("s", inner("ss", "ss>a") .. user "a") .. boundary("t", "s", timer "PT1H") .. user "z", "start>s s>z t>z")
    local pi, plan = prepare(nested, nested, { instructions = { { from = "s", to = { "s", "z" } }, { from = "z", to = { "z", "t" } } } })
    assert.same({ '"s" is a subProcess, which goes to one of its kind only', '"t" is a boundaryEvent: nothing can begin there' },
      { migrating.problems(plan)[1], migrating.problems(plan)[2] })
    pi, plan = prepare(plain, process('<receiveTask id="a"/>', "start>a"), { instructions = { { from = "a", to = "a", assignee = "x" } } })
    pi:suspend()
    assert.same({ '"a" is no user task that could be "x"\'s', 'the instance is suspended: nothing begins there in place of "a"' },
      migrating.problems(plan, pi))
  end)
end)

describe("migration elsewhere", function()
  local engine
  before_each(function() engine = migrating.open { dialect = "camunda" } end)
  after_each(migrating.close)

  it("refuses one to several", function()
    local _, plan = prepare(plain, parallel, { instructions = { { from = "a", to = { "a", "b" } } } })
    assert.matches("only in Flowable models", migrating.problems(plan)[1])
  end)

  it("gives a task that moves to somebody", function()
    local pi, plan = prepare(plain, parallel, { instructions = { { from = "a", to = "b", assignee = "kermit" } } })
    engine:migrate(plan, { instances = { pi.id } })
    assert.equal("kermit", migrating.task("b").assignee)
  end)
end)
