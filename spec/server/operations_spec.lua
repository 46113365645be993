-- Operations for operators: incidents of one's own, history that is deleted in part, time to live, calls, tracebacks.
local shapes = require "spec.server.shapes"
local support = require "spec.server.support"

local calls = support.model([[<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="call"/>
  <callActivity id="call" calledElement="order"/><sequenceFlow id="g" sourceRef="call" targetRef="again"/>
  <callActivity id="again" calledElement="order"/><sequenceFlow id="h" sourceRef="again" targetRef="some"/>
  <callActivity id="some" calledElement="${which}"/>]], "calls")

describe("an operator", function()
  local server

  setup(function()
    server = support.serve { files = { ["order.bpmn"] = support.order, ["calls.bpmn"] = calls, ["failing.bpmn"] = support.failing,
      conf = 'return { options = { history = "full" } }' }, arguments = "--config %f/conf --deploy %f/order.bpmn --deploy %f/calls.bpmn \z
      --deploy %f/failing.bpmn" }
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
    ask("POST", path, { incidentType = 7 }, 400)
    ask("POST", "/execution/999999/create-incident", { incidentType = "paper" }, 400)
    assert.equal(0, ask("GET", "/incident/count?incidentType=paper").count)
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
    for _, body in ipairs { {}, { historyTimeToLive = -1 }, { historyTimeToLive = "7" }, { historyTimeToLive = 1.5 } } do
      ask("PUT", "/process-definition/key/order/history-time-to-live", body, 400)
    end
    ask("PUT", "/process-definition/999999/history-time-to-live", { historyTimeToLive = 7 }, 404)
    ask("PUT", "/process-definition/key/none/history-time-to-live", { historyTimeToLive = 7 }, 404)
    assert.equal(0, ask("GET", "/process-definition/key/order").historyTimeToLive)
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
