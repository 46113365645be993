-- Migration of activities and the scopes around them.
local migrating = require "spec.command.migration.migrating"
local support = require "spec.support.process"

local process, user, timer, sub, multi = migrating.process, migrating.user, migrating.timer, migrating.sub, migrating.multi
local inner, deploy, prepare, moved = migrating.inner, migrating.deploy, migrating.prepare, migrating.moved
local migrate, task, complete, gone = migrating.migrate, migrating.task, migrating.complete, migrating.gone
local refused, one, two = migrating.refused, migrating.one, migrating.two

describe("migration", function()
  local engine
  before_each(function() engine = migrating.open() end)
  after_each(migrating.close)

  describe("of user tasks", function()
    it("keeps the task and goes on by the target", function()
      local pi = moved(one, two)
      complete "a"
      assert.same({ "b" }, pi:active())
    end)

    it("moves a task to another activity", function()
      local pi = prepare(one, two)
      local before = task "a"
      before:claim "kermit"
      local source, target = pi.definition_id, engine:definition({ key = "p", latest = true })
      migrate(pi, target, { map_equal = false, instructions = { { from = "a", to = "b" } } })
      local after = task "b"
      assert.equal(before.id, after.id)
      assert.equal("kermit", after.assignee)
      assert.equal(target.id, after.definition_id)
      assert.same({ "b" }, pi:active())
      after:complete()
      assert.is_true(gone(pi))
    end)

    it("gathers several at one", function()
      local fork = '<parallelGateway id="f"/>'
      local pi = moved(process(fork .. user "a" .. user "b", "start>f f>a f>b"), process(fork .. user "c", "start>f f>c"),
        { instructions = { { from = "a", to = "c" }, { from = "b", to = "c" } } })
      assert.same({ "c", "c" }, pi:active())
      for _, t in ipairs(engine:tasks {}) do t:complete() end
      assert.is_true(gone(pi))
    end)

    it("keeps local variables and sets the plan's", function()
      local source = deploy(one)
      local pi = engine:start_by_id(source.id, { variables = { x = 1 } })
      task("a"):set_local("y", 2)
      migrate(pi, deploy(two), { variables = { x = 3, z = 4 } })
      assert.same({ x = 3, z = 4 }, pi:variables())
      assert.equal(2, task("a"):get_local "y")
    end)

    it("moves suspended instances, which stay suspended", function()
      local pi, plan = prepare(one, two)
      pi:suspend()
      engine:migrate(plan, { instances = { pi.id } })
      support.refused("suspended", function() complete "a" end)
      pi:activate()
      complete "a"
      assert.same({ "b" }, pi:active())
    end)

    it("keeps, renews and begins timeout listeners", function()
      local function model(list)
        local out = {}
        for id, duration in list:gmatch "(%w+)=(%w+)" do
          out[#out + 1] = ([[<o:taskListener event="timeout" id="%s" expression="${note('%s')}">%s</o:taskListener>]])
            :format(id, id, timer(duration))
        end
        return process('<userTask id="a"><extensionElements>' .. table.concat(out) .. "</extensionElements></userTask>", "start>a")
      end
      local noted = {}
      engine:register("note", function(id) noted[#noted + 1] = id end)
      moved(model "x=PT10M y=PT10M", model "z=PT20M x=PT30M")
      local due = {}
      for i, job in ipairs(engine:jobs { order_by = "due" }) do due[i] = job.due - engine:now() end
      assert.same({ 600, 1200 }, due)
      engine:advance "PT10M"
      engine:run_jobs()
      engine:advance "PT10M"
      engine:run_jobs()
      assert.same({ "x", "z" }, noted)
    end)
  end)

  describe("of sub-processes", function()
    local function model(last) return sub("s", inner("ss", "ss>i i>" .. last) .. user "i" .. user(last)) end

    it("moves scope and token", function()
      local pi = moved(process(model "j", "start>s"), process(model "k" .. user "after", "start>s s>after"))
      complete "i"
      assert.same({ "k" }, pi:active())
      complete "k"
      assert.same({ "after" }, pi:active())
    end)

    it("follows a renamed sub-process", function()
      local function named(s) return sub(s, inner(s .. "start", s .. "start>i") .. user "i") end
      local pi = moved(process(named "s", "start>s"), process(named "r", "start>r"),
        { instructions = { { from = "s", to = "r" }, { from = "i", to = "i" } } })
      assert.equal("r", pi:tree().children[1].activity_id)
      complete "i"
      assert.is_true(gone(pi))
    end)

    it("keeps its variables", function()
      local source = deploy(process(model "j", "start>s"))
      local pi = engine:start_by_id(source.id)
      local scope = engine:execution(pi:tree().children[1].id)
      scope:set_local("v", 7)
      migrate(pi, deploy(process(model "k", "start>s")))
      assert.equal(7, engine:execution(scope.id):get_local "v")
    end)
  end)

  describe("of parallel paths", function()
    local gateways = '<parallelGateway id="f"/><parallelGateway id="j"/>'

    it("keeps what waits at a join", function()
      local model = gateways .. user "a" .. user "b" .. user "after"
      local pi = moved(process(model, "start>f f>a f>b a>j b>j j>after"), process(user "x" .. model, "start>x x>f f>a f>b a>j b>j j>after"))
      complete "a"
      assert.same({ "b", "j" }, pi:active())
      complete "b"
      assert.same({ "after" }, pi:active())
    end)

    it("lets waiting tokens wait on at the flow of the same id", function()
      local nodes = gateways .. user "a" .. user "b" .. user "after"
      local source = deploy(process(nodes, "start>f f>a f>b a>j b>j j>after"))
      local pi = engine:start_by_id(source.id)
      complete "a"
      local target = deploy(process(user "new" .. nodes, "start>f b_j:b>j f>b f>a a>new a_j:new>j j>after"))
      migrate(pi, target)
      assert.same({ "b", "j" }, pi:active())
      complete "b"
      assert.same({ "after" }, pi:active())
    end)

    it("knows flows without ids by what they connect", function()
      local function model(more) return (process(more .. gateways .. user "a" .. user "b" .. user "after",
        "start>f f>a f>b a>j b>j j>after"):gsub('<sequenceFlow id="[^"]*"', "<sequenceFlow")) end
      local source = deploy(model "")
      local pi = engine:start_by_id(source.id)
      complete "a"
      migrate(pi, deploy(model(user "x")))
      complete "b"
      assert.same({ "after" }, pi:active())
    end)

    it("finds another flow for those that have none any more", function()
      local nodes = gateways .. user "a" .. user "b" .. user "after"
      local source = deploy(process(nodes, "start>f f>a f>b x:a>j y:b>j j>after"))
      local pi = engine:start_by_id(source.id)
      complete "b"
      local target = deploy(process(nodes, "start>f f>a f>b z:b>j x:a>j j>after"))
      migrate(pi, target)
      assert.same({ "a", "j" }, pi:active())
      complete "a"
      assert.same({ "after" }, pi:active())
    end)

    it("waits for a flow that is new, and for a renamed gateway's", function()
      local function model(join, more)
        return ('<parallelGateway id="f"/><parallelGateway id="%s"/>'):format(join) .. user "a" .. user "b" .. user "after" .. (more or "")
      end
      local source = deploy(process(model "j", "start>f f>a f>b a>j b>j j>after"))
      local pi = engine:start_by_id(source.id)
      complete "a"
      local target = deploy(process(model("k", user "c"), "start>f f>a f>b f>c a>k b>k c>k k>after"))
      migrate(pi, target, { instructions = { { from = "j", to = "k" } } })
      complete "b"
      assert.same({ "k", "k" }, pi:active())
      pi:modify { { start_before = "c" } }
      complete "c"
      assert.same({ "after" }, pi:active())
    end)

    it("completes an inclusive join that nothing can reach any more", function()
      local nodes = '<inclusiveGateway id="f"/><inclusiveGateway id="j"/>' .. user "a" .. user "b" .. user "after" .. user "off"
      local source = deploy(process(nodes, "start>f f>a f>b a>j b>j j>after"))
      local pi = engine:start_by_id(source.id)
      complete "a"
      assert.same({ "b", "j" }, pi:active())
      local target = deploy(process(nodes .. user "c", "start>f f>a f>b a>j c>j b>off j>after"))
      migrate(pi, target)
      assert.same({ "after", "b" }, pi:active())
    end)
  end)

  describe("of multi-instances", function()
    local function model(id, attributes) return multi(id, attributes) .. user "after" end

    it("goes on counting", function()
      local source = deploy(process(model "a", "start>a a>after"))
      local pi = engine:start_by_id(source.id)
      complete "a"
      migrate(pi, deploy(process(model "b", "start>b b>after")), { instructions = { { from = "a", to = "b" } } })
      assert.equal("b#multiInstanceBody", pi:tree().children[1].activity_id)
      assert.equal(2, #engine:tasks { key = "b" })
      complete "b"
      complete "b"
      assert.same({ "after" }, pi:active())
    end)

    it("makes the next instance of a sequential one in the target", function()
      local pi = moved(process(model("a", 'isSequential="true"'), "start>a a>after"),
        process(model("b", 'isSequential="true"'), "start>b b>after"),
        { instructions = { { from = "a", to = "b" } } })
      for _ = 1, 3 do complete "b" end
      assert.same({ "after" }, pi:active())
    end)
  end)

  it("moves external tasks with their topic and lock", function()
    local function model(id, topic) return ('<serviceTask id="%s" o:type="external" o:topic="%s"/>'):format(id, topic) end
    local source = deploy(process(model("a", "old"), "start>a"))
    local pi = engine:start_by_id(source.id)
    local locked = engine:fetch_and_lock { worker = "w", max = 1, topics = { { name = "old", lock = 60 } } }[1]
    local target = deploy(process(user "x" .. model("b", "new"), "start>b b>x"))
    migrate(pi, target, { instructions = { { from = "a", to = "b" } } })
    local t = engine:external_task {}
    assert.same({ locked.id, "b", "old", target.id, "w" }, { t.id, t.activity_id, t.topic, t.definition_id, t.worker })
    t:complete("w", {})
    assert.same({ "x" }, pi:active())
  end)

  it("leaves called instances alone", function()
    engine:deploy { ["c.bpmn"] = support.definitions(support.waiting "called") }
    local function model(id) return ('<callActivity id="%s" calledElement="called"/>'):format(id) end
    local pi = moved(process(model "a", "start>a"), process(user "x" .. model "b", "start>b b>x"),
      { instructions = { { from = "a", to = "b" } } })
    local called = engine:instance { key = "called" }
    assert.equal(pi.id, called.parent_id)
    complete "wait"
    assert.same({ "x" }, pi:active())
  end)
end)
