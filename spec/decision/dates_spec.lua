-- Marks: records
-- A variable of type Date is a date in FEEL, and a date that a decision gives is a Date again.
local models = require "spec.decision.models"
local orrery = require "orrery"
local process = require "spec.support.process"

local vendors = {
  orrery = "",
  camunda = 'xmlns:camunda="http://camunda.org/schema/1.0/dmn" exporter="Camunda Modeler"',
  flowable = 'xmlns:flowable="http://flowable.org/dmn" exporter="Flowable Open Source Modeler"',
}

local MAY = 1777767742 -- 2026-05-03T00:22:22Z
local function date(seconds) return orrery.typed { type = "Date", value = seconds or MAY } end

--- A decision "d" with one rule that looks at an input, and gives the expression's value.
local function file(vendor, input, type_, cell, output, output_type)
  local own = vendor ~= "orrery" and type_ == "date and time" and "date" or type_ -- the peers have one type for both
  local options = { policy = "FIRST", inputs = { { input, own, language = "feel" } }, outputs = { { "o", output_type } },
    rules = { { cell, output, language = "feel" } } }
  local declared = vendor == "orrery" and type_ and models.input("d", type_):gsub('id="d"', 'id="in"') or ""
  return models.file(declared .. models.decision("d", models.table(options), { inputs = declared ~= "" and { "in" } or nil }),
    { attributes = vendors[vendor] })
end

for vendor in pairs(vendors) do
  describe("in the dialect " .. vendor, function()
    local engine
    before_each(function() engine = models.engine() end)
    after_each(function() engine:close() end)

    local function decide(value, ...)
      engine:deploy { ["d.dmn"] = file(vendor, ...) }
      return engine:decide("d", { d = value })
    end

    it("a Date is a date and time", function()
      assert.equal("hit", decide(date(), "d", nil, '> date and time("2026-01-01T00:00:00")', '"hit"'))
      assert.equal("hit", decide(date(), "d", "date and time", '[@"2026-05-03T00:22:22"..@"2026-05-03T00:22:23"]', '"hit"'))
      assert.equal("hit", decide(date(), "date(d)", nil, 'date("2026-05-03")', '"hit"'))
      assert.equal("2026-05-04T00:22:22", decide(date(), "d", nil, "-", 'string(d + duration("P1D"))'))
      assert.equal("2026-05-03T00:22:22.25", decide(date(MAY + 0.25), "d", nil, "-", "string(d)"))
      assert.is_nil(decide(date(), "d", nil, '> date and time("2027-01-01T00:00:00")', '"hit"'))
      assert.equal("none", decide(orrery.typed { type = "Date" }, "d", nil, "null", '"none"'))
    end)

    it("a number is one where the type asks for it, and a number elsewhere", function()
      assert.equal("hit", decide(MAY, "d", "date and time", '> date and time("2026-01-01T00:00:00")', '"hit"'))
      assert.equal("hit", decide(MAY, "d", nil, "> 1777767741", '"hit"'))
    end)

    it("reaches a rule task, and comes out as a Date", function()
      engine:deploy { ["d.dmn"] = file(vendor, "d", "date and time", '> date and time("2026-01-01T00:00:00")', 'd + duration("PT1H")',
        vendor == "orrery" and "date and time" or "date") }
      local task = vendor == "flowable" and [[<serviceTask id="t" flowable:type="dmn"><extensionElements>
          <flowable:field name="decisionTableReferenceKey"><flowable:string>d</flowable:string></flowable:field></extensionElements>]]
        or '<serviceTask id="t" camunda:decisionRef="d" camunda:mapDecisionResult="singleEntry" camunda:resultVariable="o">'
      if vendor ~= "flowable" then task = task:gsub("serviceTask", "businessRuleTask") end
      engine:deploy { ["p.bpmn"] = process.model(task .. (vendor == "flowable" and "</serviceTask>" or "</businessRuleTask>") ..
        '<startEvent id="s"/><userTask id="u"/>', "s -> t t -> u"):gsub("<definitions ", '%0xmlns:flowable="http://flowable.org/bpmn" ') }
      local instance = engine:start("p", { variables = { d = date() } })
      assert.equal("Date", instance:get_typed("o").type)
      assert.equal(MAY + 3600, instance:get "o")
    end)

    it("is a date in conditions and scripts", function()
      local own <close> = process.engine(vendor ~= "orrery" and { dialect = vendor } or nil)
      process.deploy(own, [[<startEvent id="s"/><exclusiveGateway id="g" default="g-b"/><userTask id="a"/><userTask id="b"/>
        <scriptTask id="t" scriptFormat="feel" camunda:resultVariable="day" flowable:resultVariable="day"
          xmlns:flowable="http://flowable.org/bpmn">
          <script>day of week(d)</script></scriptTask>
        <sequenceFlow id="f" sourceRef="g" targetRef="a"><conditionExpression language="feel">d &gt; @"2026-01-01T00:00:00"
        </conditionExpression></sequenceFlow>]], "s -> t t -> g g -> b")
      local instance = own:start("p", { variables = { d = date() } })
      assert.same({ "a" }, instance:active())
      assert.equal("Sunday", instance:get "day")
      assert.same({ "b" }, own:start("p", { variables = { d = date(0) } }):active())
    end)
  end)
end

describe("a Date", function()
  it("has the clocks of the engine's zone, and dates are midnight there", function()
    local engine <close> = models.engine { time_zone = "Europe/Vienna" }
    engine:deploy { ["d.dmn"] = file("camunda", "d", nil, '@"2026-05-03T02:22:22"', "date(d)", "date"), ["p.bpmn"] = process.model(
      [[<startEvent id="s"/><userTask id="u"/><scriptTask id="x" scriptFormat="feel" camunda:resultVariable="text">
        <script>string(d)</script></scriptTask><businessRuleTask id="t" camunda:decisionRef="d" camunda:mapDecisionResult="singleEntry"
          camunda:resultVariable="o"/>]],
      "s -> x x -> t t -> u") }
    local instance = engine:start("p", { variables = { d = date() } })
    assert.equal("2026-05-03T02:22:22", instance:get "text")
    assert.equal("2026-05-02T22:00:00Z", orrery.format_time(instance:get "o"))
    assert.equal("2026-05-03", engine:decide("d", { d = date() }))
  end)

  it("is a date where an input of the standard asks for a date", function()
    local engine <close> = models.engine()
    engine:deploy { ["d.dmn"] = file("orrery", "d", "date", 'date("2026-05-03")', '"hit"') }
    assert.equal("hit", engine:decide("d", { d = date() }))
    assert.equal("hit", engine:decide("d", { d = MAY }))
  end)

  it("is what the other ways to decide give", function()
    local engine <close> = models.engine()
    engine:deploy { ["d.dmn"] = file("camunda", "d", nil, "-", "[d, d][1]", "date"),
      ["l.dmn"] = models.file(models.decision("l", "date(d)")) }
    local rows = engine.core:decide({ key = "d" }, { d = date() })
    assert.same({ { o = MAY } }, rows)
    assert.same({ { l = MAY - MAY % 86400 } }, engine.core:decide({ key = "l" }, { d = date() }))
  end)

  it("within a list or a context is a text, as before", function()
    local engine <close> = models.engine()
    engine:deploy { ["d.dmn"] = file("camunda", "d", nil, "-", "[date(d)]"), ["p.bpmn"] = process.model(
      '<startEvent id="s"/><userTask id="u"/><businessRuleTask id="t" camunda:decisionRef="d" camunda:mapDecisionResult="singleEntry" ' ..
      'camunda:resultVariable="o"/>', "s -> t t -> u") }
    assert.same({ "2026-05-03" }, engine:start("p", { variables = { d = date() } }):get "o")
  end)
end)
