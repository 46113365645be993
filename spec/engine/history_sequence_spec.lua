-- Each row of history has its place among those of its instance, of whatever kind.
-- Marks: records
local inside = require("orrery_inside").store
local orrery = require "orrery"
local postgres = require "spec.support.postgres"
local support = require "spec.support.process"
local models = require "spec.decision.models"

local KINDS = { "instances", "activities", "tasks", "variables", "details", "links", "flows",
  "operations", "jobs", "externals", "incidents", "decisions" }

-- "kind: what" of all rows of an instance, by sequence; no two have the same.
local function told(engine, id, what)
  local by, all = {}, {}
  for _, kind in ipairs(KINDS) do
    local last = -1
    local filter = { [kind == "instances" and "id" or "instance_id"] = id, order_by = "sequence" }
    for _, row in ipairs(engine["history_" .. kind](engine, filter)) do
      assert.is_true(row.sequence > last, kind)
      assert.is_nil(by[row.sequence], kind)
      last = row.sequence
      by[last], all[#all + 1] = ("%s: %s"):format(kind, what(kind, row)), last
    end
  end
  table.sort(all)
  for i, sequence in ipairs(all) do all[i] = by[sequence] end
  return all
end

local function named(kind, row)
  if kind == "jobs" or kind == "externals" then return row.state end
  if kind == "instances" then return "the instance" end
  if kind == "operations" then return row.type .. " " .. tostring(row.property) end
  if kind == "links" then return row.operation .. " " .. row.type end
  if kind == "flows" then return row.flow_id end
  if kind == "incidents" then return row.type end
  return row.decision_key or row.activity_id or row.key or row.name
end

local function place(list, entry)
  for i, each in ipairs(list) do
    if each == entry then return i end
  end
  error(entry .. " is not among " .. table.concat(list, ", "))
end

local function in_order(list, ...)
  local last = 0
  for _, entry in ipairs { ... } do
    local at = place(list, entry)
    assert.is_true(at > last, entry .. " in " .. table.concat(list, ", "))
    last = at
  end
end

describe("the sequence of rows of history", function()
  it("tells what came before what, within one commit and one millisecond", function()
    local engine <close> = support.engine()
    support.deploy(engine, [[<startEvent id="s"/><userTask id="first"/><userTask id="second"/>
      <endEvent id="e"/>]], "s -> first first -> second second -> e")
    local pi = engine:start("p", { variables = { z = 1 } })
    pi:set("y", 2)
    pi:set("x", 3)
    pi:set("z", 4)
    engine:task {}:complete { w = 5 }
    engine:task {}:complete()
    local list = told(engine, pi.id, function(kind, row)
      return kind == "tasks" and row.key or kind == "variables" and row.name or named(kind, row)
    end)
    assert.equal("instances: the instance", list[1])
    in_order(list, "instances: the instance", "variables: z", "activities: s", "activities: first",
      "tasks: first", "variables: y", "variables: x", "variables: w", "activities: second",
      "tasks: second", "activities: e")
    local function names(order)
      return support.fields(engine:history_variables { order_by = order }, "name")
    end
    assert.same({ "z", "y", "x", "w" }, names "sequence")
    assert.same({ "w", "x", "y", "z" }, names { { "sequence", "desc" } })
    local first = engine:history_tasks({ key = "first" })[1].sequence
    assert.same({ "second" }, support.fields(engine:history_tasks { sequence_gt = first }, "key"))
    assert.same({}, engine:verify())
  end)

  it("is that of every kind, at the level full", function()
    local engine <close> = support.engine { history = "full" }
    engine:register("work", function(execution)
      if execution:get "fails" then error("no luck", 0) end
      execution:set("done", true)
    end)
    local decision = models.decision("d", "n + 1", { inputs = { "n" } })
    engine:deploy { ["d.dmn"] = models.file(models.input("n", "number") .. decision),
      ["p.bpmn"] = support.model([[<startEvent id="s"/>
        <businessRuleTask id="rule" camunda:decisionRef="d" camunda:resultVariable="r"
          camunda:mapDecisionResult="singleEntry"/>
        <serviceTask id="work" camunda:class="work" camunda:asyncBefore="true"/>
        <serviceTask id="ext" camunda:type="external" camunda:topic="t"/>
        <userTask id="ask" camunda:candidateGroups="g"/><endEvent id="e"/>]],
        "s -> rule rule -> work work -> ext ext -> ask ask -> e") }
    local pi = engine:start("p", { variables = { n = 1, fails = true } })
    for _ = 1, 3 do pcall(engine.run_jobs, engine) end
    engine:as("ann", function() pi:set("fails", false) end)
    engine:job({}):set_retries(1)
    engine:run_jobs()
    local topics = { { name = "t", lock = 10 } }
    engine:fetch_and_lock { worker = "w", max = 1, topics = topics }[1]:complete "w"
    engine:as("ann", function()
      engine:task {}:claim "ann"
      engine:task {}:complete()
    end)
    local list = told(engine, pi.id, named)
    for _, kind in ipairs(KINDS) do
      local found = table.concat(list, "\n"):find(kind .. ": ", 1, true)
      assert.is_truthy(found, kind)
    end
    in_order(list, "instances: the instance", "activities: s", "activities: rule", "decisions: d",
      "jobs: created", "incidents: failed_job", "operations: SetVariable fails", "activities: work",
      "activities: ext", "activities: ask", "links: add candidate", "links: add assignee",
      "activities: e")
    local jobs = engine:history_jobs { order_by = "sequence", limit = 3 }
    assert.same({ 0, 1, 2 }, support.fields(jobs, "number"))
    assert.same({}, engine:verify())
  end)

  it("goes on behind the end of an instance in the commit that ends it", function()
    local engine <close> = support.engine { history = "full" }
    engine:register("work", function() end)
    support.single(engine)
    local pi = engine:start "p"
    engine:run_jobs()
    local list = told(engine, pi.id, named)
    assert.equal("jobs: succeeded", list[#list])
    in_order(list, "jobs: created", "activities: work", "activities: e", "jobs: succeeded")
  end)

  it("of what belongs to no instance is its place among all of that kind", function()
    local engine <close> = support.engine { history = "full" }
    for _, name in ipairs { "b", "a", "c" } do
      engine:as("ann", function()
        local task = engine:create_task { name = name }
        task:set("z" .. name, 1)
        task:set("y" .. name, 1)
        task:add_link("candidate", { user = "kim" })
      end)
    end
    local function names(list)
      return support.fields(engine[list](engine, { order_by = "sequence" }), "name")
    end
    assert.same({ "b", "a", "c" }, names "history_tasks")
    assert.same({ "zb", "yb", "za", "ya", "zc", "yc" }, names "history_variables")
    local last = 0
    for _, row in ipairs(engine:history_operations { order_by = "sequence" }) do
      assert.is_true(row.sequence > last)
      last = row.sequence
    end
    assert.is_true(last > 0)
  end)

  postgres.with(it, pending)("is told where all builds that have the store open can read it", function()
    local url, schema = postgres.shared():schema()
    assert(inside.make_schema(url))
    for level, told_at in pairs { [4] = false, [5] = true } do
      local move = ("UPDATE orrery_format SET level = %d"):format(level)
      postgres.shared():query(move, { schema = schema })
      local engine <close> = orrery.open(url, { log = "none" })
      support.user_task(engine)
      local pi = engine:start("p", { variables = { x = 1 } })
      for _, kind in ipairs { "tasks", "variables" } do
        local row = engine["history_" .. kind](engine, { instance_id = pi.id })[1]
        assert.equal(told_at, row.sequence > 0, kind)
      end
      assert.same({}, engine:verify())
    end
  end)
end)
