-- Moving running instances between versions: what moves, what stays, what stands against it.
local support = require "spec.engine.support"

--- A process "p": `nodes` between definitions' own messages, signals and the start event; flows are "a>b" (id "a_b") or "id:a>b".
local function process(nodes, flows)
  local out = { [[<message id="m" name="go"/><message id="m2" name="other"/><signal id="alarm" name="alarm"/>
    <process id="p" isExecutable="true"><startEvent id="start"/>]], nodes }
  for flow in flows:gmatch "%S+" do
    local id, from, to = flow:match "^([%w_]+):([%w_]+)>([%w_]+)$"
    if not id then from, to = flow:match "^([%w_]+)>([%w_]+)$" end
    out[#out + 1] = ('<sequenceFlow id="%s" sourceRef="%s" targetRef="%s"/>'):format(id or from .. "_" .. to, from, to)
  end
  out[#out + 1] = "</process>"
  return support.definitions(table.concat(out))
end

local function user(id) return ('<userTask id="%s"/>'):format(id) end
local function timer(duration) return ('<timerEventDefinition><timeDuration>%s</timeDuration></timerEventDefinition>'):format(duration) end
local message, other = '<messageEventDefinition messageRef="m"/>', '<messageEventDefinition messageRef="m2"/>'
local signal = '<signalEventDefinition signalRef="alarm"/>'
local function boundary(id, to, event, attributes)
  return ('<boundaryEvent id="%s" attachedToRef="%s" %s>%s</boundaryEvent>'):format(id, to, attributes or "", event)
end
local function catch(id, event) return ('<intermediateCatchEvent id="%s">%s</intermediateCatchEvent>'):format(id, event) end
local function sub(id, inside, attributes) return ('<subProcess id="%s" %s>%s</subProcess>'):format(id, attributes or "", inside) end
local function multi(id, attributes)
  return ([[<userTask id="%s"><multiInstanceLoopCharacteristics %s><loopCardinality>3</loopCardinality>
    </multiInstanceLoopCharacteristics></userTask>]]):format(id, attributes or "")
end
local function undone_by(activity, handler) -- a boundary event with its handler
  return boundary("c", activity, "<compensateEventDefinition/>") .. ([[<userTask id="%s" isForCompensation="true"/>
    <association id="as" associationDirection="One" sourceRef="c" targetRef="%s"/>]]):format(handler, handler)
end
local function inner(id, flows) -- a start event and flows of a sub-process
  local out = { ('<startEvent id="%s"/>'):format(id) }
  for from, to in flows:gmatch "([%w_]+)>([%w_]+)" do
    out[#out + 1] = ('<sequenceFlow id="%s_%s" sourceRef="%s" targetRef="%s"/>'):format(from, to, from, to)
  end
  return table.concat(out)
end
local function on_event(id, start, event, attributes, content)
  return ([[<subProcess id="%s" triggeredByEvent="true"><startEvent id="%s" %s>%s</startEvent>
    <sequenceFlow id="f_%s" sourceRef="%s" targetRef="in_%s"/>%s</subProcess>]])
    :format(id, start, attributes or "", event, id, start, id, content or user("in_" .. id))
end

describe("migration", function()
  local engine
  before_each(function() engine = support.engine { history = "full" } end)
  after_each(function()
    assert.same({}, engine:verify())
    engine:close()
  end)

  local function deploy(model) return engine:deploy({ ["p.bpmn"] = model }).definitions[1] end

  --- Starts an instance of one model and deploys the other; the plan between them.
  local function prepare(from, to, options, start)
    local source = deploy(from)
    local pi = engine:start_by_id(source.id, start)
    local target = deploy(to)
    return pi, engine:migration_plan(source.id, target.id, options), source, target
  end
  local function moved(from, to, options, start)
    local pi, plan, source, target = prepare(from, to, options, start)
    assert.equal(1, engine:migrate(plan, { instances = { pi.id } }))
    assert.equal(target.id, pi:reload().definition_id)
    return pi, plan, source, target
  end
  local function migrate(pi, target, options)
    engine:migrate(engine:migration_plan(pi:reload().definition_id, target.id, options), { instances = { pi.id } })
  end
  local function task(key) return engine:task { key = key } end
  local function complete(key) task(key):complete() end
  local function gone(pi) return engine:instance(pi.id) == nil end
  local function problems(plan, pi)
    local out = {}
    for i, problem in ipairs(plan:validate { instances = pi and { pi.id } or {} }) do out[i] = problem.message end
    return out
  end
  local function refused(plan, pi)
    return support.raises("argument", function() engine:migrate(plan, { instances = { pi.id } }) end)
  end

  local one = process(user "a", "start>a")
  local two = process(user "a" .. user "b", "start>a a>b")

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
      support.raises("not_found", function() engine:migration_plan(d.id, tostring(1 << 40)) end)
      support.raises("argument", function() engine:migration_plan(d.id, d.id, { instructions = { { from = "a" } } }) end)
      support.raises("argument", function() engine:migration_plan(d.id, d.id, { instructions = { { from = "a", to = "a", too = 1 } } }) end)
      support.raises("argument", function() engine:migration_plan(d.id, d.id, { map = true }) end)
      support.raises("argument", function() engine:migrate({ source_definition_id = d.id }, { instances = {} }) end)
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
        '"s", which encloses "i", is not mapped', '"nowhere" is no activity of the source', '"nothing" is no activity of the target',
        '"start" waits for no event', '"start" has more than one instruction' } do
        assert.matches(expected, found)
      end
    end)

    it("wants enclosing scopes mapped to each other", function()
      local from = sub("s", inner("ss", "ss>i") .. user "i") .. sub("r", inner("rs", "rs>j") .. user "j")
      local _, plan = prepare(process(from, "start>s s>r"), process(from, "start>s s>r"), { map_equal = false, instructions = {
        { from = "s", to = "s" }, { from = "r", to = "r" }, { from = "i", to = "j" } } })
      assert.matches('"i" lies in s, which is mapped to s, but "j" lies in r', problems(plan)[1])
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
      local err = support.raises("argument", function() engine:migrate(plan, { filter = { definition_id = source.id } }) end)
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
      support.raises("argument", function() engine:migrate(plan, { instances = { good.id, bad.id } }) end)
      assert.equal(source.id, good:reload().definition_id)
      assert.same(before, engine:tasks {})
    end)

    it("finds instances that run something else, or nothing", function()
      local pi, plan = prepare(one, two)
      engine:migrate(plan, { instances = { pi.id } })
      assert.matches("not the plan's source", refused(plan, pi).problems[1].message)
      pi:delete()
      assert.matches("no running process instance", refused(plan, pi).problems[1].message)
      assert.equal(0, engine:migrate(plan, { filter = { id = pi.id } }))
      support.raises("argument", function() engine:migrate(plan, {}) end)
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
      support.raises("suspended", function() complete "a" end)
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

    it("is refused where a scope comes or goes", function()
      local inside = sub("s", inner("ss", "ss>a") .. user "a")
      local pi, plan = prepare(one, process(inside, "start>s"), { instructions = { { from = "a", to = "a" } } })
      assert.matches("enclosing scopes must be mapped to each other", refused(plan, pi).message)
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
      support.raises("correlation", function() engine:message("go", { instance = pi.id }) end)
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
      support.raises("correlation", function() engine:message("go", { instance = pi.id }) end)
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
      support.raises("argument", function() engine:migrate(plan, { instances = { pi.id }, async = true }) end)
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
      support.raises("not_found", function() engine:modify({ { start_before = "a" } },
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
