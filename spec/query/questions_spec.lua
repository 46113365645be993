-- What a list asks a server: a bounded number of questions for a page of 50, whatever it shows. Each costs a round trip over a network.
local core = require "orrery.core"
local inside = require "orrery_inside"
local orrery = require "orrery"
local postgres = require "spec.support.postgres"
local support = require "spec.support.process"

local ROWS = 50

describe("a page of 50 asks a server few questions:", function()
  local it = postgres.with(it, pending)
  local engine

  --- Something of everything that lists show, more than a page of it.
  setup(function()
    if not postgres.is_installed() then return end
    local url = postgres.shared():schema()
    assert(inside.store.make_schema(url))
    engine = orrery.open(url, { log = "none", clock = "manual", history = "full" })
    support.failing(engine)
    support.deploy(engine, [[<startEvent id="s"/><parallelGateway id="split"/>
      <userTask id="check" name="Check" camunda:candidateGroups="sales" camunda:assignee="${who}"/>
      <boundaryEvent id="told" attachedToRef="check"><messageEventDefinition messageRef="m"/></boundaryEvent>
      <serviceTask id="pay" camunda:type="external" camunda:topic="pay"/>]] .. support.task("work", 'camunda:exclusive="false"') ..
      '<userTask id="done"/><endEvent id="e"/>', "s -> split split -> check split -> pay split -> work split -> done done -> e",
      { before = '<message id="m" name="news"/>' })
    for i = 1, ROWS + 10 do
      engine:deploy({ ["d.bpmn"] = support.model('<startEvent id="s"/><endEvent id="e"/>', "s -> e", { key = "d" .. i }) })
      engine:start("p", { business_key = "K" .. i, variables = { who = "ann", n = i } })
    end
    engine:run_jobs()
    for _, job in ipairs(engine:jobs {}) do job:set_retries(0) end
    engine:as("ann", function()
      for i, instance in ipairs(engine:instances {}) do
        engine:add_comment(instance.id, "why")
        engine:add_attachment(instance.id, { name = "a" .. i, content = "x" })
        instance:set("n", i + 1)
        engine:set_limit({ topic = "t" .. i }, { max = 1 })
        if i <= 3 then engine:batch { action = "set_priority", value = i, filter = { key = "p" } } end
      end
    end)
    for _, task in ipairs(engine:tasks {}) do engine:add_comment(task.id, "so it is") end
    for _, task in ipairs(engine:tasks { key = "done" }) do task:complete() end
  end)
  teardown(function() if engine then engine:close() end end)

  local function questions() return inside.query.questions(core.address(engine.core)) end

  --- How many more than the look itself costs, and how many rows came.
  local function asked(verb, filter)
    local before = questions()
    local rows = #engine[verb](engine, filter)
    return questions() - before - 1, rows
  end

  local lists = {
    { "deployments" }, { "definitions" }, { "job_definitions", 10 }, { "instances" }, { "executions" }, { "variables" },
    { "subscriptions" },
    { "tasks" }, { "external_tasks" }, { "jobs" }, { "limits" }, { "comments" }, { "attachments" }, { "batches", 3 },
    { "incidents" }, { "history_instances" }, { "history_activities" }, { "history_tasks" }, { "history_variables" },
    { "history_incidents" }, { "history_jobs" }, { "history_externals" }, { "history_details" }, { "history_links" }, { "history_flows" },
    { "history_operations" },
  }
  for _, list in ipairs(lists) do
    local verb, rows = list[1], list[2] or ROWS
    it(verb, function()
      local count, found = asked(verb, { limit = ROWS })
      assert.equal(rows, found)
      assert.is_true(count <= 6, count .. " questions")
    end)
  end

  local narrowed = {
    ["tasks of somebody"] = { "tasks", { assignee = "ann" } },
    ["tasks of a group"] = { "tasks", { candidate_group = "sales", include_assigned = true } },
    ["tasks that have candidates"] = { "tasks", { with_candidate_groups = true } },
    ["tasks of somebody involved"] = { "tasks", { involved_user = "ann" } },
    ["tasks by the business key of their instance"] = { "tasks", { order_by = "business_key" } },
    ["tasks with their variables"] = { "tasks", { with_variables = true } },
    ["tasks with what people said"] = { "tasks", { with_fields = { "commented", "attached" } } },
    ["incidents with their job definitions"] = { "incidents",
      { with_fields = { "job_definition_id" } } },
    ["instances by a variable"] = { "instances", { variables = { n = { gt = 0 } } } },
    ["instances by a variable's order"] = { "instances", { order_by = "variables.n" } },
    ["instances with an incident"] = { "instances", { incident = true } },
    ["instances at an activity"] = { "instances", { activity = "check" } },
    ["executions that wait for a message"] = { "executions", { message = "news" } },
    ["jobs that failed"] = { "jobs", { no_retries = true } },
    ["past instances, the last first"] = { "history_instances", { definition_key = "p", order_by = { { "started_at", "desc" } } } },
    ["past instances of somebody"] = { "history_instances", { involved_user = "ann" } },
    ["past tasks by a variable"] = { "history_tasks", { process_variables = { n = { gt = 0 } } } },
  }
  for name, list in pairs(narrowed) do
    it(name, function()
      list[2].limit = ROWS
      local count, found = asked(list[1], list[2])
      assert.equal(ROWS, found)
      assert.is_true(count <= 24, count .. " questions")
    end)
  end

  it("and shows large values, each as it is, whatever is asked about each", function()
    local url = postgres.shared():schema()
    assert(inside.store.make_schema(url))
    local own <close> = orrery.open(url, { log = "none", clock = "manual" })
    support.user_task(own)
    local sizes = { 10, 50000, 200000, 20000, 130000, 131000, 3 }
    for i = 1, 40 do
      own:start("p", { variables = { text = ("%02d"):format(i) .. ("x"):rep(sizes[i % #sizes + 1]), other = ("y"):rep(sizes[i % 3 + 1]) } })
    end
    local function check(rows)
      assert.equal(40, #rows)
      for i, row in ipairs(rows) do
        assert.equal(("%02d"):format(i), row.value:sub(1, 2))
        assert.equal(sizes[i % #sizes + 1] + 2, #row.value)
      end
    end
    check(own:variables { name = "text" })
    check(own:variables { name_ne = "other", order_by = "business_key" })
    local instances = own:instances { variables = { text = { like = "%x" }, other = { like = "y%" } }, with_variables = true }
    assert.equal(40, #instances)
    for i, instance in ipairs(instances) do
      assert.equal(("%02d"):format(i), instance.fetched_variables.text:sub(1, 2))
      assert.equal(sizes[i % 3 + 1], #instance.fetched_variables.other)
    end
  end)
end)
