-- Deploying and undeploying: all or nothing, versions, duplicates, start events that move between versions.
local orrery = require "orrery"
local support = require "spec.support.process"

describe("deployment", function()
  local engine
  before_each(function() engine = support.engine() end)
  after_each(function() engine:close() end)

  local function deploy(resources, options) return engine:deploy(resources, options) end
  local function process(key) return support.definitions(support.waiting(key)) end

  it("answers with its definitions, resources and warnings", function()
    local d = deploy({ ["a.bpmn"] = process "a", ["notes.txt"] = "plain" }, { name = "first" })
    assert.equal("first", d.name)
    assert.same({ "a" }, support.each(d.definitions, "key"))
    assert.same({ "a.bpmn", "notes.txt" }, d.resources)
    assert.same({}, d.warnings)
  end)

  it("takes a .bpmn.xml for a plain resource", function()
    assert.same({}, deploy({ ["a.bpmn.xml"] = process "a" }).definitions)
    assert.equal(1, #deploy({ ["a.bpmn20.xml"] = process "a" }).definitions)
  end)

  it("is refused whole, with the problems of every resource", function()
    local no_start = support.definitions '<process id="c" isExecutable="true"><userTask/></process>'
    local err = support.refused("deployment", function()
      deploy { ["a.bpmn"] = process "a", ["b.bpmn"] = "<definitions", ["c.bpmn"] = no_start }
    end)
    local resources = {}
    for _, problem in ipairs(err.problems) do resources[problem.resource] = true end
    assert.same({ ["b.bpmn"] = true, ["c.bpmn"] = true }, resources)
    assert.same({}, engine:deployments {})
    assert.same({}, engine:definitions {})
  end)

  it("refuses one process id twice", function()
    local err = support.refused("deployment", function() deploy { ["a.bpmn"] = process "same", ["b.bpmn"] = process "same" } end)
    assert.matches("same", err.message)
    assert.matches("a%.bpmn", err.message)
  end)

  it("refuses arguments that are no resources", function()
    support.refused("argument", function() deploy {} end)
    support.refused("argument", function() deploy({ ["a.bpmn"] = process "a" }, { filter_duplicates = "sometimes" }) end)
  end)

  it("counts versions for each key and tenant", function()
    for _, tenant in ipairs { "one", "two", "one" } do deploy({ ["a.bpmn"] = process "a" }, { tenant = tenant }) end
    deploy { ["a.bpmn"] = process "a" }
    local versions = {}
    for _, d in ipairs(engine:definitions { key = "a" }) do versions[#versions + 1] = (d.tenant or "-") .. d.version end
    table.sort(versions)
    assert.same({ "-1", "one1", "one2", "two1" }, versions)
  end)

  it("starts by key: nobody's definition, else the only tenant's, else it asks", function()
    deploy({ ["a.bpmn"] = process "a" }, { tenant = "one" })
    assert.equal("one", engine:start("a").tenant)
    deploy({ ["a.bpmn"] = process "a" }, { tenant = "two" })
    assert.matches("tenants", support.refused("argument", function() engine:start "a" end).message)
    assert.equal("two", engine:start("a", { tenant = "two" }).tenant)
    deploy { ["a.bpmn"] = process "a" }
    assert.is_nil(engine:start("a").tenant)
  end)

  describe("with filtered duplicates", function()
    it("answers with the one before when nothing changed", function()
      local first = deploy({ ["a.bpmn"] = process "a" }, { name = "n", filter_duplicates = true })
      assert.equal(first.id, deploy({ ["a.bpmn"] = process "a" }, { name = "n", filter_duplicates = true }).id)
      assert.is_not.equal(first.id, deploy({ ["a.bpmn"] = process "a" }, { name = "other", filter_duplicates = true }).id)
    end)

    it("takes nothing without a name for a duplicate", function()
      for _, filter in ipairs { true, "changed" } do
        local first = deploy({ ["a.bpmn"] = process "a" }, { filter_duplicates = filter })
        local second = deploy({ ["a.bpmn"] = process "a" }, { filter_duplicates = filter })
        assert.is_not.equal(first.id, second.id)
        assert.same({ "a.bpmn" }, second.resources)
      end
    end)

    it("deploys only what changed, compared with the latest namesake that has it", function()
      local options = { name = "n", filter_duplicates = "changed" }
      deploy({ ["a.bpmn"] = process "a", ["b.bpmn"] = process "b" }, options)
      local second = deploy({ ["a.bpmn"] = process "a", ["b.bpmn"] = process "b2" }, options)
      assert.same({ "b.bpmn" }, second.resources)
      assert.equal(second.id, deploy({ ["a.bpmn"] = process "a", ["b.bpmn"] = process "b2" }, options).id)
      assert.equal(2, #engine:deployments {})
    end)
  end)

  it("suspends what becomes active later, start timers too", function()
    local timer = '<startEvent id="start"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></startEvent>'
    deploy({ ["a.bpmn"] = support.definitions(support.waiting("a", timer)) }, { activate_at = engine:now() + 86400 })
    engine:advance "PT2H"
    engine:run_jobs()
    assert.same({}, engine:instances {})
    support.refused("suspended", function() engine:start "a" end)
    engine:advance "P1D"
    engine:run_jobs()
    assert.equal(1, #engine:instances { key = "a" })
  end)

  describe("of message start events", function()
    it("refuses a message that starts another process", function()
      deploy { ["a.bpmn"] = support.started_by("a", "go") }
      local err = support.refused("deployment", function() deploy { ["b.bpmn"] = support.started_by("b", "go") } end)
      assert.matches("go", err.message)
      deploy({ ["b.bpmn"] = support.started_by("b", "go") }, { tenant = "other" })
    end)

    it("moves the subscription to the new version, and back when that goes", function()
      deploy { ["a.bpmn"] = support.started_by("a", "go") }
      local second = deploy { ["a.bpmn"] = support.started_by("a", "go") }
      assert.same({ second.definitions[1].id }, support.each(engine:subscriptions {}, "definition_id"))
      engine:undeploy(second.id)
      engine:start_by_message "go"
      assert.same({ 1 }, support.each(engine:definitions { key = "a" }, "version"))
      assert.same({ "a" }, support.each(engine:instances {}, "definition_key"))
    end)

    it("leaves the message to whoever has it by then", function()
      deploy { ["a.bpmn"] = support.started_by("a", "go") }
      local second = deploy { ["a.bpmn"] = support.started_by("a", "went") }
      deploy { ["b.bpmn"] = support.started_by("b", "go") }
      engine:undeploy(second.id)
      assert.equal("b", engine:start_by_message("go").definition_key)
    end)

    it("leaves the message to the first of two that come back for it", function()
      deploy { ["a.bpmn"] = support.started_by("a", "go") }
      local second = deploy { ["a.bpmn"] = support.started_by("a", "went") }
      deploy { ["b.bpmn"] = support.started_by("b", "go") }
      local both = deploy {
        ["a.bpmn"] = support.started_by("a", "went"), ["b.bpmn"] = support.started_by("b", "come"),
      }
      engine:undeploy(second.id)
      engine:undeploy(both.id)
      assert.equal(1, engine:count "subscriptions")
      assert.equal("a", engine:start_by_message("go").definition_key)
    end)
  end)

  it("is not deleted while instances run, unless with cascade", function()
    local d = deploy { ["a.bpmn"] = process "a" }
    engine:start "a"
    local function refusal()
      return support.refused("state", function() engine:undeploy(d.id) end).message
    end
    assert.matches("has 1 running instance: end it, or delete with cascade", refusal())
    engine:start "a"
    assert.matches("has 2 running instances: end them, or delete with cascade", refusal())
    engine:undeploy(d.id, { cascade = true })
    for _, verb in ipairs { "deployments", "definitions", "instances", "tasks", "history_instances", "history_activities" } do
      assert.equal(0, engine:count(verb, {}), verb)
    end
    support.refused("not_found", function() engine:undeploy(d.id) end)
  end)

  it("is deleted with its instances whatever their listeners say", function()
    local ended, lines = {}, {}
    engine:close()
    engine = support.engine { log = function(level, message) lines[#lines + 1] = level .. ": " .. message end }
    engine:register("fails", function(execution)
      ended[#ended + 1] = execution.event_name
      error "no"
    end)
    engine:register("errs", function() orrery.bpmn_error "gone" end)
    for _, undeploy in ipairs { true, false } do
      local d = engine:deploy { ["a.bpmn"] = support.definitions [[<process id="a" isExecutable="true">
        <extensionElements><o:executionListener event="end" class="fails"/></extensionElements>
        <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>
        <userTask id="t"><extensionElements><o:executionListener event="end" class="fails"/>
          <o:executionListener event="end" class="errs"/><o:taskListener event="delete" class="fails"/>
          <o:inputOutput><o:outputParameter name="x">${missing.thing}</o:outputParameter></o:inputOutput>
        </extensionElements></userTask></process>]] }
      engine:start "a"
      engine:start "a"
      if undeploy then engine:undeploy(d.id, { cascade = true })
      else engine:delete_definition(d.definitions[1].id, { cascade = true }) end
      for _, verb in ipairs { "definitions", "instances", "tasks", "incidents" } do assert.equal(0, engine:count(verb, {}), verb) end
    end
    assert.same({}, engine:verify())
    assert.is_true(#ended >= 8)
    assert.matches("warning: a listener failed while its instance was deleted with its definition: .*no", table.concat(lines, "\n"))
  end)

  it("is deleted with its instances without a word to their listeners", function()
    local heard = 0
    engine:register("hears", function() heard = heard + 1 end)
    for _, options in ipairs { { cascade = true, skip_listeners = true },
      { cascade = true, skip_listeners = false } } do
      for _, undeploy in ipairs { true, false } do
        local d = engine:deploy { ["a.bpmn"] = support.definitions [[<process id="a" isExecutable="true">
          <extensionElements><o:executionListener event="end" class="hears"/></extensionElements>
          <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>
          <userTask id="t"><extensionElements><o:executionListener event="end" class="hears"/>
            <o:taskListener event="delete" class="hears"/></extensionElements></userTask></process>]] }
        engine:start "a"
        local before = heard
        if undeploy then engine:undeploy(d.id, options)
        else engine:delete_definition(d.definitions[1].id, options) end
        assert.equal(options.skip_listeners and 0 or 3, heard - before)
        assert.equal(0, engine:count "instances")
      end
    end
    local d = engine:deploy { ["b.bpmn"] = process "b" }
    engine:start "b"
    support.refused("state", function() engine:undeploy(d.id, { skip_listeners = true }) end)
    support.refused("argument", function()
      engine:undeploy(d.id, { cascade = true, skip_listeners = "no" })
    end)
    support.refused("argument", function() engine:undeploy(d.id, { cascade = "quietly" }) end)
  end)

  it("checks without storing", function()
    assert.same({}, engine:check { ["a.bpmn"] = process "a" })
    assert.is_true(#engine:check { ["a.bpmn"] = "<definitions" } > 0)
    assert.same({}, engine:deployments {})
  end)
end)
