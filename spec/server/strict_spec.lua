-- Every operation of Camunda's contract, each parameter and each member of a body by its type: one
-- of the right type is taken, one of another is refused as Camunda refuses it, and what commands
-- answer has the contract's fields. What differs stands below, with its reason.
local json = require "orrery".json
local seeded = require "spec.server.seeded"
local shapes = require "spec.server.shapes"
local support = require "spec.server.support"

local ours, queries = {}, {}
for _, subject in ipairs(require "server.subjects") do
  local t = require("server.table." .. subject[1])
  for _, op in ipairs(t.operations) do ours[op[1] .. " " .. op[2]] = op end
  for name, q in pairs(t.queries) do queries[name] = q end
end

-- ---- What differs, and why ---------------------------------------------------------------------

-- Parameters that mean nothing here: taken, whatever they say.
local NO_MEANING <const> = {
  deserializeValue = "values are never deserialized", deserializeValues = "the same",
  disableBinaryFetching = "the same", disableCustomObjectDeserialization = "the same",
}
-- Parameters and members that answer 400 where they ask for something, so that no filter is lost.
local NOT_BUILT <const> = {
  ["[cC]ase"] = "there are no cases (CMMN)",
  ["Expression$"] = "expressions of the caller's are not evaluated",
  ["^category"] = "decisions and their models have none",
  ["^batchIdIn$"] = "batches have no variables",
  ["^tenantIdIn$"] = "batches have no tenant",
  ["^historicProcessInstanceQuery$"] = "what runs is found by processInstanceQuery",
  ["^userId$"] = "one's own role is told, not another's",
  ["^hostname$"] = "the log of jobs does not keep where a job ran",
  ["^formFields$"] = "fields of forms are variables",
  ["^externallyTerminated$"] = "history does not keep who terminated an instance",
  ["^internallyTerminated$"] = "history does not keep who terminated an instance",
  ["^completeScope$"] = "history does not keep which activity ended its scope",
  ["^includeDeleted$"] = "variables that were removed are in history's details",
  ["^taskId"] = "history finds variables by their scope",
  ["^excludeTaskDetails$"] = "history finds variables by their scope",
  ["^variableInstanceId$"] = "history finds variables by their scope and name",
  ["^activityInstanceIdIn$"] = "decisions are found by their activity",
  ["^failedActivityIdIn$"] = "jobs are found by their activity",
  ["^historyConfiguration$"] = "incidents are found by their configuration",
}
-- Operations whose parameters or bodies nobody reads.
local UNREAD <const> = {
  forbidden = "refused whatever is asked: the server's file of users says who there is",
  none_such = "404 whatever is asked: there are no such things",
  nothing = "empty whatever is asked: there are no such things",
  zero = "none whatever is asked: there are no such things",
  password_policy = "404 whatever is asked: the host has the policy",
}

-- ---- What is sent ------------------------------------------------------------------------------

local TIME <const> = "2026-01-31T12:00:00.000+0000"
-- Texts to the published contract, which tells beside that they are dates.
local DATES <const> = {}
for name in ([[createdAfter createdBefore createdOn dueAfter dueBefore dueDate followUpAfter followUpBefore
  followUpBeforeOrNotExistent followUpDate updatedAfter]]):gmatch "%S+" do DATES[name] = true end
-- Objects to the published contract; any plain value in fact.
local ANY <const> = { variableValue = true }
-- What a parameter or a member goes with: Camunda refuses it alone.
local WITH <const> = { variableValue = { "variableName", "a" },
  includeAssignedTasks = { "candidateGroup", "a" } }
-- What an operation wants beside the parameter or the member that is looked at.
local BESIDE <const> = {
  ["GET /authorization/check"] = "&permissionName=READ&resourceName=x&resourceType=6",
  ["GET /history/process-instance/report"] = "&reportType=duration&periodUnit=month",
  ["GET /history/task/report"] = "&reportType=duration&periodUnit=month",
  ["POST /external-task/fetchAndLock"] = '"workerId": "w", "maxTasks": 1, ',
}
local WORDS <const> = { delegationState = "PENDING", eventType = "message", incidentStatus = "open",
  periodUnit = "month", reportType = "duration", name = "job-successful" }
local TEXTS <const> = { variables = "a_eq_1", processVariables = "a_eq_1", taskVariables = "a_eq_1",
  variableValues = "a_eq_1", dueDates = "lt_" .. TIME, createTimes = "gt_" .. TIME }
local OBJECTS <const> = { createTimes = { operator = "gt", value = TIME }, dueDates =
  { operator = "lt", value = TIME }, orQueries = {} }

-- Of a type of the contract's: what a query string may say, and what it may not.
local function text_of(type, name)
  if type == "string" and DATES[name] then type = "time" end
  if name == "interval" then return "900" end
  if type == "boolean" then return "true" end
  if type == "integer" then return "1" end
  if type == "time" then return TIME end
  return WORDS[name] or TEXTS[name] or "1"
end
local WRONG_TEXT <const> = { boolean = "perhaps", integer = "x1", time = "soon" }

-- The same of a member of a body.
local function member_of(type, name)
  if type == "string" and DATES[name] then type = "time" end
  if type == "boolean" then return true end
  if type == "integer" then return 1 end
  if type == "time" then return TIME end
  if type == "strings" then return { "1" } end
  if type == "objects" then
    return { OBJECTS[name] or { name = "a", operator = "eq", value = 1 } }
  end
  if type == "any" or name == "variableValue" then return "x" end
  return WORDS[name] or "1"
end
local WRONG <const> = { boolean = { '"perhaps"', "{}" }, integer = { '"x1"', "{}" },
  time = { '"soon"', "{}" }, string = { "{}", "[1]" }, word = { "{}" },
  strings = { '"x"', "[{}]" }, objects = { "7", "[7]" }, object = { "7", "[1]" } }

local function escaped(text) return (text:gsub("%+", "%%2B")) end

describe("the contract, strictly,", function()
  local server, seed, fell

  setup(function() server, seed = seeded.serve() end)
  teardown(function() server:close() end)
  before_each(function() fell = {} end)

  local function note(format, ...) fell[#fell + 1] = format:format(...) end
  local function none_fell()
    table.sort(fell)
    assert.equal("", table.concat(fell, "\n"))
  end

  -- Our parameters and members of an operation, by their names.
  local function known(own, list)
    local out = {}
    for _, p in ipairs(own.query and queries[own.query].params or list or {}) do out[p[1]] = p[2] end
    return out
  end

  local function is_refusal(status, answer, name)
    return status == 400 and type(answer) == "table" and answer.type == "InvalidRequestException"
      and answer.code == 0 and tostring(answer.message):find(name, 1, true)
  end

  local function said(answer) return type(answer) == "table" and answer.message or tostring(answer) end

  -- Each operation that reads parameters, and those of the contract that are built.
  local function each_of_parameters(check)
    for _, op in ipairs(shapes.contract) do
      local own = ours[op.key]
      local kinds = known(own, type(own.args) == "table" and own.args)
      local built = {}
      for name in op.params:gmatch "[^,]+" do
        local paging = name:find "^sort" or name:find "Result"
        if kinds[name] ~= "unbuilt" and not (paging and own[3] ~= "list") then
          built[#built + 1] = name
        end
      end
      if not own.unbuilt and not UNREAD[own[3]] and #built > 0 then check(op, own, built) end
    end
  end

  it("is not built where a reason is told, and only there", function()
    local used = {}
    local function see(where, list)
      for _, p in ipairs(list or {}) do
        local told
        for pattern, why in pairs(NOT_BUILT) do
          if p[2] == "unbuilt" and p[1]:find(pattern) then told, used[pattern] = why, true end
        end
        if p[2] == "unbuilt" and not told then note("%s %s", where, p[1]) end
      end
    end
    for name, query in pairs(queries) do see(name, query.params) end
    for key, op in pairs(ours) do
      see(key, type(op.args) == "table" and op.args)
      see(key, op.body)
      if op.unbuilt and op[2] ~= "/schema/log" then note("%s", key) end
    end
    for pattern in pairs(NOT_BUILT) do
      if not used[pattern] then note("%s is built", pattern) end
    end
    none_fell()
  end)

  it("takes each parameter of its type", function()
    local asked = 0
    each_of_parameters(function(op, own, names)
      if op.method ~= "GET" then return end
      local path = seeded.filled(seed, op.path)
      for _, name in ipairs(names) do
        if not name:find "^sort" then
          asked = asked + 1
          local value = text_of(shapes.type_of("param", name, op.key), name)
          local with = WITH[name] and ("&%s=%s"):format(table.unpack(WITH[name])) or ""
          local status, answer = server:ask("GET", ("%s?%s=%s%s%s"):format(path, name,
            escaped(value), BESIDE[op.key] or "", with))
          local refused = is_refusal(status, answer, name)
          if refused or status >= 500 or (own.query and status ~= 200) then
            note("%s ?%s=%s: %d %s", op.key, name, value, status, said(answer))
          end
        end
      end
    end)
    none_fell()
    assert.is_true(asked > 1000, asked .. " parameters")
  end)

  it("refuses each parameter of another type", function()
    local asked = 0
    each_of_parameters(function(op, _, names)
      local path = seeded.filled(seed, op.path)
      for _, name in ipairs(names) do
        local wrong = WRONG_TEXT[shapes.type_of("param", name, op.key)]
        if wrong and not NO_MEANING[name] then
          asked = asked + 1
          local body = (op.method == "POST" or op.method == "PUT") and "{}" or nil
          local status, answer = server:ask(op.method, ("%s?%s=%s%s"):format(path, name, wrong,
            op.method == "GET" and BESIDE[op.key] or ""), body)
          if not is_refusal(status, answer, name) then
            note("%s ?%s=%s: %d %s", op.key, name, wrong, status, said(answer))
          end
        end
      end
    end)
    none_fell()
    assert.is_true(asked > 400, asked .. " parameters")
  end)

  -- Each operation that reads a body, with the contract's members.
  local function each_of_members(check)
    local keys = {}
    for key in pairs(shapes.bodies) do keys[#keys + 1] = key end
    table.sort(keys)
    for _, key in ipairs(keys) do
      local own = ours[key]
      local kinds = known(own, own.body)
      if not own.unbuilt and not UNREAD[own[3]] then
        for name in shapes.bodies[key]:gmatch "[^,]+" do
          check(key, own, name, kinds[name], shapes.type_of("member", name, key))
        end
      end
    end
  end

  it("takes each member of a query of its type", function()
    local asked = 0
    each_of_members(function(key, own, name, kind, type)
      if not own.query or kind == "unbuilt" or name == "sorting" then return end
      asked = asked + 1
      local members = { [name] = member_of(type, name) }
      if WITH[name] then members[WITH[name][1]] = WITH[name][2] end
      local body = json.encode(members)
      local status, answer = server:ask("POST", key:match " (.*)", body)
      if status ~= 200 then note("%s %s: %d %s", key, body, status, said(answer)) end
    end)
    none_fell()
    assert.is_true(asked > 600, asked .. " members")
  end)

  it("refuses each member of a body of another type", function()
    local asked = 0
    each_of_members(function(key, _, name, _, type)
      local method, path = key:match "(%S+) (.*)"
      for _, wrong in ipairs(not ANY[name] and WRONG[type] or {}) do
        asked = asked + 1
        local body = ("{%s%q: %s}"):format(BESIDE[key] or "", name, wrong)
        local status, answer = server:ask(method, seeded.filled(seed, path), body)
        if not is_refusal(status, answer, name) then
          note("%s %s: %d %s", key, body, status, said(answer))
        end
      end
    end)
    none_fell()
    assert.is_true(asked > 1500, asked .. " members")
  end)

  -- ---- Answers --------------------------------------------------------------------------------

  local function good(method, path, body)
    local status, answer = server:ask(method, path, body)
    if status ~= 200 and status ~= 204 then note("%s %s: %d %s", method, path, status, said(answer)) end
    return answer
  end

  local function start(key, body)
    return good("POST", "/process-definition/key/" .. key .. "/start", body or {}).id
  end

  -- One that has ended, and one that waits.
  local function ended()
    local id = start "order"
    good("DELETE", "/process-instance/" .. id)
    return id
  end
  local function running() return start "order" end

  local INSTRUCTIONS <const> = { { type = "startBeforeActivity", activityId = "look" } }
  local VARIABLES <const> = { a = { value = 1, type = "Integer" } }

  -- What each command that answers with something is asked.
  local function commands()
    local plan = good("POST", "/migration/generate", { sourceProcessDefinitionId = seed.definition,
      targetProcessDefinitionId = seed.definition })
    local evaluate = { variables = { n = { value = 1 } } }
    local form = { variables = VARIABLES, businessKey = "k" }
    local begin = { variables = VARIABLES, withVariablesInReturn = true }
    local by_key, of_tenant = "/process-definition/key/{key}",
      "/process-definition/key/{key}/tenant-id/{tenant-id}"
    local decision, decision_of = "/decision-definition/key/{key}/evaluate",
      "/decision-definition/key/{key}/tenant-id/{tenant-id}/evaluate"
    local past = { historicProcessInstanceIds = { ended() }, deleteReason = "old" }
    return {
      ["/condition"] = { variables = { go = { value = true, type = "Boolean" } } },
      [decision] = evaluate, [decision_of] = evaluate,
      ["/decision-definition/{id}/evaluate"] = evaluate,
      ["/execution/{id}/create-incident"] = { incidentType = "mine", configuration = "c" },
      ["/external-task/fetchAndLock"] = { workerId = "v", maxTasks = 1, topics =
        { { topicName = "pay", lockDuration = 600000, includeExtensionProperties = true } } },
      ["/external-task/retries-async"] = { retries = 3, externalTaskIds = { seed.external } },
      ["/history/batch/set-removal-time"] = { historicBatchIds = { seed.batch },
        clearedRemovalTime = true },
      ["/history/cleanup"] = {},
      ["/history/decision-instance/delete"] = { historicDecisionInstanceIds = { seed.decided } },
      ["/history/decision-instance/set-removal-time"] = { historicDecisionInstanceIds =
        { seed.decided }, clearedRemovalTime = true },
      ["/history/process-instance/delete"] = past,
      ["/history/process-instance/set-removal-time"] = { historicProcessInstanceIds =
        past.historicProcessInstanceIds, absoluteRemovalTime = TIME },
      ["/identity/verify"] = { username = "ann", password = "wrong" },
      ["/job/retries"] = { retries = 1, jobIds = { seed.job } },
      ["/message"] = { messageName = "paid", businessKey = "w", resultEnabled = true,
        variablesInResultEnabled = true },
      ["/migration/executeAsync"] = { migrationPlan = plan, processInstanceIds = { running() } },
      ["/migration/generate"] = { sourceProcessDefinitionId = seed.definition,
        targetProcessDefinitionId = seed.definition },
      ["/migration/validate"] = plan,
      ["/modification/executeAsync"] = { processDefinitionId = seed.definition,
        processInstanceIds = { running() }, instructions = INSTRUCTIONS },
      [by_key .. "/start"] = begin, [of_tenant .. "/start"] = begin,
      ["/process-definition/{id}/start"] = begin,
      [by_key .. "/submit-form"] = form, [of_tenant .. "/submit-form"] = form,
      ["/process-definition/{id}/submit-form"] = form,
      ["/process-definition/{id}/restart-async"] = { processInstanceIds = { ended() },
        instructions = INSTRUCTIONS },
      ["/process-instance/delete"] = { processInstanceIds = { running() } },
      ["/process-instance/delete-historic-query-based"] = { processInstanceIds = { running() } },
      ["/process-instance/job-retries"] = { processInstances = { seed.failing }, retries = 1 },
      ["/process-instance/job-retries-historic-query-based"] = { processInstances =
        { seed.failing }, retries = 1 },
      ["/process-instance/message-async"] = { messageName = "paid", processInstanceIds =
        { start "waiting" } },
      ["/process-instance/suspended-async"] = { suspended = true, processInstanceIds =
        { running() } },
      ["/process-instance/variables-async"] = { variables = VARIABLES, processInstanceIds =
        { running() } },
      ["/process-instance/{id}/modification-async"] = { instructions = INSTRUCTIONS },
      ["/task/{id}/comment/create"] = { message = "wet" },
      ["/task/{id}/complete"] = { variables = VARIABLES, withVariablesInReturn = true },
      ["/task/{id}/submit-form"] = { variables = VARIABLES, withVariablesInReturn = true },
      ["/deployment/{id}/redeploy"] = {},
    }
  end

  -- Multipart; their answers are looked at when the store is seeded.
  local FORMS <const> = { ["/deployment/create"] = "deployed",
    ["/task/{id}/attachment/create"] = "attached" }
  -- Lists without rows, and why.
  local EMPTY <const> = {
    ["/history/batch/cleanable-batch-report"] = "batches have no time to live",
    ["/process-definition/{id}/static-called-process-definitions"] = "it calls none",
    ["/user"] = "there is no file of users", ["/group"] = "the same",
    ["/history/user-operation"] = "the same: nobody has done it",
    ["/history/cleanup/jobs"] = "nothing is scheduled",
  }

  -- A model that starts when a condition holds, and a task beside for what completes one.
  local function deploy_conditional()
    server:file("conditional.bpmn", support.model([[<startEvent id="s"><conditionalEventDefinition>
      <condition xsi:type="tFormalExpression">${go}</condition></conditionalEventDefinition>
      </startEvent><sequenceFlow id="f" sourceRef="s" targetRef="t"/><userTask id="t"/>]],
      "conditional"))
    local status = server:curl(("-F deployment-name=c -F 'c.bpmn=@%s/conditional.bpmn' \z
      %s/engine-rest/deployment/create"):format(server.folder, server.url))
    assert.equal(200, status)
  end

  local function another_task()
    return good("POST", "/condition", { variables = { go = { value = true } } })[1]
      and good("GET", "/task?taskDefinitionKey=t&maxResults=1")[1].id
  end

  it("answers each list with rows of the contract's fields", function()
    good("POST", "/task/create", { id = "done", name = "Done" })
    good("POST", "/task/done/complete", {})
    good("POST", "/task/create", { name = "Open" })
    local instance_of_task = good("GET", "/task/" .. seed.task).processInstanceId
    good("POST", "/process-definition/key/order/tenant-id/t/start", {})
    ended()
    for _, op in ipairs(shapes.contract) do
      local own = ours[op.key]
      local reads = op.method == "GET" or own.query
      if reads and op.answer and op.answer:find "^%[" and not own.unbuilt and not UNREAD[own[3]] then
        local path = seeded.filled(seed, op.path)
        if path:find "/comment$" and path:find "^/process" then
          path = path:gsub(seed.instance, instance_of_task)
        end
        if op.method == "GET" then path = path .. "?" .. (BESIDE[op.key] or "") end
        local answer = good(op.method, path, op.method == "POST" and {} or nil)
        for _, problem in ipairs(shapes.problems(op.key, op.answer, answer)) do
          note("%s", problem)
        end
        local rows = type(answer) == "table" and #answer or 0
        if (rows == 0) ~= (EMPTY[op.path] ~= nil) then note("%s: %d rows", op.key, rows) end
      end
    end
    none_fell()
  end)

  it("answers each command with the contract's fields", function()
    deploy_conditional()
    local asked = commands()
    for _, op in ipairs(shapes.contract) do
      local own = ours[op.key]
      local reads = op.method == "GET" or op.method == "OPTIONS" or own.query or op.path:find "^/group"
      if op.answer and not reads and not own.unbuilt and not UNREAD[own[3]] then
        local path, body = seeded.filled(seed, op.path), asked[op.path]
        if op.path:find "^/task/{id}/[cs]%w+m" and body.withVariablesInReturn then
          path = op.path:gsub("{id}", another_task())
        end
        local answer = seed[FORMS[op.path] or ""]
        if not answer and not body then note("%s: is not asked here", op.key) end
        answer = answer or body and good(op.method, path, body)
        if type(answer) ~= "table" or not next(answer) then
          note("%s: nothing: %s", op.key, tostring(answer))
        end
        for _, problem in ipairs(shapes.problems(op.key, op.answer, answer)) do
          note("%s", problem)
        end
      end
    end
    none_fell()
  end)
end)
