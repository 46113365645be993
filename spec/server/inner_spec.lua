-- What a request has the engine run may fail because something is not there: a class, a definition
-- that a script asks for. That is no 404, since what the request names is there.
local support = require "spec.server.support"

local GONE <const> = [[<serviceTask id="gone" camunda:class="gone"/>]]
local ASKS <const> = [[<scriptTask id="script" scriptFormat="lua">
  <script>execution.engine:start "nowhere"</script></scriptTask>]]

local function model(key, element, before)
  return support.model(('<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="a"/>%s'
    .. '<sequenceFlow id="g" sourceRef="a" targetRef="%s"/>%s'):format(element,
    before:match 'id="(%w+)"', before), key)
end

local LISTENER <const> = [[<extensionElements><camunda:taskListener event="delete" class="gone"/>
  </extensionElements>]]
local TASK <const> = '<userTask id="a"/>'
local models <const> = {
  deaf = model("deaf", '<userTask id="a">' .. LISTENER .. "</userTask>", '<userTask id="z"/>'),
  task = model("task", TASK, GONE),
  asks = model("asks", TASK, ASKS),
  sends = model("sends", TASK, [[<scriptTask id="script" scriptFormat="lua">
    <script>execution.engine:message "unheard"</script></scriptTask>]]),
  starts = model("starts", '<task id="a"/>', GONE),
  receives = model("receives", '<receiveTask id="a"/>', GONE),
  message = model("message", '<receiveTask id="a" messageRef="m"/>', GONE),
  signal = model("signal", [[<intermediateCatchEvent id="a"><signalEventDefinition signalRef="sig"/>
    </intermediateCatchEvent>]], GONE),
  job = model("job", [[<intermediateCatchEvent id="a"><timerEventDefinition>
    <timeDuration>PT1H</timeDuration></timerEventDefinition></intermediateCatchEvent>]], GONE),
  external = model("external", '<serviceTask id="a" camunda:type="external" camunda:topic="t"/>',
    GONE),
}
describe("what a request runs into inside a process is no 404:", function()
  local server

  setup(function()
    local files, arguments = {}, {}
    for name, source in pairs(models) do
      files[name .. ".bpmn"] = source
      arguments[#arguments + 1] = ("--deploy %%f/%s.bpmn"):format(name)
    end
    server = support.serve { files = files, arguments = table.concat(arguments, " ") }
  end)
  teardown(function() server:close() end)

  local function ask(method, path, body, wanted)
    local status, answer = server:ask(method, path, body)
    assert.equal(wanted or 200, status, method .. " " .. path .. " "
      .. tostring(type(answer) == "table" and answer.message or answer))
    return answer
  end

  local function refused(method, path, body, what)
    local answer = ask(method, path, body, 500)
    assert.equal("ProcessEngineException", answer.type)
    assert.matches(what or "gone", answer.message)
  end

  local function start(key)
    return ask("POST", "/process-definition/key/" .. key .. "/start", {}).id
  end
  local function of(list, id) return ask("GET", list .. "?processInstanceId=" .. id)[1].id end

  it("an instance whose listener has no class is there, and can be deleted without it", function()
    local id = start "deaf"
    refused("DELETE", "/process-instance/" .. id)
    refused("DELETE", "/process-instance/" .. id .. "?failIfNotExists=false")
    assert.equal(id, ask("GET", "/process-instance/" .. id).id)
    ask("DELETE", "/process-instance/" .. id .. "?skipCustomListeners=true", nil, 204)
    ask("DELETE", "/process-instance/" .. id, nil, 404)
    ask("DELETE", "/process-instance/" .. id .. "?failIfNotExists=false", nil, 204)
  end)

  it("its modification, its migration, and those of several", function()
    local id = start "deaf"
    local cancel = { { type = "cancel", activityId = "a" } }
    refused("POST", "/process-instance/" .. id .. "/modification", { instructions = cancel })
    local definition = ask("GET", "/process-instance/" .. id).definitionId
    refused("POST", "/modification/execute", { processDefinitionId = definition,
      instructions = cancel, processInstanceIds = { id } })
    ask("POST", "/process-instance/" .. id .. "/modification",
      { instructions = cancel, skipCustomListeners = true }, 204)
  end)

  it("a task that is completed, by a class or by what a script asks for", function()
    refused("POST", "/task/" .. of("/task", start "task") .. "/complete", {})
    refused("POST", "/task/" .. of("/task", start "sends") .. "/complete", {}, "unheard")
    ask("POST", "/message", { messageName = "unheard" }, 400)
    refused("POST", "/task/" .. of("/task", start "asks") .. "/complete", {}, "nowhere")
  end)

  it("a process that is started, by key or id", function()
    refused("POST", "/process-definition/key/starts/start", {})
    local id = ask("GET", "/process-definition/key/starts").id
    refused("POST", "/process-definition/" .. id .. "/start", {})
    ask("POST", "/process-definition/key/none/start", {}, 404)
  end)

  it("what waits and is sent something", function()
    local id = start "receives"
    refused("POST", "/execution/" .. of("/execution", id) .. "/signal", {})
    refused("POST", "/message", { messageName = "paid", processInstanceId = start "message" })
    id = start "signal"
    local at = ask("GET", "/execution?activityId=a&processInstanceId=" .. id)[1].id
    refused("POST", "/signal", { name = "all", executionId = at })
    ask("POST", "/signal", { name = "all", executionId = "999999" }, 500)
  end)

  it("a job and an external task", function()
    refused("POST", "/job/" .. of("/job", start "job") .. "/execute", {})
    start "external"
    local fetch = { workerId = "w", maxTasks = 1, topics = { { topicName = "t",
      lockDuration = 60000 } } }
    local task = ask("POST", "/external-task/fetchAndLock", fetch)[1].id
    refused("POST", "/external-task/" .. task .. "/complete", { workerId = "w" })
    ask("POST", "/external-task/999999/complete", { workerId = "w" }, 404)
  end)
end)
