-- Decision tasks of processes, as Camunda's and Flowable's models have them.
local models = require "spec.decision.models"
local orrery = require "orrery"

local function process(task, more)
  return ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
    xmlns:flowable="http://flowable.org/bpmn" targetNamespace="spec"><process id="p" isExecutable="true"><startEvent id="s"/>
    <sequenceFlow id="f1" sourceRef="s" targetRef="decide"/>%s<sequenceFlow id="f2" sourceRef="decide" targetRef="after"/>
    <userTask id="after"/><sequenceFlow id="f3" sourceRef="after" targetRef="e"/><endEvent id="e"/>%s</process></definitions>]])
    :format(task, more or "")
end

local function camunda(attributes, inside)
  return process(('<businessRuleTask id="decide" camunda:decisionRef="dish" %s>%s</businessRuleTask>'):format(attributes or "",
    inside or ""))
end

local SINGLE = 'camunda:resultVariable="r" camunda:mapDecisionResult="singleEntry" '

local function flowable(fields, options)
  local out = {}
  for name, value in pairs(fields) do
    out[#out + 1] = ('<flowable:field name="%s"><flowable:string>%s</flowable:string></flowable:field>'):format(name, value)
  end
  table.sort(out)
  return process(('<serviceTask id="decide" flowable:type="dmn" %s><extensionElements>%s</extensionElements></serviceTask>'):format(
    options or "", table.concat(out)))
end

-- One hit below 10, two from 20 up, none between.
local function dishes(policy, attributes)
  return models.file(models.decision("dish", models.table { policy = policy or "COLLECT", inputs = { { "guests", "integer" } },
    outputs = { { "desired", "string" } }, rules = { { "< 10", '"Stew"' }, { ">= 20", '"Beef"' }, { ">= 20", '"Salad"' } } }),
    { attributes = attributes })
end

describe("Camunda's decision task", function()
  local engine
  before_each(function() engine = models.engine() end)
  after_each(function() engine:close() end)

  local function run(task, guests, table_text)
    engine:deploy { ["p.bpmn"] = task, ["dish.dmn"] = table_text or dishes() }
    return engine:start("p", { variables = { guests = guests } })
  end

  it("keeps a single entry", function()
    local pi = run(camunda(SINGLE), 5)
    assert.equal("Stew", pi:get "r")
    assert.same({ "after" }, pi:active())
    assert.is_nil(pi:variables().decisionResult)
  end)

  it("keeps a single result, all entries, the list of results", function()
    assert.same({ desired = "Stew" }, run(camunda 'camunda:resultVariable="r" camunda:mapDecisionResult="singleResult"', 5):get "r")
    assert.same({ "Beef", "Salad" }, run(camunda 'camunda:resultVariable="r" camunda:mapDecisionResult="collectEntries"', 25):get "r")
    assert.same({ { desired = "Beef" }, { desired = "Salad" } }, run(camunda 'camunda:resultVariable="r"', 25):get "r")
    assert.same({ { desired = "Stew" } }, run(camunda 'camunda:resultVariable="r" camunda:mapDecisionResult="resultList"', 5):get "r")
  end)

  it("keeps null, or an empty list, when no rule hits", function()
    local pi = run(camunda(SINGLE), 15)
    assert.equal(require "orrery".null, pi:variables().r)
    assert.same({}, run(camunda 'camunda:resultVariable="r"', 15):get "r")
  end)

  it("fails when there is more than the mapping takes", function()
    local ok, err = pcall(run, camunda(SINGLE), 25)
    assert.is_false(ok)
    assert.matches("the decision gave 2 results; singleEntry takes one", tostring(err))
  end)

  it("shows decisionResult to the task alone", function()
    local mapping = [[<extensionElements><camunda:inputOutput>
      <camunda:outputParameter name="first">${decisionResult.getFirstResult().getEntry('desired')}</camunda:outputParameter>
      <camunda:outputParameter name="all">${decisionResult.collectEntries('desired')}</camunda:outputParameter>
      </camunda:inputOutput></extensionElements>]]
    local pi = run(camunda("", mapping), 25)
    assert.equal("Beef", pi:get "first")
    assert.same({ "Beef", "Salad" }, pi:get "all")
    assert.same({ all = { "Beef", "Salad" }, first = "Beef", guests = 25 }, pi:variables())
    mapping = [[<extensionElements><camunda:inputOutput>
      <camunda:outputParameter name="one">${decisionResult.singleResult.desired}</camunda:outputParameter>
      <camunda:outputParameter name="entry">${decisionResult.singleEntry}</camunda:outputParameter>
      </camunda:inputOutput></extensionElements>]]
    pi = run(camunda("", mapping), 5)
    assert.equal("Stew", pi:get "one")
    assert.equal("Stew", pi:get "entry")
  end)

  it("binds to the latest, a version, a version tag, its own deployment", function()
    local function one(dish, tag)
      return models.file(('<decision id="dish" name="dish" camunda:versionTag="%s"><variable name="dish"/>%s</decision>'):format(tag,
        models.text(('"%s"'):format(dish))), { attributes = 'xmlns:camunda="http://camunda.org/schema/1.0/dmn"' })
    end
    engine:deploy { ["d.dmn"] = one("first", "v1") }
    engine:deploy { ["d.dmn"] = one("second", "v2"), ["p.bpmn"] = camunda(SINGLE .. 'camunda:decisionRefBinding="deployment"') }
    engine:deploy { ["d.dmn"] = one("third", "v3") }
    assert.equal("second", engine:start("p"):get "r")
    for attributes, expected in pairs {
      [""] = "third", ['camunda:decisionRefBinding="version" camunda:decisionRefVersion="${wanted}"'] = "first",
      ['camunda:decisionRefBinding="versionTag" camunda:decisionRefVersionTag="v2"'] = "second" } do
      engine:deploy { ["p.bpmn"] = camunda(SINGLE .. attributes) }
      assert.equal(expected, engine:start("p", { variables = { wanted = 1 } }):get "r")
    end
  end)

  it("looks in its process's tenant, or the one it names", function()
    engine:deploy({ ["d.dmn"] = dishes() }, { tenant = "a" })
    engine:deploy({ ["d.dmn"] = (dishes():gsub("Stew", "Soup")) }, { tenant = "b" })
    engine:deploy({ ["p.bpmn"] = camunda(SINGLE) }, { tenant = "a" })
    assert.equal("Stew", engine:start("p", { variables = { guests = 1 }, tenant = "a" }):get "r")
    engine:deploy({ ["p.bpmn"] = camunda(SINGLE .. 'camunda:decisionRefTenantId="b"') },
      { tenant = "a" })
    assert.equal("Soup", engine:start("p", { variables = { guests = 1 }, tenant = "a" }):get "r")
  end)

  it("fails when there is no such decision", function()
    engine:deploy { ["p.bpmn"] = camunda() }
    local ok, err = pcall(engine.start, engine, "p")
    assert.is_false(ok)
    assert.matches('there is no decision "dish"', tostring(err))
  end)

  it("is refused with a mapping that is none, and without what its binding needs", function()
    local function problem(task)
      return models.raises("deployment", engine.deploy, engine, { ["p.bpmn"] = task }).problems[1].message
    end
    assert.matches('"mapDecisionResult" must be one of singleEntry singleResult collectEntries resultList',
      problem(camunda 'camunda:mapDecisionResult="first"'))
    assert.matches('must be one of latest deployment version versionTag', problem(camunda 'camunda:decisionRefBinding="newest"'))
    assert.matches('Missing attribute "decisionRefVersion"', problem(camunda 'camunda:decisionRefBinding="version"'))
    assert.matches('Missing attribute "decisionRefVersionTag"', problem(camunda 'camunda:decisionRefBinding="versionTag"'))
  end)

  it("gives JUEL texts its variables, also those that are null, and the execution", function()
    local text = models.file(models.decision("dish", models.table { policy = "FIRST", inputs = { { "nothing == null", "boolean" } },
      rules = { { "true", 'execution.currentActivityId.concat(":").concat(name)' } } }), { version = "1.1" })
    engine:deploy { ["p.bpmn"] = camunda(SINGLE), ["dish.dmn"] = text }
    assert.equal("decide:Ann", engine:start("p", { variables = { nothing = orrery.null, name = "Ann" } }):get "r")
    local ok, err = pcall(engine.start, engine, "p", { variables = { nothing = orrery.null } })
    assert.is_false(ok)
    assert.matches("name", tostring(err))
  end)

  it("runs on the executor's threads", function()
    local text = camunda(SINGLE .. 'camunda:asyncBefore="true"')
    local pi = run(text, 5)
    engine:start_executor { threads = 2 }
    assert.is_true(engine:wait_idle(120))
    engine:stop_executor()
    assert.equal("Stew", engine:instance(pi.id):get "r")
  end)
end)

describe("Flowable's decision task", function()
  local engine
  before_each(function() engine = models.engine() end)
  after_each(function() engine:close() end)

  local function run(fields, guests, table_text, options)
    engine:deploy { ["p.bpmn"] = flowable(fields, options), ["dish.dmn"] = table_text or dishes("FIRST") }
    return engine:start("p", { variables = { guests = guests } })
  end

  it("sets each output of a single hit as a variable", function()
    assert.equal("Stew", run({ decisionTableReferenceKey = "dish" }, 5):get "desired")
  end)

  it("sets a list under the decision's key when several may hit", function()
    local pi = run({ decisionTableReferenceKey = "dish" }, 25, dishes "RULE ORDER")
    assert.same({ { desired = "Beef" }, { desired = "Salad" } }, pi:get "dish")
    assert.same({ { desired = "Stew" } }, run({ decisionTableReferenceKey = "dish" }, 5, dishes "RULE ORDER"):get "dish")
  end)

  it("sets nothing when no rule hits, or fails when it is to", function()
    assert.same({ guests = 15 }, run({ decisionTableReferenceKey = "dish" }, 15):variables())
    local ok, err = pcall(run, { decisionTableReferenceKey = "dish", decisionTaskThrowErrorOnNoHits = "true" }, 15)
    assert.is_false(ok)
    assert.matches("did not hit any rules", tostring(err))
    assert.equal("Stew", run({ decisionTableReferenceKey = "dish", decisionTaskThrowErrorOnNoHits = "true" }, 5):get "desired")
  end)

  it("may name its decision by an expression", function()
    engine:deploy { ["p.bpmn"] = (flowable({ decisionTableReferenceKey = "X" }):gsub("<flowable:string>X</flowable:string>",
      "<flowable:expression>${wanted}</flowable:expression>")), ["dish.dmn"] = dishes "FIRST" }
    assert.equal("Stew", engine:start("p", { variables = { guests = 5, wanted = "dish" } }):get "desired")
  end)

  it("evaluates a decision service", function()
    local inner = models.table { policy = "FIRST", inputs = { { "guests", "number" } }, outputs = { { "size" } },
      rules = { { "< 10", '"small"' }, { "-", '"large"' } } }
    local file = models.file(models.decision("size", inner) .. models.decision("two", models.table { policy = "FIRST",
      inputs = { { "guests", "number" } }, outputs = { { "seats" }, { "tables" } }, rules = { { "-", "guests", "1" } } }) ..
      '<decisionService id="party" name="party"><outputDecision href="#size"/><outputDecision href="#two"/></decisionService>')
    local pi = run({ decisionServiceReferenceKey = "party" }, 5, file)
    assert.same({ guests = 5, size = "small", seats = 5, tables = 1 }, pi:variables())
  end)

  it("takes the decision of its own deployment, unless it is told not to", function()
    local function named(dish) return (dishes("FIRST"):gsub("Stew", dish)) end
    engine:deploy { ["p.bpmn"] = flowable { decisionTableReferenceKey = "dish" }, ["d.dmn"] = named "Old" }
    engine:deploy { ["d.dmn"] = named "New" }
    assert.equal("Old", engine:start("p", { variables = { guests = 5 } }):get "desired")
    engine:deploy { ["p.bpmn"] = flowable { decisionTableReferenceKey = "dish", sameDeployment = "false" }, ["d.dmn"] = named "Third" }
    engine:deploy { ["d.dmn"] = named "Fourth" }
    assert.equal("Fourth", engine:start("p", { variables = { guests = 5 } }):get "desired")
    engine:deploy { ["p.bpmn"] = flowable { decisionTableReferenceKey = "dish" } } -- none beside it: the latest
    assert.equal("Fourth", engine:start("p", { variables = { guests = 5 } }):get "desired")
  end)

  it("falls back to the decision of no tenant only when it may", function()
    engine:deploy { ["d.dmn"] = dishes "FIRST" }
    engine:deploy({ ["p.bpmn"] = flowable { decisionTableReferenceKey = "dish" } }, { tenant = "a" })
    assert.is_false((pcall(engine.start, engine, "p", { tenant = "a", variables = { guests = 5 } })))
    engine:deploy({ ["p.bpmn"] = flowable { decisionTableReferenceKey = "dish", fallbackToDefaultTenant = "true" } }, { tenant = "a" })
    assert.equal("Stew", engine:start("p", { tenant = "a", variables = { guests = 5 } }):get "desired")
  end)

  it("is refused without a decision, and with flags that are none", function()
    local function problem(fields)
      return models.raises("deployment", engine.deploy, engine, { ["p.bpmn"] = flowable(fields) }).problems[1].message
    end
    assert.matches('needs the field "decisionTableReferenceKey" or "decisionServiceReferenceKey"', problem {})
    assert.matches('"sameDeployment" must be true or false', problem { decisionTableReferenceKey = "d", sameDeployment = "maybe" })
  end)
end)
