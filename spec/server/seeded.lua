-- A server on whose store there is one of each thing that REST tells of, and the ids of these.
local json = require "orrery".json
local support = require "spec.server.support"

local seeded = {}

local ORDER_TABLE = [[<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="order" name="Order" namespace="spec">
  <decision id="order" name="Order"><decisionTable id="t">
    <input id="i"><inputExpression id="e"><text>n</text></inputExpression></input><output id="o" name="o"/>
    <rule id="r"><inputEntry id="a"><text>-</text></inputEntry><outputEntry id="b"><text>"fine"</text></outputEntry></rule>
  </decisionTable></decision></definitions>]]

--- The server, and what it was seeded with: ids, and some answers.
function seeded.serve()
  local server = support.serve { files = { ["order.bpmn"] = support.order, ["failing.bpmn"] = support.failing, ["waiting.bpmn"] =
    support.waiting, ["look.form"] = "{}", ["order.dmn"] = ORDER_TABLE, conf = 'return { options = { history = "full" } }' },
        arguments = "--config %f/conf --deploy %f/order.bpmn --deploy %f/failing.bpmn --deploy %f/waiting.bpmn" }
  local seed = {}
  local function good(method, path, body)
    local status, answer = server:ask(method, path, body)
    assert(status == 200 or status == 204, ("%s %s: %s %s"):format(method, path, tostring(status),
      type(answer) == "table" and tostring(answer.message) or tostring(answer)))
    return answer
  end

  local form = ("-F 'deployment-name=order' -F 'deployment-source=spec' -F 'order.bpmn=@%s/order.bpmn' -F 'look.form=@%s/look.form'")
    :format(server.folder, server.folder)
  local status, text = server:curl(form .. " " .. server.url .. "/engine-rest/deployment/create")
  assert(status == 200)
  seed.deployed = json.decode(text)
  for _, tenant in ipairs { "", "-F tenant-id=t " } do
    local both = ("%s-F deployment-name=both -F 'order.bpmn=@%s/order.bpmn' -F 'order.dmn=@%s/order.dmn' %s"):format(tenant,
      server.folder, server.folder, tenant == "" and ("-F 'look.form=@%s/look.form'"):format(server.folder) or "")
    assert((server:curl(both .. " " .. server.url .. "/engine-rest/deployment/create")) == 200)
  end
  seed.deployment = seed.deployed.id
  seed.definition = good("GET", "/process-definition/key/order").id
  local order = good("POST", "/process-definition/key/order/start", { businessKey = "b", variables = { a = { value = 1,
    type = "Integer" }, f = { value = "aGk=", type = "File", valueInfo = { filename = "a.txt" } } }, withVariablesInReturn = true })
  seed.started, seed.instance = order, order.id
  seed.locked = good("POST", "/external-task/fetchAndLock", { workerId = "w", maxTasks = 1, topics = { { topicName = "pay",
    lockDuration = 600000, includeExtensionProperties = true } } })
  seed.external = seed.locked[1].id
  local second = good("POST", "/process-definition/key/order/start", {}).id
  local task = good("POST", "/external-task/fetchAndLock", { workerId = "w", maxTasks = 1, topics = { { topicName = "pay",
    lockDuration = 600000 } } })[1].id
  good("POST", "/external-task/" .. task .. "/complete", { workerId = "w" })
  seed.task = good("GET", "/task?processInstanceId=" .. second)[1].id
  seed.failing = good("POST", "/process-definition/key/failing/start", {}).id
  seed.job = support.wait(function()
    local jobs = good("GET", "/job?noRetriesLeft=true")
    return jobs[1] and jobs[1].id
  end, "the failing job")
  seed.incident = good("GET", "/incident")[1].id
  seed.job_definition = good("GET", "/job-definition")[1].id
  -- one that stays: its instance does not run by the plan's source
  seed.batch = good("POST", "/migration/executeAsync", { processInstanceIds = { seed.failing }, migrationPlan = {
    sourceProcessDefinitionId = seed.definition, targetProcessDefinitionId = seed.definition, instructions = {} } }).id
  seed.waiting = good("POST", "/process-definition/key/waiting/start", { businessKey = "w" }).id
  seed.execution = good("GET", "/event-subscription?processInstanceId=" .. seed.waiting)[1].executionId
  seed.activity = good("GET", "/history/activity-instance?processInstanceId=" .. seed.instance)[1].id
  seed.history_variable = good("GET", "/history/variable-instance?processInstanceId=" .. seed.instance .. "&variableName=a")[1].id
  seed.variable = good("GET", "/variable-instance?processInstanceIdIn=" .. seed.instance .. "&variableName=f")[1].id
  seed.job_log = good("GET", "/history/job-log?failureLog=true")[1].id
  seed.external_log = good("GET", "/history/external-task-log")[1].id
  good("POST", "/decision-definition/key/order/evaluate", { variables = { n = { value = 1 } } })
  seed.decision = good("GET", "/decision-definition/key/order").id
  seed.model = good("GET", "/decision-requirements-definition/key/order").id
  seed.decided = good("GET", "/history/decision-instance")[1].id
  seed.detail = good("GET", "/history/detail?processInstanceId=" .. seed.instance)[1].id
  seed.comment = good("POST", "/task/" .. seed.task .. "/comment/create", { message = "wet" }).id
  local attached = ("-F attachment-name=a -F content=@%s/look.form %s/engine-rest/task/%s/attachment/create"):format(server.folder,
    server.url, seed.task)
  seed.attached = json.decode((select(2, server:curl(attached))))
  seed.attachment = seed.attached.id
  return server, seed
end

-- What stands for {id} below a path.
local function id_for(seed, path)
  local by = { ["/deployment"] = seed.deployment, ["/process-definition"] = seed.definition, ["/process-instance"] = seed.instance,
    ["/execution"] = seed.execution, ["/external-task"] = seed.external, ["/task"] = seed.task, ["/job"] = seed.job, ["/job-definition"] =
    seed.job_definition, ["/incident"] = seed.incident, ["/variable-instance"] = seed.variable, ["/history/process-instance"] =
    seed.instance, ["/history/activity-instance"] = seed.activity, ["/history/variable-instance"] = seed.history_variable,
    ["/history/job-log"] = seed.job_log, ["/history/external-task-log"] = seed.external_log, ["/history/process-definition"] =
    seed.definition, ["/batch"] = seed.batch, ["/history/batch"] = seed.batch, ["/decision-definition"] = seed.decision,
    ["/decision-requirements-definition"] = seed.model, ["/history/decision-requirements-definition"] = seed.model,
    ["/history/decision-instance"] = seed.decided, ["/history/detail"] = seed.detail }
  return by[path:match "^(.-)/{"]
end

--- A path of the contract with the seed's ids in it.
function seeded.filled(seed, path)
  local id = id_for(seed, path)
  path = path:gsub("{tenant%-id}", "t"):gsub("{commentId}", seed.comment):gsub("{attachmentId}", seed.attachment)
  path = path:gsub("{key}", "order"):gsub("{messageName}", "paid"):gsub("{resourceId}", "1")
  path = path:gsub("{metrics%-name}", "job-successful"):gsub("{varName}", path:find "^/process" and "f" or "none")
  return id and path:gsub("{id}", function() return id end) or path
end

return seeded
