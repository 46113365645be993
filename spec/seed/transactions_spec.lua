-- "Process Designer: Transactions and Tasks", headings "Understanding Camunda's ACID Transactions" to "Transaction Rollback Without Error
-- Handling". Its "Job Creation", "Acquiring a Job", "Failed Job" and "Concurrent Job Execution" are shown in spec/job/.
local folder = require "spec.support.folder"
local orrery = require "orrery"
local support = require "spec.support.process"

--- Registers a class that fails while `broken[name]`, and counts its runs.
local function breakable(engine, ...)
  local broken, runs = {}, {}
  for _, name in ipairs { ... } do
    runs[name] = 0
    engine:register(name, function()
      runs[name] = runs[name] + 1
      if broken[name] then error(name .. " is out of order", 0) end
    end)
  end
  return broken, runs
end

local function service(id, attributes)
  return ('<serviceTask id="%s" camunda:class="%s" %s/>'):format(id, id, attributes or "")
end

describe("Understanding Camunda's ACID Transactions: a wait state is stored when the call returns", function()
  local message = '<message id="m" name="order"/><signal id="sig" name="alarm"/>'
  local caught = {
    ["a message"] = '<messageEventDefinition messageRef="m"/>', ["a signal"] = '<signalEventDefinition signalRef="sig"/>',
    ["a timer"] = support.timer("Duration", "PT1H"), ["a condition"] =
      "<conditionalEventDefinition><condition>${ready == true}</condition></conditionalEventDefinition>",
  }
  local external = 'camunda:type="external" camunda:topic="t"'
  local waits = {
    ["1. a user task"] = '<userTask id="w"/>', ["1. a receive task"] = '<receiveTask id="w" messageRef="m"/>',
    ["3. an event-based gateway"] = '<eventBasedGateway id="w"/>',
    ["4. a service task done elsewhere"] = '<serviceTask id="w" ' .. external .. "/>",
    ["4. a business rule task done elsewhere"] = '<businessRuleTask id="w" ' .. external .. "/>",
    ["4. a send task done elsewhere"] = '<sendTask id="w" ' .. external .. "/>",
    ["5. a message thrown elsewhere"] = '<intermediateThrowEvent id="w"><messageEventDefinition messageRef="m" ' .. external
      .. "/></intermediateThrowEvent>",
    ["5. a message sent elsewhere at the end"] = '<endEvent id="w"><messageEventDefinition messageRef="m" ' .. external .. "/></endEvent>",
  }
  for what, definition in pairs(caught) do
    waits["2. an intermediate event that catches " .. what] = '<intermediateCatchEvent id="w">' .. definition .. "</intermediateCatchEvent>"
  end

  local function outgoing(element)
    if element:find "<endEvent" then return "" end
    if not element:find "<eventBasedGateway" then return "w -> after" end
    return "w -> c1 w -> c2 c1 -> after c2 -> after"
  end

  for what, element in pairs(waits) do
    it(what, function()
      local path = folder.make()
      finally(function() folder.remove(path) end)
      local options = { clock = "manual", log = "none", durability = "none" }
      local id
      do
        local engine <close> = orrery.open(path, options)
        breakable(engine, "before")
        support.deploy(engine, '<startEvent id="s"/>' .. service "before" .. element
          .. '<intermediateCatchEvent id="c1">' .. caught["a message"] .. '</intermediateCatchEvent><intermediateCatchEvent id="c2">'
          .. caught["a timer"] .. '</intermediateCatchEvent><endEvent id="after"/>', "s -> before before -> w " .. outgoing(element),
          { before = message })
        id = engine:start("p", { variables = { n = 1 } }).id
      end
      local engine <close> = orrery.open(path, options)
      local instance = engine:instance(id)
      assert.same({ { "w" }, 1 }, { instance:active(), instance:get "n" })
      assert.same({}, engine:verify())
    end)
  end
end)

describe("Transaction Boundary Control", function()
  local engine, broken, runs
  before_each(function()
    engine = support.engine()
    broken, runs = breakable(engine, "first", "second")
  end)
  after_each(function() engine:close() end)

  --- A user task, then two services.
  local function start(attributes)
    support.deploy(engine, '<startEvent id="s"/><userTask id="u"/>' .. service("first", attributes) .. service "second"
      .. '<endEvent id="e"/>', "s -> u u -> first first -> second second -> e")
    return engine:start "p", engine:task {}
  end

  it("2. a service is executed with what came before: when it fails, the user task is to be done again", function()
    local instance, task = start()
    broken.first = true
    assert.matches("first is out of order", support.refused("script", task.complete, task, { approved = true }).message)
    assert.same({ { "u" }, 1 }, { instance:active(), engine:count "tasks" })
    assert.is_nil(instance:get "approved")
    broken.first = false
    task:complete { approved = true }
    assert.is_nil(engine:instance(instance.id))
  end)

  it("3. asyncBefore: the user task is done and stored before the service runs", function()
    local instance, task = start 'camunda:asyncBefore="true"'
    broken.first = true
    task:complete { approved = true }
    assert.same({ { "first" }, true, 0 }, { instance:active(), instance:get "approved", runs.first })
    engine:run_jobs(1)
    assert.same({ 0, { "first" } }, { engine:count "tasks", instance:active() })
  end)

  it("a boundary may lie several steps back: all of them are rolled back and run again", function()
    local instance = start 'camunda:asyncBefore="true"'
    engine:task({}):complete()
    broken.second = true
    engine:run_jobs(1)
    assert.same({ { "first" }, 1, 1 }, { instance:active(), runs.first, runs.second })
    broken.second = false
    engine:run_jobs()
    assert.same({ 2, 2 }, { runs.first, runs.second })
    assert.is_nil(engine:instance(instance.id))
  end)
end)

describe("Make Every Service Task Asynchronous", function()
  it("the process stops at the task where the error occurred, with retries of its own", function()
    local engine <close> = support.engine()
    local broken, runs = breakable(engine, "first", "second")
    local cycle = support.cycle "R2/PT0S"
    support.deploy(engine, '<startEvent id="s"/>' .. service("first", 'camunda:asyncBefore="true"')
      .. '<serviceTask id="second" camunda:class="second" camunda:asyncBefore="true">' .. cycle .. '</serviceTask><endEvent id="e"/>',
      "s -> first first -> second second -> e")
    broken.second = true
    local instance = engine:start "p"
    assert.equal(3, engine:job({}).retries)
    engine:run_jobs()
    assert.same({ { "second" }, 1, 2 }, { instance:active(), runs.first, runs.second })
    assert.same({ "second", 0 }, { engine:job({}).activity_id, engine:job({}).retries })
  end)
end)

describe("Rules and Restrictions on Setting Save Points", function()
  local engine, broken, runs
  before_each(function()
    engine = support.engine()
    broken, runs = breakable(engine, "first", "second")
  end)
  after_each(function() engine:close() end)

  for what, step in pairs {
    ["a user task: completed without waiting for costly steps, or seeing them fail"] = { '<userTask id="x" %s/>',
      function() engine:task({}):complete() end },
    ["a service that must not repeat, because of what follows"] = { '<serviceTask id="x" camunda:class="first" %s/>', function() end },
    ["an event that was received: it is not lost"] = { '<receiveTask id="x" messageRef="m" %s/>', function() engine:message "order" end },
  } do
    it("after " .. what, function()
      support.deploy(engine, '<startEvent id="s"/>' .. step[1]:format 'camunda:asyncAfter="true"' .. service "second"
        .. '<endEvent id="e"/>', "s -> x x -> second second -> e", { before = '<message id="m" name="order"/>' })
      broken.second = true
      local instance = engine:start "p"
      step[2]()
      local done = runs.first
      engine:run_jobs()
      assert.same({ 3, done, 0, 0 }, { runs.second, runs.first, engine:count "tasks", engine:count "subscriptions" })
      assert.same({ { "x" }, 1 }, { instance:active(), engine:count "incidents" })
    end)
  end

  for what, attribute in pairs { before = "asyncBefore", after = "asyncAfter" } do
    it(what .. " an end event: a called process is done, whatever its caller does next", function()
      support.deploy(engine, '<startEvent id="s"/>' .. service "first" .. ('<endEvent id="e" camunda:%s="true"/>'):format(attribute),
        "s -> first first -> e", { key = "called" })
      support.deploy(engine, '<startEvent id="s"/><callActivity id="c" calledElement="called"/>' .. service "second",
        "s -> c c -> second")
      broken.second = true
      engine:start "p"
      assert.same({ 1, "e" }, { runs.first, engine:job({}).activity_id })
      engine:run_jobs()
      assert.same({ 1, 3 }, { runs.first, runs.second })
    end)
  end

  it("before a start event: what fails in the first steps takes no instance with it", function()
    support.deploy(engine, '<startEvent id="s" camunda:asyncBefore="true"/>' .. service "first", "s -> first")
    broken.first = true
    local instance = engine:start "p"
    engine:run_jobs()
    assert.same({ { "s" }, 1 }, { engine:instance(instance.id):active(), engine:count "incidents" })
  end)

  it("before a join: each branch arrives by a job of its own, and repeats alone", function()
    support.deploy(engine, '<startEvent id="s"/><parallelGateway id="fork"/>' .. service "first" .. service "second"
      .. '<parallelGateway id="join" camunda:asyncBefore="true"/><endEvent id="e"/>',
      "s -> fork fork -> first fork -> second first -> join second -> join join -> e")
    local instance = engine:start "p"
    assert.same({ "join", "join" }, support.fields(engine:jobs {}, "activity_id"))
    engine:run_jobs(1)
    assert.same({ { "join", "join" }, 1 }, { instance:active(), engine:count "jobs" })
    engine:run_jobs()
    assert.same({ 1, 1 }, { runs.first, runs.second })
    assert.is_nil(engine:instance(instance.id))
  end)

  it("multi-instance asynchronous after: the instances leave one by one", function()
    support.deploy(engine, '<startEvent id="s"/><serviceTask id="x" camunda:class="first"><multiInstanceLoopCharacteristics '
      .. 'camunda:asyncAfter="true"><loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics></serviceTask>', "s -> x")
    local instance = engine:start "p"
    assert.same({ 3, 3 }, { runs.first, engine:count("jobs", { handler = "async-after" }) })
    engine:run_jobs(2)
    assert.same({ { "x" }, 1 }, { instance:active(), engine:count "jobs" })
    engine:run_jobs()
    assert.same({ 3, nil }, { runs.first, engine:instance(instance.id) })
  end)

  -- The seed: it "cannot be configured" there. Here it may be (docs/job-executor.md, "Where we differ").
  for what, element in pairs {
    ["user task"] = '<userTask id="x" %s/>', ["receive task"] = '<receiveTask id="x" messageRef="m" %s/>',
    ["external task"] = '<serviceTask id="x" camunda:type="external" camunda:topic="t" %s/>', ["gateway"] = '<exclusiveGateway id="x" %s/>',
  } do
    it("before a " .. what .. " it may be set, and costs a job", function()
      support.deploy(engine, '<startEvent id="s"/>' .. element:format 'camunda:asyncBefore="true"' .. '<userTask id="u"/>', "s -> x x -> u",
        { before = '<message id="m" name="order"/>' })
      local instance = engine:start "p"
      assert.same({ "x", 0 }, { engine:job({}).activity_id, engine:count "tasks" })
      engine:run_jobs()
      assert.same({ 0, { what == "gateway" and "u" or "x" } }, { engine:count "jobs", instance:active() })
    end)
  end
end)

describe("Transaction Rollback Without Error Handling", function()
  --- A user task, "Generate invoice", a timer.
  local function start(engine, attributes)
    support.deploy(engine, '<startEvent id="s"/><userTask id="u"/>' .. service("invoice", attributes) .. '<intermediateCatchEvent id="c">'
      .. support.timer("Duration", "PT1H") .. "</intermediateCatchEvent>", "s -> u u -> invoice invoice -> c")
    return engine:start "p"
  end

  it("an unhandled exception leaves the user task to be done, and no timer", function()
    local engine <close> = support.engine()
    local broken = breakable(engine, "invoice")
    broken.invoice = true
    local instance = start(engine)
    for _ = 1, 2 do -- it is stuck there as long as the cause is
      local task = engine:task {}
      support.refused("script", task.complete, task)
      assert.same({ { "u" }, 0, 0 }, { instance:active(), engine:count "jobs", engine:count "incidents" })
    end
  end)

  it("asyncBefore: the task stays done, and the executor tries again from there", function()
    local engine <close> = support.engine()
    local broken = breakable(engine, "invoice")
    broken.invoice = true
    local instance = start(engine, 'camunda:asyncBefore="true"')
    engine:task({}):complete()
    engine:run_jobs(1)
    assert.same({ { "invoice" }, 0, 2 }, { instance:active(), engine:count "tasks", engine:job({}).retries })
    broken.invoice = false
    engine:run_jobs()
    assert.same({ "c" }, instance:active())
  end)

  it("wanted: what a validation raises lets the data be entered again", function()
    local engine <close> = support.engine()
    engine:register("validate", function(execution)
      if execution:get "amount" < 0 then error { type = "shop.Invalid", message = "a negative amount" } end
    end)
    support.deploy(engine, '<startEvent id="s"/><userTask id="form"/>' .. service "validate" .. '<userTask id="next"/>',
      "s -> form form -> validate validate -> next")
    local instance = engine:start "p"
    local task = engine:task {}
    local refused = support.refused("script", task.complete, task, { amount = -1 })
    assert.same({ "shop.Invalid", nil }, { refused.cause.type, instance:get "amount" })
    engine:task({ key = "form" }):complete { amount = 1 }
    assert.same({ { "next" }, 1 }, { instance:active(), instance:get "amount" })
  end)
end)
