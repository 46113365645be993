-- Migration where scopes appear around what runs, or vanish from around it.
local migrating = require "spec.command.migration.migrating"

local process, user, timer, sub, multi = migrating.process, migrating.user, migrating.timer, migrating.sub, migrating.multi
local inner, moved, prepare, refused = migrating.inner, migrating.moved, migrating.prepare, migrating.refused
local message, boundary, on_event = migrating.message, migrating.boundary, migrating.on_event

local function listener(event) return ('<o:executionListener event="%s" class="note"/>'):format(event) end

--- A sub-process with listeners, an input and an output.
local function told(id, inside)
  return ([[<subProcess id="%s"><extensionElements>%s%s<o:inputOutput><o:inputParameter name="given">${x}</o:inputParameter>
    <o:outputParameter name="taken">${given}</o:outputParameter></o:inputOutput></extensionElements>%s</subProcess>]])
    :format(id, listener "start", listener "end", inside)
end

local plain <const> = process(user "a" .. user "z", "start>a a>z")
local nested <const> = process(told("s", inner("ss", "ss>a") .. user "a") .. user "z", "start>s s>z")
local deep <const> = process(sub("o", inner("os", "os>s") .. sub("s", inner("ss", "ss>a") .. user "a")) .. user "z", "start>o o>z")
local a_to_a <const> = { instructions = { { from = "a", to = "a" } } }

--- "o(s(a))": activities, as they enclose each other.
local function shape(pi)
  local function draw(n)
    local names = {}
    for i, child in ipairs(n.children) do
      names[i] = child.activity_id .. (#child.children > 0 and "(" .. draw(child) .. ")" or "")
    end
    table.sort(names)
    return table.concat(names, " ")
  end
  return draw(pi:tree())
end

local function finish(keys)
  for key in keys:gmatch "%S+" do migrating.complete(key) end
end

describe("migration", function()
  local engine, notes
  before_each(function()
    engine = migrating.open()
    notes = {}
    engine:register("note", function(execution)
      notes[#notes + 1] = execution.event_name .. " " .. execution.activity_id .. (execution.canceled and " canceled" or "")
    end)
  end)
  after_each(migrating.close)

  describe("into a sub-process", function()
    it("opens it around the task, which stays the same", function()
      local pi, plan = prepare(plain, nested, a_to_a, { variables = { x = 7 } })
      local before = migrating.task "a"
      engine:migrate(plan, { instances = { pi.id } })
      local after = migrating.task "a"
      assert.equal(before.id, after.id)
      assert.same({ "start s" }, notes)
      assert.equal(7, after:get "given")
      assert.equal("s(a)", shape(pi))
      finish "a z"
      assert.same({ "start s", "end s" }, notes)
      assert.equal(7, engine:history_variable({ instance = pi.id, name = "taken" }).value)
      assert.is_true(migrating.gone(pi))
    end)

    it("opens several, one in the other", function()
      local pi = moved(plain, deep, a_to_a)
      assert.equal("o(s(a))", shape(pi))
      finish "a z"
      assert.is_true(migrating.gone(pi))
    end)

    it("arms its boundary events and event sub-processes", function()
      local target = process(sub("s", inner("ss", "ss>a") .. user "a" .. on_event("e", "es", timer "PT1H", 'isInterrupting="false"'))
        .. boundary("b", "s", message) .. user "z", "start>s b>z")
      local pi = moved(plain, target, a_to_a)
      assert.equal(1, #engine:jobs { type = "timer" })
      engine:message("go", { instance = pi.id })
      assert.same({ "z" }, pi:active())
    end)

    it("opens one for all that was in one scope", function()
      local fork = '<parallelGateway id="f"/>'
      local pi = moved(process(fork .. user "a" .. user "b", "start>f f>a f>b"),
        process(sub("s", fork .. inner("ss", "ss>f f>a f>b") .. user "a" .. user "b") .. user "z", "start>s s>z"),
        { instructions = { { from = "a", to = "a" }, { from = "b", to = "b" } } })
      assert.equal("s(a b)", shape(pi))
      finish "a"
      assert.equal("s(b)", shape(pi))
      finish "b z"
      assert.is_true(migrating.gone(pi))
    end)

    it("keeps listeners and mappings out where they are skipped", function()
      local pi, plan = prepare(plain, nested, a_to_a, { variables = { x = 7 } })
      engine:migrate(plan, { instances = { pi.id }, skip_listeners = true, skip_io_mappings = true })
      assert.same({}, notes)
      assert.is_nil(migrating.task("a"):get "given")
    end)

    it("may be an event sub-process, which then listens no more", function()
      local target = process(user "u" .. on_event("e", "es", message, "", user "in_e"), "start>u")
      local pi = moved(plain, target, { map_equal = false, instructions = { { from = "a", to = "in_e" } } })
      assert.equal("e(in_e)", shape(pi))
      assert.same({}, engine:subscriptions {})
    end)
  end)

  describe("out of a sub-process", function()
    it("ends it, with its listeners and outputs, and keeps the task", function()
      local pi, plan = prepare(nested, plain, a_to_a, { variables = { x = 7 } })
      local before = migrating.task "a"
      engine:migrate(plan, { instances = { pi.id } })
      assert.equal(before.id, migrating.task("a").id)
      assert.same({ "start s", "end s canceled" }, notes)
      assert.equal(7, pi:get "taken")
      assert.equal("a", shape(pi))
      finish "a z"
      assert.is_true(migrating.gone(pi))
    end)

    it("ends several, inner ones first", function()
      local from = process(told("o", inner("os", "os>s") .. told("s", inner("ss", "ss>a") .. user "a")) .. user "z", "start>o o>z")
      local pi = moved(from, plain, a_to_a, { variables = { x = 1 } })
      assert.same({ "start o", "start s", "end s canceled", "end o canceled" }, notes)
      assert.equal("a", shape(pi))
    end)

    it("takes its events down, and moves events, external tasks, jobs and calls out", function()
      local inside = migrating.catch("c", message) .. '<serviceTask id="x" o:type="external" o:topic="t"/>'
        .. '<task id="j" o:asyncBefore="true"/><callActivity id="k" calledElement="q"/>' .. user "u" .. boundary("ub", "u", timer "PT1H")
        .. '<parallelGateway id="f"/>'
      local flows = "f>c f>x f>j f>k f>u"
      engine:deploy { ["q.bpmn"] = require("spec.support.process").definitions(require("spec.support.process").waiting "q") }
      local from = process(sub("s", inner("ss", "ss>f " .. flows) .. inside) .. boundary("b", "s", migrating.signal), "start>s")
      local ids = {}
      for _, id in ipairs { "c", "x", "j", "k", "u", "ub" } do ids[#ids + 1] = { from = id, to = id } end
      local pi = moved(from, process(inside, "start>f " .. flows), { instructions = ids })
      assert.equal("c j k u x", shape(pi))
      assert.same({}, engine:subscriptions { type = "signal" })
      engine:message "go"
      engine:fetch_and_lock({ worker = "w", max = 1, topics = { { name = "t", lock = 60 } } })[1]:complete "w"
      engine:advance "PT2H"
      engine:run_jobs()
      engine:task({ key = "wait" }):complete()
      assert.is_true(migrating.gone(pi))
    end)

    it("lets a join wait on where it is now", function()
      local gateways = '<parallelGateway id="f"/><parallelGateway id="j"/>'
      local flows = "f>a f>b a>j b>j"
      local pi = moved(process(sub("s", gateways .. inner("ss", "ss>f " .. flows) .. user "a" .. user "b") .. user "z", "start>s s>z"),
        process(gateways .. user "a" .. user "b" .. user "z", "start>f " .. flows .. " j>z"),
        { instructions = { { from = "a", to = "a" }, { from = "b", to = "b" }, { from = "j", to = "j" } } })
      finish "a b"
      assert.same({ "z" }, pi:active())
    end)

    it("may leave a scope in the middle", function()
      local pi = moved(deep, process(sub("o", inner("os", "os>a") .. user "a") .. user "z", "start>o o>z"),
        { instructions = { { from = "o", to = "o" }, { from = "a", to = "a" } } })
      assert.equal("o(a)", shape(pi))
      finish "a z"
      assert.is_true(migrating.gone(pi))
    end)
  end)

  it("renames around what stays, where one scope vanishes and another appears", function()
    local target = process(sub("t", inner("ts", "ts>a") .. user "a") .. user "z", "start>t t>z")
    local pi = moved(deep, target, { map_equal = false, instructions = { { from = "a", to = "a" } } })
    assert.equal("t(a)", shape(pi))
  end)

  it("refuses to move sideways and to turn scopes inside out", function()
    local two = process(sub("s", inner("ss", "ss>i") .. user "i") .. sub("r", inner("rs", "rs>j") .. user "j"), "start>s s>r")
    local pi, plan = prepare(two, two, { map_equal = false, instructions = {
      { from = "s", to = "s" }, { from = "r", to = "r" }, { from = "i", to = "j" } } })
    assert.matches('"i" lies in s, which is mapped to s, but "j" does not lie in that', refused(plan, pi).message, 1, true)
    local flipped = process(sub("s", inner("ss", "ss>o") .. sub("o", inner("os", "os>a") .. user "a")), "start>s")
    pi, plan = prepare(deep, flipped, { map_equal = false, instructions = {
      { from = "o", to = "o" }, { from = "s", to = "s" }, { from = "a", to = "a" } } })
    assert.matches('"s" lies in o, which is mapped to o, but "s" does not lie in that', refused(plan, pi).message, 1, true)
  end)

  it("maps sub-processes, transactions and event sub-processes onto each other", function()
    local transaction = '<transaction id="t">' .. inner("ts", "ts>a") .. user "a" .. "</transaction>"
    local pi = moved(process(sub("s", inner("ss", "ss>a") .. user "a") .. user "z", "start>s s>z"),
      process(transaction .. user "z", "start>t t>z"), { instructions = { { from = "s", to = "t" }, { from = "a", to = "a" } } })
    assert.equal("t(a)", shape(pi))
    finish "a z"
    assert.is_true(migrating.gone(pi))
  end)

  describe("of multi-instance activities", function()
    it("lets their instances go on without the body", function()
      local pi = moved(process(multi "l" .. user "z", "start>l l>z"), process(user "l" .. user "z", "start>l l>z"),
        { instructions = { { from = "l", to = "l" } } })
      assert.equal("l l l", shape(pi))
      for _, t in ipairs(engine:tasks { key = "l" }) do t:complete() end
      assert.equal(3, #engine:tasks { key = "z" })
    end)

    it("takes the body's name for the activity", function()
      local instructions = { { from = "l#multiInstanceBody", to = "k#multiInstanceBody" }, { from = "l", to = "k" } }
      local pi = moved(process(multi "l", "start>l"), process(multi "k", "start>k"), { map_equal = false, instructions = instructions })
      assert.equal(3, #engine:tasks { key = "k" })
      for _, t in ipairs(engine:tasks {}) do t:complete() end
      assert.is_true(migrating.gone(pi))
      local source, target = migrating.deploy(migrating.one), migrating.deploy(migrating.two)
      local plan = engine:migration_plan(source.id, target.id, { instructions = { { from = "a#multiInstanceBody", to = "a" } } })
      assert.matches('"a#multiInstanceBody" is no activity', plan:validate()[1].message, 1, true)
    end)

    it("cannot appear", function()
      local target = process(sub("s", '<multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality>'
        .. "</multiInstanceLoopCharacteristics>" .. inner("ss", "ss>a") .. user "a"), "start>s")
      local pi, plan = prepare(plain, target, a_to_a)
      assert.matches('"s" would appear around "a", and a multi-instance activity cannot', refused(plan, pi).message, 1, true)
    end)
  end)

  it("maps the start of an event sub-process without that", function()
    local model = process(user "a" .. on_event("e", "es", message), "start>a")
    local renamed = process(user "a" .. on_event("f", "fs", migrating.other), "start>a")
    moved(model, renamed, { map_equal = false, instructions = { { from = "a", to = "a" }, { from = "es", to = "fs" } } })
    engine:message "go"
    assert.is_not_nil(migrating.task "in_f")
  end)

  it("maps a compensation boundary event without what has completed", function()
    local function model(a, handler) return process(user(a) .. migrating.undone_by(a, handler) .. user "b"
      .. '<intermediateThrowEvent id="th"><compensateEventDefinition/></intermediateThrowEvent>', ("start>%s %s>b b>th"):format(a, a)) end
    local pi, plan = prepare(model("a", "undo"), model("a2", "undo2"),
      { map_equal = false, instructions = { { from = "b", to = "b" }, { from = "c", to = "c" }, { from = "th", to = "th" } } })
    finish "a"
    engine:migrate(plan, { instances = { pi.id } })
    finish "b"
    assert.is_not_nil(migrating.task "undo2")
    local source = pi:reload().definition_id
    local back = engine:migration_plan(source, engine:definition({ key = "p", version = 1 }).id,
      { map_equal = false, instructions = { { from = "undo2", to = "undo" }, { from = "th", to = "th" } } })
    assert.matches('"undo2" is being compensated', refused(back, pi).message, 1, true)
  end)

  it("of no instances is a mistake", function()
    local _, plan = prepare(migrating.one, migrating.two)
    local support = require "spec.support.process"
    assert.matches("empty", support.refused("argument", function() engine:migrate(plan, { instances = {} }) end).message)
  end)

  it("renews the condition of a conditional event", function()
    local function model(value) return process(migrating.catch("c", ("<conditionalEventDefinition><condition>${x == %d}</condition>"
      .. "</conditionalEventDefinition>"):format(value)) .. user "z", "start>c c>z") end
    local pi = moved(model(1), model(2), nil, { variables = { x = 0 } })
    pi:set("x", 1)
    assert.same({ "c" }, pi:active())
    pi:set("x", 2)
    assert.same({ "z" }, pi:active())
  end)
end)
