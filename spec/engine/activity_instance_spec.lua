-- Ids of activity instances: the same wherever the same run of an activity is told of; and what else records say for clients.
local support = require "spec.support.process"
local refused = support.refused

-- start -> sub process { start -> task "first" -> multi-instance "many" -> external "ext" -> end } -> end
local function nested(engine)
  support.deploy(engine, [[<startEvent id="s"/><subProcess id="sub"><startEvent id="i"/><userTask id="first"/>
    <userTask id="many"><multiInstanceLoopCharacteristics isSequential="false"><loopCardinality>2</loopCardinality>
    </multiInstanceLoopCharacteristics></userTask><serviceTask id="ext" camunda:type="external" camunda:topic="t"/><endEvent id="j"/>
    <sequenceFlow id="a" sourceRef="i" targetRef="first"/><sequenceFlow id="b" sourceRef="first" targetRef="many"/>
    <sequenceFlow id="c" sourceRef="many" targetRef="ext"/><sequenceFlow id="d" sourceRef="ext" targetRef="j"/></subProcess>
    <endEvent id="e"/>]], "s -> sub sub -> e")
  return engine:start "p"
end

local function row(engine, id, n)
  return engine:history_activities({ activity = id, order_by = "started_at" })[n or 1]
end

describe("the id of an activity instance", function()
  it("is one in the tree, the task, the execution and the history", function()
    local engine <close> = support.engine()
    local pi = nested(engine)
    local sub = pi:tree().children[1]
    local first, task = sub.children[1], engine:task {}
    assert.equal(pi.id, pi:tree().activity_instance_id)
    assert.equal(first.activity_instance_id, task.activity_instance_id)
    assert.equal(first.activity_instance_id, row(engine, "first").activity_instance_id)
    assert.equal(first.activity_instance_id, engine:execution(task.execution_id).activity_instance_id)
    assert.equal(first.activity_instance_id, engine:history_tasks({})[1].activity_instance_id)
    assert.equal(sub.activity_instance_id, row(engine, "sub").activity_instance_id)
    assert.equal(sub.activity_instance_id, row(engine, "first").parent_activity_instance_id)
    assert.equal(pi.id, row(engine, "sub").parent_activity_instance_id)
    assert.equal(pi.id, row(engine, "s").parent_activity_instance_id)
  end)

  it("differs between runs of one token, and is kept by what has ended", function()
    local engine <close> = support.engine { history = "full" }
    local pi = nested(engine)
    local was = engine:task {}.activity_instance_id
    engine:task {}:complete()
    local tasks = engine:tasks {}
    assert.equal(2, #tasks)
    for _, task in ipairs(tasks) do
      assert.not_equal(was, task.activity_instance_id)
      assert.equal(#engine:history_activities { activity = "many", task_id = task.id }, 1)
      assert.equal(task.activity_instance_id, engine:history_activities({ task_id = task.id })[1].activity_instance_id)
    end
    for _, task in ipairs(tasks) do task:complete() end
    local external = engine:external_tasks({})[1]
    assert.equal(row(engine, "ext").activity_instance_id, external.activity_instance_id)
    assert.equal(external.activity_instance_id, engine:history_externals({})[1].activity_instance_id)
    engine:fetch_and_lock { worker = "w", max = 1, topics = { { name = "t", lock = 10 } } }[1]:complete "w"
    assert.is_true(engine:history_instance(pi.id).ended)
    assert.equal(was, engine:history_tasks({ key = "first" })[1].activity_instance_id)
    assert.equal(external.activity_instance_id, engine:history_externals({})[1].activity_instance_id)
    assert.same({}, engine:verify())
  end)

  it("is that of the scope that a variable was made in", function()
    local engine <close> = support.engine()
    local pi = nested(engine)
    pi:set("whole", 1)
    local task = engine:task {}
    task:set_local("own", 1)
    local rows = engine:history_variables { order_by = "name" }
    assert.equal(task.activity_instance_id, rows[1].activity_instance_id)
    assert.equal(pi.id, rows[2].activity_instance_id)
  end)

  it("names what a modification cancels, as long as its token is there", function()
    local engine <close> = support.engine()
    local pi = nested(engine)
    local first = engine:task {}.activity_instance_id
    engine:task {}:complete()
    refused("argument", pi.modify, pi, { { cancel_instance = first } })
    local tasks = engine:tasks {}
    pi:modify { { cancel_instance = tasks[1].activity_instance_id } }
    assert.same({ tasks[2].id }, support.fields(engine:tasks {}, "id"))
    pi:modify { { cancel_instance = engine:task {}.execution_id }, { start_before = "first" } }
    assert.same({ "first" }, pi:active())
  end)

  it("is the token's without a history", function()
    local engine <close> = support.engine { history = "none" }
    local pi = nested(engine)
    local task = engine:task {}
    assert.equal(task.execution_id, task.activity_instance_id)
    pi:modify { { cancel_instance = task.activity_instance_id }, { start_before = "ext" } }
    assert.same({ "ext" }, pi:active())
  end)
end)

describe("records", function()
  it("of deployments tell their source", function()
    local engine <close> = support.engine()
    local d = engine:deploy({ ["p.bpmn"] = support.model('<startEvent id="s"/>', "") }, { name = "n", source = "modeler" })
    assert.equal("modeler", d.source)
    assert.same({ d.id }, support.fields(engine:deployments { source = "modeler" }, "id"))
    assert.is_nil(engine:deploy { ["q.bpmn"] = support.model('<startEvent id="s"/>', "", { key = "q" }) }.source)
  end)

  it("of incidents tell the definition's key, of callers theirs", function()
    local engine <close> = support.engine { history = "full" }
    support.failing(engine)
    support.single(engine, nil, support.cycle "R1/PT1S")
    support.deploy(engine, '<startEvent id="s"/><callActivity id="c" calledElement="p"/>', "s -> c", { key = "outer" })
    engine:start "outer"
    engine:run_jobs()
    assert.same({ "outer", "p" }, support.each(engine:incidents {}, "definition_key"))
    assert.same({ "outer", "p" }, support.each(engine:history_incidents {}, "definition_key"))
    assert.equal(1, #engine:incidents { definition_key = "outer" })
  end)
end)
