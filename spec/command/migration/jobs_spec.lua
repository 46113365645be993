-- Migration of jobs, by jobs, in transactions and over a restart; modification at scale beside it.
local migrating = require "spec.command.migration.migrating"
local support = require "spec.support.process"

local process, user, deploy, prepare = migrating.process, migrating.user, migrating.deploy, migrating.prepare
local moved, migrate, complete, gone = migrating.moved, migrating.migrate, migrating.complete, migrating.gone
local refused, one, two = migrating.refused, migrating.one, migrating.two

describe("migration", function()
  local engine
  before_each(function() engine = migrating.open() end)
  after_each(migrating.close)

  describe("of jobs", function()
    local function service(id, attributes)
      return ([[<serviceTask id="%s" o:expression="${note('%s')}" %s/>]]):format(id, id, attributes or "")
    end
    local noted
    before_each(function()
      noted = {}
      engine:register("note", function(id) noted[#noted + 1] = id end)
    end)

    it("continues before the target's activity", function()
      local pi = moved(process(service("a", 'o:asyncBefore="true"'), "start>a"),
        process(user "x" .. service("b", 'o:asyncBefore="true"'), "start>b b>x"),
        { instructions = { { from = "a", to = "b" } } })
      assert.equal("b", engine:jobs({})[1].activity_id)
      engine:run_jobs()
      assert.same({ "b" }, noted)
      assert.same({ "x" }, pi:active())
    end)

    it("is refused where the target does not wait", function()
      local pi, plan = prepare(process(service("a", 'o:asyncBefore="true"'), "start>a"), process(service "a", "start>a"))
      assert.matches('a job waits before "a", but "a" is not asynchronous before', refused(plan, pi).message)
    end)

    it("takes the flow of the same id afterwards", function()
      local function model(last) return service("a", 'o:asyncAfter="true"') .. user(last) end
      local pi = moved(process(model "x", "start>a out:a>x"), process(model "y", "start>a out:a>y"))
      engine:run_jobs()
      assert.same({ "y" }, pi:active())
    end)

    it("keeps retries, and incidents move with their jobs", function()
      engine:register("note", function() error "no" end)
      local source = deploy(process(service("a", 'o:asyncBefore="true"'), "start>a"))
      local pi = engine:start_by_id(source.id)
      for _ = 1, 3 do
        engine:advance "P1D"
        engine:run_jobs()
      end
      local target = deploy(process(service("b", 'o:asyncBefore="true"'), "start>b"))
      migrate(pi, target, { instructions = { { from = "a", to = "b" } } })
      local incident = engine:incident {}
      assert.equal("b", incident.activity_id)
      assert.equal(target.id, incident.definition_id)
      assert.equal(0, engine:jobs({})[1].retries)
      engine:register("note", function() end)
      engine:jobs({})[1]:set_retries(1)
      engine:run_jobs()
      assert.is_true(gone(pi))
      assert.same({}, engine:incidents {})
    end)

    it("moves an instance that has not begun yet", function()
      local pi = moved(one, process(user "b", "start>b"), nil, { async = true })
      engine:run_jobs()
      assert.same({ "b" }, pi:active())
    end)
  end)

  it("tells history which definition what runs belongs to, and leaves what has ended", function()
    local source = deploy(process(user "x" .. user "a", "start>x x>a"))
    local pi = engine:start_by_id(source.id)
    complete "x"
    local target = deploy(process(user "b", "start>b"))
    migrate(pi, target, { instructions = { { from = "a", to = "b" } } })
    assert.equal(target.id, engine:history_instance({ id = pi.id }).definition_id)
    local rows = {}
    for _, row in ipairs(engine:history_activities { instance = pi.id }) do rows[row.activity_id] = row.definition_id end
    assert.same({ start = source.id, x = source.id, b = target.id }, rows)
    assert.equal("b", engine:history_task({ instance = pi.id, ended_at = nil, key = "b" }).key)
  end)

  it("joins a transaction and goes with it", function()
    local pi, plan, source = prepare(one, two)
    pcall(function()
      engine:transaction(function()
        plan:execute { instances = { pi.id } }
        assert.equal(plan.target_definition_id, engine:instance(pi.id).definition_id)
        error "no"
      end)
    end)
    assert.equal(source.id, pi:reload().definition_id)
  end)

  it("survives the store's closing and crosses processes of different keys", function()
    local source = deploy(one)
    local pi = engine:start_by_id(source.id)
    local target = engine:deploy({ ["q.bpmn"] = (two:gsub('id="p"', 'id="q"')) }).definitions[1]
    migrate(pi, target)
    assert.equal("q", pi:reload().definition_key)
    assert.equal("q", engine:task({}).definition_key)
    engine:undeploy(source.deployment_id) -- nothing refers to it any more
    complete "a"
    assert.same({ "b" }, pi:active())
  end)

  describe("by jobs", function()
    it("moves each instance in one of its own", function()
      local source = deploy(two)
      for _ = 1, 3 do engine:start_by_id(source.id) end
      local target = deploy(process(user "a" .. user "b" .. user "c", "start>a a>b b>c"))
      local plan = engine:migration_plan(source.id, target.id)
      assert.equal(3, engine:migrate(plan, { filter = { definition_id = source.id }, async = true }))
      assert.equal(3, engine:count("instances", { definition_id = source.id }))
      assert.equal(3, engine:run_jobs())
      assert.equal(3, engine:count("instances", { definition_id = target.id }))
      assert.same({}, engine:jobs {})
    end)

    it("fails for itself where an instance does not fit", function()
      local source = deploy(two)
      local good, bad = engine:start_by_id(source.id), engine:start_by_id(source.id)
      local target = deploy(one)
      engine:migrate(engine:migration_plan(source.id, target.id), { instances = { good.id, bad.id }, async = true })
      engine:task({ instance = bad.id }):complete()
      for _ = 1, 3 do
        engine:advance "P1D"
        engine:run_jobs()
      end
      assert.equal(target.id, good:reload().definition_id)
      assert.equal(source.id, bad:reload().definition_id)
      assert.matches('no instruction maps "b"', engine:incident({ instance = bad.id }).message)
    end)

    it("refuses a plan that cannot hold at once", function()
      local source = deploy(one)
      local pi = engine:start_by_id(source.id)
      local plan = engine:migration_plan(source.id, deploy(two).id, { map_equal = false, instructions = { { from = "a", to = "start" } } })
      support.refused("argument", function() engine:migrate(plan, { instances = { pi.id }, async = true }) end)
      assert.same({}, engine:jobs {})
    end)
  end)

  describe("beside it, modification at scale", function()
    it("changes all or none", function()
      local source = deploy(two)
      local first, second = engine:start_by_id(source.id), engine:start_by_id(source.id)
      local step = { { cancel = "a" }, { start_before = "b" } }
      assert.equal(2, engine:modify(step, { filter = { key = "p" } }))
      assert.same({ "b" }, first:active())
      support.refused("not_found", function() engine:modify({ { start_before = "a" } },
        { instances = { second.id, tostring(1 << 40) } }) end)
      assert.same({ "b" }, second:active())
    end)

    it("changes each by a job", function()
      local source = deploy(two)
      local first, second = engine:start_by_id(source.id), engine:start_by_id(source.id)
      engine:modify({ { cancel = "a" }, { start_before = "b" } }, { instances = { first.id, second.id }, async = true })
      assert.same({ "a" }, first:active())
      assert.equal(2, engine:run_jobs())
      assert.same({ "b" }, first:active())
      assert.same({ "b" }, second:active())
    end)
  end)
end)
