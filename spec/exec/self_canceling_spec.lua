-- Expressions whose functions cancel the activity that evaluates them, or its whole instance: what was evaluated is over with that.
local peers = require "spec.exec.peers"
local flows = peers.flows

local CANCEL <const> = "${cancel(execution, %s)}"
local MULTI <const> = '<userTask id="a"><multiInstanceLoopCharacteristics isSequential="%s">%s</multiInstanceLoopCharacteristics>'
  .. "</userTask>"
local MAPPED <const> = '<serviceTask id="a" o:expression="${1}"><extensionElements><o:inputOutput>%s</o:inputOutput></extensionElements>'
  .. "</serviceTask>"

local function calls(text) return CANCEL:format(text) end
local function flow(from, to, condition)
  return ('<sequenceFlow id="%s_%s" sourceRef="%s" targetRef="%s"><conditionExpression>%s</conditionExpression></sequenceFlow>'):format(
    from, to, from, to, condition)
end

-- { what evaluates it, elements between the start "i" and nothing, flows, the task that is completed first }
local cases <const> = {
  { "an input parameter", MAPPED:format('<o:inputParameter name="x">' .. calls "1" .. "</o:inputParameter>"), "i -> a" },
  { "an output parameter", MAPPED:format('<o:outputParameter name="x">' .. calls "1" .. "</o:outputParameter>"), "i -> a" },
  { "a list of an output parameter",
    MAPPED:format('<o:outputParameter name="x"><o:list><o:value>' .. calls "1" .. "</o:value></o:list></o:outputParameter>"), "i -> a" },
  { "a task's assignee", ('<userTask id="a" o:assignee="%s"/>'):format(calls "'x'"), "i -> a" },
  { "a task's name", ('<userTask id="a" name="%s"/>'):format(calls "'x'"), "i -> a" },
  { "a task's candidates", ('<userTask id="a" o:candidateUsers="%s"/>'):format(calls "'x'"), "i -> a" },
  { "a cardinality", MULTI:format("false", "<loopCardinality>" .. calls "2" .. "</loopCardinality>"), "i -> a" },
  { "a collection", (MULTI:format("false", ""):gsub("isSequential", ('o:collection="%s" isSequential'):format(calls "list"))), "i -> a" },
  { "a completion condition", MULTI:format("false", "<loopCardinality>2</loopCardinality><completionCondition>" .. calls "false"
    .. "</completionCondition>"), "i -> a", "a" },
  { "a completion condition, one after another", MULTI:format("true", "<loopCardinality>2</loopCardinality><completionCondition>"
    .. calls "false" .. "</completionCondition>"), "i -> a", "a" },
  { "a loop's condition", '<userTask id="a"><standardLoopCharacteristics testBefore="true"><loopCondition>' .. calls "true"
    .. "</loopCondition></standardLoopCharacteristics></userTask>", "i -> a" },
  { "what a call is given", ('<callActivity id="a" calledElement="called"><extensionElements><o:in sourceExpression="%s" target="x"/>'
    .. "</extensionElements></callActivity>"):format(calls "1"), "i -> a" },
  { "what is called", ('<callActivity id="a" calledElement="%s"/>'):format(calls "'called'"), "i -> a" },
  { "a condition behind an exclusive gateway", '<exclusiveGateway id="g"/><userTask id="a"/><userTask id="b"/>'
    .. flow("g", "a", calls "true") .. flow("g", "b", "${false}"), "i -> g" },
  { "a condition behind an inclusive gateway", '<inclusiveGateway id="g"/><userTask id="a"/><userTask id="b"/>'
    .. flow("g", "a", calls "true") .. flow("g", "b", "${true}"), "i -> g" },
  { "a condition behind a task", '<task id="g"/><userTask id="a"/><userTask id="b"/>' .. flow("g", "a", calls "true")
    .. flow("g", "b", "${true}"), "i -> g" },
  { "a condition in the job behind a task", '<task id="g" o:asyncAfter="true"/><userTask id="a"/>' .. flow("g", "a", calls "true"),
    "i -> g" },
  { "a timer's duration", '<intermediateCatchEvent id="a"><timerEventDefinition><timeDuration>' .. calls "'PT1H'"
    .. "</timeDuration></timerEventDefinition></intermediateCatchEvent>", "i -> a" },
  { "a boundary timer's duration", '<userTask id="a"/><boundaryEvent id="t" attachedToRef="a"><timerEventDefinition><timeDuration>'
    .. calls "'PT1H'" .. "</timeDuration></timerEventDefinition></boundaryEvent>", "i -> a" },
  { "a job's priority", ('<userTask id="a" o:asyncBefore="true" o:jobPriority="%s"/>'):format(calls "3"), "i -> a" },
  { "a job's retries", '<task id="a" o:asyncBefore="true"><extensionElements><o:failedJobRetryTimeCycle>' .. calls "'R2/PT1M'"
    .. "</o:failedJobRetryTimeCycle></extensionElements></task>", "i -> a" },
  { "an external task's topic", ('<serviceTask id="a" o:type="external" o:topic="%s"/>'):format(calls "'x'"), "i -> a" },
  { "a script that leaves variables", '<scriptTask id="a" scriptFormat="lua" o:autoStoreVariables="true"><script>'
    .. "left = cancel(execution, 1)</script></scriptTask>", "i -> a" },
}

local function run(engine, case, how)
  engine:register("cancel", function(execution, given)
    if how == "message" then execution.engine:message("m", { instance = execution.instance_id })
    else execution.engine:instance(execution.instance_id):delete "canceled" end
    return given
  end)
  peers.deploy(engine, peers.process('<startEvent id="cs"/><userTask id="ct"/>', "cs -> ct", "called")
    .. peers.process('<startEvent id="s"/><subProcess id="sub"><startEvent id="i"/>' .. case[2] .. flows(case[3])
      .. '</subProcess><boundaryEvent id="stop" attachedToRef="sub"><messageEventDefinition messageRef="m"/></boundaryEvent>'
      .. '<userTask id="after"/>', "s -> sub stop -> after"))
  engine:start("p", { variables = { list = { 1, 2 } } })
  if case[4] then engine:tasks({ key = case[4] })[1]:complete() end
  engine:run_jobs()
  return { peers.tasks(engine), engine:count("instances", {}), engine:count("jobs", {}), engine:count("external_tasks", {}) }
end

describe("an expression that cancels what evaluates it, as", function()
  for _, case in ipairs(cases) do
    peers.shows(case[1], function(engine)
      local left = run(engine, case, "message")
      local open = engine:history_activities { activity = "a" }
      for _, row in ipairs(open) do assert.is_not_nil(row.ended_at) end
      return left
    end, { "after", 1, 0, 0 })
    peers.shows(case[1] .. ", with its instance", function(engine) return run(engine, case, "delete") end, { "", 0, 0, 0 })
  end
end)
