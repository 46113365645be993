-- Comments, attachments, tasks of no process, and what history tells of people and of time.
local null = require "orrery".null
local shapes = require "spec.server.shapes"
local support = require "spec.server.support"

local function tenants(key)
  return support.model([[<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/><userTask id="t"/>]], key)
end

describe("beside the processes", function()
  local server

  setup(function()
    server = support.serve { files = { ["order.bpmn"] = support.order, ["mine.bpmn"] = tenants "mine",
      conf = 'return { options = { history = "full" } }' }, arguments = "--config %f/conf --deploy %f/order.bpmn" }
  end)
  teardown(function() server:close() end)

  local function ask(method, path, body, wanted)
    local status, answer = server:ask(method, path, body)
    assert.equal(wanted or 200, status, method .. " " .. path .. " " .. tostring(type(answer) == "table" and answer.message))
    return answer
  end

  local function fits(type_name, answer) assert.same({}, shapes.problems("", type_name, answer)) end

  local function task_of(name)
    ask("POST", "/task/create", { name = name, assignee = "ann", priority = 70, due = "2031-05-01T12:00:00.000+0000" }, 204)
    return ask("GET", "/task?name=" .. name)[1]
  end

  it("a task of no process is made, has parts, and ends", function()
    local task = task_of "Alone"
    assert.same({ "ann", 70, "2031-05-01T12:00:00.000+0000", require "orrery".null }, { task.assignee, task.priority, task.due,
      task.processInstanceId })
    ask("POST", "/task/create", { name = "Part", parentTaskId = task.id }, 204)
    local parts = ask("GET", "/task?parentTaskId=" .. task.id)
    assert.same({ 1, "Part", task.id }, { #parts, parts[1].name, parts[1].parentTaskId })
    ask("POST", "/task/create", { parentTaskId = "999999" }, 400)
    local sent = { name = "Part, renamed", parentTaskId = task.id, created = parts[1].created }
    ask("PUT", "/task/" .. parts[1].id, sent, 204)
    local changed = ask("GET", "/task/" .. parts[1].id)
    assert.same({ "Part, renamed", task.id }, { changed.name, changed.parentTaskId })
    sent.parentTaskId = parts[1].id
    ask("PUT", "/task/" .. parts[1].id, sent, 400)
    sent.parentTaskId = nil
    ask("PUT", "/task/" .. parts[1].id, sent, 204)
    assert.equal(0, ask("GET", "/task/count?parentTaskId=" .. task.id).count)
    sent.parentTaskId, sent.delegationState = task.id, "PENDING"
    ask("PUT", "/task/" .. parts[1].id, sent, 204)
    assert.equal("PENDING", ask("GET", "/task/" .. parts[1].id).delegationState)
    sent.delegationState = "DONE"
    ask("PUT", "/task/" .. parts[1].id, sent, 400)
    ask("POST", "/task/create", { name = "Given", delegationState = "RESOLVED" }, 204)
    assert.equal(1, ask("GET", "/task/count?name=Given&delegationState=RESOLVED").count)
    ask("POST", "/task/" .. task.id .. "/complete", {}, 204)
    assert.equal(0, ask("GET", "/task/count?parentTaskId=" .. task.id).count)
    assert.equal("Part, renamed", ask("GET", "/history/task?taskParentTaskId=" .. task.id)[1].name)
  end)

  it("a list of tasks tells of comments, attachments and variables when it is asked for them", function()
    local plain = task_of "Plain"
    local told = task_of "Told"
    ask("POST", "/task/" .. told.id .. "/comment/create", { message = "well" })
    ask("PUT", "/task/" .. told.id .. "/variables/x", { value = 7, type = "Integer" }, 204)
    local found = ask("GET", "/task?name=Told&withCommentAttachmentInfo=true&withTaskVariablesInReturn=true")[1]
    fits("TaskWithAttachmentAndCommentDto", found)
    assert.same({ true, false, 7 }, { found.comment, found.attachment, found.variables.x.value })
    found = ask("POST", "/task", { name = "Plain", withCommentAttachmentInfo = true, withTaskLocalVariablesInReturn = true })[1]
    assert.same({ false, false, {} }, { found.comment, found.attachment, found.variables })
    assert.is_true(ask("GET", "/task/" .. told.id .. "?withCommentAttachmentInfo=true").comment)
    found = ask("GET", "/task/" .. told.id .. "?withCommentAttachmentInfo=false")
    assert.same({}, { found.comment, found.attachment, found.variables })
    ask("DELETE", "/task/" .. plain.id, nil, 204)
    ask("DELETE", "/task/" .. told.id, nil, 204)
  end)

  it("a changed task tells when", function()
    local task = task_of "Changing"
    ask("POST", "/task/" .. task.id .. "/assignee", { userId = "bob" }, 204)
    local changed = ask("GET", "/task/" .. task.id)
    assert.is_string(changed.lastUpdated)
    assert.equal(1, ask("GET", "/task/count?updatedAfter=2020-01-01T00:00:00.000%2B0000&name=Changing").count)
    assert.equal(0, ask("GET", "/task/count?updatedAfter=2100-01-01T00:00:00.000%2B0000&name=Changing").count)
  end)

  it("a form's variables are those that the task sees", function()
    local task = task_of "Form"
    ask("POST", "/task/" .. task.id .. "/localVariables", { modifications = { a = { value = 1 }, b = { value = "x" } } }, 204)
    local all = ask("GET", "/task/" .. task.id .. "/form-variables")
    assert.same({ 1, "x" }, { all.a.value, all.b.value })
    local named = ask("GET", "/task/" .. task.id .. "/form-variables?variableNames=b,c")
    assert.same({ b = { type = "String", value = "x", valueInfo = {} } }, named)
    assert.same({}, ask("GET", "/process-definition/key/order/form-variables"))
    ask("GET", "/task/999999/form-variables", nil, 404)
  end)

  it("comments are made, listed, changed and taken away", function()
    local task = task_of "Talk"
    local path = "/task/" .. task.id .. "/comment"
    local made = ask("POST", path .. "/create", { message = "first" })
    fits("CommentDto", made)
    assert.same({ "first", task.id }, { made.message, made.taskId })
    ask("POST", path .. "/create", { message = "second" })
    ask("PUT", path, { id = made.id, message = "changed" }, 204)
    assert.equal("changed", ask("GET", path .. "/" .. made.id).message)
    assert.equal(2, #ask("GET", path))
    ask("DELETE", path .. "/" .. made.id, nil, 204)
    ask("GET", path .. "/" .. made.id, nil, 404)
    ask("DELETE", path, nil, 204)
    assert.same({}, ask("GET", path))
    ask("POST", path .. "/create", {}, 400)
    ask("POST", "/task/999999/comment/create", { message = "x" }, 400)
    ask("GET", "/task/999999/comment", nil, 404)
  end)

  it("a comment is found below its own task alone", function()
    local one, other = task_of "One", task_of "Other"
    local made = ask("POST", "/task/" .. one.id .. "/comment/create", { message = "mine" })
    ask("GET", "/task/" .. other.id .. "/comment/" .. made.id, nil, 404)
    ask("DELETE", "/task/" .. other.id .. "/comment/" .. made.id, nil, 404)
    ask("PUT", "/task/" .. other.id .. "/comment", { id = made.id, message = "theirs" }, 404)
    assert.equal("mine", ask("GET", "/task/" .. one.id .. "/comment/" .. made.id).message)
    local instance = ask("POST", "/process-definition/key/order/start", {}).id
    assert.same({}, ask("GET", "/process-instance/" .. instance .. "/comment"))
    ask("GET", "/process-instance/" .. one.id .. "/comment", nil, 404)
  end)

  it("documents are attached, and come back as they were", function()
    local task = task_of "Paper"
    local path = "/task/" .. task.id .. "/attachment"
    server:file("note.bin", "\0\1\2bytes\n")
    local status, text = server:curl(("-F attachment-name=note -F attachment-type=application/x -F content=@%s %s/engine-rest%s/create")
      :format(server:file "note.bin", server.url, path))
    assert.equal(200, status, text)
    local made = require "orrery".json.decode(text)
    fits("AttachmentDto", made)
    assert.same({ "note", "application/x", task.id }, { made.name, made.type, made.taskId })
    local _, bytes, head = server:curl(server.url .. "/engine-rest" .. path .. "/" .. made.id .. "/data")
    assert.equal("\0\1\2bytes\n", bytes)
    assert.truthy(head:lower():find "content%-disposition: attachment")
    status, text = server:curl(("-F attachment-name=far -F url=http://example.org/far %s/engine-rest%s/create"):format(server.url, path))
    assert.equal(200, status, text)
    local far = require "orrery".json.decode(text)
    ask("GET", path .. "/" .. far.id .. "/data", nil, 404)
    assert.equal(2, #ask("GET", path))
    ask("DELETE", path .. "/" .. made.id, nil, 204)
    ask("GET", path .. "/" .. made.id, nil, 404)
    assert.equal(400, (server:curl(("-F attachment-name=none %s/engine-rest%s/create"):format(server.url, path))))
  end)

  it("who was tied to a task is told", function()
    local task = task_of "Tied"
    ask("POST", "/task/" .. task.id .. "/identity-links", { groupId = "clerks", type = "candidate" }, 204)
    local rows = ask("GET", "/history/identity-link-log?taskId=" .. task.id .. "&groupId=clerks")
    fits("[HistoricIdentityLinkLogDto]", rows)
    assert.same({ 1, "candidate", "add" }, { #rows, rows[1].type, rows[1].operationType })
    assert.equal(1, ask("GET", "/history/identity-link-log/count?taskId=" .. task.id .. "&groupId=clerks").count)
  end)

  it("one writing of a variable is told", function()
    local instance = ask("POST", "/process-definition/key/order/start", { variables = { paper = { value = "aGk=", type = "Bytes" } } }).id
    local rows = ask("GET", "/history/detail?processInstanceId=" .. instance)
    fits("[HistoricDetailDto]", rows)
    assert.equal("paper", ask("GET", "/history/detail/" .. rows[1].id).variableName)
    local _, bytes = server:curl(server.url .. "/engine-rest/history/detail/" .. rows[1].id .. "/data")
    assert.equal("hi", bytes)
    ask("GET", "/history/detail/1:999", nil, 404)
  end)

  local function ended()
    local id = ask("POST", "/process-definition/key/order/start", {}).id
    ask("DELETE", "/process-instance/" .. id, nil, 204)
    return id
  end

  it("what instances and tasks took is told by month and quarter", function()
    ended()
    local rows = ask("GET", "/history/process-instance/report?reportType=duration&periodUnit=month&processDefinitionKeyIn=order")
    fits("[DurationReportResultDto]", rows)
    assert.same({ "MONTH", true }, { rows[1].periodUnit, rows[1].minimum <= rows[1].average and rows[1].average <= rows[1].maximum })
    assert.same({}, ask("GET", "/history/process-instance/report?reportType=duration&periodUnit=quarter&processDefinitionKeyIn=none"))
    local task = task_of "Timed"
    ask("POST", "/task/" .. task.id .. "/complete", {}, 204)
    assert.equal("QUARTER", ask("GET",
      "/history/task/report?reportType=duration&periodUnit=quarter")[1].periodUnit)
  end)

  it("how many tasks there were is told by their names and their processes", function()
    local id = ask("POST", "/process-definition/key/order/start", {}).id
    local pay
    repeat
      local held = ask("POST", "/external-task/fetchAndLock", { workerId = "w", maxTasks = 1,
        topics = { { topicName = "pay", lockDuration = 600000 } } })[1]
      pay = held.processInstanceId == id and held.id
    until pay
    ask("POST", "/external-task/" .. pay .. "/complete", { workerId = "w" }, 204)
    local look = ask("GET", "/task?processInstanceId=" .. id)[1].id
    ask("POST", "/task/" .. look .. "/complete", {}, 204)
    local counts = ask("GET", "/history/task/report?reportType=count&groupBy=taskName")
    local ended = {}
    for _, task in ipairs(ask("GET", "/history/task?finished=true")) do
      if task.name ~= null and task.processDefinitionKey ~= null then
        ended[task.name] = (ended[task.name] or 0) + 1
      end
    end
    local found = {}
    for _, row in ipairs(counts) do found[row.taskName] = (found[row.taskName] or 0) + row.count end
    assert.same(ended, found)
    assert.truthy(next(found))
    local latest = ask("GET", "/process-definition/key/" .. counts[1].processDefinitionKey)
    assert.same({ latest.id, latest.name }, { counts[1].processDefinitionId,
      counts[1].processDefinitionName })
    local by_process = ask("GET", "/history/task/report?reportType=count&groupBy=processDefinition")
    assert.equal(null, by_process[1].taskName)
    assert.same({}, ask("GET", "/history/task/report?reportType=count&groupBy=taskName\z
      &completedBefore=2001-01-01T00:00:00.000%2B0000"))
    ask("GET", "/history/task/report?reportType=count", nil, 400)
    ask("GET", "/history/task/report?reportType=count&groupBy=x", nil, 400)
    for _, query in ipairs { "", "?reportType=duration", "?reportType=count&periodUnit=month", "?reportType=duration&periodUnit=day",
      "?reportType=duration&periodUnit=month&startedAfter=x" } do
      ask("GET", "/history/process-instance/report" .. query, nil, 400)
    end
  end)

  it("history goes, or gets its time, by a batch", function()
    local first, second = ended(), ended()
    local batch = ask("POST", "/history/process-instance/set-removal-time", { historicProcessInstanceIds = { second },
      absoluteRemovalTime = "2040-01-01T00:00:00.000+0000" })
    fits("BatchDto", batch)
    support.wait(function()
      return ask("GET", "/history/process-instance/" .. second).removalTime == "2040-01-01T00:00:00.000+0000"
    end, "the removal time")
    fits("BatchDto", ask("POST", "/history/process-instance/delete", { historicProcessInstanceIds = { first } }))
    support.wait(function() return (server:ask("GET", "/history/process-instance/" .. first)) == 404 end, "the end of its history")
    ask("POST", "/history/process-instance/delete", {}, 400)
    ask("POST", "/history/process-instance/set-removal-time", { historicProcessInstanceIds = { second } }, 400)
    ask("POST", "/history/process-instance/set-removal-time", { historicProcessInstanceIds = { second },
      calculatedRemovalTime = true, clearedRemovalTime = true }, 400)
  end)

  it("a tenant's definitions are those of its path alone", function()
    for _, tenant in ipairs { "-F tenant-id=us", "" } do
      local status = server:curl(("-F deployment-name=mine %s -F mine.bpmn=@%s/mine.bpmn %s/engine-rest/deployment/create")
        :format(tenant, server.folder, server.url))
      assert.equal(200, status)
    end
    local ours = ask("GET", "/process-definition/key/mine/tenant-id/us")
    assert.equal("us", ours.tenantId)
    assert.equal(require "orrery".null, ask("GET", "/process-definition/key/mine").tenantId)
    assert.equal(ours.id, ask("POST", "/process-definition/key/mine/tenant-id/us/start", {}).definitionId)
    ask("GET", "/process-definition/key/mine/tenant-id/them", nil, 404)
    ask("PUT", "/process-definition/key/mine/tenant-id/us/suspended", { suspended = true }, 204)
    assert.same({ true, false }, { ask("GET", "/process-definition/" .. ours.id).suspended, ask("GET",
      "/process-definition/key/mine").suspended })
    ask("DELETE", "/process-definition/key/mine?cascade=true", nil, 204)
    ask("GET", "/process-definition/key/mine", nil, 404)
    assert.equal("us", ask("GET", "/process-definition/key/mine/tenant-id/us").tenantId)
    ask("DELETE", "/process-definition/key/mine/tenant-id/us?cascade=true", nil, 204)
    ask("GET", "/process-definition/key/mine/tenant-id/us", nil, 404)
  end)
end)
