-- A store with something of everything that lists show, and what each record says when it is looked at without any filter.
local support = require "spec.support.process"

local world = {}

local function process(key, body, version)
  return support.model(body, ({
    order = "s -> split split -> check split -> ship split -> pay check -> join ship -> join pay -> join join -> e",
    caller = "cs -> call call -> ce",
    slow = "ws -> work work -> we",
  })[key], { key = key, before = '<message id="m" name="news"/>',
    attributes = ('name="%s" camunda:versionTag="v%d"'):format(key:upper(), version) })
end

local bodies = {
  order = [[<startEvent id="s"/><parallelGateway id="split"/><parallelGateway id="join"/><endEvent id="e"/>
    <userTask id="check" name="Check Order" camunda:candidateGroups="sales,Ops" camunda:candidateUsers="ann"/>
    <boundaryEvent id="told" attachedToRef="check"><messageEventDefinition messageRef="m"/></boundaryEvent>
    <userTask id="ship" name="ship it" camunda:assignee="${who}" camunda:dueDate="${due}" camunda:followUpDate="${follow}"
      camunda:priority="${n}"/>
    <serviceTask id="pay" camunda:type="external" camunda:topic="pay"/>]],
  caller = [[<startEvent id="cs"/><endEvent id="ce"/>
    <callActivity id="call" calledElement="order" camunda:calledElementBinding="latest"><extensionElements>
      <camunda:in variables="all"/><camunda:in businessKey="#{execution.processBusinessKey}"/></extensionElements></callActivity>]],
  slow = '<startEvent id="ws"/>' .. support.task "work" .. '<endEvent id="we"/>',
}

local names = { "ann", "Bob", "bÖb", "carl_x", "50%" }

local table_of_rules = [[<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" namespace="world" id="w" name="w">
  <decision id="%s" name="%s"><variable name="%s"/><informationRequirement><requiredDecision href="#base%s"/></informationRequirement>
    <literalExpression><text>n + base%s</text></literalExpression></decision>
  <decision id="base%s" name="base%s"><variable name="base%s"/><literalExpression><text>1</text></literalExpression></decision>
</definitions>]]

-- What no process makes: words, documents, bounds, one thing done to many, decisions, and what users did.
local function surround(engine, random)
  engine:deploy({ ["begun.bpmn"] = support.model('<startEvent id="b"><messageEventDefinition messageRef="m"/></startEvent>', "",
    { key = "begun", before = '<message id="m" name="begin"/>' }) }, { name = "begun" })
  engine:definition({ key = "begun" }):add_link("candidate", { group = "sales" })
  for _, key in ipairs { "rate", "Grade" } do
    engine:deploy({ [key .. ".dmn"] = table_of_rules:format(key, key, key, key, key, key, key, key) }, { name = key })
  end
  engine:deploy({ ["rate.dmn"] = (table_of_rules:gsub("%%s", "rate")) }, { name = "rate again" })
  for i = 1, 4 do engine:decide(random { "rate", "Grade" }, { n = i }) end
  engine:as("kermit", function() engine:decide("rate", { n = 9 }) end)
  for i, instance in ipairs(engine:instances { limit = 6 }) do
    engine:as(i % 2 == 0 and "ann" or "Bob", function()
      engine:add_comment(instance.id, random { "why", "Why", "50%" })
      instance:set("noted", i)
      if i % 3 == 0 then instance:remove "noted" end
      engine:decide("rate", { n = i }, { execution = instance.id })
    end)
    engine:add_attachment(instance.id, { name = "a" .. i, type = i % 2 == 0 and "text/plain" or nil, content = ("x"):rep(i) })
  end
  for i, task in ipairs(engine:tasks { limit = 4 }) do
    engine:add_comment(task.id, "so it is")
    if i > 2 then engine:add_attachment(task.id, { name = "b" .. i, content = "x" }) end
  end
  for i, topic in ipairs { "pay", "ship", "sing" } do engine:set_limit({ topic = topic }, { max = i, per_second = i > 1 and i or nil }) end
  local jobs = engine:jobs { type = "async" }
  engine:batch { action = "set_priority", value = 7, filter = { id = jobs[1].id } }
  engine:as("ann", function() engine:batch { action = "set_variables", variables = { seen = true }, filter = { key = "order" } } end)
end

--- An engine with some thirty instances in all states; the same each time for the same `random`.
function world.open(random)
  local engine = support.engine { history = "full" }
  support.failing(engine)
  engine:set_groups(function(user) return user == "kermit" and { "sales" } or {} end)
  for version = 1, 2 do
    for key, body in pairs(bodies) do
      engine:deploy({ [key .. ".bpmn"] = process(key, body, version) }, { name = key .. version, tenant = nil })
    end
  end
  local versions = { order = { 1, 2 }, caller = { 2 }, slow = { 2 } }
  for i = 1, 30 do
    local key = random { "order", "order", "caller", "slow" }
    local variables = { n = i % 7, who = random(names), Name = random(names), flag = i % 2 == 0, sum = i * 1.5 }
    if i % 3 == 0 then variables.note = random { "Hello", "hello", "HELLO", "x" } end
    if i % 4 == 0 then variables.due = "2026-02-0" .. i % 9 + 1 .. "T00:00:00Z" else variables.due = "2026-03-01T00:00:00Z" end
    variables.follow = "2026-02-1" .. i % 5 .. "T00:00:00Z"
    engine:advance(60)
    engine:start(key, { variables = variables, business_key = i % 5 > 0 and "K" .. i % 4 or nil, version = random(versions[key]) })
  end
  engine:run_jobs(20)
  for i, task in ipairs(engine:tasks { key = "check" }) do
    if i % 3 == 0 then task:claim "ann" elseif i % 3 == 1 then task:set_local("mine", i) end
    if i % 4 == 0 then task:add_link("participant", { user = "zoe" }) end
    if i % 5 == 0 then task:update { follow_up = "2026-02-12T00:00:00Z", priority = i } end
  end
  engine:advance(3600)
  for i, task in ipairs(engine:tasks { key = "ship" }) do
    if i % 3 == 0 then task:complete() end
  end
  for i, task in ipairs(engine:external_tasks { limit = 4 }) do engine:execution(task.execution_id):set_local("spot", i) end
  engine:fetch_and_lock { worker = "w", max = 3, topics = { { name = "pay", lock = 1000 } } }
  for i, instance in ipairs(engine:instances()) do
    local there = engine:instance(instance.id) -- it may have gone with its caller
    if there and i % 6 == 0 then there:suspend() elseif there and i % 11 == 0 then there:delete "enough" end
  end
  surround(engine, random)
  return engine
end

return world
