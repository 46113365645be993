-- Bodies that nobody reads, and scalars that stand for those of another kind.
local support = require "spec.server.support"

describe("a body", function()
  local server

  local function ask(method, path, body, wanted)
    local status, answer = server:ask(method, path, body)
    local told = type(answer) == "table" and answer.message or answer
    assert.equal(wanted or 200, status, method .. " " .. path .. " " .. tostring(body) .. " "
      .. tostring(told))
    return answer
  end
  local function start(key, body) return ask("POST", "/process-definition/key/" .. key .. "/start",
    body or {}).id end

  setup(function()
    server = support.serve { files = { ["order.bpmn"] = support.order,
      ["waiting.bpmn"] = support.waiting },
      arguments = "--deploy %f/order.bpmn --deploy %f/waiting.bpmn" }
  end)
  teardown(function() server:close() end)

  it("that an operation has no use for is ignored, whatever it is", function()
    for _, body in ipairs { "null", "[]", '""', "{}", "7", "{", "[[" } do
      local id = start("order", { variables = { v = { value = 1 } } })
      ask("DELETE", "/process-instance/" .. id .. "/variables/v", body, 204)
      local task = ask("GET", "/external-task?processInstanceId=" .. id)[1].id
      ask("POST", "/external-task/" .. task .. "/unlock", body, 204)
      ask("GET", "/process-instance/" .. id, body)
      ask("DELETE", "/process-instance/" .. id, body, 204)
      ask("GET", "/process-instance/" .. id, body, 404)
    end
    local deployment = ask("GET", "/process-definition/key/waiting").deploymentId
    ask("DELETE", "/deployment/" .. deployment .. "?cascade=true", "null", 204)
  end)

  it("that is empty, blank or null has no members", function()
    for _, body in ipairs { "", "  \n", "null" } do
      local all = ask("GET", "/process-instance/count").count
      assert.equal(all, ask("POST", "/process-instance/count", body).count)
      assert.equal(all, #ask("POST", "/process-instance", body))
      start("order", body)
      assert.equal(all + 1, ask("POST", "/process-instance/count", body).count)
      ask("POST", "/external-task/fetchAndLock", body, 400)
      ask("POST", "/message", body, 400)
      local task = ask("POST", "/task/create", body, 204)
      assert.equal("", task)
      ask("PUT", "/task/" .. ask("GET", "/task")[1].id, body, 400) -- it would clear everything
    end
    ask("POST", "/process-instance", "[]", 400)
    ask("POST", "/process-definition/key/order/start", '""', 400)
  end)

  local function value(given, type_name)
    local status, answer = server:ask("POST", "/process-definition/key/order/start",
      ([[{"withVariablesInReturn":true,
      "variables":{"v":{"value":%s,"type":"%s"}}}]]):format(given, type_name))
    if status ~= 200 then return status, answer.message end
    return answer.variables.v.type, answer.variables.v.value
  end

  it("has variables of scalars that stand for those of another type", function()
    local null = require "orrery".null
    for _, case in ipairs {
      { '"5"', "Integer", 5 }, { '" 5 "', "Integer", 5 }, { '"-7"', "Short", -7 }, { '""',
        "Integer", null },
      { '"9007199254740993"', "Long", 9007199254740993 }, { "12", "Double", 12.0 }, { '"1.5"',
        "Double", 1.5 },
      { '"2e3"', "Double", 2000.0 }, { '""', "Double", null }, { '"true"', "Boolean", true },
        { '"FALSE"', "Boolean", false },
      { '""', "Boolean", null }, { "5", "String", "5" }, { "true", "String", "true" }, { "1.5",
        "String", "1.5" },
      { '""', "String", "" }, { "12345678901234567890123", "String", "12345678901234567890123" },
      { "12345678901234567890", "Double", 12345678901234567890.0 }, { '""', "Date", null },
    } do
      local type_name, have = value(case[1], case[2])
      assert.same({ case[2], case[3] }, { type_name, have }, case[1] .. " as " .. case[2])
    end
  end)

  it("has none of what cannot stand for one, and says so as Camunda does", function()
    for _, case in ipairs {
      { '"abc"', "Integer", "java.lang.Integer" }, { "1.5", "Integer", "java.lang.Integer" },
      { "true", "Long", "java.lang.Long" }, { '"1,5"', "Double", "java.lang.Double" }, { "1",
        "Boolean", "java.lang.Boolean" },
      { "9223372036854775808", "Long", "java.lang.Long" }, { "-9223372036854775809", "Long",
        "java.lang.Long" },
    } do
      local status, message = value(case[1], case[2])
      assert.equal(400, status, case[1] .. " as " .. case[2])
      local given = case[1]:gsub('"', "")
      local told = ("Cannot convert value '%s' of type '%s' to java type %s")
        :format(given, case[2], case[3])
      assert.matches(told, message, 1, true)
    end
    assert.equal(400, (value("9999999999", "Integer")))
    assert.equal(400, (value('"nonsense"', "Date")))
    local status, answer = server:ask("POST", "/process-definition/key/order/start",
      '{"variables":{"v":{"value":12345678901234567890}}}')
    assert.equal(400, status)
    assert.matches("12345678901234567890 is beyond 64 bits", answer.message, 1, true)
  end)

  it("may hold an integer beyond 64 bits where nobody takes it, and within a JSON text", function()
    local id = start("order",
      [[{"nobodys":123456789012345678901234567890,"variables":{"j":{"type":"Json",
      "value":"{\"wide\":123456789012345678901234567890,\"narrow\":9007199254740993}"},
      "n":{"value":9007199254740993}}}]])
    local all = ask("GET", "/process-instance/" .. id .. "/variables")
    assert.equal('{"wide":123456789012345678901234567890,"narrow":9007199254740993}', all.j.value)
    assert.equal(9007199254740993, all.n.value)
    ask("POST", "/process-definition/key/order/start", '{"businessKey":12345678901234567890}')
    assert.equal(1, ask("GET", "/process-instance/count?businessKey=12345678901234567890").count)
    ask("PUT", "/external-task/" .. ask("GET", "/external-task")[1].id .. "/retries",
      '{"retries":12345678901234567890}', 400)
  end)

  it("has members of scalars that stand for those of another kind", function()
    local id = start("order", '{"businessKey":4711}')
    assert.equal("4711", ask("GET", "/process-instance/" .. id).businessKey)
    local locked = ask("POST", "/external-task/fetchAndLock",
      ([[{"workerId":7,"maxTasks":"10","usePriority":"true","topics":
      [{"topicName":"pay","lockDuration":"60000","businessKey":4711,"localVariables":"false"}]}]]))
    assert.same({ 1, "7" }, { #locked, locked[1].workerId })
    ask("PUT", "/external-task/" .. locked[1].id .. "/retries", '{"retries":"3"}', 204)
    ask("POST", "/external-task/" .. locked[1].id .. "/complete", '{"workerId":"7"}', 204)
    local task = ask("GET", "/task?processInstanceId=" .. id)[1]
    ask("PUT", "/task/" .. task.id, '{"name":"Look","priority":"77","due":1767225600000}', 204)
    local changed = ask("GET", "/task/" .. task.id)
    assert.same({ 77, "2026-01-01T00:00:00.000+0000" }, { changed.priority, changed.due })
    ask("PUT", "/task/" .. task.id, '{"name":"Look","priority":"high"}', 400)
    ask("PUT", "/process-definition/key/order/suspended", '{"suspended":"true"}', 204)
    assert.is_true(ask("GET", "/process-definition/key/order").suspended)
    ask("PUT", "/process-definition/key/order/suspended", '{"suspended":"false"}', 204)
    ask("PUT", "/process-instance/suspended",
      ('{"suspended":"false","processInstanceIds":[%s]}'):format(id), 204)
    ask("POST", "/process-instance/" .. id .. "/modification",
      [[{"instructions":[{"type":"startBeforeActivity","activityId":"look","variables":
      {"l":{"value":"1","type":"Integer","local":"true"}}}]}]], 204)
    assert.is_nil(ask("GET", "/process-instance/" .. id .. "/variables").l)
    assert.equal(2, ask("GET", "/task/count?processInstanceId=" .. id).count)
  end)

  it("has queries of such scalars", function()
    local id = start("order", { businessKey = "5" })
    local function count(body) return ask("POST", "/process-instance/count", body).count end
    assert.equal(1, count '{"businessKey":5}')
    assert.equal(1,
      count(('{"businessKey":"5","active":"true","processInstanceIds":[%s]}'):format(id)))
    assert.equal(0, count '{"businessKey":"5","suspended":"True"}')
    assert.equal(1, count '{"businessKey":"5","suspended":"false"}')
    local all = ask("POST", "/task/count", {}).count
    assert.equal(all, ask("POST", "/task/count", '{"createdAfter":"","priority":""}').count)
    assert.equal(all, ask("POST", "/task/count", '{"createdAfter":0,"minPriority":"0"}').count)
    assert.equal(0, ask("POST", "/task/count", '{"createdAfter":4102444800000}').count)
    ask("POST", "/task/count", '{"active":"perhaps"}', 400)
    ask("POST", "/task/count", '{"priority":"1.5"}', 400)
    assert.equal(all, ask("GET", "/task/count?createdAfter=&active=TRUE").count)
    ask("GET", "/task/count?priority=", nil, 400)
    assert.equal(200, (server:ask("POST", "/task", '{"withCommentAttachmentInfo":"true"}')))
    assert.is_false(ask("POST", "/task", '{"withCommentAttachmentInfo":"true"}')[1].comment)
  end)
end)

describe("a variable of type Date", function()
  local server
  setup(function()
    server = support.serve { files = { ["order.bpmn"] = support.order,
      conf = 'return { options = { history = "full" } }' },
        arguments = "--config %f/conf --deploy %f/order.bpmn" }
    for i, date in ipairs { "2026-01-01T00:00:00.000+0000", "2026-06-01T00:00:00.500+0000" } do
      assert.equal(200, (server:ask("POST", "/process-definition/key/order/start",
        { businessKey = "k" .. i,
        variables = { d = { value = date, type = "Date" } } })))
    end
    assert.equal(200, (server:ask("POST", "/process-definition/key/order/start",
      { businessKey = "text",
      variables = { d = { value = "2026-01-01T00:00:00.000+0000", type = "String" } } })))
  end)
  teardown(function() server:close() end)

  it("is found by dates, in any zone, and a text that is one by itself", function()
    for path, member in pairs { ["/process-instance"] = "variables",
      ["/history/process-instance"] = "variables",
      ["/execution"] = "processVariables", ["/external-task"] = "processVariables" } do
      local function count(operator, date)
        local body = { [member] = { { name = "d", operator = operator, value = date } } }
        local status, answer = server:ask("POST", path .. "/count", body)
        assert.equal(200, status)
        local _, by_get = server:ask("GET", ("%s/count?%s=d_%s_%s"):format(path, member, operator,
          date:gsub("%+", "%%2B")))
        assert.equal(answer.count, by_get.count)
        return answer.count
      end
      assert.equal(1, count("gt", "2026-03-01T00:00:00.000+0000"), path)
      assert.equal(1, count("lt", "2026-03-01T00:00:00.000+0000"))
      assert.equal(2, count("gteq", "2026-01-01T00:00:00.000+0000"))
      assert.equal(2, count("eq", "2026-01-01T00:00:00.000+0000"))
      assert.equal(1, count("eq", "2026-01-01T01:00:00.000+0100"))
      assert.equal(1, count("eq", "2026-06-01T00:00:00.500+0000"))
      assert.equal(1, count("neq", "2026-01-01T00:00:00.000+0000"))
      assert.equal(2, count("neq", "2026-01-01T01:00:00.000+0100"))
    end
  end)

  it("is found by its value in history, too", function()
    local function count(value)
      local _, answer = server:ask("GET",
        "/history/variable-instance/count?variableName=d&variableValue=" .. value)
      return answer.count
    end
    assert.equal(2, count "2026-01-01T00:00:00.000%2B0000")
    assert.equal(1, count "2026-01-01T01:00:00.000%2B0100")
    local _, answer = server:ask("POST", "/history/variable-instance/count",
      { variableName = "d", variableValue = "2026-06-01T00:00:00.500+0000" })
    assert.equal(1, answer.count)
  end)
end)
