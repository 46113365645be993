-- What the operator's page asks for beside Camunda's interface.
local support = require "spec.server.support"

describe("for the operator's page", function()
  local server

  setup(function()
    server = support.serve { files = { ["failing.bpmn"] = support.failing, ["waiting.bpmn"] = support.waiting },
      arguments = "--no-executor --deploy %f/failing.bpmn --deploy %f/waiting.bpmn" }
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
    for _, name in ipairs { "jobs_done", "jobs_failed", "started", "ended" } do assert.equal("table", type(after.series[name]), name) end
    server:ask("DELETE", "/process-instance/" .. started.id)
  end)

  it("jobs that are due and do not run are grouped by reason; each tells its own", function()
    for _ = 1, 3 do server:ask("POST", "/process-definition/key/failing/start", {}) end
    local groups = get "/orrery/stuck"
    assert.same({ 1, "no_executor", 3, "failing" }, { #groups, groups[1].reason, groups[1].count, groups[1].definitionKey })
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
    local groups, sum = get "/orrery/incident-groups", 0
    for _, group in ipairs(groups) do
      sum = sum + group.count
      assert.equal("failedJob", group.type)
      assert.equal("failing", group.definitionKey)
    end
    assert.equal(failed, sum)
    assert.equal(get("/incident/count").count, sum)
  end)

  it("a limit is set, listed, and taken away", function()
    assert.equal(204, (server:ask("PUT", "/orrery/limits", { topic = "pay", max = 3 })))
    local limits = get "/orrery/limits"
    assert.same({ 1, "pay", 3 }, { #limits, limits[1].topic, limits[1].max })
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
  end)
end)
