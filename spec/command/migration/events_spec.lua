-- Migration of what waits for events: timers, messages, signals, event sub-processes, compensation.
local migrating = require "spec.command.migration.migrating"
local support = require "spec.support.process"

local process, user, timer, boundary = migrating.process, migrating.user, migrating.timer, migrating.boundary
local catch, sub, undone_by, inner = migrating.catch, migrating.sub, migrating.undone_by, migrating.inner
local on_event, message, other, signal = migrating.on_event, migrating.message, migrating.other, migrating.signal
local deploy, prepare, moved, migrate = migrating.deploy, migrating.prepare, migrating.moved, migrating.migrate
local task, complete, gone, problems = migrating.task, migrating.complete, migrating.gone, migrating.problems
local refused, one = migrating.refused, migrating.one

describe("migration", function()
  local engine
  before_each(function() engine = migrating.open() end)
  after_each(migrating.close)

  describe("of timers", function()
    local function model(duration, id)
      id = id or "t"
      return process(user "a" .. boundary(id, "a", timer(duration)) .. user "late", ("start>a %s>late"):format(id))
    end
    local function due() return engine:jobs({})[1].due - engine:now() end

    it("keeps the due date", function()
      local pi, plan, _, target = prepare(model "PT1H", model "PT2H")
      local before = engine:jobs({})[1]
      engine:advance "PT10M"
      engine:migrate(plan, { instances = { pi.id } })
      local after = engine:jobs({})[1]
      assert.equal(before.id, after.id)
      assert.equal(before.due, after.due)
      assert.equal(target.id, after.definition_id)
      assert.equal(target.deployment_id, after.deployment_id)
      assert.equal(engine:job_definition({ definition_id = target.id }).id, after.job_definition_id)
      engine:advance "PT50M"
      engine:run_jobs()
      assert.same({ "late" }, pi:active())
    end)

    it("of a suspended instance stay suspended, and what is new is suspended too", function()
      local bare = process(user "a" .. user "late", "start>a")
      local plain_task = '<serviceTask id="x" o:asyncBefore="true" o:expression="${1}"/>'
      local renewed = { instructions = { { from = "a", to = "a" }, { from = "t", to = "t", update_event_trigger = true } } }
      for _, case in ipairs { { bare, model "PT1H" }, { model "PT1H", model "PT2H" }, { model "PT1H", model "PT2H", renewed },
        { process(user "a" .. plain_task, "start>a a>x"), process(user "a" .. plain_task .. on_event("es", "es_s", timer "PT1H"),
          "start>a a>x") } } do
        local pi, plan = prepare(case[1], case[2], case[3])
        pi:suspend()
        engine:migrate(plan, { instances = { pi.id } })
        local jobs = engine:jobs { instance = pi.id }
        assert.equal(1, #jobs)
        assert.is_true(jobs[1].suspended)
        engine:advance "P1D"
        assert.equal(0, engine:run_jobs())
        assert.is_true(pi:reload().suspended)
        pi:activate()
        assert.is_false(engine:jobs({ instance = pi.id })[1].suspended)
        assert.equal(1, engine:run_jobs())
        pi:delete "done"
      end
    end)

    it("makes it anew with update_event_trigger", function()
      local pi, _, source, target = prepare(model "PT1H", model "PT2H")
      engine:advance "PT10M"
      migrate(pi, target, { instructions = { { from = "t", to = "t", update_event_trigger = true } } })
      assert.equal(1, #engine:jobs {})
      assert.equal(7200, due())
    end)

    it("takes down what the target has not, and arms what is new", function()
      local pi = moved(model("PT1H", "old"), model("PT2H", "new"))
      assert.equal(1, #engine:jobs {})
      assert.equal(7200, due())
      engine:advance "PT2H"
      engine:run_jobs()
      assert.same({ "late" }, pi:active())
    end)

    it("gives an activity that had no events its scope", function()
      local pi = moved(one, model "PT1H")
      engine:advance "PT1H"
      engine:run_jobs()
      assert.same({ "late" }, pi:active())
      assert.is_nil(task "a")
    end)

    it("does not begin again what has fired", function()
      local function beside(duration)
        return process(user "a" .. boundary("t", "a", timer(duration), 'cancelActivity="false"') .. user "n", "start>a t>n")
      end
      local source = deploy(beside "PT1H")
      local pi = engine:start_by_id(source.id)
      engine:advance "PT1H"
      engine:run_jobs()
      migrate(pi, deploy(beside "PT2H"))
      assert.same({}, engine:jobs {})
      assert.same({ "a", "n" }, pi:active())
    end)

    it("keeps what is left of a cycle", function()
      local cycle = "<timerEventDefinition><timeCycle>R3/PT1H</timeCycle></timerEventDefinition>"
      local function beside(more)
        return process(user "a" .. boundary("t", "a", cycle, 'cancelActivity="false"') .. user "n" .. more, "start>a t>n")
      end
      local source = deploy(beside "")
      local pi = engine:start_by_id(source.id)
      engine:advance "PT1H"
      engine:run_jobs()
      migrate(pi, deploy(beside(user "x")))
      for _ = 1, 5 do
        engine:advance "PT1H"
        engine:run_jobs()
      end
      assert.equal(3, #engine:tasks { key = "n" })
    end)

    it("moves a token that waits for one", function()
      local pi = moved(process(catch("c", timer "PT1H") .. user "x", "start>c c>x"),
        process(user "x" .. catch("d", timer "PT5H"), "start>d d>x"),
        { instructions = { { from = "c", to = "d" } } })
      assert.equal(3600, due())
      engine:advance "PT1H"
      engine:run_jobs()
      assert.same({ "x" }, pi:active())
    end)
  end)

  describe("of messages and signals", function()
    it("keeps the name that was subscribed to", function()
      local pi = moved(process(catch("c", message) .. user "x", "start>c c>x"), process(user "x" .. catch("c", other), "start>c c>x"))
      assert.equal("go", engine:subscription({ type = "message" }).name)
      engine:message("go", { instance = pi.id })
      assert.same({ "x" }, pi:active())
    end)

    it("subscribes anew with update_event_trigger", function()
      local pi = moved(process(catch("c", message) .. user "x", "start>c c>x"), process(user "x" .. catch("c", other), "start>c c>x"),
        { instructions = { { from = "c", to = "c", update_event_trigger = true } } })
      support.refused("correlation", function() engine:message("go", { instance = pi.id }) end)
      engine:message("other", { instance = pi.id })
      assert.same({ "x" }, pi:active())
    end)

    it("moves receive tasks", function()
      local pi = moved(process('<receiveTask id="r" messageRef="m"/>' .. user "x", "start>r r>x"),
        process(user "x" .. '<receiveTask id="q" messageRef="m2"/>', "start>q q>x"), { instructions = { { from = "r", to = "q" } } })
      assert.equal("q", engine:subscription({ type = "message" }).activity_id)
      engine:message("go", { instance = pi.id })
      assert.same({ "x" }, pi:active())
    end)

    it("takes down boundary signals that are gone and arms those that come", function()
      local pi = moved(process(user "a" .. boundary("o", "a", signal) .. user "x", "start>a o>x"),
        process(user "a" .. boundary("n", "a", message) .. user "x", "start>a n>x"))
      engine:signal "alarm"
      assert.same({ "a" }, pi:active())
      engine:message("go", { instance = pi.id })
      assert.same({ "x" }, pi:active())
    end)

    it("keeps, drops and arms what an event gateway waits for", function()
      local source = process('<eventBasedGateway id="g"/>' .. catch("c", message) .. catch("t", timer "PT1H") .. user "x",
        "start>g g>c g>t c>x t>x")
      local target = process(user "x" .. '<eventBasedGateway id="g"/>' .. catch("c", other) .. catch("s1", signal),
        "start>g g>c g>s1 c>x s1>x")
      local pi = moved(source, target)
      assert.same({}, engine:jobs {})
      assert.same({ "alarm", "go" }, support.each(engine:subscriptions { instance_id = pi.id }, "name"))
      engine:signal "alarm"
      assert.same({ "x" }, pi:active())
      assert.same({}, engine:subscriptions { instance_id = pi.id })
    end)

    it("lets a new conditional event that holds happen at once", function()
      local condition = '<conditionalEventDefinition><condition>${x == 2}</condition></conditionalEventDefinition>'
      local pi = moved(one, process(user "a" .. boundary("c", "a", condition) .. user "x", "start>a c>x"), { variables = { x = 2 } })
      assert.same({ "x" }, pi:active())
    end)

    it("moves jobs that deliver later", function()
      local source = deploy(process(catch("c", message) .. user "x", "start>c c>x"))
      local pi = engine:start_by_id(source.id)
      engine:message("go", { instance = pi.id, async = true, variables = { v = 1 } })
      migrate(pi, deploy(process(user "x" .. catch("c", message), "start>c c>x")))
      engine:run_jobs()
      assert.same({ "x" }, pi:active())
      assert.equal(1, pi:get "v")
    end)
  end)

  describe("of event sub-processes", function()
    it("arms those of the target and takes down the source's", function()
      local pi = moved(process(user "a" .. on_event("o", "os", message), "start>a"),
        process(user "a" .. on_event("n", "ns", signal), "start>a"))
      support.refused("correlation", function() engine:message("go", { instance = pi.id }) end)
      engine:signal "alarm"
      assert.same({ "in_n" }, pi:active())
    end)

    it("keeps a trigger inside sub-processes", function()
      local function model(event, more) return sub("s", inner("ss", "ss>i") .. user "i" .. on_event("e", "es", event) .. (more or "")) end
      local pi = moved(process(model(message), "start>s"), process(model(other, user "more"), "start>s"))
      engine:message("go", { instance = pi.id })
      assert.same({ "in_e" }, pi:active())
    end)

    it("moves one that runs, and arms no other beside an interrupting one", function()
      local source = deploy(process(user "a" .. on_event("e", "es", message), "start>a"))
      local pi = engine:start_by_id(source.id)
      engine:message("go", { instance = pi.id })
      local target = deploy(process(user "a" .. on_event("n", "ns", signal) .. on_event("e", "es", message), "start>a"))
      migrate(pi, target)
      assert.same({ "in_e" }, pi:active())
      assert.same({}, engine:subscriptions { instance_id = pi.id })
      complete "in_e"
      assert.is_true(gone(pi))
    end)

    it("goes on listening beside one that does not interrupt", function()
      local function model(more)
        return process(user "a" .. on_event("e", "es", message, 'isInterrupting="false"') .. (more or ""), "start>a")
      end
      local source = deploy(model())
      local pi = engine:start_by_id(source.id)
      engine:message("go", { instance = pi.id })
      migrate(pi, deploy(model(on_event("n", "ns", signal, 'isInterrupting="false"'))))
      engine:message("go", { instance = pi.id })
      engine:signal "alarm"
      assert.same({ "a", "in_e", "in_e", "in_n" }, pi:active())
    end)

    it("re-makes the timers of one", function()
      local function model(duration) return process(user "a" .. on_event("e", "es", timer(duration)), "start>a") end
      local pi = moved(model "PT1H", model "PT3H", { update_event_triggers = true })
      engine:advance "PT2H"
      assert.equal(0, engine:run_jobs())
      engine:advance "PT1H"
      engine:run_jobs()
      assert.same({ "in_e" }, pi:active())
    end)
  end)

  describe("of compensation", function()
    local function model(handler, more)
      return '<serviceTask id="a" o:expression="${1}"/>' .. undone_by("a", handler) .. user "b" ..
        '<endEvent id="end"><compensateEventDefinition/></endEvent>' .. (more or "")
    end

    it("compensates by the target's handler", function()
      local pi = moved(process(model "undo", "start>a a>b b>end"), process(model("revert", user "x"), "start>a a>b b>end"))
      complete "b"
      assert.is_not_nil(task "revert")
      complete "revert"
      assert.is_true(gone(pi))
    end)

    it("is refused where the target has none", function()
      local pi, plan = prepare(process(model "undo", "start>a a>b b>end"),
        process('<serviceTask id="a" o:expression="${1}"/>' .. user "b", "start>a a>b"))
      assert.matches('"a" has no compensation handler', refused(plan, pi).message)
    end)

    it("keeps what completed inside a sub-process", function()
      local function whole(handler)
        return sub("s", inner("ss", "ss>t") .. '<serviceTask id="t" o:expression="${1}"/>' .. undone_by("t", handler)) .. user "b" ..
        '<endEvent id="end"><compensateEventDefinition/></endEvent>'
      end
      local pi = moved(process(whole "undo", "start>s s>b b>end"), process(user "x" .. whole "revert", "start>s s>b b>end"))
      complete "b"
      complete "revert"
      assert.is_true(gone(pi))
      local other_pi, plan = prepare(process(whole "undo", "start>s s>b b>end"), process(user "b", "start>b"))
      assert.matches("something is left to compensate", table.concat(problems(plan, other_pi), "\n"))
    end)
  end)
end)
