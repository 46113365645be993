-- Decisions in an engine: deployment, versions, tenants, deciding by key, values in and out, history.
-- Marks: records
local models = require "spec.decision.models"
local orrery = require "orrery"

local function answer(text, options) return models.file(models.decision("d", text, options)) end

describe("decisions in an engine", function()
  local engine
  before_each(function() engine = models.engine() end)
  after_each(function() engine:close() end)

  it("are deployed beside processes, and listed", function()
    local d = engine:deploy { ["a.dmn"] = models.file(models.decision("x", "1", { id = "_x" }) .. models.decision("y", "2") ..
      '<decisionService id="s" name="s"><outputDecision href="#y"/></decisionService>'), ["b.dmn11.xml"] = answer "3",
      ["c.dmn.xml"] = "plain" }
    local found = {}
    for _, decision in ipairs(d.decisions) do
      found[#found + 1] = ("%s %s %s %s %d"):format(decision.key, decision.name, decision.kind, decision.resource, decision.version)
    end
    table.sort(found)
    assert.same({ "_x x decision a.dmn 1", "d d decision b.dmn11.xml 1", "s s service a.dmn 1", "y y decision a.dmn 1" }, found)
    assert.equal(4, #engine:decisions { deployment_id = d.id })
    assert.equal("y", engine:decision { key = "y" }.key)
    assert.equal(1, engine:count("decisions", { kind = "service" }))
    assert.same({ "a.dmn", "b.dmn11.xml", "c.dmn.xml" }, d.resources)
  end)

  it("are refused whole with every problem, and nothing is stored", function()
    local err = models.raises("deployment", engine.deploy, engine, { ["a.dmn"] = answer "1 +", ["b.dmn"] = "<definitions",
      ["c.dmn"] = "<definitions xmlns='urn:else'/>", ["d.dmn"] = answer "1" })
    local seen = {}
    for _, problem in ipairs(err.problems) do seen[problem.resource] = problem.message end
    assert.truthy(seen["a.dmn"] and seen["b.dmn"])
    assert.matches("this is not DMN", seen["c.dmn"])
    assert.is_nil(seen["d.dmn"])
    assert.same({}, engine:decisions {})
    assert.same({}, engine:deployments {})
  end)

  it("have one id once in a deployment", function()
    local err = models.raises("deployment", engine.deploy, engine, { ["a.dmn"] = answer "1", ["b.dmn"] = answer "2" })
    assert.matches('decision id "d" is used twice in this deployment: in "a.dmn" and in "b.dmn"', err.message)
    local long = ("x"):rep(256)
    err = models.raises("deployment", engine.deploy, engine, { ["a.dmn"] = models.file(models.decision(long, "1")) })
    assert.matches("the decision's id has 256 bytes; the limit is 255", err.message)
  end)

  it("are of the model that their own file is, named by its first decision", function()
    engine:deploy { ["a.dmn"] = models.file(models.decision("a1", "1") .. models.decision("a2", "2")),
      ["b.dmn"] = models.file(models.decision("b1", "1") .. models.decision("b2", "2")) }
    for first, second in pairs { a1 = "a2", b1 = "b2" } do
      local found = engine:decisions { model = engine:decision({ key = first }).id, order_by = "key" }
      assert.same({ 2, first, second }, { #found, found[1].key, found[2].key })
    end
  end)

  it("are decided by key, else by name", function()
    engine:deploy { ["a.dmn"] = models.file(models.decision("Dish of the day", '"Stew"', { id = "_1" })) }
    assert.equal("Stew", engine:decide "_1")
    assert.equal("Stew", engine:decide("Dish of the day", {}))
    local err = models.raises("not_found", engine.decide, engine, "nothing")
    assert.matches('there is no decision "nothing"', err.message)
    models.raises("argument", engine.decide, engine, nil)
    models.raises("argument", engine.decide, engine, "_1", "vars")
    models.raises("argument", engine.decide, engine, "_1", {}, { tenent = "a" })
  end)

  it("are read once, however often they are decided, until another version is", function()
    local model, loads = require "orrery.decision.model", 0
    local load_model <const> = model.load
    model.load = function(...)
      loads = loads + 1
      return load_model(...)
    end
    finally(function() model.load = load_model end)
    engine:deploy { ["a.dmn"] = answer '"one"' }
    for _ = 1, 5 do assert.equal("one", engine:decide "d") end
    assert.equal(1, loads)
    engine:deploy { ["a.dmn"] = answer '"two"' }
    for _ = 1, 5 do assert.equal("two", engine:decide "d") end
    assert.equal(2, loads)
  end)

  it("have versions, of which the latest is meant", function()
    local first = engine:deploy { ["a.dmn"] = answer '"one"' }
    assert.equal("one", engine:decide "d")
    engine:deploy { ["a.dmn"] = answer '"two"' }
    assert.equal("two", engine:decide "d")
    assert.equal("one", engine:decide("d", {}, { version = 1 }))
    assert.equal("one", engine:decide("d", {}, { deployment = first.id }))
    models.raises("not_found", engine.decide, engine, "d", {}, { version = 3 })
    local latest = engine:decisions { key = "d", version = 2 }[1]
    engine:undeploy(latest.deployment_id)
    assert.equal("one", engine:decide "d")
    engine:undeploy(first.id)
    models.raises("not_found", engine.decide, engine, "d")
  end)

  it("belong to tenants", function()
    for _, tenant in ipairs { "a", "b" } do engine:deploy({ ["a.dmn"] = answer(('"%s"'):format(tenant)) }, { tenant = tenant }) end
    assert.equal("a", engine:decide("d", {}, { tenant = "a" }))
    assert.equal("b", engine:decide("d", {}, { tenant = "b" }))
    models.raises("argument", engine.decide, engine, "d")
    models.raises("not_found", engine.decide, engine, "d", {}, { tenant = "" })
    engine:deploy { ["a.dmn"] = answer '"nobody\'s"' }
    assert.equal("nobody's", engine:decide "d")
    assert.equal("nobody's", engine:decide("d", {}, { tenant = "" }))
    assert.equal("a", engine:decide("d", {}, { tenant = "a" }))
    assert.equal(1, engine:decision({ tenant = "b" }).version)
  end)

  it("are not deployed again when nothing has changed", function()
    engine:deploy({ ["a.dmn"] = answer "1" }, { name = "n", filter_duplicates = true })
    engine:deploy({ ["a.dmn"] = answer "1" }, { name = "n", filter_duplicates = true })
    assert.equal(1, #engine:decisions { key = "d" })
  end)

  it("of a transaction are seen in it alone until it commits", function()
    engine:deploy { ["a.dmn"] = answer "1" }
    assert.equal(1, engine:decide "d")
    pcall(engine.transaction, engine, function()
      engine:deploy { ["a.dmn"] = answer "2" }
      assert.equal(2, engine:decide "d")
      error "no"
    end)
    assert.equal(1, engine:decide "d")
    engine:transaction(function() engine:deploy { ["a.dmn"] = answer "3" } end)
    assert.equal(3, engine:decide "d")
  end)

  it("survive their process: a store opened again decides as before", function()
    local folder = require "spec.support.folder"
    local path = folder.make()
    local first = orrery.open(path, { log = "error" })
    first:deploy { ["a.dmn"] = answer '"kept"' }
    first:close()
    local second = orrery.open(path, { log = "error" })
    assert.equal("kept", second:decide "d")
    second:close()
    folder.remove(path)
  end)

  it("import what lies in their deployment", function()
    local library = models.file(models.decision("base", "40"), { namespace = "urn:library" })
    local uses = models.file(('<import name="lib" namespace="urn:library" importType="%s"/>'):format(models.NAMESPACES["1.5"]) ..
      '<decision id="d" name="d"><variable name="d"/><informationRequirement><requiredDecision href="urn:library#base"/>' ..
      "</informationRequirement>" .. models.text "lib.base + 2" .. "</decision>")
    engine:deploy { ["uses.dmn"] = uses, ["library.dmn"] = library }
    assert.equal(42, engine:decide "d")
    models.raises("deployment", engine.deploy, engine, { ["uses.dmn"] = uses })
  end)

  describe("take and give", function()
    local function give(expression, vars, options)
      engine:deploy { ["a.dmn"] = answer(expression) }
      return engine:decide("d", vars, options)
    end

    it("plain Lua", function()
      assert.equal(3, give("a + b", { a = 1, b = 2 }))
      assert.equal(0.3, give("a + b", { a = 0.1, b = 0.2 }))
      assert.same({ 1, "x", true, orrery.null }, give '[1, "x", true, null]')
      assert.same({ a = { b = { 1 } } }, give("x", { x = { a = { b = { 1 } } } }))
      assert.is_nil(give("x", { x = orrery.null }))
      assert.equal("2020-01-31", give('date("2020-01-31")'))
      assert.equal("P1DT2H", give('duration("P1DT2H")'))
    end)

    it("FEEL's own values where they are asked for, numbers exact", function()
      local feel = require "orrery.feel"
      local third = give("1 / 3", {}, { exact = true })
      assert.equal("0.3333333333333333333333333333333333", tostring(third))
      local date = give('date("2020-01-31")', {}, { exact = true })
      assert.equal("date", feel.kind(date))
      assert.equal("2020-02-01", give("x + duration(\"P1D\")", { x = feel.date "2020-01-31" }))
      assert.equal("0.6666666666666666666666666666666666", tostring(give("2 * x", { x = third }, { exact = true })))
    end)

    it("texts for what is a date, a time or a duration by its type, at any depth", function()
      local person = '<itemDefinition name="tPerson"><itemComponent name="born"><typeRef>date</typeRef></itemComponent>' ..
        '<itemComponent name="absences" isCollection="true"><typeRef>days and time duration</typeRef></itemComponent></itemDefinition>'
      engine:deploy { ["a.dmn"] = models.file(person .. models.input("p", "tPerson") .. models.input("at", "time") ..
        models.decision("d", "p.born.year + at.hour + (p.absences[1] + p.absences[2]).hours", { inputs = { "p", "at" } })) }
      assert.equal(2017, engine:decide("d", { p = { born = "2000-05-06", absences = { "PT1H", "PT6H" } }, at = "10:00:00" }))
      assert.is_nil(engine:decide("d", { p = { born = "soon", absences = {} }, at = "10:00:00" }))
    end)

    it("registered names, in JUEL", function()
      engine:register("rates", { of = function(_, country) return country == "AT" and 20 or 0 end })
      engine:register("double", function(n) return 2 * n end)
      local juel = models.text("${double(rates.of(country))}", 'expressionLanguage="juel"')
      engine:deploy { ["a.dmn"] = models.file(models.decision("d", juel)) }
      assert.equal(40, engine:decide("d", { country = "AT" }))
    end)

    it("what was wrong, to who asks", function()
      local diagnostics = {}
      assert.is_nil(give('1 + "x"', {}, { diagnostics = diagnostics }))
      assert.truthy(diagnostics[1])
    end)

    it("the engine's clock", function()
      engine:set_time(engine:now())
      assert.equal(os.date("!%Y-%m-%d", math.floor(engine:now())), give "string(today())")
    end)
  end)
end)

describe("history of decisions", function()
  local function graph()
    return models.file(models.input("guests", "number") .. models.decision("size", models.table { policy = "COLLECT",
      inputs = { { "guests", "number" } }, rules = { { "> 5", '"big"' }, { "> 1", '"some"' } } }, { inputs = { "guests" } }) ..
      models.decision("d", 'if size[1] = "big" then 0.5 else null', { decisions = { "size" } }))
  end

  it("is kept at the level full: inputs, hits, results, of required decisions too", function()
    local engine <close> = models.engine { history = "full", user = "ann" }
    engine:deploy({ ["a.dmn"] = graph() }, { tenant = "t" })
    assert.equal(0.5, engine:decide("d", { guests = 9 }))
    local rows = engine:history_decisions { order_by = "sequence" }
    assert.equal(2, #rows)
    assert.equal("d", rows[1].decision_key)
    assert.equal(0.5, rows[1].result)
    assert.equal(engine:decisions { key = "d" }[1].id, rows[1].decision_id)
    assert.equal(1, rows[1].version)
    assert.equal("t", rows[1].tenant)
    assert.equal("ann", rows[1].user)
    assert.equal(engine:now(), rows[1].time)
    assert.equal("size", rows[2].decision_key)
    assert.same({ 9 }, rows[2].inputs)
    assert.same({ 1, 2 }, rows[2].rules)
    assert.same({ "big", "some" }, rows[2].outputs)
    assert.same({ "big", "some" }, rows[2].result)
    assert.equal(rows[1].number, rows[2].root_number)
    assert.equal(engine:decisions { key = "size" }[1].id, rows[2].decision_id)
    assert.equal(1, rows[2].version)
    assert.same({ 2, 1 }, { engine:count("history_decisions", {}), engine:count("history_decisions", { root_only = true }) })
    local required = engine:history_decisions { instance_id = orrery.null, number = rows[2].number }
    assert.equal("size", required[1].decision_key)
    assert.equal(1, engine:count("history_decisions", { decision_key = "size" }))
  end)

  it("is not kept below", function()
    local engine <close> = models.engine()
    engine:deploy { ["a.dmn"] = graph() }
    engine:decide("d", { guests = 9 })
    assert.same({}, engine:history_decisions {})
  end)

  it("of a task belongs to its instance, and goes with it", function()
    local engine <close> = models.engine { history = "full" }
    engine:deploy { ["a.dmn"] = graph(), ["p.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
      xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="spec"><process id="p" isExecutable="true"><startEvent id="s"/>
      <sequenceFlow id="f" sourceRef="s" targetRef="t"/><businessRuleTask id="t" camunda:decisionRef="d"/>
      <sequenceFlow id="g" sourceRef="t" targetRef="e"/><endEvent id="e"/></process></definitions>]] }
    local pi = engine:start("p", { variables = { guests = 9 } })
    local rows = engine:history_decisions { instance_id = pi.id }
    assert.equal(2, #rows)
    assert.equal("t", rows[1].activity_id)
    assert.equal("p", rows[1].definition_key)
    engine:advance(10)
    engine:clean_history { ended_before = engine:now() }
    assert.same({}, engine:history_decisions {})
  end)

  it("of no instance is cleaned by its time", function()
    local engine <close> = models.engine { history = "full" }
    engine:deploy { ["a.dmn"] = graph() }
    for _ = 1, 120 do engine:decide("d", { guests = 9 }) end
    engine:advance(10)
    engine:decide("d", { guests = 9 })
    engine:clean_history { ended_before = engine:now() - 5 }
    assert.equal(2, #engine:history_decisions {})
  end)

  it("of no instance is cleaned by jobs, by its decision's own time to live", function()
    local engine <close> = models.engine { history = "full" }
    local function lives(name, span)
      local attributes = ('xmlns:c="http://camunda.org/schema/1.0/dmn" c:historyTimeToLive="%s"'):format(span)
      return models.decision(name, "1"):gsub("<decision ", "%0" .. attributes .. " ", 1)
    end
    engine:deploy { ["a.dmn"] = models.file(lives("days", "2") .. lives("hours", "PT3H") .. models.decision("good", "1")) }
    for _, key in ipairs { "days", "hours", "good" } do engine:decide(key, {}) end
    engine:schedule_clean_history { every = "PT1H" }
    local left = {}
    for i, hours in ipairs { 2, 2, 45 } do
      engine:advance(hours * 3600)
      engine:run_jobs()
      left[i] = #engine:history_decisions {}
    end
    assert.same({ 3, 2, 1 }, left)
    assert.equal("good", engine:history_decisions({})[1].decision_key)
  end)
end)

describe("a version of a decision", function()
  local engine
  before_each(function() engine = models.engine { history = "full" } end)
  after_each(function()
    assert.same({}, engine:verify())
    engine:close()
  end)

  it("is deleted alone: the one before it is the latest then, and what was decided stays", function()
    engine:deploy { ["a.dmn"] = answer "1" }
    local second = engine:deploy({ ["a.dmn"] = answer "2" }).decisions[1]
    assert.equal(2, engine:decide("d", {}))
    engine:delete_decision(second.id)
    assert.equal(1, engine:decide("d", {}))
    assert.equal(2, #engine:history_decisions {})
    models.raises("not_found", engine.delete_decision, engine, second.id)
    assert.equal(2, engine:deploy({ ["a.dmn"] = answer "3" }).decisions[1].version)
  end)

  it("takes with cascade what it decided outside of instances along, as its deployment does", function()
    engine:deploy { ["a.dmn"] = answer "1" }
    local second = engine:deploy { ["a.dmn"] = answer "2" }
    engine:decide("d", {})
    engine:decide("d", {}, { version = 1 })
    engine:delete_decision(second.decisions[1].id, { cascade = true })
    assert.same({ 1 }, { engine:history_decisions({})[1].version, engine:history_decisions({})[2] })
    engine:undeploy(engine:decision({ key = "d" }).deployment_id, { cascade = true })
    assert.same({}, engine:history_decisions {})
  end)
end)
