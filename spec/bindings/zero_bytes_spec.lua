--- Names, ids and other texts of the API hold no zero byte: C would cut them there, and one text would pass for another.
local orrery = require "orrery"

local xml = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
    targetNamespace="spec">
  <message id="m" name="m"/>
  <process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/><userTask id="t"/></process>
  <process id="r" isExecutable="true"><startEvent id="rs"/><sequenceFlow id="rf" sourceRef="rs" targetRef="rt"/>
    <receiveTask id="rt" messageRef="m"/></process>
  <process id="x" isExecutable="true"><startEvent id="xs"/><sequenceFlow id="xf" sourceRef="xs" targetRef="xt"/>
    <serviceTask id="xt" camunda:type="external" camunda:topic="top"/></process>
</definitions>]]

describe("a zero byte", function()
  local engine, pi, task, et
  before_each(function()
    engine = orrery.open(nil, { log = "none", clock = "manual" })
    engine:deploy { ["p.bpmn"] = xml }
    pi = engine:start("p", { business_key = "b" })
    engine:start "r"
    engine:start "x"
    task, et = engine:task {}, engine:external_task {}
  end)
  after_each(function() engine:close() end)

  local function refused(what, f, ...)
    local ok, problem = pcall(f, ...)
    assert.is_false(ok, what)
    assert.equal("argument", problem.kind, what .. ": " .. tostring(problem))
  end

  local N = "p\0x"

  it("is refused in what names code and its texts", function()
    refused("a model", engine.deploy, engine, { ["q\0.bpmn"] = xml })
    refused("a resource", engine.deploy, engine, { ["q.bpmn"] = xml, ["q.txt\0"] = "" })
    assert.is_nil(engine:definition { key = "p", version = 2 })
    refused("a path", engine.deploy, engine, "/tmp\0")
    refused("a deployment's name", engine.deploy, engine, { ["q.bpmn"] = xml }, { name = N })
    refused("a resource that is asked for", engine.resource, engine, engine:deployment({}).id, "p.bpmn\0")
    refused("a registered name", engine.register, engine, N, print)
    refused("a module", engine.register, engine, "n", N)
    refused("a task type", engine.register_task_type, engine, N, print)
    refused("a task type's module", engine.register_task_type, engine, "n", N)
    refused("a deferred module", orrery.defer, N)
    refused("an error's code", orrery.bpmn_error, N)
    for _, option in ipairs { "name", "time_zone", "history", "retry_time_cycle", "dialect", "user", "package_path", "retry_strategy" } do
      refused(option, orrery.open, nil, { [option] = "audit\0x" })
    end
  end)

  it("is refused in what starts, finds and moves instances", function()
    refused("a key", engine.start, engine, N)
    for _, option in ipairs { "business_key", "tenant", "initiator", "start_event" } do
      refused(option, engine.start, engine, "p", { [option] = N })
    end
    refused("a variable", engine.start, engine, "p", { variables = { [N] = 1 } })
    refused("a transient variable", engine.start, engine, "p", { transient = { [N] = 1 } })
    refused("an instruction", engine.start, engine, "p", { instructions = { { start_before = "t\0" } } })
    refused("a flow", pi.modify, pi, { { transition = "f\0" } })
    refused("a canceled activity", pi.modify, pi, { { cancel = "t\0" } })
    assert.same({ "t" }, pi:active())
    refused("a message", engine.message, engine, N)
    refused("what it must match", engine.message, engine, "m", { local_match = { [N] = 1 } })
    refused("a signal", engine.signal, engine, N)
    refused("a set variable", pi.set, pi, N, 1)
    refused("variables", pi.set_all, pi, { [N] = 1 })
    assert.same({}, pi:variables())
    assert.equal(1, engine:count("instances", { key = "p" }))
  end)

  it("is refused in every filter", function()
    local refusals = 0
    for _, verb in ipairs { "instances", "tasks", "jobs", "definitions", "deployments", "executions", "incidents", "subscriptions",
      "job_definitions", "external_tasks", "history_instances", "history_activities", "history_variables", "history_tasks",
      "history_jobs", "history_incidents", "history_externals", "limits", "batches" } do
      for _, key in ipairs { "tenant", "name", "key", "activity", "business_key", "state", "definition_key", "worker", "topic",
        "candidate_user", "candidate_group", "message", "startable_by", "id", "assignee", "name_like", "order_by" } do
        refused(verb .. "." .. key, engine[verb], engine, { [key] = "b\0x" })
        refusals = refusals + 1
      end
      refused(verb .. "._in", engine[verb], engine, { id_in = { "1", "b\0x" } })
      refused(verb, engine[verb], engine, { ["id\0y"] = 1 })
    end
    refused("a variable", engine.instances, engine, { variables = { [N] = 1 } })
    assert.is_true(refusals > 300)
  end)

  it("is refused in what concerns people and workers", function()
    refused("claim", task.claim, task, N)
    refused("update", task.update, task, { name = N })
    refused("a field", task.update, task, { ["name\0"] = "x" })
    refused("a link", task.add_link, task, "candidate", { user = N })
    refused("a limit", engine.set_limit, engine, { topic = N }, { max = 1 })
    refused("a worker", engine.fetch_and_lock, engine, { worker = N, topics = { { name = "top", lock = 5 } } })
    refused("a topic", engine.fetch_and_lock, engine, { worker = "w", topics = { { name = "top\0", lock = 5 } } })
    refused("complete", et.complete, et, N)
    refused("fail", et.fail, et, "w", { message = N })
    assert.is_nil(engine:task({}).assignee)
    assert.is_nil(engine:external_task({}).worker)
  end)

  it("is a byte like any other in values", function()
    local values = { text = "a\0b", list = { "\0" }, map = { ["k\0"] = "\0v" } }
    pi:set_all(values)
    assert.same(values, pi:variables())
    assert.equal(1, engine:count("instances", { variables = { text = "a\0b" } }))
    assert.equal(0, engine:count("instances", { variables = { text = "a\0c" } }))
    engine:deploy { ["p.bpmn"] = xml, ["bytes"] = "\0\0" }
    assert.equal("\0\0", engine:resource(engine:deployment({ order_by = { { "time", "desc" }, { "id", "desc" } } }).id, "bytes"))
  end)
end)
