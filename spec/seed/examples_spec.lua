-- Flowable's guide: examples of listeners, fields, scripts, calls and jobs that the other chapters' specs leave out.
local seed = require "spec.seed.support"

local engine, seen
before_each(function()
  engine = seed.engine()
  seen = {}
end)
after_each(function() engine:close() end)

local function see(name) seen[#seen + 1] = name end

-- A listener's example, on a user task or (with `on`) whatever element stands there.
local function listen(name, fill, on)
  local text = seed.text(name)
  for old, new in pairs(fill or {}) do
    local from, to = text:find(old, 1, true)
    assert(from, old)
    text = text:sub(1, from - 1) .. new .. text:sub(to + 1)
  end
  if not text:find "extensionElements" then text = "<extensionElements>" .. text .. "</extensionElements>" end
  engine:deploy { ["p.bpmn"] = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:flowable="http://flowable.org/bpmn" '
    .. 'targetNamespace="Examples"><process id="p" isExecutable="true">' .. (on == "process" and text or "") .. '<startEvent id="s"/>'
    .. '<userTask id="u">' .. (on ~= "process" and text or "") .. '</userTask><userTask id="after"/>' .. seed.flows "s -> u u -> after"
    .. "</process></definitions>" }
end

-- The example's script in Lua, where Groovy stands.
local lua = { ["def bar = \"BAR\";  // local variable"] = 'local bar = "BAR" -- local variable', ['"FOO"; //'] = '"FOO" --',
  ["bar // implicit return value"] = "return bar", ['stringValue="groovy"'] = 'stringValue="lua"' }

local function with(more)
  local out = {}
  for old, new in pairs(lua) do out[old] = new end
  for old, new in pairs(more) do out[old] = new end
  return out
end

describe("Execution listener", function()
  it("by expression, with the event's name", function()
    engine:register("myPojo", { myMethod = function(_, event) see(event) end })
    listen "execution_listener_3"
    engine:start "p"
    engine:task({}):complete()
    assert.same({ "end" }, seen)
  end)

  it("by delegateExpression", function()
    engine:register("myExecutionListenerBean", { notify = function(_, execution) see(execution.event_name .. execution.activity_id) end })
    listen "execution_listener_4"
    engine:start "p"
    assert.same({ "startu" }, seen)
  end)

  it("by script: globals and the result become variables", function()
    listen("execution_listener_5", with { ['"test"); //'] = '"test") --' })
    assert.same({ foo = "FOO", var1 = "test", myVar = "BAR" }, engine:start("p"):variables())
  end)

  it("by delegateExpression, with fields", function()
    engine:register("testExecutionListener", { notify = function(_, execution)
      execution:set(execution:field "resultVar", execution:field "input" .. "!")
    end })
    listen("field_injection_and_thread_safety_7", nil, "process")
    assert.equal("hello!", engine:start("p", { variables = { startValue = "hello" } }):get "processStartValue")
  end)
end)

describe("Task listener", function()
  it("by expression, with the task and its event", function()
    engine:register("myObject", { callMethod = function(_, task, event) see(task.key .. event) end })
    listen "task_listener_4"
    engine:start "p"
    assert.same({ "ucreate" }, seen)
  end)

  it("by delegateExpression", function()
    engine:register("myTaskListenerBean", { notify = function(_, task) see(task.event_name) end })
    listen "task_listener_5"
    engine:start "p"
    assert.same({ "create" }, seen)
  end)

  it("by script: globals and the result become variables", function()
    listen("task_listener_6", with { ['"kermit"); //'] = '"kermit") --' })
    local pi = engine:start "p"
    engine:task({}):complete()
    assert.same({ foo = "FOO", myVar = "BAR" }, pi:variables())
    assert.equal("kermit", engine:history_tasks({ key = "u" })[1].owner)
  end)
end)

describe("Field injection", function()
  it("in attribute form: an expression, or one within a text", function()
    local fields = {}
    for line in seed.text("field_injection_and_thread_safety_4"):gmatch "[^\n]+" do fields[#fields + 1] = line end
    engine:register("genderBean", { getGenderString = function(_, gender) return "is " .. gender end })
    engine:register("read", function(execution) see(execution:field "text1") end)
    for _, field in ipairs(fields) do
      engine:deploy { ["p.bpmn"] = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" '
        .. 'xmlns:flowable="http://flowable.org/bpmn" targetNamespace="Examples"><process id="p" isExecutable="true"><startEvent id="s"/>'
        .. '<serviceTask id="t" flowable:class="read"><extensionElements>' .. field .. "</extensionElements></serviceTask>"
        .. seed.flows "s -> t" .. "</process></definitions>" }
      engine:start("p", { variables = { gender = "male", name = "Kermit" } })
    end
    assert.same({ "is male", "Hello Mr. Kermit" }, seen)
  end)

  it("of one delegate at two tasks: each call sees its own", function()
    engine:register("someJavaDelegateBean", { execute = function(_, execution) see(execution:field "someField") end })
    seed.deploy(engine, "field_injection_and_thread_safety_5", { process = seed.ends, flows = [[s -> serviceTask1
      serviceTask1 -> serviceTask2 serviceTask2 -> e]] })
    engine:start("p", { variables = { input = 3 } })
    assert.same({ 6, 6000 }, seen)
  end)

  it("of a prototype, which a factory makes, and of a singleton", function()
    local made = 0
    local function delegate()
      made = made + 1
      return { execute = function(_, execution)
        execution:set(execution:field "resultVariableName", execution:field "fieldA" + execution:field "fieldB")
        see(execution.activity_id)
      end }
    end
    engine:register("newDelegate", delegate)
    engine:register("singletonDelegateExpressionBean", delegate())
    local fill = { ['${prototypeDelegateExpressionBean}"'] = '${newDelegate()}"' }
    seed.deploy(engine, "field_injection_and_thread_safety_6", { process = seed.ends .. '<userTask id="u"/>', fill = fill,
      flows = "s -> serviceTask1 serviceTask1 -> serviceTask3 serviceTask3 -> serviceTask4 serviceTask4 -> u" })
    local pi = engine:start("p", { variables = { input = 10 } })
    assert.same({ "serviceTask1", "serviceTask3", "serviceTask4" }, seen)
    assert.equal(2, made) -- the singleton, and one for the task that asks the factory
    assert.same({ input = 10, resultServiceTask1 = 22, resultServiceTask2 = 579 }, pi:variables())
  end)
end)

describe("Scripts", function()
  local function run(auto)
    local body = '<script>local hidden = 1 sum = 0 for _, i in ipairs(inputArray) do sum = sum + i end</script></scriptTask>'
    seed.deploy(engine, "variables_in_scripts_1", { process = body .. seed.ends .. '<userTask id="u"/>',
      flows = "s -> script script -> u", fill = { ['"JavaScript"'] = '"lua"', ['"false"'] = ('"%s"'):format(auto) } })
    return engine:start("p", { variables = { inputArray = { 1, 2, 3 } } }):get "sum"
  end

  it("keep what they declare to themselves, unless autoStoreVariables says otherwise", function()
    assert.is_nil(run(false))
    assert.equal(6, run(true))
  end)
end)

describe("Business rule task", function()
  it("of one's own, by a class that an expression gives", function()
    engine:register("MyRuleServiceDelegate", { execute = function(_, execution) see(execution.activity_id) end })
    seed.run(engine, "business_rule_task_4", "businessRuleTask")
    assert.same({ "businessRuleTask" }, seen)
  end)
end)

describe("Call activity", function()
  local function call(tenant, fallback)
    local name = "reference_the_process_from_the_same_deployment_2"
    local deployment = seed.deploy(engine, name, { process = seed.ends, flows = "s -> callSubProcess callSubProcess -> e",
      fill = { ["..."] = "", ['"true"'] = ('"%s"'):format(fallback) } })
    local text = engine:resource(deployment.id, name .. ".bpmn")
    engine:deploy({ ["p.bpmn"] = text }, { tenant = tenant })
    return pcall(engine.start, engine, "p", { tenant = tenant })
  end

  it("falls back to the process that has no tenant", function()
    engine:deploy { ["c.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="x">
      <process id="checkCreditProcess" isExecutable="true"><startEvent id="cs"/><userTask id="cu"/>]] .. seed.flows "cs -> cu"
      .. "</process></definitions>" }
    assert.is_true(call("acme", true))
    assert.equal(1, #engine:tasks { key = "cu" })
    local ok, err = call("acme", false)
    assert.is_false(ok)
    assert.equal("not_found", err.kind)
  end)
end)

describe("Exclusive jobs", function()
  it("are what the model's are not when it says so", function()
    engine:register("myService", { performBooking = function(_, hotel, dates) see(hotel .. dates) end })
    seed.run(engine, "exclusive_jobs_1", "service", {}, { variables = { hotel = "Ritz", dates = "1-3" } })
    assert.is_false(engine:job({}).exclusive)
    engine:run_jobs()
    assert.same({ "Ritz1-3" }, seen)
  end)
end)

describe("Compensation handlers", function()
  it("are no part of the flow", function()
    engine:register("undo", function() see "undone" end)
    seed.deploy(engine, "compensation_handlers_1", { process = seed.ends .. [[<task id="book"/><boundaryEvent id="b" attachedToRef="book">
      <compensateEventDefinition/></boundaryEvent><association id="a" sourceRef="b" targetRef="undoBookHotel" associationDirection="One"/>
      <intermediateThrowEvent id="th"><compensateEventDefinition activityRef="book"/></intermediateThrowEvent>]],
      flows = "s -> book book -> th th -> e", fill = { ["..."] = "undo" } })
    engine:start "p"
    assert.same({ "undone" }, seen)
  end)
end)
