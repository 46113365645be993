-- Seed "The Job Executor", headings "Job Prioritization" to "Set Job Priorities via ManagementService API".
local support = require "spec.support.process"

local function priority(engine, filter) return engine:jobs(filter or {})[1].priority end

describe("The Job Priority", function()
  it("takes the whole range of 64-bit integers", function()
    for _, n in ipairs { math.mininteger, -1, 0, 1, math.maxinteger } do
      local engine <close> = support.engine()
      support.single(engine, 'camunda:jobPriority="${n}"')
      engine:start("p", { variables = { n = n } })
      assert.equal(n, priority(engine))
    end
  end)

  it("takes it as a constant, too", function()
    for _, n in ipairs { math.mininteger, -1, 0, 1, math.maxinteger } do
      local engine <close> = support.engine()
      support.single(engine, ('camunda:jobPriority="%d"'):format(n))
      engine:start "p"
      assert.equal(n, priority(engine))
    end
  end)

  it("is static once assigned: no failure, retry or suspension brings another", function()
    local engine <close> = support.engine()
    support.single(engine, 'camunda:jobPriority="${n}"')
    support.failing(engine)
    local instance = engine:start("p", { variables = { n = 5 } })
    instance:set("n", 9)
    assert.equal(5, priority(engine))
    engine:run_jobs()
    engine:job({}):set_retries(2, { due = engine:now() })
    engine:run_jobs(1)
    instance:suspend()
    instance:activate()
    assert.equal(5, priority(engine))
  end)

  it("a bad value is an error", function()
    for _, bad in ipairs { "many", 1.5, { 1 }, true, 2.0 ^ 63, "9223372036854775808" } do
      local engine <close> = support.engine()
      support.single(engine, 'camunda:jobPriority="${n}"')
      support.refused("expression", function() engine:start("p", { variables = { n = bad } }) end)
      assert.same({}, engine:instances {})
    end
    for _, bad in ipairs { "high", "1.5", "9223372036854775808", "-9223372036854775809" } do
      local engine <close> = support.engine()
      support.refused("deployment", function() support.single(engine, ('camunda:jobPriority="%s"'):format(bad)) end)
    end
  end)
end)

describe("Configure the Process Engine for Job Priorities", function()
  it("produce_prioritized_jobs = false: all jobs receive a priority of 0", function()
    local engine <close> = support.engine { produce_prioritized_jobs = false }
    support.single(engine, 'camunda:jobPriority="7"', nil, { attributes = 'camunda:jobPriority="3"' })
    engine:job_definition({}):set_priority(5)
    engine:start "p"
    assert.equal(0, priority(engine))
  end)

  it("produce_prioritized_jobs = false: nor do expressions count, or what batches and clean-up are given", function()
    local engine <close> = support.engine { produce_prioritized_jobs = false }
    support.single(engine, 'camunda:jobPriority="${nobody.knows}"')
    engine:start "p"
    engine:batch { action = "suspend", priority = 5 }
    engine:schedule_clean_history { priority = -5 }
    assert.same({ 0, 0, 0, 0 }, support.fields(engine:jobs {}, "priority")) -- the batch has its monitor
  end)

  it("acquisition ignores priorities unless acquire_by_priority is set", function()
    for _, by in ipairs { false, true } do
      local engine <close> = support.engine { acquisition = { acquire_by_priority = by } }
      support.single(engine, 'camunda:jobPriority="${n}"')
      local notes = support.record(engine)
      for _, n in ipairs { 1, 3, 2 } do engine:start("p", { variables = { n = n }, business_key = tostring(n) }) end
      engine:run_jobs()
      assert.same(by and { "3", "2", "1" } or { "1", "3", "2" }, notes)
    end
  end)
end)

describe("Priorities in BPMN XML", function()
  it("at the process level: all activities inherit it", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s"/>' .. support.task "a" .. support.task "b", "s -> a s -> b",
      { attributes = 'camunda:jobPriority="8"' })
    engine:start "p"
    assert.same({ 8, 8 }, support.fields(engine:jobs {}, "priority"))
  end)

  it("at the process level: jobs of every kind, at any depth", function()
    local engine <close> = support.engine()
    support.deploy(engine, [[<startEvent id="s"/><subProcess id="sub" camunda:jobPriority="5" camunda:asyncBefore="true">
      <startEvent id="is"/>]] .. support.task "inner" .. [[<userTask id="u"/><boundaryEvent id="b" attachedToRef="u">]] ..
      support.timer("Duration", "PT1H") ..
      [[</boundaryEvent><sequenceFlow id="i1" sourceRef="is" targetRef="inner"/><sequenceFlow id="i2" sourceRef="is" targetRef="u"/>
      </subProcess><intermediateCatchEvent id="c">]] .. support.timer("Duration", "PT1H") .. [[</intermediateCatchEvent>
      <task id="after" camunda:asyncAfter="true"/>]], "s -> sub s -> c s -> after", { attributes = 'camunda:jobPriority="8"' })
    engine:start "p"
    assert.equal(5, priority(engine, { activity = "sub" }))
    engine:job({ activity = "sub" }):execute()
    for _, activity in ipairs { "inner", "b", "c", "after" } do assert.equal(8, priority(engine, { activity = activity }), activity) end
  end)

  it("at the process level by an expression on the instance's data", function()
    local engine <close> = support.engine()
    support.single(engine, nil, nil, { attributes = 'camunda:jobPriority="${order.priority}"' })
    engine:start("p", { variables = { order = { priority = 17 } } })
    assert.equal(17, priority(engine))
  end)

  it("at the activity level, above the process's", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s"/>' .. support.task("a", 'camunda:jobPriority="100"') .. support.task "b", "s -> a s -> b",
      { attributes = 'camunda:jobPriority="8"' })
    engine:start "p"
    assert.same({ 100, 8 }, { priority(engine, { activity = "a" }), priority(engine, { activity = "b" }) })
  end)

  it("at the activity level by an expression", function()
    local engine <close> = support.engine()
    support.single(engine, [[camunda:jobPriority="${customer.status == 'VIP' ? 10 : 0}"]])
    engine:start("p", { variables = { customer = { status = "VIP" } } })
    engine:start("p", { variables = { customer = { status = "casual" } } })
    assert.same({ 10, 0 }, support.fields(engine:jobs { order_by = "created" }, "priority"))
  end)

end)

describe("Resolution Context of Priority Expressions", function()
  it("the execution and its variables, also those of an inner scope", function()
    local engine <close> = support.engine()
    support.deploy(engine, [[<startEvent id="s"/><serviceTask id="t" camunda:class="work"
      camunda:jobPriority="${execution.getVariable('n') * 10 + loopCounter}"><multiInstanceLoopCharacteristics camunda:asyncBefore="true">
      <loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics></serviceTask>]], "s -> t")
    engine:start("p", { variables = { n = 4 } })
    assert.same({ 40, 41, 42 }, support.fields(engine:jobs { order_by = "priority" }, "priority"))
  end)

  -- Jobs that will start an instance have none yet.
  local before_any_instance = {
    ["a timer start event"] = function(engine, at, key)
      support.deploy(engine, '<startEvent id="s" ' .. at .. '>' .. support.timer("Date", "2026-02-01T00:00:00Z") .. "</startEvent>", "",
        { key = key })
    end,
    ["an asynchronous signal start event"] = function(engine, at, key)
      support.deploy(engine, '<startEvent id="s" ' .. at .. '><signalEventDefinition signalRef="sig"/></startEvent>', "",
        { key = key, before = '<signal id="sig" name="alarm"/>' })
      engine:signal("alarm", { async = true, variables = { n = 4 } })
    end,
  }
  for name, make in pairs(before_any_instance) do
    it(name .. " has neither: constants and what is registered hold, variables come to 0", function()
      for at, expected in pairs { ["6"] = 6, ["${2 * 3 + 1}"] = 7, ["${urgency.of(9)}"] = 18, ["${n}"] = 0 } do
        local engine <close> = support.engine()
        engine:register("urgency", { of = function(_, n) return 2 * n end })
        make(engine, ('camunda:jobPriority="%s"'):format(at), "p")
        assert.equal(expected, priority(engine), at)
      end
    end)
  end
end)

describe("Priority Propagation to Called Process Instances", function()
  it("by a variable", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s"/>' .. support.task("inner", 'camunda:jobPriority="${priority}"'), "s -> inner",
      { key = "called" })
    support.deploy(engine, [[<startEvent id="s"/><callActivity id="c" calledElement="called"><extensionElements>
      <camunda:in source="urgency" target="priority"/></extensionElements></callActivity>]], "s -> c")
    engine:start("p", { variables = { urgency = 23 } })
    assert.equal(23, priority(engine, { activity = "inner" }))
  end)
end)

describe("Override Priority by Job Definition", function()
  local function setup()
    local engine = support.engine()
    support.single(engine, 'camunda:jobPriority="100"', nil, { attributes = 'camunda:jobPriority="8"' })
    return engine, engine:job_definition { activity = "work" }
  end

  it("future jobs receive it, over what the model says; existing ones keep theirs", function()
    local engine <close>, jd = setup()
    engine:start "p"
    jd:set_priority(0)
    engine:start "p"
    assert.same({ 0, 100 }, support.sorted(support.fields(engine:jobs {}, "priority")))
    assert.equal(0, engine:job_definition(jd.id).priority)
  end)

  it("with cascade existing ones receive it, too, suspended ones among them", function()
    local engine <close>, jd = setup()
    engine:start "p"
    engine:start("p"):suspend()
    jd:set_priority(-5, { cascade = true })
    assert.same({ -5, -5 }, support.fields(engine:jobs {}, "priority"))
  end)

  it("cleared: new jobs receive the model's again, jobs there keep what they have", function()
    local engine <close>, jd = setup()
    jd:set_priority(1)
    engine:start "p"
    jd:clear_priority()
    engine:start "p"
    assert.same({ 1, 100 }, support.sorted(support.fields(engine:jobs {}, "priority")))
    assert.is_nil(engine:job_definition(jd.id).priority)
  end)

  it("over an expression that fails, which is not evaluated any more", function()
    local engine <close> = support.engine()
    support.single(engine, 'camunda:jobPriority="${n}"')
    support.refused("expression", function() engine:start("p", { variables = { n = "many" } }) end)
    local jd = engine:job_definition { activity = "work" }
    jd:set_priority(3)
    engine:start("p", { variables = { n = "many" } })
    assert.equal(3, priority(engine))
    jd:clear_priority()
    support.refused("expression", function() engine:start("p", { variables = { n = "many" } }) end)
  end)

  it("with cascade the job of a start event, which belongs to no instance", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s">' .. support.timer("Date", "2026-02-01T00:00:00Z") .. "</startEvent>", "")
    engine:job_definition({ activity = "s" }):set_priority(12, { cascade = true })
    assert.equal(12, priority(engine))
  end)

  it("with cascade jobs move in the order of acquisition", function()
    local engine <close> = support.engine { acquisition = { acquire_by_priority = true } }
    support.deploy(engine, '<startEvent id="s"/>' .. support.task("slow", 'camunda:jobPriority="9"') .. support.task("quick",
      'camunda:jobPriority="5"'), "s -> slow s -> quick")
    local notes = support.record(engine, function(execution) return execution.activity_id end)
    engine:start "p"
    engine:start "p"
    engine:job_definition({ activity = "slow" }):set_priority(0, { cascade = true })
    engine:run_jobs()
    assert.same({ "quick", "quick", "slow", "slow" }, notes)
    assert.same({}, engine:verify())
  end)
end)

describe("Job Priority Precedence Schema", function()
  it("definition override, activity, process, 0", function()
    local cases = {
      { override = 4, activity = "3", process = "2", expected = 4 }, { override = 0, activity = "3", process = "2", expected = 0 },
      { activity = "3", process = "2", expected = 3 }, { override = 4, process = "2", expected = 4 }, { process = "2", expected = 2 },
      { activity = "3", expected = 3 }, { expected = 0 },
    }
    for i, case in ipairs(cases) do
      local engine <close> = support.engine()
      local function attribute(value) return value and ('camunda:jobPriority="%s"'):format(value) or "" end
      support.single(engine, attribute(case.activity), nil, { attributes = attribute(case.process) })
      if case.override then engine:job_definition({}):set_priority(case.override) end
      engine:start "p"
      assert.equal(case.expected, priority(engine), "case " .. i)
    end
  end)
end)

describe("Set Job Priorities", function()
  it("of a single job, which moves in the order", function()
    local engine <close> = support.engine { acquisition = { acquire_by_priority = true } }
    support.single(engine)
    local notes = support.record(engine)
    for i = 1, 3 do engine:start("p", { business_key = tostring(i) }) end
    local instance = engine:instance { business_key = "3" }
    engine:job({ instance = instance.id }):set_priority(9)
    engine:run_jobs()
    assert.same({ "3", "1", "2" }, notes)
    assert.same({}, engine:verify())
  end)
end)
