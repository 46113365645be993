-- Decisions by REST: evaluated, and what was decided with what it was decided from.
local shapes = require "spec.server.shapes"
local support = require "spec.server.support"

local DISH = [[<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="dishes" name="Dishes" namespace="spec">
  <inputData id="i1" name="season"/><inputData id="i2" name="guests"/>
  <decision id="dish" name="Dish"><informationRequirement><requiredInput href="#i1"/></informationRequirement>
    <informationRequirement><requiredInput href="#i2"/></informationRequirement>
    <decisionTable id="t" hitPolicy="COLLECT">
      <input id="in_season" label="Season"><inputExpression id="e1" typeRef="string"><text>season</text></inputExpression></input>
      <input id="in_guests"><inputExpression id="e2" typeRef="number"><text>guests</text></inputExpression></input>
      <output id="out_dish" label="What to eat" name="dish" typeRef="string"/><output id="out_hot" name="hot" typeRef="boolean"/>
      <rule id="r1"><inputEntry id="a1"><text>"Winter"</text></inputEntry><inputEntry id="a2"><text>&lt;= 8</text></inputEntry>
        <outputEntry id="a3"><text>"Roast"</text></outputEntry><outputEntry id="a4"><text>true</text></outputEntry></rule>
      <rule id="r2"><inputEntry id="b1"><text>-</text></inputEntry><inputEntry id="b2"><text>&gt; 8</text></inputEntry>
        <outputEntry id="b3"><text>"Stew"</text></outputEntry><outputEntry id="b4"><text>true</text></outputEntry></rule>
      <rule id="r3"><inputEntry id="c1"><text>-</text></inputEntry><inputEntry id="c2"><text>-</text></inputEntry>
        <outputEntry id="c3"><text>"Bread"</text></outputEntry><outputEntry id="c4"><text>false</text></outputEntry></rule>
    </decisionTable></decision>
  <decision id="count" name="How many"><informationRequirement><requiredDecision href="#dish"/></informationRequirement>
    <literalExpression><text>count(Dish)</text></literalExpression></decision>
  <decision id="cost" name="Cost"><informationRequirement><requiredInput href="#i2"/></informationRequirement>
    <decisionTable id="t2" hitPolicy="COLLECT" aggregation="SUM">
      <input id="in_all"><inputExpression id="e3"><text>guests</text></inputExpression></input><output id="out_cost"/>
      <rule id="s1"><inputEntry id="d1"><text>&gt; 1</text></inputEntry><outputEntry id="d2"><text>10</text></outputEntry></rule>
      <rule id="s2"><inputEntry id="d3"><text>&gt; 2</text></inputEntry><outputEntry id="d4"><text>5</text></outputEntry></rule>
    </decisionTable></decision>
</definitions>]]

describe("decisions by REST", function()
  local server

  setup(function()
    server = support.serve { files = { ["dish.dmn"] = DISH, conf = 'return { options = { history = "full" } }' },
      arguments = "--config %f/conf --deploy %f/dish.dmn" }
  end)
  teardown(function() server:close() end)

  local function ask(method, path, body)
    local status, answer = server:ask(method, path, body)
    assert.equal(200, status, path .. " " .. tostring(type(answer) == "table" and answer.message))
    return answer
  end

  local function evaluate(key, guests)
    return ask("POST", "/decision-definition/key/" .. key .. "/evaluate", { variables = { season = { value = "Winter" }, guests = {
      value = guests, type = "Integer" } } })
  end

  local function decided(key, more)
    local rows = ask("GET", "/history/decision-instance?sortBy=evaluationTime&sortOrder=desc&maxResults=1&decisionDefinitionKey=" .. key)
    return ask("GET", "/history/decision-instance/" .. rows[1].id .. (more or "?includeInputs=true&includeOutputs=true"))
  end

  it("are evaluated: an object of typed outputs for each result", function()
    local results = evaluate("dish", 4)
    assert.equal(2, #results)
    assert.same({ "Roast", "String", true, "Boolean" }, { results[1].dish.value, results[1].dish.type, results[1].hot.value,
      results[1].hot.type })
    assert.equal("Bread", results[2].dish.value)
    local id = ask("GET", "/decision-definition/key/cost").id
    local sum = ask("POST", "/decision-definition/" .. id .. "/evaluate", { variables = { guests = { value = 3 } } })
    local _, only = next(sum[1])
    assert.same({ 1, 15 }, { #sum, only.value })
  end)

  it("tell what they were decided from, and which rules matched", function()
    evaluate("dish", 4)
    local row = decided "dish"
    assert.same({}, shapes.problems("row", "HistoricDecisionInstanceDto", row))
    assert.same({ "in_season", "Season", "String", "Winter" }, { row.inputs[1].clauseId, row.inputs[1].clauseName, row.inputs[1].type,
      row.inputs[1].value })
    assert.same({ "in_guests", "guests", 4 }, { row.inputs[2].clauseId, row.inputs[2].clauseName, row.inputs[2].value })
    local told = {}
    for i, one in ipairs(row.outputs) do
      told[i] = { one.ruleId, one.ruleOrder, one.clauseId, one.variableName, one.value }
      assert.equal(row.id, one.decisionInstanceId)
    end
    assert.same({ { "r1", 1, "out_dish", "dish", "Roast" }, { "r1", 1, "out_hot", "hot", true }, { "r3", 3, "out_dish", "dish", "Bread" },
      { "r3", 3, "out_hot", "hot", false } }, told)
    assert.equal("dishes", row.decisionRequirementsDefinitionKey)
  end)

  it("tell it only when they are asked to", function()
    evaluate("dish", 4)
    local null = require "orrery".null
    local row = decided("dish", "?includeInputs=true")
    assert.same({ 2, null }, { #row.inputs, row.outputs })
    local listed = ask("GET", "/history/decision-instance?includeOutputs=true&decisionDefinitionKey=dish")
    assert.same({ null, 4 }, { listed[1].inputs, #listed[1].outputs })
  end)

  it("leave a row for what was required, too, below the one that was asked for", function()
    assert.equal(2, evaluate("count", 20)[1]["How many"].value)
    local root, required = decided "count", decided "dish"
    assert.equal(root.id, required.rootDecisionInstanceId)
    assert.equal(ask("GET", "/decision-definition/key/dish").id, required.decisionDefinitionId)
    assert.same({ 2, "How many" }, { root.outputs[1].value, root.outputs[1].variableName })
    local below = ask("GET", "/history/decision-instance?rootDecisionInstanceId=" .. root.id)
    assert.equal(2, #below)
    local roots = ask("GET", "/history/decision-instance/count?rootDecisionInstancesOnly=true").count
    assert.is_true(roots > 0 and roots < ask("GET", "/history/decision-instance/count").count)
    assert.equal(2, #ask("GET", ("/history/decision-instance?decisionInstanceIdIn=%s,%s,0:999999"):format(root.id, required.id)))
  end)

  it("tell what they collected", function()
    evaluate("cost", 2)
    local row = decided "cost"
    assert.same({ 10, 1, "s1" }, { row.collectResultValue, #row.outputs, row.outputs[1].ruleId })
  end)

  it("refuse what cannot be decided", function()
    local status, answer = server:ask("POST", "/decision-definition/key/none/evaluate", {})
    assert.same({ 404, "InvalidRequestException" }, { status, answer.type })
    assert.equal(400, (server:ask("POST", "/decision-definition/key/dish/evaluate", { variables = { guests = 4 } })))
    assert.equal(404, (server:ask("GET", "/history/decision-instance/0:999999")))
    assert.equal(404, (server:ask("GET", "/history/decision-instance/no-id")))
    assert.equal(404, (server:ask("GET", "/decision-definition/key/dish/tenant-id/them")))
  end)
end)
