-- Seed "The Job Executor", headings "Job Prioritization" to "Set Job Priorities via ManagementService API".
local support = require "spec.job.support"

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

  it("is static once assigned", function()
    local engine <close> = support.engine()
    support.single(engine, 'camunda:jobPriority="${n}"')
    local instance = engine:start("p", { variables = { n = 5 } })
    instance:set("n", 9)
    assert.equal(5, priority(engine))
  end)

  it("a bad value is an error", function()
    for _, bad in ipairs { "many", 1.5, { 1 } } do
      local engine <close> = support.engine()
      support.single(engine, 'camunda:jobPriority="${n}"')
      support.refused("expression", function() engine:start("p", { variables = { n = bad } }) end)
      assert.same({}, engine:instances {})
    end
    local engine <close> = support.engine()
    support.refused("deployment", function() support.single(engine, 'camunda:jobPriority="high"') end)
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

  it("timers of a start event have no execution: constants hold, variables are not seen", function()
    local engine <close> = support.engine()
    local start = '<startEvent id="s" camunda:jobPriority="%s">' .. support.timer("Date", "2026-02-01T00:00:00Z") .. "</startEvent>"
    support.deploy(engine, start:format "6", "")
    support.deploy(engine, start:format "${2 * 3 + 1}", "", { key = "q" })
    assert.same({ 6, 7 }, { priority(engine, { definition_key = "p" }), priority(engine, { definition_key = "q" }) })
  end)
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

  it("does not preempt a job that runs", function()
    local engine <close>, jd = setup()
    local during
    engine:register("work", function()
      during = #engine:jobs {}
    end)
    engine:start "p"
    jd:set_priority(1, { cascade = true })
    assert.equal(1, engine:run_jobs())
    assert.equal(1, during)
    assert.same({}, engine:jobs {})
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
