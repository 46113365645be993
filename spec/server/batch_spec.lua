-- Batches by REST: every operation that is done by one, and what operators do to batches.
local shapes = require "spec.server.shapes"
local support = require "spec.server.support"

describe("batches by REST", function()
  local server, definition

  local function good(method, path, body)
    local status, answer = server:ask(method, path, body)
    assert(status == 200 or status == 204, ("%s %s: %s %s"):format(method, path, tostring(status), type(answer) == "table"
      and tostring(answer.message) or tostring(answer)))
    return answer
  end

  local function bad(method, path, body)
    local status, answer = server:ask(method, path, body)
    return { status, type(answer) == "table" and answer.type or nil }
  end

  local REFUSED = { 400, "InvalidRequestException" }

  -- What the batch comes to, by its history.
  local function ended(batch)
    return support.wait(function()
      local now = good("GET", "/history/batch/" .. batch.id)
      return type(now.endTime) == "string" and now
    end, "the batch's end")
  end

  local function start(n, key)
    local ids = {}
    for i = 1, n do ids[i] = good("POST", ("/process-definition/key/%s/start"):format(key or "order"), { businessKey = "k" .. i }).id end
    return ids
  end

  local function count(path) return good("GET", path).count end

  setup(function()
    server = support.serve { files = { ["order.bpmn"] = support.order, ["failing.bpmn"] = support.failing,
      ["waiting.bpmn"] = support.waiting }, arguments = "--deploy %f/order.bpmn --deploy %f/failing.bpmn --deploy %f/waiting.bpmn" }
    definition = good("GET", "/process-definition/key/order").id
  end)
  teardown(function() server:close() end)
  after_each(function()
    local left = good("GET", "/process-instance")
    if #left == 0 then return end
    local ids = {}
    for i, one in ipairs(left) do ids[i] = one.id end
    ended(good("POST", "/process-instance/delete", { processInstanceIds = ids }))
  end)

  it("delete, suspend and set variables of instances, each in a job of its own", function()
    local ids = start(3)
    local batch = good("POST", "/process-instance/variables-async", { processInstanceIds = { ids[1] }, processInstanceQuery = {
      businessKey = "k2" }, variables = { a = { value = 5, type = "Integer" } } })
    assert.same({ "set-variables", 2, 1 }, { batch.type, batch.totalJobs, batch.invocationsPerBatchJob })
    ended(batch)
    assert.equal(2, count "/variable-instance/count?variableName=a")
    ended(good("POST", "/process-instance/suspended-async", { processInstanceIds = ids, suspended = true }))
    assert.equal(3, count "/process-instance/count?suspended=true")
    ended(good("POST", "/process-instance/suspended-async", { historicProcessInstanceQuery = { processInstanceBusinessKey = "k1" },
      suspended = false }))
    assert.equal(2, count "/process-instance/count?suspended=true")
    batch = good("POST", "/process-instance/delete", { processInstanceQuery = { processDefinitionKey = "order" }, deleteReason = "late",
      skipCustomListeners = true, skipIoMappings = true })
    assert.equal(3, batch.totalJobs)
    ended(batch)
    assert.equal("late", good("GET", "/history/process-instance/" .. ids[1]).deleteReason)
    for _, path in ipairs { "/process-instance/delete", "/process-instance/suspended-async", "/process-instance/variables-async",
      "/process-instance/message-async", "/process-instance/job-retries", "/external-task/retries-async" } do
      assert.same(REFUSED, bad("POST", path, { suspended = true, retries = 1, variables = { a = { value = 1 } } }), path)
    end
    assert.same(REFUSED, bad("POST", "/process-instance/variables-async", { processInstanceIds = { "1" } }))
    assert.same(REFUSED, bad("POST", "/process-instance/suspended-async", { processInstanceIds = { "1" } }))
  end)

  it("correlate a message", function()
    local ids = start(2, "waiting")
    ended(good("POST", "/process-instance/message-async", { processInstanceIds = ids, messageName = "paid",
      variables = { sum = { value = 1 } } }))
    assert.equal(0, count "/process-instance/count?processDefinitionKey=waiting")
  end)

  it("modify, migrate and restart", function()
    local ids = start(2)
    local to_look = { { type = "startBeforeActivity", activityId = "look" }, { type = "cancel", activityId = "pay" } }
    ended(good("POST", ("/process-instance/%s/modification-async"):format(ids[1]), { instructions = to_look }))
    assert.equal(1, count "/task/count")
    ended(good("POST", "/modification/executeAsync", { processDefinitionId = definition, processInstanceIds = { ids[2] },
      instructions = to_look, skipCustomListeners = true }))
    assert.equal(2, count "/task/count")
    local plan = good("POST", "/migration/generate", { sourceProcessDefinitionId = definition, targetProcessDefinitionId = definition })
    assert.equal("instance-migration", ended(good("POST", "/migration/executeAsync", { migrationPlan = plan,
      processInstanceIds = ids })).type)
    ended(good("POST", "/process-instance/delete", { processInstanceIds = ids }))
    ended(good("POST", ("/process-definition/%s/restart-async"):format(definition), { processInstanceIds = ids,
      instructions = { { type = "startBeforeActivity", activityId = "look" } }, withoutBusinessKey = true }))
    assert.equal(2, count "/task/count")

    assert.same(REFUSED, bad("POST", "/modification/executeAsync", { processInstanceIds = ids, instructions = to_look }))
    assert.same(400, bad("POST", "/modification/executeAsync", { processDefinitionId = "999", processInstanceIds = ids,
      instructions = to_look })[1])
    assert.same(REFUSED, bad("POST", "/modification/executeAsync", { processDefinitionId = definition, processInstanceIds = ids }))
    assert.same(404, bad("POST", "/process-instance/999/modification-async", { instructions = to_look })[1])
    assert.same(REFUSED, bad("POST", "/migration/executeAsync", { processInstanceIds = ids }))
    plan.targetProcessDefinitionId = "999"
    assert.same(400, bad("POST", "/migration/executeAsync", { migrationPlan = plan, processInstanceIds = ids })[1])
    assert.same(404, bad("POST", "/process-definition/999/restart-async", { processInstanceIds = ids })[1])
    assert.same(REFUSED, bad("POST", ("/process-definition/%s/restart-async"):format(definition), {}))
  end)

  it("set retries of jobs and of external tasks, with a due date", function()
    local ids = start(1, "failing")
    local job = support.wait(function() return good("GET", "/job?noRetriesLeft=true&processInstanceId=" .. ids[1])[1] end, "the job")
    ended(good("POST", "/job/retries", { jobIds = { job.id }, retries = 2, dueDate = "2199-01-01T00:00:00.000+0000" }))
    job = good("GET", "/job/" .. job.id)
    assert.same({ 2, "2199-01-01T00:00:00.000+0000" }, { job.retries, job.dueDate })
    ended(good("POST", "/process-instance/job-retries", { processInstances = ids, retries = 1 }))
    assert.equal(2, good("GET", "/job/" .. job.id).retries) -- it has not failed
    ids = start(2)
    ended(good("POST", "/external-task/retries-async", { processInstanceIds = ids, retries = 7 }))
    local task = good("GET", "/external-task?processInstanceId=" .. ids[2])[1]
    assert.equal(7, task.retries)
    ended(good("POST", "/external-task/retries-async", { externalTaskIds = { task.id }, retries = 5 }))
    assert.equal(5, good("GET", "/external-task/" .. task.id).retries)
    assert.same(REFUSED, bad("POST", "/external-task/retries-async", { externalTaskIds = { task.id }, processInstanceIds = ids,
      retries = 5 }))
    assert.same(REFUSED, bad("POST", "/external-task/retries-async", { externalTaskIds = { task.id } }))
    assert.same(REFUSED, bad("POST", "/job/retries", { jobIds = { "1" }, retries = -1 }))
  end)

  it("delete history, and set when it goes", function()
    local ids = start(2)
    ended(good("POST", "/process-instance/delete", { processInstanceIds = ids }))
    local path = "/history/process-instance/set-removal-time"
    local function removal(more)
      more.historicProcessInstanceIds = ids
      ended(good("POST", path, more))
      return good("GET", "/history/process-instance/" .. ids[1]).removalTime
    end
    assert.equal("2199-01-01T00:00:00.000+0000", removal { absoluteRemovalTime = "2199-01-01T00:00:00.000+0000", hierarchical = true })
    assert.equal(require "orrery".null, removal { clearedRemovalTime = true })
    assert.matches("^20", removal { calculatedRemovalTime = true })
    assert.same(REFUSED, bad("POST", path, { historicProcessInstanceIds = ids }))
    assert.same(REFUSED, bad("POST", path, { historicProcessInstanceIds = ids, clearedRemovalTime = true, calculatedRemovalTime = true }))
    assert.same(REFUSED, bad("POST", path, { clearedRemovalTime = true }))

    path = "/history/process-instance/delete"
    assert.same(REFUSED, bad("POST", path, {}))
    assert.same(REFUSED, bad("POST", path, { historicProcessInstanceIds = { ids[1], "999" } }))
    ended(good("POST", path, { historicProcessInstanceIds = { ids[1], "999" }, failIfNotExists = false }))
    ended(good("POST", path, { historicProcessInstanceIds = { ids[2], ids[2] } }))
    ids[2] = start(1)[1]
    ended(good("POST", "/process-instance/delete", { processInstanceIds = { ids[2] } }))
    ended(good("POST", path, { historicProcessInstanceQuery = { processInstanceIds = { ids[2] } }, deleteReason = "asked for" }))
    assert.equal(404, (server:ask("GET", "/history/process-instance/" .. ids[2])))
  end)

  it("are listed while they run, suspended, tried again, deleted, and known to history", function()
    local ids = start(1, "failing")
    local plan = { sourceProcessDefinitionId = definition, targetProcessDefinitionId = definition, instructions = {} }
    local batch = good("POST", "/migration/executeAsync", { migrationPlan = plan, processInstanceIds = ids })
    local failed = support.wait(function()
      local one = good("GET", "/batch/statistics?batchId=" .. batch.id)[1]
      return one and one.failedJobs == 1 and one
    end, "the failure")
    assert.same({ 1, 1, 0, 1 }, { failed.totalJobs, failed.jobsCreated, failed.completedJobs, failed.remainingJobs })
    assert.same({ 1, 0 }, { count "/batch/count?withFailures=true", count "/batch/count?withoutFailures=true" })
    assert.equal(1, count("/batch/statistics/count?type=instance-migration"))
    local job = good("GET", "/job?jobDefinitionId=" .. batch.batchJobDefinitionId)[1]
    assert.equal(batch.id, job.batchId)
    assert.equal(204, (server:ask("PUT", ("/job-definition/%s/retries"):format(batch.batchJobDefinitionId), { retries = 1 })))

    good("PUT", ("/batch/%s/suspended"):format(batch.id), { suspended = true })
    assert.is_true(good("GET", "/batch/" .. batch.id).suspended)
    assert.same({ 1, 0 }, { count "/batch/count?suspended=true", count "/batch/count?suspended=false" })
    good("PUT", ("/batch/%s/suspended"):format(batch.id), { suspended = false })
    assert.same(REFUSED, bad("PUT", ("/batch/%s/suspended"):format(batch.id), {}))
    assert.equal(400, (server:ask("PUT", "/batch/999/suspended", { suspended = true })))

    assert.same(REFUSED, bad("DELETE", "/history/batch/" .. batch.id))
    good("DELETE", "/batch/" .. batch.id)
    assert.equal(404, (server:ask("GET", "/batch/" .. batch.id)))
    assert.equal(400, (server:ask("DELETE", "/batch/" .. batch.id)))
    local past = good("GET", "/history/batch?batchId=" .. batch.id .. "&completed=true")[1]
    assert.matches("^20", past.endTime)
    assert.equal(0, count("/history/batch/count?completed=false&batchId=" .. batch.id))
    ended(good("POST", "/history/batch/set-removal-time", { historicBatchIds = { batch.id },
      absoluteRemovalTime = "2199-01-01T00:00:00.000+0000" }))
    assert.equal("2199-01-01T00:00:00.000+0000", good("GET", "/history/batch/" .. batch.id).removalTime)
    good("DELETE", "/history/batch/" .. batch.id)
    assert.equal(404, (server:ask("GET", "/history/batch/" .. batch.id)))

    batch = good("POST", "/migration/executeAsync", { migrationPlan = plan, processInstanceIds = ids })
    good("DELETE", ("/batch/%s?cascade=true"):format(batch.id))
    assert.equal(404, (server:ask("GET", "/history/batch/" .. batch.id)))
  end)

  it("that have ended are reported by type, with those that clean-up would take", function()
    local path = "/history/batch/cleanable-batch-report"
    local function report(kind, query)
      for _, row in ipairs(good("GET", path .. (query or ""))) do
        if row.batchType == kind then return row end
      end
      return { finishedBatchesCount = 0, cleanableBatchesCount = 0 }
    end
    local before = report "instance-deletion"
    local batch = ended(good("POST", "/process-instance/delete", { processInstanceIds = start(1) }))
    local after = report "instance-deletion"
    assert.equal(before.finishedBatchesCount + 1, after.finishedBatchesCount)
    assert.equal(before.cleanableBatchesCount, after.cleanableBatchesCount)
    ended(good("POST", "/history/batch/set-removal-time", { historicBatchIds = { batch.id },
      absoluteRemovalTime = "2020-01-01T00:00:00.000+0000" }))
    assert.equal(before.cleanableBatchesCount + 1, report "instance-deletion".cleanableBatchesCount)
    assert.same({}, shapes.problems("", "CleanableHistoricBatchReportResultDto", after))
    local rows = good("GET", path .. "?sortBy=finished&sortOrder=desc")
    for i = 2, #rows do
      assert.is_true(rows[i - 1].finishedBatchesCount >= rows[i].finishedBatchesCount)
    end
    assert.equal(#rows, count(path .. "/count"))
    local second = "?sortBy=finished&sortOrder=desc&firstResult=1&maxResults=1"
    assert.same({ rows[2] }, good("GET", path .. second))
    assert.same(REFUSED, bad("GET", path .. "?sortBy=type&sortOrder=asc"))
  end)
end)
