-- What the history level "full" keeps beyond audit: who did what, each writing of a variable, links, flows; and reports.
-- Marks: records
local orrery = require "orrery"
local support = require "spec.support.process"
local refused, fields = support.refused, support.fields

local full = { history = "full" }

local function waiting(options)
  local engine = support.engine(options or full)
  support.user_task(engine)
  return engine, engine:start "p"
end

-- Rows as "type property: old -> new".
local function told(rows)
  local out = {}
  for i, row in ipairs(rows) do
    out[i] = ("%s %s: %s -> %s"):format(row.type, row.property or "-", row.old_value or "-", row.new_value or "-")
  end
  table.sort(out)
  return out
end

local function operations(engine, filter)
  return told(engine:history_operations(filter or {}))
end

describe("the log of users' operations", function()
  it("has nothing of what no user did, of jobs, of delegates, and of lower levels", function()
    local engine <close> = support.engine(full)
    support.async(engine)
    engine:register("work", function(execution) execution.engine:task({}):claim "bot" end)
    support.user_task(engine)
    engine:start "p"
    engine:deploy { ["q.bpmn"] = support.model('<startEvent id="s"/><userTask id="t"/>', "s -> t", { key = "q" }) }
    engine:start "q"
    assert.same({}, engine:history_operations {})
    engine:as("kermit", function() engine:run_jobs() end)
    assert.same({}, engine:history_operations {})
    local audit <close> = support.engine { user = "kermit" }
    support.user_task(audit)
    audit:start("p"):set("x", 1)
    assert.same({}, audit:history_operations {})
  end)

  it("has no row of a delegate's command, within a user's", function()
    local engine <close> = support.engine(full)
    engine:register("work", function(execution) execution.engine:instance(execution.instance_id):set("x", 1) end)
    support.deploy(engine, '<startEvent id="s"/><serviceTask id="w" camunda:class="work"/><userTask id="u"/>', "s -> w w -> u")
    engine:as("kermit", function() engine:start "p" end)
    assert.same({ "Create -: - -> -" }, operations(engine))
  end)

  it("tells of tasks each field that changed, with who, when and where", function()
    local engine <close>, pi = waiting()
    local task = engine:task {}
    engine:as("kermit", function()
      task:claim "kermit"
      task:update { priority = 7, due = "2026-05-01T00:00:00Z", name = "New", owner = "miss" }
      task:add_link("candidate", { group = "frogs" })
      task:remove_link("candidate", { group = "frogs" })
      task:assign(nil)
      task:delegate "fozzie"
      task:resolve {}
      task:complete { x = 1 }
    end)
    assert.same({ "AddGroupLink candidate: - -> frogs", "Assign assignee: kermit -> -", "Claim assignee: - -> kermit",
      "Complete delete: false -> true", "Delegate assignee: - -> fozzie", "Delegate delegation: - -> pending",
      "DeleteGroupLink candidate: - -> frogs", "Resolve assignee: fozzie -> miss", "Resolve delegation: pending -> resolved",
      "Update due: - -> 2026-05-01T00:00:00Z", "Update name: My task -> New", "Update owner: - -> miss", "Update priority: 50 -> 7" },
      operations(engine))
    local row = engine:history_operations({ type = "Claim" })[1]
    assert.same({ "kermit", "Task", "TaskWorker", pi.id, task.id, "p", pi.root_id, engine:now() },
      { row.user, row.entity, row.category, row.instance_id, row.task_id, row.definition_key, row.root_id, row.time })
    assert.same({ "IdentityLink" }, fields(engine:history_operations { type = "AddGroupLink" }, "entity"))
    assert.equal(13, #engine:history_operations { task_id = task.id })
    assert.equal(13, engine:history_operations { user = "kermit" } and #engine:history_operations { user = "kermit" })
  end)

  it("puts what one command changed under one operation", function()
    local engine <close> = waiting()
    local task = engine:task {}
    engine:as("kermit", function()
      engine:transaction(function()
        task:update { priority = 7, name = "New" }
        task:claim "kermit"
      end)
    end)
    local rows = engine:history_operations { order_by = "id" }
    assert.equal(3, #rows)
    local by = {}
    for _, row in ipairs(rows) do by[row.type] = by[row.type] or row.operation_id end
    assert.not_equal(by.Update, by.Claim)
    assert.equal(2, #engine:history_operations { operation_id = by.Update })
    engine:annotate_operation(by.Update, "as agreed")
    assert.same({ "as agreed", "as agreed" }, fields(engine:history_operations { operation_id = by.Update }, "annotation"))
    engine:annotate_operation(by.Update)
    assert.same({}, fields(engine:history_operations { operation_id = by.Update }, "annotation"))
    refused("not_found", engine.annotate_operation, engine, "12345", "x")
  end)

  it("tells variables' old and new values, and cuts long ones", function()
    local engine <close>, pi = waiting()
    engine:as("kermit", function()
      pi:set("x", 1)
      pi:set_all { x = "text", y = { 1, { k = true } } }
      pi:remove "y"
      engine:task {}:set_local("mine", orrery.typed { type = "Json", value = '{"a": 1}' })
      pi:set("long", ("x"):rep(5000))
    end)
    local long = engine:history_operations({ property = "long" })[1]
    assert.equal(4000, #long.new_value)
    local rows = operations(engine, { property_in = { "x", "y", "mine" } })
    assert.same({ 'RemoveVariable y: [1,{"k":true}] -> -', 'SetVariable mine: - -> {"a": 1}', "SetVariable x: - -> 1",
      "SetVariable x: 1 -> text", 'SetVariable y: - -> [1,{"k":true}]' }, rows)
    assert.same({ engine:task({}).id }, fields(engine:history_operations { property = "mine" }, "task_id"))
  end)

  it("tells of instances, definitions, jobs, incidents, batches and deployments", function()
    local engine <close> = support.engine { history = "full", user = "op" }
    support.failing(engine)
    local deployment = support.single(engine, nil, support.cycle "R1/PT1S")
    local pi = engine:start "p"
    local definition = pi.definition_id
    engine:run_jobs()
    local job, incident = engine:job {}, engine:incident {}
    engine.core:incident_annotate(incident.id, "looked at")
    job:set_retries(2)
    job:set_priority(9)
    job:suspend()
    job:activate()
    job:set_due "2026-02-01T00:00:00Z"
    pi:suspend()
    pi:activate()
    engine:suspend_definition(definition)
    engine:activate_definition(definition)
    local jd = engine:job_definition {}
    jd:set_priority(3)
    jd:suspend()
    jd:activate()
    pi:modify { { cancel = "work" }, { start_before = "work" } }
    engine:message("nobody", { all = true })
    engine:signal "nothing"
    pi:delete "enough"
    local wanted = { "Create name: - -> -", "Create -: - -> -", "SetAnnotation annotation: - -> looked at", "SetJobRetries retries: 0 -> 2",
      "SetPriority priority: 0 -> 9", "SuspendJob suspensionState: active -> suspended",
      "ActivateJob suspensionState: suspended -> active", "SetDueDate duedate: 2026-01-01T00:00:01Z -> 2026-02-01T00:00:00Z",
      "Suspend suspensionState: active -> suspended", "Activate suspensionState: suspended -> active",
      "SuspendProcessDefinition suspensionState: active -> suspended",
      "ActivateProcessDefinition suspensionState: suspended -> active", "SetPriority overridingPriority: - -> 3",
      "SuspendJobDefinition suspensionState: active -> suspended", "ActivateJobDefinition suspensionState: suspended -> active",
      'ModifyProcessInstance instructions: - -> [{"cancel":"work"},{"start_before":"work"}]',
      "CorrelateMessage messageName: - -> nobody", "Signal signalName: - -> nothing", "Delete deleteReason: - -> enough" }
    table.sort(wanted)
    assert.same(wanted, operations(engine))
    local row = engine:history_operations({ type = "SetJobRetries" })[1]
    assert.same({ "Job", "Operator", job.id, jd.id, pi.id, definition, deployment.id },
      { row.entity, row.category, row.job_id, row.job_definition_id, row.instance_id, row.definition_id, row.deployment_id })
    engine:undeploy(deployment.id, { cascade = true })
    assert.same({ "Delete cascade: - -> true" }, operations(engine, { deployment_id = deployment.id, type = "Delete" }))
  end)

  it("tells of what is done to history, to decisions and to the log itself", function()
    local models = require "spec.decision.models"
    local engine <close> = support.engine { history = "full", user = "op" }
    local d = engine:deploy { ["d.dmn"] = models.file(models.decision("d", "1")) }
    support.async(engine)
    engine:register("work", function() end)
    engine:start "p"
    local job = engine:job {}
    job:execute()
    engine:decide("d", {})
    engine:schedule_clean_history { at = engine:now() + 60, every = 60 }
    local operation = engine:history_operations({ type = "Evaluate" })[1].operation_id
    engine:annotate_operation(operation, "why")
    engine:annotate_operation(operation)
    engine:delete_decision(d.decisions[1].id, { cascade = true })
    assert.same({ "ClearAnnotation operationId: - -> " .. operation, "CreateHistoryCleanupJobs immediatelyDue: - -> false",
      "Delete cascade: - -> true", "Evaluate decisionDefinitionKey: - -> d", "Execute -: - -> -",
      "SetAnnotation operationId: - -> " .. operation },
      operations(engine, { type_not_in = { "Create" } }))
    assert.equal(job.id, engine:history_operations({ type = "Execute" })[1].job_id)
  end)

  it("writes nothing of a command that is refused", function()
    local engine <close> = waiting { history = "full", user = "op" }
    engine:task {}:claim "other"
    local before = #engine:history_operations {}
    refused("state", function() engine:task {}:claim "op" end)
    refused("argument", function() engine:task {}:update { priority = "high" } end)
    assert.equal(before, #engine:history_operations {})
    engine:transaction(function()
      pcall(function() engine:task {}:claim "op" end)
      engine:task {}:update { name = "after" }
    end)
    assert.equal(before + 1, #engine:history_operations {})
  end)

  it("goes with its instance's history, the rest by time", function()
    local engine <close>, pi = waiting { history = "full", user = "op" }
    pi:set("x", 1)
    pi:delete()
    assert.is_true(#engine:history_operations { instance = pi.id } >= 3)
    local others = #engine:history_operations {} - #engine:history_operations { instance = pi.id }
    assert.is_true(others > 0)
    engine:delete_history(pi.id)
    assert.equal(0, #engine:history_operations { instance = pi.id })
    assert.equal(1, #engine:history_operations { type = "DeleteHistory", old_value = pi.id })
    engine:advance(10)
    engine:clean_history { ended_before = engine:now() - 20 }
    assert.is_true(#engine:history_operations {} > 0)
    engine:clean_history { ended_before = engine:now() }
    assert.same({}, engine:history_operations {})
    assert.same({}, engine:verify())
  end)
end)

describe("details", function()
  it("are each writing of a variable, in order, with type and user", function()
    local engine <close> = support.engine(full)
    support.user_task(engine)
    local pi = engine:start("p", { variables = { x = 1 } })
    engine:as("kermit", function() pi:set("x", orrery.typed { type = "Long", value = 2 }) end)
    engine:task {}:set_local("own", "y")
    pi:set("x", 3)
    local rows = engine:history_details { order_by = "sequence" }
    assert.same({ "x", "x", "own", "x" }, fields(rows, "name"))
    assert.same({ 1, 2, "y", 3 }, fields(rows, "value"))
    assert.same({ "Integer", "Long", "String", "Integer" }, fields(rows, "type"))
    assert.same({ true, false, false, false }, fields(rows, "initial"))
    assert.same({ 0, 1, 0, 2 }, fields(rows, "revision"))
    assert.equal("kermit", rows[2].user)
    assert.equal(engine:history_operations({ type = "SetVariable" })[1].operation_id, rows[2].operation_id)
    assert.is_not_nil(rows[2].operation_id)
    assert.is_nil(rows[4].operation_id)
    assert.equal("task", rows[3].activity_id)
    assert.equal(engine:task({}).activity_instance_id, rows[3].activity_instance_id)
    assert.same({ pi.id, pi.id }, { rows[1].instance_id, rows[1].activity_instance_id })
    assert.equal(3, #engine:history_details { name = "x", instance = pi.id })
  end)

  it("tell of a removal, and not of what ends with its scope", function()
    local engine <close>, pi = waiting()
    pi:set("x", 1)
    engine:task {}:set_local("own", "y")
    engine:as("kermit", function() pi:remove "x" end)
    pi:remove "x"
    pi:set("x", orrery.null)
    local rows = engine:history_details { order_by = "sequence", name = "x" }
    assert.same({ false, true, false }, fields(rows, "removed"))
    assert.same({ "Integer", "Null", "Null" }, fields(rows, "type"))
    assert.same({ 0, 1, 0 }, fields(rows, "revision"))
    assert.same({ "kermit" }, { rows[2].user, rows[2].value })
    assert.equal(rows[2].operation_id, engine:history_operations({ type = "RemoveVariable" })[1].operation_id)
    engine:task {}:complete()
    assert.same({}, engine:instances {})
    assert.equal(4, engine:count("history_details", {}))
    assert.same({ "own", "x" }, support.each(engine:history_variables {}, "name"))
  end)

  it("are none below the full level", function()
    local engine <close> = support.engine()
    support.user_task(engine)
    engine:start("p", { variables = { x = 1 } }):remove "x"
    engine:task {}:claim "kermit"
    assert.same({}, engine:history_details {})
    assert.same({}, engine:history_links {})
    assert.same({}, engine:history_flows {})
  end)
end)

describe("links in history", function()
  it("tell who was tied to a task and no more, by whom", function()
    local engine <close>, pi = waiting()
    local task = engine:task {}
    task:add_link("candidate", { user = "a" })
    task:add_link("candidate", { user = "a" })
    engine:as("boss", function()
      task:add_link("candidate", { group = "g" })
      task:remove_link("candidate", { user = "a" })
      task:claim "b"
      task:update { owner = "o" }
    end)
    task:assign "c"
    local rows = engine:history_links { order_by = "sequence", task_id = task.id }
    local out = {}
    for i, row in ipairs(rows) do
      out[i] = ("%s %s %s %s"):format(row.operation, row.type, row.user or row.group, row.assigner or "-")
    end
    assert.same({ "add candidate a -", "add candidate g boss", "delete candidate a boss", "add assignee b boss", "add owner o boss",
      "delete assignee b -", "add assignee c -" }, out)
    assert.equal(pi.id, rows[1].instance_id)
    task:complete()
    assert.equal(7, #engine:history_links { instance = pi.id })
  end)

  it("begin with those of the model", function()
    local engine <close> = support.engine(full)
    support.deploy(engine, '<startEvent id="s"/><userTask id="t" camunda:assignee="a" camunda:candidateGroups="g,h"/>', "s -> t")
    engine:start "p"
    assert.same({ "a" }, fields(engine:history_links { type = "assignee" }, "user"))
    assert.same({ "g", "h" }, support.each(engine:history_links { type = "candidate" }, "group"))
  end)
end)

describe("flows in history", function()
  it("tell how often each was taken, and which was not", function()
    local engine <close> = support.engine(full)
    support.deploy(engine, [[<startEvent id="s"/><userTask id="t"/><exclusiveGateway id="g" default="g-t"/><endEvent id="e"/>
      <sequenceFlow id="out" sourceRef="g" targetRef="e"><conditionExpression>${done}</conditionExpression></sequenceFlow>]],
      "s -> t t -> g g -> t")
    local pi = engine:start("p", { variables = { done = false } })
    engine:task {}:complete()
    engine:advance(5)
    engine:task {}:complete()
    local taken = {}
    for _, row in ipairs(engine:history_flows { instance = pi.id }) do taken[row.flow_id] = row.taken end
    assert.same({ ["s-t"] = 1, ["t-g"] = 2, ["g-t"] = 2 }, taken)
    local row = engine:history_flows({ flow_id = "t-g" })[1]
    assert.equal(5, row.last_at - row.first_at)
    engine:task {}:complete { done = true }
    assert.equal(1, engine:history_flows({ flow_id = "out" })[1].taken)
    engine:delete_history(pi.id)
    assert.same({}, engine:history_flows {})
  end)

  it("tell of those taken behind a job, and by several at once", function()
    local engine <close> = support.engine(full)
    support.deploy(engine, '<startEvent id="s" camunda:asyncAfter="true"/><parallelGateway id="f"/><userTask id="a"/><userTask id="b"/>',
      "s -> f f -> a f -> b")
    engine:start "p"
    assert.same({}, engine:history_flows {})
    engine:run_jobs()
    assert.same({ "f-a", "f-b", "s-f" }, support.each(engine:history_flows {}, "flow_id"))
  end)
end)

describe("deleting one instance's history", function()
  it("takes all of it, and nothing else", function()
    local engine <close>, pi = waiting()
    local other = engine:start "p"
    for _, one in ipairs { pi, other } do one:set("x", 1) end
    refused("state", engine.delete_history, engine, pi.id)
    for _, task in ipairs(engine:tasks {}) do task:complete() end
    engine:delete_history(pi.id)
    for _, verb in ipairs { "instances", "activities", "tasks", "variables", "details", "flows" } do
      local left = engine["history_" .. verb](engine, {})
      assert.is_true(#left > 0, verb)
      for _, row in ipairs(left) do assert.equal(other.id, row.instance_id or row.id, verb) end
    end
    refused("not_found", engine.delete_history, engine, pi.id)
    refused("not_found", engine.delete_history, engine, "999999")
    assert.same({}, engine:verify())
  end)
end)

describe("durations", function()
  it("are of what has ended, by the period in which it began", function()
    local engine <close> = support.engine { now = "2026-01-31T23:59:50Z" }
    support.user_task(engine)
    local function run(seconds)
      engine:start "p"
      engine:advance(seconds)
      engine:task {}:complete()
    end
    run(2)
    run(4)
    engine:set_time "2026-03-01T00:00:00Z"
    run(10)
    engine:set_time "2026-04-01T00:00:00Z"
    run(1)
    engine:start "p"
    local months = engine:durations()
    assert.same({ { year = 2026, period = 1, count = 2, minimum = 2.0, maximum = 4.0, average = 3.0 },
      { year = 2026, period = 3, count = 1, minimum = 10.0, maximum = 10.0, average = 10.0 },
      { year = 2026, period = 4, count = 1, minimum = 1.0, maximum = 1.0, average = 1.0 } }, months)
    local quarters = engine:durations { of = "tasks", period = "quarter" }
    assert.same({ 1, 2 }, fields(quarters, "period"))
    assert.same({ 3, 1 }, fields(quarters, "count"))
    assert.same({ 1 }, fields(engine:durations { filter = { started_after = "2026-03-15T00:00:00Z" } }, "count"))
    assert.same({}, engine:durations { filter = { definition_key = "other" } })
    refused("argument", engine.durations, engine, { period = "week" })
    refused("argument", engine.durations, engine, { of = "jobs" })
    refused("argument", engine.durations, engine, { filter = { nonsense = 1 } })
  end)
end)
