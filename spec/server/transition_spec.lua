-- Tokens that wait for a job before an activity or behind it: transition instances, as in Camunda.
local shapes = require "spec.server.shapes"
local support = require "spec.server.support"

local transitions = support.model([[<startEvent id="s"/>
  <sequenceFlow id="a" sourceRef="s" targetRef="sub"/>
  <subProcess id="sub"><startEvent id="is"/><sequenceFlow id="ia" sourceRef="is" targetRef="fork"/>
    <parallelGateway id="fork"/><sequenceFlow id="ib" sourceRef="fork" targetRef="wait"/>
    <sequenceFlow id="ic" sourceRef="fork" targetRef="work"/>
    <sequenceFlow id="id" sourceRef="fork" targetRef="done"/>
    <userTask id="wait" name="Wait"/>
    <serviceTask id="work" name="Work" camunda:expression="${true}" camunda:asyncBefore="true"/>
    <manualTask id="done" camunda:asyncAfter="true"/>
  </subProcess>]], "transitions")

describe("a transition instance", function()
  local server
  setup(function()
    server = support.serve { files = { ["transitions.bpmn"] = transitions },
      arguments = "--no-executor --deploy %f/transitions.bpmn" }
  end)
  teardown(function() server:close() end)

  local function ask(method, path, body, wanted)
    local status, answer = server:ask(method, path, body)
    assert.equal(wanted or 200, status, type(answer) == "table" and answer.message or answer)
    return answer
  end

  local function start()
    return ask("POST", "/process-definition/key/transitions/start", {}).id
  end

  -- The scope of the sub-process, and its transition instances by activity.
  local function sub_of(id)
    local tree = ask("GET", "/process-instance/" .. id .. "/activity-instances")
    assert.same({}, tree.childTransitionInstances)
    local sub, waiting = tree.childActivityInstances[1], {}
    for _, each in ipairs(sub.childTransitionInstances) do waiting[each.activityId] = each end
    return sub, waiting
  end

  it("is apart from the activities that run", function()
    local id = start()
    local sub, waiting = sub_of(id)
    assert.same({ 1, "wait" },
      { #sub.childActivityInstances, sub.childActivityInstances[1].activityId })
    assert.equal(2, #sub.childTransitionInstances)
    local work, done = waiting.work, waiting.done
    assert.same({}, shapes.problems("", "[TransitionInstanceDto]", { work, done }))
    assert.same({ "Work", "serviceTask", sub.id, id }, { work.activityName, work.activityType,
      work.parentActivityInstanceId, work.processInstanceId })
    local jobs = ask("GET", "/job?processInstanceId=" .. id)
    local of = {}
    for _, job in ipairs(jobs) do of[job.executionId] = true end
    assert.same({ [work.executionId] = true, [done.executionId] = true }, of)
  end)

  it("shows its incidents", function()
    local id = start()
    local _, waiting = sub_of(id)
    local made = ask("POST", "/execution/" .. waiting.work.executionId .. "/create-incident",
      { incidentType = "paper" })
    _, waiting = sub_of(id)
    assert.same({ { made.id }, made.id, "work" }, { waiting.work.incidentIds,
      waiting.work.incidents[1].id, waiting.work.incidents[1].activityId })
    assert.same({}, waiting.done.incidents)
  end)

  it("is canceled by its id", function()
    local id = start()
    local _, waiting = sub_of(id)
    ask("POST", "/process-instance/" .. id .. "/modification",
      { instructions = { { type = "cancel", transitionInstanceId = waiting.work.id } } }, 204)
    _, waiting = sub_of(id)
    assert.is_nil(waiting.work)
    assert.is_table(waiting.done)
    assert.equal(1, ask("GET", "/job/count?processInstanceId=" .. id).count)
  end)
end)
