-- What Camunda refuses is refused with its status, its type, and what clients look for in it.
local orrery = require "orrery"
local support = require "spec.server.support"

local conditional = support.model([[<startEvent id="s"><conditionalEventDefinition>
    <condition>${n &gt; 1}</condition></conditionalEventDefinition></startEvent>
  <sequenceFlow id="f" sourceRef="s" targetRef="t"/><userTask id="t"/>]], "conditional")

describe("what Camunda refuses", function()
  local server, order, waiting, instance

  local function ask(method, path, body, wanted)
    local status, answer = server:ask(method, path, body)
    assert.equal(wanted or 200, status, method .. " " .. path)
    return answer
  end

  -- Refused so: type and message.
  local function refused(path, body, status, type_name, text)
    local answer = ask("POST", path, body, status)
    assert.equal(type_name, answer.type)
    assert.truthy(answer.message:find(text, 1, true), answer.message)
    return answer
  end

  setup(function()
    server = support.serve { files = { ["order.bpmn"] = support.order,
        ["waiting.bpmn"] = support.waiting, ["conditional.bpmn"] = conditional },
      arguments = "--deploy %f/order.bpmn --deploy %f/waiting.bpmn --deploy %f/conditional.bpmn" }
    order = ask("GET", "/process-definition/key/order").id
    waiting = ask("GET", "/process-definition/key/waiting").id
    instance = ask("POST", "/process-definition/key/order/start", {}).id
  end)
  teardown(function() server:close() end)

  it("is a tenant and no tenant at once", function()
    local both = { tenantId = "t", withoutTenantId = true, messageName = "paid", variables = {} }
    for _, path in ipairs { "/message", "/condition" } do
      refused(path, both, 400, "InvalidRequestException",
        "Parameter 'tenantId' cannot be used together with parameter 'withoutTenantId'.")
    end
    local one = { n = { value = 2 } }
    assert.equal(1, #ask("POST", "/condition", { variables = one, withoutTenantId = true }))
    assert.equal(0, #ask("POST", "/condition", { variables = one, tenantId = "t" }))
  end)

  it("is a message without a receiver, by the name of its exception", function()
    refused("/message", { messageName = "paid" }, 400, "RestException",
      "org.camunda.bpm.engine.MismatchingMessageCorrelationException: \z
        Cannot correlate message 'paid': ")
    refused("/message", { businessKey = "none" }, 400, "RestException",
      "MismatchingMessageCorrelationException: Cannot correlate message 'null': ")
    for _, execution in ipairs { instance, "99999" } do
      refused(("/execution/%s/messageSubscriptions/paid/trigger"):format(execution), {}, 500,
        "RestException", ("Cannot trigger message paid for execution %s: "):format(execution))
      refused("/signal", { name = "all", executionId = execution }, 500, "ProcessEngineException",
        ("Cannot find execution with id '%s'"):format(execution))
    end
  end)

  it("is an instruction that does not say where", function()
    local paths = {
      ["/process-instance/" .. instance .. "/modification"] = "instructions",
      ["/process-instance/" .. instance .. "/modification-async"] = "instructions",
      ["/modification/execute"] = "instructions",
      ["/modification/executeAsync"] = "instructions",
      ["/process-definition/" .. order .. "/restart"] = "instructions",
      ["/process-definition/" .. order .. "/restart-async"] = "instructions",
      ["/process-definition/key/order/start"] = "startInstructions",
    }
    for path, member in pairs(paths) do
      for kind, name in pairs { startBeforeActivity = "activityId",
        startAfterActivity = "activityId", startTransition = "transitionId" } do
        refused(path, { processDefinitionId = order, processInstanceIds = { instance },
          [member] = { { type = kind } } }, 400, "InvalidRequestException",
          ("For instruction type '%s': '%s' must be set"):format(kind, name))
      end
      for _, cancel in ipairs { {}, { activityId = "pay", activityInstanceId = "1:2" } } do
        cancel.type = "cancel"
        refused(path, { processDefinitionId = order, processInstanceIds = { instance },
          [member] = { cancel } }, 400, "InvalidRequestException",
          "For instruction type 'cancel': exactly one")
      end
    end
    assert.equal(1, ask("GET", "/process-instance/count?processDefinitionKey=order").count)
  end)

  it("is a restart without instructions", function()
    local ended = ask("POST", "/process-definition/key/order/start", {}).id
    ask("DELETE", "/process-instance/" .. ended, nil, 204)
    for _, path in ipairs { "/restart", "/restart-async" } do
      for _, more in ipairs { "", ',"instructions":[]' } do
        local body = ('{"processInstanceIds":["%s"]%s}'):format(ended, more)
        refused("/process-definition/" .. order .. path, body, 400, "InvalidRequestException",
          "Restart instructions cannot be empty")
      end
    end
  end)

  it("is a modification of another definition's instances", function()
    refused("/modification/execute", { processDefinitionId = waiting,
      processInstanceIds = { instance },
      instructions = { { type = "startBeforeActivity", activityId = "look" } } }, 500,
      "ProcessEngineException", "do not match")
    assert.equal(0, ask("GET", "/task/count?processDefinitionKey=order").count)
  end)

  describe("of a migration", function()
    local function plan(target, from, to)
      return { sourceProcessDefinitionId = order, targetProcessDefinitionId = target,
        instructions = from and { { sourceActivityIds = { from }, targetActivityIds = { to } } } }
    end

    it("tells what stands against the plan", function()
      for _, path in ipairs { "/migration/execute", "/migration/executeAsync" } do
        local answer = refused(path, { processInstanceIds = { instance },
          migrationPlan = plan(waiting, "pay", "wait") }, 400, "MigrationPlanValidationException",
          "pay")
        local reports = answer.validationReport.instructionReports
        local of = reports[1].instruction
        assert.same({ 1, { "pay" }, { "wait" } },
          { #reports, of.sourceActivityIds, of.targetActivityIds })
        assert.same({ answer.message }, reports[1].failures)
        assert.same({}, answer.validationReport.variableReports)
      end
    end)

    it("tells what stands against an instance", function()
      local answer = refused("/migration/execute", { processInstanceIds = { instance },
        migrationPlan = plan(order, "look", "look") }, 400,
        "MigratingProcessInstanceValidationException", "pay")
      local report = answer.validationReport
      assert.same({ instance, {}, {} }, { report.processInstanceId, report.failures,
        report.transitionInstanceValidationReports })
      local of = report.activityInstanceValidationReports
      assert.same({ 1, "pay", { answer.message }, orrery.null },
        { #of, of[1].sourceScopeId, of[1].failures, of[1].migrationInstruction })
    end)

    it("has no report of what is not there", function()
      local answer = refused("/migration/execute", { processInstanceIds = { "99999" },
        migrationPlan = plan(order, "pay", "pay") }, 400, "InvalidRequestException", "99999")
      assert.is_nil(answer.validationReport)
    end)
  end)

  it("is a query that asks for what excludes each other, or for half of something", function()
    for path, message in pairs {
      ["/job?timers=true&messages=true"] =
        "Parameter timers cannot be used together with parameter messages.",
      ["/deployment?source=x&withoutSource=true"] = "cannot be used in combination",
      ["/history/variable-instance?variableValue=x"] = "variable name and value are required",
    } do
      for _, whole in ipairs { path, (path:gsub("?", "/count?")) } do
        local answer = ask("GET", whole, nil, 400)
        assert.equal("InvalidRequestException", answer.type)
        assert.truthy(answer.message:find(message, 1, true), answer.message)
      end
    end
    refused("/job", { timers = true, messages = true }, 400, "InvalidRequestException", "timers")
    refused("/history/variable-instance", { variableValue = 1 }, 400, "InvalidRequestException",
      "variable name and value are required")
    refused("/task", { includeAssignedTasks = true }, 500, "ProcessEngineException",
      "has to be called before 'includeAssignedTasks'")
    for _, fine in ipairs { "/job?timers=true&messages=false", "/deployment?withoutSource=true",
      "/history/variable-instance?variableName=a&variableValue=x",
      "/task?includeAssignedTasks=true&candidateGroup=x", "/task?includeAssignedTasks=false" } do
      ask("GET", fine)
    end
    local answer = ask("PUT", "/process-definition/suspended", { suspended = true,
      processDefinitionId = order }, 400)
    assert.equal("Only processDefinitionKey can be set to update the suspension state.",
      answer.message)
  end)
end)
