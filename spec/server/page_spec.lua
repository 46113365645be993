-- What the operator's page asks for beside Camunda's interface.
local folder = require "spec.support.folder"
local orrery = require "orrery"
local support = require "spec.server.support"

local function one_task(task, key)
  return support.model([[<startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="t"/>]] .. task ..
    [[<sequenceFlow id="f2" sourceRef="t" targetRef="e"/><endEvent id="e"/>]], key)
end

-- It fails with what its variable says.
local telling = one_task([[<scriptTask id="t" scriptFormat="lua" camunda:asyncBefore="true">
  <extensionElements><camunda:failedJobRetryTimeCycle>R3/PT1H</camunda:failedJobRetryTimeCycle></extensionElements>
  <script>error(execution:get "why", 0)</script></scriptTask>]], "telling")
local calling = one_task([[<callActivity id="t" calledElement="telling">
  <extensionElements><camunda:in variables="all"/></extensionElements></callActivity>]], "calling")
local fetching = one_task([[<serviceTask id="t" camunda:type="external" camunda:topic="pay"/>]], "fetching")

describe("for the operator's page", function()
  local server

  setup(function()
    server = support.serve { files = { ["failing.bpmn"] = support.failing, ["waiting.bpmn"] = support.waiting, ["telling.bpmn"] = telling,
        ["calling.bpmn"] = calling, ["fetching.bpmn"] = fetching },
      arguments = "--no-executor --deploy %f/failing.bpmn --deploy %f/waiting.bpmn --deploy %f/telling.bpmn --deploy %f/calling.bpmn \z
        --deploy %f/fetching.bpmn" }
  end)

  teardown(function() server:close() end)

  local function get(path)
    local status, answer = server:ask("GET", path)
    assert.equal(200, status, path)
    return answer
  end

  it("figures count what there is, and an hour is known by the minute", function()
    local before = get "/orrery/figures"
    local _, started = server:ask("POST", "/process-definition/key/failing/start", {})
    local after = get "/orrery/figures"
    assert.equal(before.now.instances + 1, after.now.instances)
    assert.equal(before.now.due_jobs + 1, after.now.due_jobs)
    for _, name in ipairs { "jobs_done", "jobs_failed", "started", "ended", "wait_ms" } do
      assert.equal("table", type(after.series[name]), name)
    end
    server:ask("DELETE", "/process-instance/" .. started.id)
  end)

  it("jobs that are due and do not run are grouped by reason; each tells its own", function()
    for _ = 1, 3 do server:ask("POST", "/process-definition/key/failing/start", {}) end
    local answer = get "/orrery/stuck"
    local groups = answer.groups
    assert.same({ 1, "no_executor", 3, "failing" }, { #groups, groups[1].reason, groups[1].count, groups[1].definitionKey })
    assert.same({ 3, false }, { answer.looked, answer.more })
    assert.equal("string", type(groups[1].cure))
    local why = get("/orrery/why?jobId=" .. groups[1].sample)
    assert.same({ "no_executor", groups[1].text }, { why.reason, why.text })
    local status, answer = server:ask("GET", "/orrery/why?jobId=77")
    assert.same({ 404, "Job with id 77 does not exist" }, { status, answer.message })
    assert.equal(400, (server:ask("GET", "/orrery/why")))
  end)

  it("incidents are grouped by process, activity and message", function()
    for _, job in ipairs(get "/job") do server:ask("PUT", "/job/" .. job.id .. "/retries", { retries = 1 }) end
    local failed = 0
    for _, job in ipairs(get "/job") do
      if server:ask("POST", "/job/" .. job.id .. "/execute", {}) == 500 then failed = failed + 1 end
    end
    assert.equal(3, failed)
    local answer, sum = get "/orrery/incident-groups", 0
    for _, group in ipairs(answer.groups) do
      sum = sum + group.count
      assert.equal("failedJob", group.type)
      assert.equal("failing", group.definitionKey)
    end
    assert.equal(failed, sum)
    assert.equal(get("/incident/count").count, sum)
    assert.same({ failed, false }, { answer.looked, answer.more })
  end)

  local function fail_with(key, message)
    local _, started = server:ask("POST", "/process-definition/key/" .. key .. "/start", { variables = { why = { value = message } } })
    for _, job in ipairs(get "/job?withRetriesLeft=true") do
      server:ask("PUT", "/job/" .. job.id .. "/retries", { retries = 1 })
      server:ask("POST", "/job/" .. job.id .. "/execute", {})
    end
    return started.id
  end

  local function group_with(text)
    for _, group in ipairs(get("/orrery/incident-groups").groups) do
      if (group.message or ""):find(text, 1, true) then return group end
    end
  end

  local function jobs_of(group)
    local status, answer = server:ask("POST", "/orrery/incident-group", { definitionId = group.definitionId, activityId = group.activityId,
      type = group.type, message = group.message })
    assert.equal(200, status)
    return answer
  end

  it("messages that differ in numbers alone are one group, whose jobs are those of its incidents", function()
    for _, message in ipairs { "order 17 is closed", "order 4 is closed", "order is closed", "order 17 is shut" } do
      fail_with("telling", message)
    end
    assert.same({ 2, 1, 1 }, { group_with("17 is closed").count, group_with("order is closed").count, group_with("is shut").count })
    local found = jobs_of(group_with "17 is closed")
    assert.same({ 2, 2, false, nil }, { found.count, #found.jobIds, found.more, found.externalTaskIds })
    for _, id in ipairs(found.jobIds) do assert.truthy(get("/job/" .. id).exceptionMessage:find "order %d+ is closed") end
    assert.equal(400, (server:ask("POST", "/orrery/incident-group", { activityId = "t" })))
    assert.equal(400, (server:ask("POST", "/orrery/incident-group", { type = "failedJob", definitionId = "x" })))
  end)

  it("an incident counts where it is; that its callers have one, too, is told beside", function()
    local before = get "/orrery/incident-groups"
    fail_with("calling", "called in vain")
    local after = get "/orrery/incident-groups"
    assert.same({ before.callers + 1, #before.groups + 1 }, { after.callers, #after.groups })
    local group = group_with "called in vain"
    assert.same({ "telling", 1, 1 }, { group.definitionKey, group.count, #jobs_of(group).jobIds })
  end)

  it("the group of external tasks without retries has their ids", function()
    server:ask("POST", "/process-definition/key/fetching/start", {})
    local _, fetched = server:ask("POST", "/external-task/fetchAndLock", { workerId = "w", maxTasks = 1,
      topics = { { topicName = "pay", lockDuration = 60000 } } })
    server:ask("POST", "/external-task/" .. fetched[1].id .. "/failure", { workerId = "w", errorMessage = "no money", retries = 0 })
    local group = group_with "no money"
    assert.same({ "failedExternalTask", 1 }, { group.type, group.count })
    assert.same({ { fetched[1].id }, nil }, { jobs_of(group).externalTaskIds, jobs_of(group).jobIds })
  end)

  it("what was suspended, and what is tried again later, does not run either", function()
    local _, started = server:ask("POST", "/process-definition/key/telling/start", { variables = { why = { value = "once more" } } })
    local job = get("/job?processInstanceId=" .. started.id)[1]
    server:ask("POST", "/job/" .. job.id .. "/execute", {})
    local reasons = {}
    for _, group in ipairs(get("/orrery/stuck").groups) do reasons[group.reason] = group.count end
    assert.equal(1, reasons.retry_later)
    server:ask("PUT", "/job/" .. job.id .. "/suspended", { suspended = true })
    reasons = {}
    for _, group in ipairs(get("/orrery/stuck").groups) do reasons[group.reason] = group.count end
    assert.same({ 1, nil }, { reasons.suspended, reasons.retry_later })
    server:ask("DELETE", "/process-instance/" .. started.id)
  end)

  it("the store's time zone is shown, and what is fired now comes again by it", function()
    local store = folder.make()
    local model = support.model([[<startEvent id="s"><timerEventDefinition><timeCycle>0 0 8 * * ?</timeCycle>
      </timerEventDefinition></startEvent><sequenceFlow id="f" sourceRef="s" targetRef="e"/><endEvent id="e"/>]], "morning")
    do
      local engine <close> = orrery.open(store, { time_zone = "Europe/Berlin", log = "none" })
      engine:deploy { ["morning.bpmn"] = model }
    end
    do
      local other <close> = support.serve { store = store, arguments = "--no-executor" }
      local _, zone = other:ask("GET", "/orrery/time-zone")
      assert.same({ timeZone = "Europe/Berlin" }, zone)
      local _, jobs = other:ask("GET", "/job")
      assert.equal(204, (other:ask("POST", "/job/" .. jobs[1].id .. "/execute", {})))
      local _, later = other:ask("GET", "/job")
      assert.not_equal(jobs[1].id, later[1].id)
      local due = orrery.parse_time(later[1].dueDate)
      assert.equal("08:00", orrery.format_time(due, "Europe/Berlin"):sub(12, 16))
    end
    folder.remove(store)
  end)

  it("a limit is set, listed, and taken away", function()
    assert.equal(204, (server:ask("PUT", "/orrery/limits", { topic = "pay", max = 3 })))
    local limits = get "/orrery/limits"
    assert.same({ 1, "pay", 3 }, { #limits, limits[1].topic, limits[1].max })
    assert.equal(204, (server:ask("PUT", "/orrery/limits", { topic = "pay", perSecond = 2.5, burst = 5 })))
    limits = get "/orrery/limits"
    assert.same({ 2.5, 5 }, { limits[1].perSecond, limits[1].burst })
    assert.is_nil(tonumber(limits[1].max)) -- no bound is null, not 0
    assert.equal(400, (server:ask("PUT", "/orrery/limits", { topic = "pay", perSecond = "fast" })))
    assert.equal(204, (server:ask("PUT", "/orrery/limits", { topic = "pay" })))
    assert.same({}, get "/orrery/limits")
    assert.equal(400, (server:ask("PUT", "/orrery/limits", { max = 3 })))
    assert.equal(400, (server:ask("PUT", "/orrery/limits", { topic = "pay", key = "k", max = 3 })))
  end)

  it("files are checked as a deployment would, and stay where they are", function()
    local path = server:file("broken.bpmn", (support.failing:gsub("sequenceFlow id", "sequenceFloww id", 1)))
    local before = get "/deployment/count"
    local status, answer = server:ask("POST", "/orrery/lint", nil, "-F broken.bpmn=@" .. path)
    assert.equal(200, status)
    assert.is_true(#answer.problems > 0)
    assert.same({ "broken.bpmn", "number" }, { answer.problems[1].resource, type(answer.problems[1].line) })
    assert.same(before, get "/deployment/count")
  end)

  it("executors that run on the store are named", function()
    assert.same({}, get "/orrery/executors")
    assert.same({}, get "/orrery/nodes")
  end)
end)

-- 500 jobs of a list are asked why they do not run.
it("an answer about stuck jobs that is cut says so", function()
  local place = folder.make()
  finally(function() folder.remove(place) end)
  local store = place .. "/store"
  do
    local engine <close> = orrery.open(store)
    engine:deploy { ["failing.bpmn"] = support.failing }
    engine:transaction(function()
      for _ = 1, 501 do engine:start "failing" end
    end)
  end
  local server <close> = support.serve { store = store, arguments = "--no-executor" }
  local _, answer = server:ask("GET", "/orrery/stuck")
  assert.same({ 500, true, 500 }, { answer.looked, answer.more, answer.groups[1].count })
end)
