-- Flowable's guide, "Sub-Processes and Call Activities", "Transactions and Concurrency", "Process Initiation Authorization" and
-- "Data objects": each example, deployed and run.
local seed = require "spec.seed.support"

local engine
before_each(function() engine = seed.engine() end)
after_each(function() engine:close() end)

it("Sub-Process", function()
  local fill = { ["... other Sub-Process elements ..."] = '<userTask id="t"/>' .. seed.flows "subProcessStart -> t t -> subProcessEnd" }
  seed.deploy(engine, "sub_process_1", { fill = fill, process = [[<startEvent id="s"/><endEvent id="e"/>
    <sequenceFlow id="a" sourceRef="s" targetRef="subProcess"/><sequenceFlow id="b" sourceRef="subProcess" targetRef="e"/>]] })
  local instance = engine:start "p"
  assert.same({ "t" }, instance:active())
  engine:task({}):complete()
  assert.is_nil(engine:instance(instance.id))
end)

it("Event Sub-Process: catches an error thrown at process level", function()
  seed.deploy(engine, "event_sub_process_2", { process = '<startEvent id="s"/><userTask id="other"/><parallelGateway id="g"/>'
      .. '<endEvent id="e">'
    .. '<errorEventDefinition errorRef="error"/></endEvent>', flows = "s -> g g -> other g -> e" })
  local instance = engine:start "p"
  assert.same({ "taskAfterErrorCatch" }, instance:active(), "it interrupts everything else in its scope")
  engine:task({}):complete()
  assert.is_nil(engine:instance(instance.id))
end)

it("Transaction sub-process: success, cancel, hazard", function()
  local inside = [[<startEvent id="ts"/><userTask id="t"/><boundaryEvent id="c" attachedToRef="t"><compensateEventDefinition/>
    </boundaryEvent>
    <serviceTask id="undo" isForCompensation="true" flowable:class="undo"/><association id="a" sourceRef="c" targetRef="undo"/>
    <exclusiveGateway id="g" default="ok"/><endEvent id="te"/><endEvent id="tc"><cancelEventDefinition/></endEvent>
    <endEvent id="th"><errorEventDefinition errorRef="hazard"/></endEvent><sequenceFlow id="f1" sourceRef="ts" targetRef="t"/>
    <sequenceFlow id="f2" sourceRef="t" targetRef="g"/><sequenceFlow id="ok" sourceRef="g" targetRef="te"/>
    <sequenceFlow id="f4" sourceRef="g" targetRef="tc"><conditionExpression>${outcome == 'cancel'}</conditionExpression></sequenceFlow>
    <sequenceFlow id="f5" sourceRef="g" targetRef="th"><conditionExpression>${outcome == 'hazard'}</conditionExpression></sequenceFlow>]]
  local undone = 0
  engine:register("undo", function() undone = undone + 1 end)
  seed.deploy(engine, "transaction_sub_process_1", { fill = { ["..."] = inside }, process = [[<startEvent id="s"/><userTask id="succeeded"/>
    <userTask id="canceled"/><userTask id="failed"/><boundaryEvent id="bc" attachedToRef="myTransaction"><cancelEventDefinition/>
    </boundaryEvent>
    <boundaryEvent id="be" attachedToRef="myTransaction"><errorEventDefinition errorRef="hazard"/></boundaryEvent>]],
    flows = "s -> myTransaction myTransaction -> succeeded bc -> canceled be -> failed" })
  for _, case in ipairs { { "success", "succeeded", 0 }, { "cancel", "canceled", 1 }, { "hazard", "failed", 1 } } do
    local instance = engine:start "p"
    engine:task({ instance = instance.id }):complete { outcome = case[1] }
    assert.same({ case[2] }, instance:active())
    assert.equal(case[3], undone)
  end
end)

describe("Call activity", function()
  local credit = [[<process id="checkCreditProcess" isExecutable="true"><startEvent id="cs"/><userTask id="ct"/><endEvent id="ce"/>
    <sequenceFlow id="c1" sourceRef="cs" targetRef="ct"/><sequenceFlow id="c2" sourceRef="ct" targetRef="ce"/></process>]]
  local function call(name, options, fill)
    seed.run(engine, name, name:find "^call" and "callCheckCreditProcess" or "callSubProcess",
      { root = credit, fill = fill, process = '<userTask id="after"/>', flows = "callSubProcess -> after" }, options)
    return engine:instance { key = "checkCreditProcess" }
  end
  it("starts the process that its key names when it is reached", function()
    seed.deploy(engine, "call_activity_sub_process_2", {})
    assert.is_false(pcall(engine.start, engine, "p"), "not deployed yet")
    seed.deploy(engine, "none_start_event_1", { whole = true, root = credit .. '<process id="q" isExecutable="true">',
      fill = { ["/>"] = "/></process>" } })
    local instance = engine:start "p"
    assert.same({ "callCheckCreditProcess" }, instance:active())
    engine:task({ key = "ct" }):complete()
    assert.same({ "prepareAndShipTask" }, instance:active())
  end)
  it("Passing variables: by name, all, by expression", function()
    local called = call("passing_variables_1", { variables = { someVariableInMainProcess = 7, other = 1 } })
    assert.same({ nameOfVariableInSubProcess = 7 }, called:variables())
    engine:task({ key = "ct" }):complete { someVariableInSubProcess = 8 }
    assert.equal(8, engine:instance({ key = "p" }):get "nameOfVariableInMainProcess")
  end)
  it("Passing variables: inheritVariables", function()
    assert.same({ a = 1, b = 2 }, call("passing_variables_2", { variables = { a = 1, b = 2 } }):variables())
  end)
  it("Passing variables: z = y + 5 = x + 5 + 5", function()
    assert.equal(6, call("passing_variables_3", { variables = { x = 1 } }):get "y")
    engine:task({ key = "ct" }):complete()
    assert.equal(11, engine:instance({ key = "p" }):get "z")
  end)
  it("business keys: given, and inherited", function()
    assert.equal("mine", call("passing_variables_4", { variables = { myVariable = "mine" } }, { ["..."] = "" }).business_key)
    engine:close()
    engine = seed.engine()
    assert.equal("callers", call("passing_variables_5", { business_key = "callers" }, { ["..."] = "" }).business_key)
  end)
  it("Reference the process from the same deployment", function()
    call("reference_the_process_from_the_same_deployment_1", nil, { ["..."] = "" })
    local first = engine:instance({ key = "checkCreditProcess" }).definition_id
    seed.deploy(engine, "none_start_event_1", { whole = true, root = credit .. '<process id="q" isExecutable="true">',
      fill = { ["/>"] = "/></process>" } })
    local again = engine:start "p"
    assert.equal(first, engine:instance({ super = again.id }).definition_id)
  end)
  it("Reference the process definition by id", function()
    seed.deploy(engine, "none_start_event_1", { whole = true, root = credit .. '<process id="q" isExecutable="true">',
      fill = { ["/>"] = "/></process>" } })
    local id = engine:definition({ key = "checkCreditProcess" }).id
    seed.run(engine, "reference_the_process_definition_by_id_1", "callSubProcess", { fill = { ["..."] = "",
      ["UNIQUE-PROCESS_DEFINITION-ID"] = tostring(id) } })
    assert.equal(id, engine:instance({ key = "checkCreditProcess" }).definition_id)
  end)
end)

it("Asynchronous Continuations", function()
  local calls = 0
  engine:register("my.custom.Delegate", function() calls = calls + 1 end)
  seed.run(engine, "asynchronous_continuations_1", "service1")
  assert.equal(0, calls)
  assert.is_true(engine:job({}).exclusive, "by default a job is exclusive")
  engine:run_jobs()
  assert.equal(1, calls)
end)

it("Fail Retry: five tries, seven minutes apart", function()
  local tries = 0
  engine:register("org.flowable.engine.test.jobexecutor.RetryFailingDelegate", function()
    tries = tries + 1
    error "no"
  end)
  seed.run(engine, "fail_retry_1", "failingServiceTask")
  engine:run_jobs()
  assert.equal(engine:now() + 7 * 60, engine:job({}).due)
  for _ = 1, 10 do
    engine:advance "PT7M"
    engine:run_jobs()
  end
  assert.equal(5, tries)
  assert.equal(1, #engine:incidents {})
end)

it("Process Initiation Authorization", function()
  seed.deploy(engine, "process_initiation_authorization_1", { whole = true, fill = { ["..."] = "</process>",
    ['id="potentialStarter"'] = 'id="p"' } })
  assert.equal(1, #engine:definitions { startable_by = "user3" })
  assert.equal(0, #engine:definitions { startable_by = "somebody" })
  engine:set_groups(function(user) return user == "member" and { "group2" } or {} end)
  assert.equal(1, #engine:definitions { startable_by = "member" }, "no indicator means a group")
  seed.deploy(engine, "process_initiation_authorization_2", { whole = true, fill = { ["..."] = '<startEvent id="s"/></process>' } })
  assert.equal(1, #engine:definitions { startable_by = "user2" })
end)

it("Data objects", function()
  seed.deploy(engine, "data_objects_2", { whole = true, fill = { ["..."] = '<startEvent id="s"/>'
      .. '<userTask id="t"/>' .. seed.flows "s -> t" .. "</process>" } })
  assert.equal("Testing123", engine:start("dataObjectScope"):get "StringTest123")
  seed.deploy(engine, "data_objects_1", { process = '<startEvent id="s"/><userTask id="t"/>', flows = "s -> t" })
  local names = {}
  for name in pairs(engine:start("p"):variables()) do names[#names + 1] = name end
  table.sort(names)
  assert.same({ "BooleanTest", "DateTest", "DoubleTest", "IntegerTest", "LongTest", "StringTest" }, names)
end)
