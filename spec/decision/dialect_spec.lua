-- Marks: records
-- Whose rules a decision follows: those of its own namespace, else of the process that calls it, else the standard's.
local models = require "spec.decision.models"
local process = require "spec.support.process"

local marks = {
  none = "", orrery = 'xmlns:o="urn:orrery:dmn" o:note="ours"',
  camunda = 'xmlns:camunda="http://camunda.org/schema/1.0/dmn" exporter="Camunda Modeler"',
  flowable = 'xmlns:flowable="http://flowable.org/dmn" exporter="Flowable Open Source Modeler"',
}

local function feel(rules)
  for _, rule in ipairs(rules) do rule.language = "feel" end
  return rules
end

--- Rules that contradict the policy when x is 8.
local function contradiction(policy, vendor)
  return models.file(models.decision("d", models.table { policy = policy, inputs = { { "x", "number", language = "feel" } },
    outputs = { { "o", "string" } }, rules = feel { { "> 5", '"a"' }, { "> 7", '"b"' }, { "> 8", '"b"' } } }),
    { attributes = marks[vendor] })
end

local callers = {
  camunda = { "http://camunda.org/schema/1.0/bpmn", '<businessRuleTask id="t" v:decisionRef="d" v:mapDecisionResult="singleEntry" ' ..
    'v:resultVariable="o"/>' },
  orrery = { "urn:orrery:bpmn", '<businessRuleTask id="t" v:decisionRef="d" v:mapDecisionResult="singleEntry" v:resultVariable="o"/>' },
  flowable = { "http://flowable.org/bpmn", '<serviceTask id="t" v:type="dmn"><extensionElements><v:field ' ..
    'name="decisionTableReferenceKey"><v:string>d</v:string></v:field></extensionElements></serviceTask>' },
}

--- What a process of the vendor's gets of the decision; nil, the error.
local function call(vendor, decision, x)
  local engine <close> = models.engine()
  engine:deploy { ["d.dmn"] = decision, ["p.bpmn"] = ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:v="%s"
    targetNamespace="t"><process id="p" isExecutable="true"><startEvent id="s"/>%s<userTask id="u"/>%s</process></definitions>]]):format(
    callers[vendor][1], callers[vendor][2], process.flows "s -> t t -> u") }
  local ok, instance = pcall(engine.start, engine, "p", { variables = { x = x } })
  if not ok then return nil, instance end
  return instance:get "o" or "null"
end

for _, policy in ipairs { "UNIQUE", "ANY" } do
  describe("a violated hit policy " .. policy, function()
    it("raises in the vendors' files", function()
      for _, vendor in ipairs { "camunda", "flowable" } do
        local err = models.raises("expression", models.decide, contradiction(policy, vendor), "d", { x = 8 })
        assert.matches("the hit policy " .. policy, err.message)
        assert.equal("a", (models.decide(contradiction(policy, vendor), "d", { x = 6 })))
      end
    end)

    it("is null in the standard's and in ours", function()
      for _, vendor in ipairs { "none", "orrery" } do
        local value, why = models.decide(contradiction(policy, vendor), "d", { x = 8 })
        assert.is_nil(value)
        assert.matches("the hit policy " .. policy, why[1])
      end
    end)

    it("follows the process that calls, where the file says nothing", function()
      for _, vendor in ipairs { "camunda", "flowable" } do
        local value, err = call(vendor, contradiction(policy, "none"), 8)
        assert.is_nil(value)
        assert.matches("the hit policy " .. policy, err.message)
      end
      assert.equal("null", (call("orrery", contradiction(policy, "none"), 8)))
    end)

    it("follows the file, whoever calls", function()
      for vendor in pairs(callers) do
        assert.is_nil((call(vendor, contradiction(policy, "camunda"), 8)), vendor)
        assert.equal("null", (call(vendor, contradiction(policy, "orrery"), 8)), vendor)
      end
    end)

    it("follows the engine's dialect, where the file says nothing", function()
      local engine <close> = models.engine { dialect = "camunda" }
      engine:deploy { ["d.dmn"] = contradiction(policy, "none") }
      models.raises("expression", engine.decide, engine, "d", { x = 8 })
    end)
  end)
end

describe("UNIQUE", function()
  it("raises in tables of any size", function()
    for _, n in ipairs { 40, 250 } do -- an index, blocks of rules
      for _, cell in ipairs { "%d", "> %d" } do
        local rules = {}
        for i = 1, n do rules[i] = { cell:format(i), ('"%d"'):format(i) } end
        rules[n + 1] = { "-", '"always"' }
        local file = models.file(models.decision("d", models.table { policy = "UNIQUE", inputs = { { "x", "integer" } },
          outputs = { { "o", "string" } }, rules = rules }), { version = "1.3", attributes = marks.camunda })
        models.raises("expression", models.decide, file, "d", { x = n // 2 })
        assert.equal("always", (models.decide(file, "d", { x = 0 })))
      end
    end
  end)

  it("makes an incident where a job decides", function()
    local engine <close> = models.engine()
    engine:deploy { ["d.dmn"] = contradiction("UNIQUE", "camunda"), ["p.bpmn"] = process.model([[<startEvent id="s"/><userTask id="u"/>
      <businessRuleTask id="t" camunda:asyncBefore="true" camunda:decisionRef="d" camunda:resultVariable="o"/>]], "s -> t t -> u") }
    local instance = engine:start("p", { variables = { x = 8 } })
    for _ = 1, 3 do engine:run_jobs() engine:advance "PT1H" end
    assert.matches("the hit policy UNIQUE", engine:incident({ instance_id = instance.id }).message)
  end)
end)

describe("an execution", function()
  it("says its dialect", function()
    for vendor, caller in pairs(callers) do
      local engine <close> = models.engine()
      local said
      engine:register("say", function(execution) said = execution.dialect end)
      engine:deploy { ["p.bpmn"] = ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:v="%s" targetNamespace="t">
        <process id="p" isExecutable="true"><startEvent id="s"/><serviceTask id="t" v:class="say"/><endEvent id="e"/>%s</process>
        </definitions>]]):format(caller[1], process.flows "s -> t t -> e") }
      engine:start "p"
      assert.equal(vendor, said)
    end
  end)
end)
