-- Plans of migration: what is mapped, and what stands against a plan and an instance.
local migrating = require "spec.command.migration.migrating"
local support = require "spec.support.process"

local process, user, boundary, catch, sub = migrating.process, migrating.user, migrating.boundary, migrating.catch, migrating.sub
local multi, inner, message, signal = migrating.multi, migrating.inner, migrating.message, migrating.signal
local deploy, prepare, task, problems = migrating.deploy, migrating.prepare, migrating.task, migrating.problems
local refused, one, two = migrating.refused, migrating.one, migrating.two

describe("migration", function()
  local engine
  before_each(function() engine = migrating.open() end)
  after_each(migrating.close)

  describe("plan", function()
    it("maps what is equal in both", function()
      local _, plan, source, target = prepare(one, two)
      assert.equal(source.id, plan.source_definition_id)
      assert.equal(target.id, plan.target_definition_id)
      assert.same({ { from = "start", to = "start" }, { from = "a", to = "a" } }, plan.instructions)
      assert.same({}, plan:validate())
    end)

    it("maps nothing of itself where that is switched off", function()
      local _, plan = prepare(one, two, { map_equal = false, instructions = { { from = "a", to = "b" } } })
      assert.same({ { from = "a", to = "b" } }, plan.instructions)
    end)

    it("lets written instructions win", function()
      local _, plan = prepare(one, two, { instructions = { { from = "a", to = "b" } } })
      assert.same({ { from = "a", to = "b" }, { from = "start", to = "start" } }, plan.instructions)
    end)

    it("takes no other kind, event, loop or place for equal", function()
      local from = user "t" .. boundary("x", "t", message) .. user "l" .. user "in_s"
      local to = '<receiveTask id="t"/>' .. user "u" .. boundary("x", "u", message) ..
        multi "l" ..
        sub("s", inner("ss", "ss>in_s") .. user "in_s")
      local _, plan = prepare(process(from, "start>t t>l l>in_s"), process(to, "start>t t>l l>u u>s"))
      assert.same({ { from = "start", to = "start" } }, plan.instructions)
    end)

    it("updates the triggers of every event if asked", function()
      local model = process(user "a" .. boundary("b", "a", message), "start>a")
      local _, plan = prepare(model, model, { update_event_triggers = true })
      local updated = {}
      for _, instruction in ipairs(plan.instructions) do updated[instruction.from] = instruction.update_event_trigger end
      assert.same({ b = true }, updated)
    end)

    it("names definitions that are not there and instructions that make no sense", function()
      local d = deploy(one)
      support.refused("not_found", function() engine:migration_plan(d.id, tostring(1 << 40)) end)
      support.refused("argument", function() engine:migration_plan(d.id, d.id, { instructions = { { from = "a" } } }) end)
      local given = { instructions = { { from = "a", to = "a", too = 1 } } }
      support.refused("argument", function() engine:migration_plan(d.id, d.id, given) end)
      support.refused("argument", function() engine:migration_plan(d.id, d.id, { map = true }) end)
      support.refused("argument", function() engine:migrate({ source_definition_id = d.id }, { instances = {} }) end)
    end)
  end)

  describe("validation", function()
    it("lists everything that the models say against a plan", function()
      local from = user "a" .. '<serviceTask id="w" o:type="external" o:topic="t"/>' .. catch("c", message) ..
        multi "l" ..
        sub("s", inner("ss", "ss>i") .. user "i")
      local to = user "a" .. '<serviceTask id="w" o:expression="${1}"/>' .. catch("c", signal) ..
        multi("l", 'isSequential="true"') ..
        user "i"
      local flows = "start>a a>w w>c c>l "
      local _, plan = prepare(process(from, flows .. "l>s"), process(to, flows .. "l>i"), { map_equal = false, instructions = {
        { from = "a", to = "c" }, { from = "w", to = "w" }, { from = "c", to = "c" }, { from = "l", to = "l" }, { from = "i", to = "i" },
        { from = "nowhere", to = "a" }, { from = "s", to = "nothing" }, { from = "start", to = "start", update_event_trigger = true },
        { from = "start", to = "start" } } })
      local found = table.concat(problems(plan), "\n")
      for _, expected in ipairs { '"a" is a userTask and "c" a intermediateCatchEvent', 'only one of "w" and "w" is an external task',
        'the event of "c" is of type message, that of "c" of type signal',
        '"l" has a parallel multi%-instance, "l" a sequential multi%-instance',
        '"nowhere" is no activity of the source', '"nothing" is no activity of the target',
        '"start" waits for no event', '"start" has more than one instruction' } do
        assert.matches(expected, found)
      end
    end)

    it("lets nothing move sideways", function()
      local from = sub("s", inner("ss", "ss>i") .. user "i") .. sub("r", inner("rs", "rs>j") .. user "j")
      local _, plan = prepare(process(from, "start>s s>r"), process(from, "start>s s>r"), { map_equal = false, instructions = {
        { from = "s", to = "s" }, { from = "r", to = "r" }, { from = "i", to = "j" } } })
      assert.matches('"i" lies in s, which is mapped to s, but "j" does not lie in that', problems(plan)[1])
    end)

    it("wants boundary events to stay with their activity", function()
      local from = user "a" .. user "b" .. boundary("x", "a", message)
      local _, plan = prepare(process(from, "start>a a>b"), process(from, "start>a a>b"),
        { map_equal = false, instructions = { { from = "a", to = "b" }, { from = "x", to = "x" } } })
      assert.matches('"x" is attached to "a", which is mapped to b, but "x" to "a"', problems(plan)[1])
    end)

    it("does not let two scopes become one, nor a join lose flows", function()
      local from = user "a" .. user "b" .. user "c" .. '<parallelGateway id="f"/><parallelGateway id="j"/>' ..
        sub("s", inner("ss", "")) .. sub("r", inner("rs", ""))
      local to = user "a" .. user "b" .. '<parallelGateway id="f"/><parallelGateway id="j"/>' .. sub("s", inner("ss", ""))
      local _, plan = prepare(process(from, "start>f f>a f>b f>c a>j b>j c>j j>s s>r"), process(to, "start>f f>a f>b a>j b>j j>s"),
        { instructions = { { from = "r", to = "s" } } })
      local found = table.concat(problems(plan), "\n")
      assert.matches('"s" is mapped to "s" too', found)
      assert.matches('"j" joins 3 flows and "j" only 2', found)
    end)

    it("lists for each instance what stands in it, and changes none", function()
      local source = deploy(process('<parallelGateway id="f"/>' .. user "a" .. user "b" .. user "c", "start>f f>a f>b f>c"))
      local first, second = engine:start_by_id(source.id), engine:start_by_id(source.id)
      local target = deploy(one)
      local plan = engine:migration_plan(source.id, target.id)
      local err = support.refused("argument", function() engine:migrate(plan, { filter = { definition_id = source.id } }) end)
      assert.equal(4, #err.problems)
      assert.same({ first.id, first.id, second.id, second.id }, support.each(err.problems, "instance_id"))
      assert.same({ "b", "b", "c", "c" }, support.each(err.problems, "activity_id"))
      assert.equal(source.id, first:reload().definition_id)
      assert.same({ "a", "b", "c" }, second:active())
    end)

    it("moves all instances of a call or none", function()
      local source = deploy(two)
      local good, bad = engine:start_by_id(source.id), engine:start_by_id(source.id)
      engine:task({ instance = bad.id }):complete()
      local plan = engine:migration_plan(source.id, deploy(one).id)
      local before = engine:tasks {}
      support.refused("argument", function() engine:migrate(plan, { instances = { good.id, bad.id } }) end)
      assert.equal(source.id, good:reload().definition_id)
      assert.same(before, engine:tasks {})
    end)

    it("finds instances that run something else, or nothing", function()
      local pi, plan = prepare(one, two)
      engine:migrate(plan, { instances = { pi.id } })
      assert.matches("not the plan's source", refused(plan, pi).problems[1].message)
      pi:delete()
      local gone = support.refused("not_found", function() engine:migrate(plan, { instances = { pi.id, tostring(1 << 40) } }) end)
      assert.matches("no running process instance", gone.problems[1].message)
      assert.equal(2, #gone.problems)
      assert.equal(0, engine:migrate(plan, { filter = { id = pi.id } }))
      support.refused("argument", function() engine:migrate(plan, {}) end)
    end)

    it("does not move the instance whose delegate asks for it", function()
      local source = deploy(process('<serviceTask id="t" o:expression="${move(execution)}"/>', "start>t"))
      engine:register("move", function(execution)
        engine:migrate(engine:migration_plan(source.id, source.id), { instances = { execution.instance_id } })
      end)
      local ok, err = pcall(function() engine:start_by_id(source.id) end)
      assert.is_false(ok)
      assert.matches("in the middle of a step", tostring(err))
    end)
  end)
end)
