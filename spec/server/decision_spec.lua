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

  local function refused(wanted, method, path, body)
    local status, answer = server:ask(method, path, body)
    assert.equal(wanted, status, method .. " " .. path .. " " .. tostring(answer and answer.message))
    assert.is_string(answer.message)
  end

  it("belong to models, which are deployed in versions", function()
    local models = ask("GET", "/decision-requirements-definition?key=dishes")
    assert.same({}, shapes.problems("", "[DecisionRequirementsDefinitionDto]", models))
    assert.same({ 1, "dishes", "Dishes", 1 }, { #models, models[1].key, models[1].name, models[1].version })
    local first, path = models[1], "/decision-requirements-definition/"
    assert.same(first, ask("GET", path .. first.id))
    assert.same(first, ask("GET", path .. "key/dishes"))
    assert.truthy(ask("GET", path .. first.id .. "/xml").dmnXml:find("<decision id=\"dish\"", 1, true))
    assert.same({}, shapes.problems("", "DecisionRequirementsDefinitionXmlDto", ask("GET", path .. "key/dishes/xml")))
    for _, decision in ipairs(ask("GET", "/decision-definition?decisionRequirementsDefinitionId=" .. first.id)) do
      assert.equal(first.id, decision.decisionRequirementsDefinitionId)
    end
    assert.equal(3, ask("GET", "/decision-definition/count?decisionRequirementsDefinitionId=" .. first.id).count)
    local form = ("-F 'deployment-name=again' -F 'dish.dmn=@%s/dish.dmn'"):format(server.folder)
    assert.equal(200, (server:curl(form .. " " .. server.url .. "/engine-rest/deployment/create")))
    assert.equal(2, ask("GET", "/decision-requirements-definition/count?key=dishes").count)
    local latest = ask("GET", "/decision-requirements-definition?latestVersion=true")
    assert.same({ 1, 2 }, { #latest, latest[1].version })
    assert.equal(latest[1].id, ask("GET", path .. "key/dishes").id)
    assert.equal(3, #ask("GET", "/decision-definition?latestVersion=true"))
    assert.equal(1, #ask("GET", "/decision-requirements-definition?version=2&nameLike=Di%25"))
    for _, bad in ipairs { "999999", "no-id", "key/none", "key/dishes/tenant-id/them" } do
      refused(404, "GET", path .. bad)
      refused(404, "GET", path .. bad .. "/xml")
      refused(404, "GET", path .. bad .. "/diagram")
    end
    refused(400, "GET", "/decision-requirements-definition?category=x")
    refused(400, "GET", "/decision-requirements-definition?version=x")
  end)

  it("are counted for each decision of a model, and for one that was asked for", function()
    evaluate("count", 2)
    local asked = ask("GET", "/history/decision-instance?decisionDefinitionKey=count&sortBy=evaluationTime&sortOrder=desc")[1]
    local model = ask("GET", "/decision-definition/" .. asked.decisionDefinitionId).decisionRequirementsDefinitionId
    assert.equal(model, asked.decisionRequirementsDefinitionId)
    local path = "/history/decision-requirements-definition/" .. model .. "/statistics"
    local by = {}
    for _, row in ipairs(ask("GET", path)) do by[row.decisionDefinitionKey] = row.evaluations end
    assert.equal(by.count, ask("GET", "/history/decision-instance/count?decisionDefinitionKey=count&decisionRequirementsDefinitionId="
      .. model).count)
    assert.same({ { decisionDefinitionKey = "dish", evaluations = 1 }, { decisionDefinitionKey = "count", evaluations = 1 } },
      ask("GET", path .. "?decisionInstanceId=" .. asked.id))
    assert.same({}, ask("GET", path .. "?decisionInstanceId=0:999999"))
    refused(404, "GET", "/history/decision-requirements-definition/999999/statistics")
    refused(404, "GET", "/history/decision-requirements-definition/no-id/statistics")
  end)

  it("have a time to live of their own, by which clean-up would take what they decided", function()
    local id = ask("GET", "/decision-definition/key/cost").id
    for _, way in ipairs { id, "key/cost" } do
      assert.equal(204, (server:ask("PUT", "/decision-definition/" .. way .. "/history-time-to-live", { historyTimeToLive = 5 })))
      assert.equal(5, ask("GET", "/decision-definition/" .. id).historyTimeToLive)
      assert.equal(204, (server:ask("PUT", "/decision-definition/" .. way .. "/history-time-to-live",
        { historyTimeToLive = require "orrery".null })))
    end
    refused(400, "PUT", "/decision-definition/" .. id .. "/history-time-to-live", { historyTimeToLive = -1 })
    refused(400, "PUT", "/decision-definition/" .. id .. "/history-time-to-live", { historyTimeToLive = "x" })
    refused(404, "PUT", "/decision-definition/key/none/history-time-to-live", { historyTimeToLive = 5 })
    refused(404, "PUT", "/decision-definition/999999/history-time-to-live", { historyTimeToLive = 5 })
    assert.equal(204, (server:ask("PUT", "/decision-definition/" .. id .. "/history-time-to-live", { historyTimeToLive = 0 })))
    evaluate("cost", 2)
    local path = "/history/decision-definition/cleanable-decision-instance-report"
    local report = ask("GET", path .. "?compact=true&decisionDefinitionIdIn=" .. id)
    assert.same({}, shapes.problems("", "[CleanableHistoricDecisionInstanceReportResultDto]", report))
    assert.equal(report[1].finishedDecisionInstanceCount, ask("GET", "/history/decision-instance/count?decisionDefinitionId=" .. id).count)
    assert.is_true(report[1].cleanableDecisionInstanceCount >= 1)
    assert.equal(#ask("GET", path), ask("GET", path .. "/count").count)
    assert.equal(1, #ask("GET", path .. "?sortBy=finished&sortOrder=desc&maxResults=1"))
    refused(400, "GET", path .. "?sortBy=finished")
    refused(400, "GET", path .. "?sortBy=name&sortOrder=asc")
    refused(400, "GET", path .. "?maxResults=x")
  end)

  it("are deployed again, with however many resources", function()
    local form = { "-F 'deployment-name=many'" }
    for i = 1, 40 do form[#form + 1] = ("-F 'part_%d=@%s/dish.dmn;filename=part_%d.txt'"):format(i, server.folder, i) end
    local status, text = server:curl(table.concat(form, " ") .. " " .. server.url .. "/engine-rest/deployment/create")
    assert.equal(200, status)
    local first = require "orrery".json.decode(text).id
    local second = ask("POST", "/deployment/" .. first .. "/redeploy", {})
    assert.equal(40, #ask("GET", "/deployment/" .. second.id .. "/resources"))
  end)

  it("are deleted, and given a time to go, by batches", function()
    for guests = 1, 3 do evaluate("count", guests) end
    local query = { decisionDefinitionKey = "count" }
    local path, at = "/history/decision-instance/set-removal-time", "2030-01-31T12:00:00.000+0000"
    local function ended(batch)
      assert.same({}, shapes.problems("", "BatchDto", batch))
      support.wait(function() return ask("GET", "/history/batch/" .. batch.id).endTime ~= require "orrery".null end, "the batch")
      return batch
    end
    local rows = ask("GET", "/history/decision-instance?decisionDefinitionKey=count")
    local one = ended(ask("POST", path, { historicDecisionInstanceIds = { rows[1].id }, absoluteRemovalTime = at, hierarchical = true }))
    assert.same({ "decision-set-removal-time", 2 }, { one.type, one.totalJobs })
    local function removed(id) return ask("GET", "/history/decision-instance/" .. id).removalTime end
    assert.equal(at, removed(rows[1].id))
    local below = "/history/decision-instance?decisionDefinitionKey=dish&rootDecisionInstanceId=" .. rows[1].id
    assert.equal(at, removed(ask("GET", below)[1].id))
    assert.not_equal(at, removed(rows[2].id))
    ended(ask("POST", path, { historicDecisionInstanceQuery = query, clearedRemovalTime = true }))
    assert.equal(require "orrery".null, removed(rows[1].id))
    ended(ask("POST", path, { historicDecisionInstanceQuery = query, calculatedRemovalTime = true }))
    for _, bad in ipairs { {}, { absoluteRemovalTime = at }, { historicDecisionInstanceIds = { rows[1].id } },
      { historicDecisionInstanceIds = { "x" }, clearedRemovalTime = true }, { historicDecisionInstanceIds = { rows[1].id },
        clearedRemovalTime = true, absoluteRemovalTime = at } } do
      refused(400, "POST", path, bad)
    end
    local before = ask("GET", "/history/decision-instance/count").count
    local gone = ended(ask("POST", "/history/decision-instance/delete", { historicDecisionInstanceQuery = query,
      historicDecisionInstanceIds = { ask("GET", "/history/decision-instance?decisionDefinitionKey=cost")[1].id } }))
    assert.same({ "historic-decision-instance-deletion", #rows + 1 }, { gone.type, gone.totalJobs })
    assert.equal(before - #rows - 1, ask("GET", "/history/decision-instance/count").count)
    refused(400, "POST", "/history/decision-instance/delete", {})
    refused(400, "POST", "/history/decision-instance/delete", { historicDecisionInstanceIds = { "no:id" } })
  end)

  -- A row's own look-ups last as long as the row: a page of any length is answered.
  it("are listed, however many there are", function()
    local many = { '<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="many" name="Many" namespace="spec">' }
    for i = 1, 40 do
      many[#many + 1] = ('<decision id="one_%d" name="One %d"><literalExpression><text>%d</text></literalExpression></decision>')
        :format(i, i, i)
    end
    local file = server:file("many.dmn", table.concat(many) .. "</definitions>")
    assert.equal(200, (server:curl(("-F deployment-name=many -F many.dmn=@%s %s/engine-rest/deployment/create"):format(file, server.url))))
    local keys = {}
    for i = 1, 40 do
      keys[i] = "one_" .. i
      ask("POST", "/decision-definition/key/" .. keys[i] .. "/evaluate", { variables = {} })
    end
    local definitions = ask("GET", "/decision-definition?resourceName=many.dmn")
    local models, model = {}, ask("GET", "/decision-requirements-definition/key/many")
    for i, row in ipairs(definitions) do models[i] = row.decisionRequirementsDefinitionId end
    assert.equal(40, #models)
    local made = ask("GET", "/history/decision-instance?decisionDefinitionKeyIn=" .. table.concat(keys, ","))
    assert.equal(40, #made)
    for i = 1, 40 do assert.same({ model.id, model.id }, { models[i], made[i].decisionRequirementsDefinitionId }) end
    assert.equal(40, #ask("GET", "/history/decision-requirements-definition/" .. model.id .. "/statistics"))
    ask("GET", "/history/decision-definition/cleanable-decision-instance-report")
  end)
end)
