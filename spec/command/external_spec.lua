-- Commands of external workers: what they refuse, and what a fetch brings.
-- Marks: records
local support = require "spec.support.process"
local refused = support.refused

local MODEL = [[<startEvent id="s"/><serviceTask id="work" camunda:type="external" camunda:topic="orders">
  <extensionElements><camunda:properties><camunda:property name="color" value="blue"/></camunda:properties></extensionElements>
  </serviceTask><endEvent id="e"/>]]

describe("an external task", function()
  local engine, instance

  before_each(function()
    engine = support.engine()
    support.deploy(engine, MODEL, "s -> work work -> e")
    instance = engine:start("p", { business_key = "k1", variables = { a = 1, b = { 2 }, c = "three" } })
  end)

  after_each(function() engine:close() end)

  local function fetch(topic, request)
    local t = { name = "orders", lock = 60 }
    for k, v in pairs(topic or {}) do t[k] = v end
    local r = { worker = "w1", max = 5, topics = { t } }
    for k, v in pairs(request or {}) do r[k] = v end
    return engine:fetch_and_lock(r)
  end

  local wrong = {
    ["an unknown key"] = { nil, { wurker = "w1" }, "worker" },
    ["an unknown key of a topic"] = { { variable = { "a" } }, nil, "topics[1].variable" },
    ["a worker that is no text"] = { nil, { worker = 1 }, "worker" },
    ["a maximum that is no integer"] = { nil, { max = "5" }, "max" },
    ["a negative maximum"] = { nil, { max = -1 }, "max" },
    ["topics that are no list"] = { nil, { topics = { name = "orders" } }, "topics" },
    ["a topic that is no map"] = { nil, { topics = { "orders" } }, "topics[1]" },
    ["a lock that is no duration"] = { { lock = "soon" }, nil, "topics[1].lock" },
    ["a lock of nothing"] = { { lock = 0 }, nil, "lock" },
    ["a negative lock"] = { { lock = -1 }, nil, "topics[1].lock" },
    ["a lock without an end"] = { { lock = math.huge }, nil, "topics[1].lock" },
    ["names that are no texts"] = { { variables = { 1 } }, nil, "topics[1].variables" },
    ["names that are no list"] = { { variables = { a = 1 } }, nil, "topics[1].variables" },
    ["a flag that is none"] = { { local_variables = 1 }, nil, "topics[1].local_variables" },
    ["values to match that are no map"] = { { match = "a" }, nil, "topics[1].match" },
    ["a definition that is no id"] = { { definition_id = "first" }, nil, "topics[1].definition_id" },
    ["an order by something else"] = { nil, { order_by = "priority" }, "order_by" },
    ["an order in no direction"] = { nil, { order_by = { { "created", "sideways" } } }, "order_by" },
    ["a topic without a name"] = { { name = "" }, nil, "name" },
  }

  for what, case in pairs(wrong) do
    it("is not fetched with " .. what, function()
      local err = refused("argument", fetch, case[1], case[2])
      assert.truthy(err.message:find(case[3], 1, true), err.message)
      assert.is_nil(engine:external_task({}).worker)
    end)
  end

  it("is not fetched without worker, maximum or topics", function()
    refused("argument", engine.fetch_and_lock, engine, { max = 1, topics = { { name = "orders", lock = 1 } } })
    refused("argument", engine.fetch_and_lock, engine, { worker = "w1", topics = { { name = "orders", lock = 1 } } })
    refused("argument", engine.fetch_and_lock, engine, { worker = "w1", max = 1 })
  end)

  it("brings all variables, those asked for, or none", function()
    assert.same({ a = 1, b = { 2 }, c = "three" }, fetch()[1].variables)
    engine:external_task({}):unlock()
    assert.same({ a = 1, c = "three" }, fetch({ variables = { "a", "c", "missing" } })[1].variables)
    engine:external_task({}):unlock()
    assert.same({}, fetch({ variables = {} })[1].variables)
    engine:external_task({}):unlock()
    assert.same({}, fetch({ local_variables = true })[1].variables)
  end)

  it("brings the properties of its element when asked", function()
    assert.is_nil(fetch()[1].extension_properties)
    engine:external_task({}):unlock()
    local task = fetch({ extension_properties = true })[1]
    assert.same({ color = "blue" }, task.extension_properties)
    assert.equal("k1", task.business_key)
  end)

  it("is chosen by what a topic says", function()
    assert.same({}, fetch { business_key = "other" })
    assert.same({}, fetch { definition_key = "q" })
    assert.same({}, fetch { definition_id = instance.id })
    assert.same({}, fetch { version_tag = "1" })
    assert.same({}, fetch { match = { a = 2 } })
    assert.equal(1, #fetch { business_key = "k1", definition_key = "p", definition_id = instance.definition_id, match = { a = 1 } })
  end)

  it("has retries from the beginning, but where a failure must give them", function()
    assert.is_nil(fetch()[1].retries)
    local other <close> = support.engine { dialect = "flowable" }
    support.deploy(other, MODEL, "s -> work work -> e")
    other:start "p"
    assert.equal(3, other:external_task({}).retries)
  end)

  it("is locked by a duration as text, and until then by one worker", function()
    local task = fetch({ lock = "PT1M" })[1]
    assert.equal(engine:now() + 60, task.lock_expires)
    assert.same({}, fetch(nil, { worker = "w2" }))
    refused("state", task.complete, task, "w2")
    refused("state", task.bpmn_error, task, "w2", "code")
    refused("state", task.fail, task, "w2", { retries = 1 })
    refused("state", task.lock, task, "w2", 60)
    refused("state", task.extend_lock, task, "w2", 60)
    local year_9999 = 253402300799 -- as a duration: it would end behind what a time can say
    refused("argument", task.lock, task, "w1", year_9999)
    refused("argument", task.extend_lock, task, "w1", year_9999)
    refused("argument", task.fail, task, "w1", { retries = 1, retry_timeout = year_9999 })
    refused("argument", fetch, { lock = year_9999 })
    engine:advance(61)
    assert.equal(1, #fetch(nil, { worker = "w2" }))
    refused("state", task.complete, task, "w1")
  end)

  local verbs = {
    complete = function(t) t:complete "w1" end,
    bpmn_error = function(t) t:bpmn_error("w1", "code") end,
    fail = function(t) t:fail("w1", { retries = 1 }) end,
    lock = function(t) t:lock("w1", 60) end,
    extend_lock = function(t) t:extend_lock("w1", 60) end,
    unlock = function(t) t:unlock() end,
    set_retries = function(t) t:set_retries(1) end,
    set_priority = function(t) t:set_priority(1) end,
  }

  for name, call in pairs(verbs) do
    it(name .. " needs a task that exists", function()
      local task = fetch()[1]
      task:complete "w1"
      refused("not_found", call, task)
    end)
  end

  it("refuses what is no failure", function()
    local task = fetch()[1]
    refused("argument", task.fail, task, "w1", { message = 1 })
    refused("argument", task.fail, task, "w1", { details = {} })
    refused("argument", task.fail, task, "w1", { retries = "1" })
    refused("argument", task.fail, task, "w1", { retries = -1 })
    refused("argument", task.fail, task, "w1", { retries = 1, retry_timeout = -1 })
    refused("argument", task.fail, task, "w1", { retries = 1, variables = 7 })
    refused("argument", task.fail, task, "w1", { retries = 1, local_variables = { 1 } })
    refused("argument", task.fail, task, "w1", { retrys = 1 })
    assert.is_nil(engine:external_task(task.id).error)
  end)

  it("refuses variables that are no map", function()
    local task = fetch()[1]
    refused("argument", task.complete, task, "w1", 5)
    refused("argument", task.complete, task, "w1", {}, { 1 })
    refused("argument", task.bpmn_error, task, "w1", "code", nil, "x")
    assert.same({ "work" }, instance:active())
  end)

  it("stands still with its instance", function()
    local task = fetch()[1]
    instance:suspend()
    assert.is_true(engine:external_task(task.id).suspended)
    refused("suspended", task.complete, task, "w1")
    refused("suspended", task.bpmn_error, task, "w1", "code")
    engine:advance(61)
    assert.same({}, fetch())
    instance:activate()
    assert.equal(1, #fetch())
  end)

  it("is given back by worker or topic, but not by nothing", function()
    refused("argument", engine.unlock_external_tasks, engine, {})
    fetch()
    engine:unlock_external_tasks { worker = "w2" }
    engine:unlock_external_tasks { topic = "other" }
    assert.equal("w1", engine:external_task({}).worker)
    engine:unlock_external_tasks { worker = "w1", topic = "orders" }
    assert.is_nil(engine:external_task({}).worker)
  end)

  it("tells its topics, each once and in order", function()
    support.deploy(engine, (MODEL:gsub('"orders"', '"invoices"')), "s -> work work -> e")
    engine:start "p"
    engine:start "p"
    assert.same({ "invoices", "orders" }, engine:external_topics {})
    fetch()
    assert.same({ "orders" }, engine:external_topics { locked = true })
    assert.equal(1, engine:count("external_topics", { locked = false }))
  end)
end)

describe("an external task's log", function()
  it("tells of a failure where it happened, and there alone", function()
    local engine <close> = support.engine { history = "full" }
    support.deploy(engine, MODEL, "s -> work work -> e")
    engine:start "p"
    local task = engine:fetch_and_lock({ worker = "w1", max = 1, topics = { { name = "orders", lock = 60 } } })[1]
    task:fail("w1", { message = "down", details = "line 1\nline 2", retries = 1, retry_timeout = 60 })
    task:lock("w1", 60)
    task:complete "w1"
    local told = {}
    for i, row in ipairs(engine:history_externals { task_id = task.id, order_by = "sequence" }) do
      told[i] = { row.state, row.error, row.details }
    end
    assert.same({ { "created" }, { "failed", "down", "line 1\nline 2" }, { "succeeded" } }, told)
  end)
end)

describe("an external task's error conditions", function()
  local engine, instance, task

  after_each(function() engine:close() end)

  local function fetched(condition)
    engine = support.engine()
    support.deploy(engine, ([[<startEvent id="s"/><serviceTask id="work" camunda:type="external" camunda:topic="orders">
      <extensionElements><camunda:errorEventDefinition errorRef="declined" expression="%s"/></extensionElements></serviceTask>
      <boundaryEvent id="b" attachedToRef="work"><errorEventDefinition errorRef="declined" camunda:errorMessageVariable="said"/>
      </boundaryEvent><userTask id="rescue"/><endEvent id="e"/>]]):format(condition), "s -> work work -> e b -> rescue")
    instance = engine:start "p"
    task = engine:fetch_and_lock({ worker = "w1", max = 1, topics = { { name = "orders", lock = 60 } } })[1]
  end

  it("see the worker's variables, and a failure's message goes with the error", function()
    fetched "${card == 'no'}"
    task:fail("w1", { message = "no money", retries = 0, variables = { card = "no" } })
    assert.same({ "rescue" }, instance:active())
    assert.equal("no money", instance:get "said")
  end)

  it("see the task itself", function()
    fetched "${externalTask.id != null and externalTask.getProcessDefinitionKey() == 'p' and externalTask.errorMessage == null}"
    task:complete "w1"
    assert.same({ "rescue" }, instance:active())
  end)

  it("fail a completion that they cannot answer", function()
    fetched "${card == 'no'}"
    refused("expression", task.complete, task, "w1")
    assert.same({ "work" }, instance:active())
  end)

  it("do not hide a failure that they cannot answer", function()
    fetched "${card == 'no'}"
    task:fail("w1", { message = "down", retries = 0 })
    assert.equal("down", engine:incidents({})[1].message)
    assert.same({ "work" }, instance:active())
  end)

  it("do not hold when they are no boolean", function()
    fetched "${1}"
    task:complete "w1"
    assert.is_nil(engine:instance(instance.id))
  end)

  it("do not hold when they are empty", function()
    fetched ""
    task:complete "w1"
    assert.is_nil(engine:instance(instance.id))
  end)
end)
