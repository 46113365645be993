-- What asks for nothing in a query is no filter, and what is not built is refused only where it asks
-- for something: every parameter of Camunda's contract, in the query string and in a body.
local shapes = require "spec.server.shapes"
local support = require "spec.server.support"

local ours, queries = {}, {}
for _, subject in ipairs(require "server.subjects") do
  local t = require("server.table." .. subject[1])
  for _, op in ipairs(t.operations) do ours[op[1] .. " " .. op[2]] = op end
  for name, q in pairs(t.queries) do queries[name] = q end
end

local FLAGS <const> = { flag = true, ["not"] = true, none = true, some = true, beside = true,
  word = true, unbuilt = true,
  permitted = true }

local function kinds_of(op)
  local out = {}
  for _, p in ipairs(op.query and queries[op.query].params or type(op.args) == "table" and op.args
    or {}) do
    out[p[1]] = p[2]
  end
  return out
end

describe("a filter", function()
  local server

  local function ask(method, path, body, wanted)
    local status, answer = server:ask(method, path, body)
    local told = type(answer) == "table" and answer.message or answer
    assert.equal(wanted or 200, status, method .. " " .. path .. " " .. tostring(told))
    return answer
  end

  local function count(path, body) return ask("POST", path .. "/count", body).count end
  local function start(key, body) return ask("POST", "/process-definition/key/" .. key .. "/start",
    body or {}).id end

  setup(function()
    server = support.serve { files = { ["order.bpmn"] = support.order,
      ["failing.bpmn"] = support.failing,
      ["waiting.bpmn"] = support.waiting, conf = 'return { options = { history = "full" } }' },
      arguments = "--config %f/conf --deploy %f/order.bpmn --deploy %f/failing.bpmn \z
        --deploy %f/waiting.bpmn" }
    local locked = { workerId = "w", maxTasks = 1, topics = { { topicName = "pay",
      lockDuration = 600000 } } }
    start("order", { variables = { a = { value = 1 } } })
    local task = ask("POST", "/external-task/fetchAndLock", locked)[1].id
    ask("POST", "/external-task/" .. task .. "/complete", { workerId = "w" }, 204)
    start("order", { businessKey = "b", variables = { a = { value = 2 } } })
    start "failing"
    start "waiting"
    support.wait(function() return count("/job", { noRetriesLeft = true }) == 1 end,
      "the failing job")
  end)
  teardown(function() server:close() end)

  it("of an empty list, or that is off, is none in a body", function()
    local wrong, asked = {}, 0
    for key, members in pairs(shapes.bodies) do
      local path, op = key:match "^POST (.+)/count$", ours[key]
      if path and op.query then
        local all, kinds = count(path, {}), kinds_of(op)
        assert.is_true(all > 0, path .. " lists nothing")
        for name in members:gmatch "[^,]+" do
          local bodies = name ~= "sorting" and { ("{%q:[]}"):format(name),
            ("{%q:null}"):format(name) } or {}
          if FLAGS[kinds[name]] then
            bodies[#bodies + 1] = ("{%q:false}"):format(name)
            bodies[#bodies + 1] = ("{%q:%q}"):format(name, "false")
          end
          for _, body in ipairs(bodies) do
            asked = asked + 1
            local status, answer = server:ask("POST", path .. "/count", body)
            local found = status == 200 and answer.count or status
            if found ~= all then wrong[#wrong + 1] = ("%s %s: %s, not %d"):format(path, body, found,
              all) end
          end
        end
      end
    end
    assert.same({}, wrong)
    assert.is_true(asked > 800, asked .. " bodies")
  end)

  it("that is not built is refused where it asks for something, and ignored where it is off",
    function()
    local wrong, asked = {}, 0
    for _, op in ipairs(shapes.contract) do
      local own = ours[op.key]
      local kinds = kinds_of(own)
      for name in op.params:gmatch "[^,]+" do
        if op.method == "GET" and own.query and FLAGS[kinds[name]] then
          asked = asked + 1
          local status = server:ask("GET", ("%s?%s=false"):format(op.path, name))
          if status ~= 200 and not op.path:find "{" then wrong[#wrong + 1] = op.key .. " " .. name
            .. "=false" end
          if kinds[name] == "unbuilt" then
            status = server:ask("GET", ("%s?%s=x"):format(op.path, name))
            if status ~= 400 then wrong[#wrong + 1] = op.key .. " " .. name .. "=x" end
          end
        end
      end
    end
    assert.same({}, wrong)
    assert.is_true(asked > 200, asked .. " flags")
  end)

  it("of a list in the query string that is empty fits nothing, as in Camunda", function()
    assert.equal(0, ask("GET", "/process-instance/count?processDefinitionKeyIn=").count)
    assert.equal(4, ask("GET", "/process-instance/count?tenantIdIn=&withoutTenantId=false").count
      + ask("GET", "/process-instance/count").count)
  end)

  it("names a command's targets: an empty list of them is refused", function()
    for path, body in pairs {
      ["/process-instance/delete"] = '{"processInstanceIds":[]}',
      ["/process-instance/suspended-async"] = '{"suspended":true,"processInstanceIds":[]}',
      ["/job/retries"] = '{"retries":1,"jobIds":[]}',
      ["/external-task/retries-async"] = '{"retries":1,"externalTaskIds":[]}',
      ["/history/process-instance/delete"] = '{"historicProcessInstanceIds":[]}',
    } do
      ask("POST", path, body, 400)
    end
    for path, body in pairs {
      ["/process-instance/delete"] = '{"processInstanceQuery":{"processInstanceIds":[]}}',
      ["/job/retries"] = '{"retries":1,"jobQuery":{"jobIds":[]}}',
      ["/external-task/retries-async"] =
        '{"retries":1,"externalTaskQuery":{"externalTaskIdIn":[]}}',
      ["/history/process-instance/delete"] =
        '{"historicProcessInstanceQuery":{"processInstanceIds":[]}}',
      ["/history/decision-instance/delete"] =
        '{"historicDecisionInstanceQuery":{"decisionInstanceIdIn":[]}}',
    } do
      ask("POST", path, body, 400)
    end
    assert.equal(4, count("/process-instance", {}))
  end)

  it("of two conditions of one operator on a variable has both", function()
    local function conditions(...)
      local list = {}
      for i, value in ipairs { ... } do list[i] = { name = "a", operator = "gt", value = value } end
      return list
    end
    for path, member in pairs { ["/process-instance"] = "variables",
      ["/history/process-instance"] = "variables",
      ["/task"] = "processVariables", ["/execution"] = "processVariables",
        ["/external-task"] = "processVariables" } do
      local wide, narrow = count(path, { [member] = conditions(0) }), count(path,
        { [member] = conditions(1) })
      assert.equal(narrow, count(path, { [member] = conditions(0, 1) }), path)
      assert.equal(narrow, count(path, { [member] = conditions(1, 0) }), path)
      assert.equal(0, count(path, { [member] = conditions(0, 1, 2) }), path)
      assert.is_true(path == "/task" and wide == 1 or path == "/external-task" or wide > narrow,
        path)
    end
    local unequal = { { name = "a", operator = "neq", value = 1 }, { name = "a", operator = "neq",
      value = 2 } }
    assert.equal(0, count("/process-instance", { variables = unequal }))
    assert.equal(0, ask("GET", "/process-instance/count?variables=a_neq_x,a_neq_y,a_eq_z").count)
    assert.equal(2, ask("GET", "/process-instance/count?variables=a_neq_x,a_neq_y").count)
  end)

  it("of either of two conditions on a variable has each for itself", function()
    local either = { { name = "a", operator = "eq", value = 1 }, { name = "a", operator = "eq",
      value = 2 } }
    assert.equal(2, count("/process-instance", { orQueries = { { variables = either } } }))
    assert.equal(0, count("/process-instance", { variables = either }))
    assert.equal(4, count("/process-instance", '{"orQueries":[{}]}'))
    assert.equal(4, count("/process-instance",
      '{"orQueries":[{"suspended":"false","businessKey":null}]}'))
    assert.equal(1, count("/process-instance",
      '{"orQueries":[{"suspended":false,"businessKey":"b"}]}'))
  end)

  it("of variables asks for their names and values, with regard to case or without", function()
    start("waiting", { variables = { Tint = { value = "Red" }, tint = { value = "blue" },
      n = { value = 7 }, day = { value = "2026-01-31T12:00:00.000+0000", type = "Date" } } })
    for query, wanted in pairs {
      ["variableValues=tint_eq_blue"] = 1, ["variableValues=tint_eq_red"] = 0,
      ["variableValues=tint_eq_Red&variableNamesIgnoreCase=true"] = 1,
      ["variableValues=tint_eq_red&variableNamesIgnoreCase=true&variableValuesIgnoreCase=true"] = 1,
      ["variableValues=Tint_eq_red&variableValuesIgnoreCase=true"] = 1,
      ["variableValues=Tint_neq_red&variableValuesIgnoreCase=true"] = 0,
      ["variableValues=Tint_neq_red"] = 1,
      ["variableValues=Tint_like_r%25"] = 0,
      ["variableValues=Tint_like_r%25&variableValuesIgnoreCase=true"] = 1,
      ["variableValues=day_eq_2026-01-31T12:00:00.000%2B0000"] = 1,
      ["variableValues=day_lt_2026-01-31T12:00:00.000%2B0000"] = 0,
      ["variableValues=Tint_eq_Red,tint_eq_blue"] = 0,
      ["variableName=tint&variableNamesIgnoreCase=true"] = 2,
      ["variableName=TINT"] = 0, ["variableNameLike=T%25"] = 1,
      ["variableNameLike=T%25&variableNamesIgnoreCase=true"] = 2,
    } do
      assert.equal(wanted, ask("GET", "/variable-instance/count?" .. query).count, query)
      assert.equal(wanted, #ask("GET", "/variable-instance?" .. query), query)
    end
    local function value(operator, n)
      return { variableValues = { { name = "n", operator = operator, value = n } } }
    end
    assert.equal(1, count("/variable-instance", value("eq", 7)))
    assert.equal(1, count("/variable-instance", value("gteq", 7)))
    assert.equal(0, count("/variable-instance", value("neq", 7)))
    assert.equal(1, count("/variable-instance", { variableNamesIgnoreCase = true, variableValues =
      { { name = "N", operator = "lt", value = 8 }, { name = "n", operator = "gt", value = 6 } } }))
    ask("GET", "/variable-instance?variableValues=n_almost_7", nil, 400)
    ask("POST", "/variable-instance", { variableValues = { { name = "n" } } }, 400)
    local past = "/history/variable-instance/count?variableName=tint"
    for query, wanted in pairs { [""] = 1, ["&variableNamesIgnoreCase=true"] = 2,
      ["&variableValue=BLUE"] = 0, ["&variableValue=BLUE&variableValuesIgnoreCase=true"] = 1 } do
      assert.equal(wanted, ask("GET", past .. query).count, query)
    end
    assert.equal(1, count("/history/variable-instance", { variableName = "TINT",
      variableNamesIgnoreCase = true, variableValue = "RED", variableValuesIgnoreCase = true }))
  end)

  it("of a log finds the row of an id", function()
    for _, path in ipairs { "/history/job-log", "/history/external-task-log" } do
      local rows = ask("GET", path)
      assert.is_true(#rows > 1, path)
      for _, row in ipairs(rows) do
        local found = ask("GET", path .. "?logId=" .. row.id)
        assert.same({ 1, row.id }, { #found, found[1].id })
        assert.equal(1, count(path, { logId = row.id }))
      end
      assert.equal(0, ask("GET", path .. "/count?logId=none").count)
      assert.equal(0, ask("GET", path .. "/count?logId=1:2").count)
    end
  end)

  it("of what was names the types of variables", function()
    local id = start("waiting", { variables = { text = { value = "x" }, whole = { value = 1,
      type = "Integer" }, on = { value = true } } })
    for _, path in ipairs { "/history/variable-instance", "/history/detail" } do
      for types, wanted in pairs { string = 1, ["string,Integer"] = 2, ["Boolean,STRING"] = 2,
        Double = 0, nonsense = 0 } do
        local query = ("?processInstanceId=%s&variableTypeIn=%s"):format(id, types)
        assert.equal(wanted, #ask("GET", path .. query), path .. types)
        assert.equal(wanted, ask("GET", path .. "/count" .. query).count, path .. types)
      end
    end
  end)

  it("of tasks may order them by a variable", function()
    for i, value in ipairs { 2, 10, 1 } do
      ask("POST", "/task/create", { id = "sorted" .. i }, 204)
      ask("PUT", ("/task/sorted%d/localVariables/n"):format(i), { value = value,
        type = "Integer" }, 204)
    end
    local function sorted(by, direction, parameters, wanted)
      local found, out = ask("POST", "/task", { taskIdIn = { "sorted1", "sorted2", "sorted3" },
        sorting = { { sortBy = by, sortOrder = direction, parameters = parameters } } }, wanted), {}
      for i, task in ipairs(found) do out[i] = task.id:match "%d" end
      return table.concat(out)
    end
    local by_n = { variable = "n", type = "Integer" }
    assert.equal("312", sorted("taskVariable", "asc", by_n))
    assert.equal("213", sorted("taskVariable", "desc", by_n))
    assert.equal("213", sorted("executionVariable", "desc", by_n))
    sorted("processVariable", "asc", { variable = "n" })
    sorted("taskVariable", "asc", nil, 400)
    sorted("taskVariable", "asc", { variable = 7 }, 400)
  end)
end)
