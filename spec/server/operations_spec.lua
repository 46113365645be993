-- Operations for operators: incidents of one's own, history that is deleted in part, time to live, calls, tracebacks.
local shapes = require "spec.server.shapes"
local support = require "spec.server.support"

local calls = support.model([[<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="call"/>
  <callActivity id="call" calledElement="order"/><sequenceFlow id="g" sourceRef="call" targetRef="again"/>
  <callActivity id="again" calledElement="order"/><sequenceFlow id="h" sourceRef="again" targetRef="some"/>
  <callActivity id="some" calledElement="${which}"/>]], "calls")

-- Its listeners fail.
local deaf = support.model([[<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="wait"/>
  <userTask id="wait"><extensionElements><camunda:taskListener event="delete">
  <camunda:script scriptFormat="lua">error "no end"</camunda:script></camunda:taskListener></extensionElements></userTask>]], "deaf")

describe("an operator", function()
  local server

  setup(function()
    server = support.serve { files = { ["order.bpmn"] = support.order, ["calls.bpmn"] = calls, ["failing.bpmn"] = support.failing,
      ["deaf.bpmn"] = deaf,
      conf = 'return { options = { history = "full" } }' }, arguments = "--config %f/conf --deploy %f/order.bpmn --deploy %f/calls.bpmn \z
      --deploy %f/failing.bpmn --deploy %f/deaf.bpmn" }
  end)
  teardown(function() server:close() end)

  local function ask(method, path, body, wanted)
    local status, answer = server:ask(method, path, body)
    assert.equal(wanted or 200, status, method .. " " .. path .. " " .. tostring(type(answer) == "table" and answer.message or answer))
    return answer
  end

  local function start(key, body) return ask("POST", "/process-definition/key/" .. key .. "/start", body or {}).id end

  it("opens an incident where an execution is, finds it by what it is about, and closes it", function()
    local id = start "order"
    local at = ask("GET", "/execution?activityId=pay&processInstanceId=" .. id)[1].id
    local path = "/execution/" .. at .. "/create-incident"
    local made = ask("POST", path, { incidentType = "paper", configuration = "tray 2", message = "is out" })
    assert.same({}, shapes.problems("", "IncidentDto", made))
    assert.same({ "paper", "tray 2", "is out", "pay", id }, { made.incidentType, made.configuration, made.incidentMessage,
      made.activityId, made.processInstanceId })
    assert.equal(made.id, ask("GET", "/incident?configuration=tray%202")[1].id)
    assert.equal(1, ask("GET", "/incident/count?incidentType=paper").count)
    assert.equal("tray 2", ask("GET", "/history/incident?configuration=tray%202")[1].configuration)
    ask("DELETE", "/incident/" .. made.id, nil, 204)
    assert.equal(0, ask("GET", "/incident/count?incidentType=paper").count)
    ask("POST", path, {}, 400)
    ask("POST", path, { incidentType = { 7 } }, 400)
    ask("POST", "/execution/999999/create-incident", { incidentType = "paper" }, 400)
    assert.equal(0, ask("GET", "/incident/count?incidentType=paper").count)
  end)

  it("sees in which order rows of history came about, and sorts by that", function()
    local id = start("order", { variables = { z = { value = 1 }, a = { value = 2 } } })
    local seen, count = {}, 0
    local lists = { "variable-instance", "activity-instance", "task", "detail", "external-task-log" }
    for _, list in ipairs(lists) do
      local path = "/history/" .. list .. "?sortBy=occurrence&sortOrder=%s&processInstanceId=" .. id
      local up, down = ask("GET", path:format "asc"), ask("GET", path:format "desc")
      for i, row in ipairs(up) do
        assert.is_nil(seen[row.orrery.sequence], list)
        assert.is_true(i == 1 or row.orrery.sequence > up[i - 1].orrery.sequence, list)
        assert.equal(row.orrery.sequence, down[#down + 1 - i].orrery.sequence)
        seen[row.orrery.sequence], count = true, count + 1
      end
    end
    assert.same({ sequence = 0 }, ask("GET", "/history/process-instance/" .. id).orrery)
    assert.is_true(count > 5)
  end)

  it("deletes the history of one variable, and of all of an instance", function()
    local id = start("order", { variables = { a = { value = 1 }, b = { value = 2 } } })
    local function rows(what) return ask("GET", what .. "/count?processInstanceId=" .. id).count end
    local one = ask("GET", "/history/variable-instance?variableName=a&processInstanceId=" .. id)[1].id
    ask("DELETE", "/history/variable-instance/" .. one, nil, 204)
    ask("DELETE", "/history/variable-instance/" .. one, nil, 404)
    ask("DELETE", "/history/variable-instance/none", nil, 404)
    assert.same({ 1, 1 }, { rows "/history/variable-instance", rows "/history/detail" })
    ask("DELETE", "/history/process-instance/" .. id .. "/variable-instances", nil, 204)
    assert.same({ 0, 0 }, { rows "/history/variable-instance", rows "/history/detail" })
    ask("DELETE", "/history/process-instance/999999/variable-instances", nil, 404)
    ask("DELETE", "/history/process-instance/none/variable-instances", nil, 404)
    assert.equal(1, ask("GET", "/process-instance/" .. id .. "/variables").a.value)
  end)

  it("sets how long history is kept", function()
    local definition = ask("GET", "/process-definition/key/order")
    assert.equal(30, definition.historyTimeToLive)
    ask("PUT", "/process-definition/" .. definition.id .. "/history-time-to-live", { historyTimeToLive = 7 }, 204)
    assert.equal(7, ask("GET", "/process-definition/" .. definition.id).historyTimeToLive)
    ask("PUT", "/process-definition/key/order/history-time-to-live", { historyTimeToLive = 0 }, 204)
    assert.equal(0, ask("GET", "/process-definition/key/order").historyTimeToLive)
    for _, body in ipairs { {}, { historyTimeToLive = -1 }, { historyTimeToLive = "x" }, {} } do
      ask("PUT", "/process-definition/key/order/history-time-to-live", body, 400)
    end
    ask("PUT", "/process-definition/999999/history-time-to-live", { historyTimeToLive = 7 }, 404)
    ask("PUT", "/process-definition/key/none/history-time-to-live", { historyTimeToLive = 7 }, 404)
    assert.equal(0, ask("GET", "/process-definition/key/order").historyTimeToLive)
  end)

  it("looks up what was counted, in sums and by intervals, and forgets who was given tasks", function()
    local id = start "order"
    local sum = ask("GET", "/metrics/process-instances/sum").result
    assert.is_true(sum >= 1)
    assert.equal(sum, ask("GET", "/metrics/root-process-instance-start/sum?startDate=2020-01-01T00:00:00.000%2B0000").result)
    assert.equal(0, ask("GET", "/metrics/process-instances/sum?startDate=2099-01-01T00:00:00.000%2B0000").result)
    assert.equal(0, ask("GET", "/metrics/process-instances/sum?endDate=2020-01-01T00:00:00.000%2B0000").result)
    local rows = ask("GET", "/metrics?name=root-process-instance-start&interval=86400")
    assert.same({}, shapes.problems("", "[MetricsIntervalResultDto]", rows))
    assert.equal(sum, rows[1].value + (rows[2] and rows[2].value or 0))
    assert.equal(require "orrery".null, rows[1].reporter)
    local by = ask("GET", "/metrics?name=root-process-instance-start&aggregateByReporter=true&maxResults=1")
    assert.matches("%$default$", by[1].reporter)
    assert.equal(0, #ask("GET", "/metrics?reporter=nobody"))
    for _, bad in ipairs { "interval=7", "interval=x", "interval=-900", "interval=", "startDate=x", "firstResult=-1", "name=nope" } do
      ask("GET", "/metrics?" .. bad, nil, 400)
    end
    ask("GET", "/metrics/nope/sum", nil, 400)
    ask("POST", "/task/create", { id = nil, name = "loose", assignee = "kermit" }, 204)
    assert.equal(1, ask("GET", "/metrics/task-users/sum").result)
    ask("DELETE", "/metrics/task-worker?date=x", nil, 400)
    ask("DELETE", "/metrics/task-worker?date=2020-01-01T00:00:00.000%2B0000", nil, 204)
    ask("DELETE", "/metrics/task-worker", nil, 204)
    ask("DELETE", "/process-instance/" .. id, nil, 204)
  end)

  it("deletes an instance whose listeners fail", function()
    local id = start "deaf"
    ask("DELETE", "/process-instance/" .. id, nil, 500)
    ask("DELETE", "/process-instance/" .. id .. "?skipCustomListeners=false", nil, 500)
    ask("DELETE", "/process-instance/" .. id .. "?skipCustomListeners=true", nil, 204)
    assert.equal("EXTERNALLY_TERMINATED", ask("GET", "/history/process-instance/" .. id).state)
  end)

  it("has history cleaned, and sees what that would take", function()
    ask("GET", "/history/cleanup/job", nil, 404)
    assert.same({}, ask("GET", "/history/cleanup/jobs"))
    local configuration = ask("GET", "/history/cleanup/configuration")
    assert.same({}, shapes.problems("", "HistoryCleanupConfigurationDto", configuration))
    assert.is_true(configuration.enabled)
    local id, definition = start "order", ask("GET", "/process-definition/key/order")
    ask("PUT", "/process-definition/" .. definition.id .. "/history-time-to-live", { historyTimeToLive = 0 }, 204)
    ask("DELETE", "/process-instance/" .. id, nil, 204)
    local path = "/history/process-definition/cleanable-process-instance-report"
    local row = ask("GET", path .. "?processDefinitionKeyIn=order")[1]
    assert.same({}, shapes.problems("", "CleanableHistoricProcessInstanceReportResultDto", row))
    assert.same({ definition.id, 0 }, { row.processDefinitionId, row.historyTimeToLive })
    assert.is_true(row.finishedProcessInstanceCount >= 1 and row.cleanableProcessInstanceCount >= 1)
    assert.equal(#ask("GET", path), ask("GET", path .. "/count").count)
    assert.is_true(ask("GET", path .. "/count?compact=true").count < ask("GET", path .. "/count").count)
    ask("GET", path .. "?sortOrder=asc", nil, 400)
    ask("GET", path .. "?firstResult=-1", nil, 400)
    ask("POST", "/history/cleanup?immediatelyDue=true")
    support.wait(function() return server:ask("GET", "/history/process-instance/" .. id) == 404 end, "clean-up")
    assert.equal(0, ask("GET", path .. "?processDefinitionKeyIn=order")[1].cleanableProcessInstanceCount)
  end)

  it("is told what may be asked for of users, and that nothing is reported", function()
    local offered = ask("OPTIONS", "/user")
    assert.same({ "list", "count" }, { offered.links[1].rel, offered.links[2].rel })
    assert.matches("/engine%-rest/user$", offered.links[1].href)
    assert.same({}, ask("OPTIONS", "/group/x/members").links)
    ask("POST", "/telemetry/configuration", { enableTelemetry = false }, 204)
    ask("POST", "/telemetry/configuration", { enableTelemetry = true }, 400)
    ask("PUT", "/tenant/t/user-members/u", {}, 403)
    ask("DELETE", "/tenant/t/group-members/g", nil, 403)
  end)

  it("counts the tasks that nobody has taken by the groups that are asked", function()
    for i, groups in ipairs { { "sales" }, { "sales", "board" }, {}, { "taken" } } do
      local id = "counted" .. i
      ask("POST", "/task/create", { id = id, name = "counted" }, 204)
      for _, group in ipairs(groups) do
        ask("POST", "/task/" .. id .. "/identity-links", { groupId = group, type = "candidate" },
          204)
      end
      if groups[1] == "taken" then ask("POST", "/task/" .. id .. "/claim", { userId = "ann" }, 204)
      end
    end
    local counts = ask("GET", "/task/report/candidate-group-count")
    assert.same({}, shapes.problems("", "[TaskCountByCandidateGroupResultDto]", counts))
    local found = {}
    for _, row in ipairs(counts) do found[row.groupName] = row.taskCount end
    local null = require "orrery".null
    assert.same({ sales = 2, board = 1 }, { sales = found.sales, board = found.board,
      taken = found.taken })
    assert.equal(ask("GET", "/task/count?unassigned=true&withoutCandidateGroups=true").count,
      found[null])
  end)

  it("learns what a definition calls", function()
    local calling, order = ask("GET", "/process-definition/key/calls").id, ask("GET", "/process-definition/key/order").id
    local called = ask("GET", "/process-definition/" .. calling .. "/static-called-process-definitions")
    assert.same({}, shapes.problems("", "[CalledProcessDefinitionDto]", called))
    assert.same({ 1, order, calling, { "call", "again" } }, { #called, called[1].id, called[1].callingProcessDefinitionId,
      called[1].calledFromActivityIds })
    assert.equal(0, #ask("GET", "/process-definition/" .. order .. "/static-called-process-definitions"))
    ask("GET", "/process-definition/999999/static-called-process-definitions", nil, 404)
    ask("GET", "/process-definition/none/static-called-process-definitions", nil, 404)
  end)

  it("leaves a task that another has claimed to that one", function()
    ask("POST", "/task/create", { id = "claimed", name = "claimed" }, 204)
    for _ = 1, 2 do ask("POST", "/task/claimed/claim", { userId = "ann" }, 204) end
    local answer = ask("POST", "/task/claimed/claim", { userId = "eve" }, 500)
    assert.equal("TaskAlreadyClaimedException", answer.type)
    assert.truthy(answer.message:find('already claimed by "ann"', 1, true))
  end)

  it("knows the root of a called instance, which its rows do not name", function()
    local root = start "calls"
    local called = ask("GET", "/process-instance?superProcessInstance=" .. root)[1].id
    local null = require "orrery".null
    local instance = ask("GET", "/history/process-instance/" .. called)
    assert.same({ root, null }, { instance.rootProcessInstanceId, instance.removalTime })
    for _, list in ipairs { "activity-instance", "external-task-log" } do
      local row = ask("GET", "/history/" .. list .. "?processInstanceId=" .. called)[1]
      assert.same({ called, null }, { row.processInstanceId, row.rootProcessInstanceId })
    end
  end)

  it("reads the traceback of each failure in the log of jobs", function()
    local id = start "failing"
    local failed = support.wait(function()
      local rows = ask("GET", "/history/job-log?failureLog=true&processInstanceId=" .. id)
      return rows[1]
    end, "the failure")
    local trace = ask("GET", "/history/job-log/" .. failed.id .. "/stacktrace")
    assert.truthy(trace:find("broken", 1, true) and trace:find("traceback", 1, true), trace)
    local created = ask("GET", "/history/job-log?creationLog=true&processInstanceId=" .. id)[1]
    ask("GET", "/history/job-log/" .. created.id .. "/stacktrace", nil, 204)
    ask("GET", "/history/job-log/1:2:3/stacktrace", nil, 404)
    ask("GET", "/history/job-log/none/stacktrace", nil, 404)
  end)
end)
