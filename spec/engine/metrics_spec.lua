-- What was counted is kept in the store by quarters of an hour, whatever process counted it.
-- Marks: threads
local folder = require "spec.support.folder"
local orrery = require "orrery"

local MODEL = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  targetNamespace="spec"><process id="p" isExecutable="true" camunda:historyTimeToLive="P1D">
  <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="u"/><userTask id="u" camunda:assignee="kermit"/>
  <sequenceFlow id="g" sourceRef="u" targetRef="w"/>
  <scriptTask id="w" scriptFormat="lua" camunda:asyncBefore="true"><script>local done = true</script></scriptTask>
  <sequenceFlow id="h" sourceRef="w" targetRef="e"/><endEvent id="e"/></process></definitions>]]

local TABLE = [[<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="m" name="M" namespace="spec">
  <decision id="low" name="Low"><variable id="v" name="Low"/>
    <literalExpression id="le"><text>1</text></literalExpression></decision>
  <decision id="price" name="Price"><informationRequirement id="r"><requiredDecision href="#low"/></informationRequirement>
    <decisionTable id="t"><input id="i"><inputExpression id="ie"><text>Low</text></inputExpression></input><output id="o" name="o"/>
    <rule id="r1"><inputEntry id="a"><text>1</text></inputEntry><outputEntry id="b"><text>"a"</text></outputEntry></rule>
    <rule id="r2"><inputEntry id="c"><text>2</text></inputEntry><outputEntry id="d"><text>"b"</text></outputEntry></rule>
    </decisionTable></decision></definitions>]]

local function counted(engine, name, request)
  request = request or {}
  request.name = name
  return select(2, next(engine:metrics(request)))
end

describe("what was counted", function()
  local path, engine

  local function open(now)
    return orrery.open(path .. "/store", { clock = "manual", now = now or "2026-01-01T00:00:00Z", log = "error" })
  end

  before_each(function()
    path = folder.make()
    engine = open()
    engine:deploy { ["p.bpmn"] = MODEL, ["m.dmn"] = TABLE }
  end)

  after_each(function()
    engine:close()
    folder.remove(path)
  end)

  it("outlives the process, with what another one counts", function()
    engine:start "p"
    engine:start "p"
    engine:tasks {}[1]:complete()
    engine:run_jobs()
    assert.equal(1, counted(engine, "job-successful"))
    engine:close()
    engine = open "2026-01-01T05:00:00Z"
    assert.equal(2, counted(engine, "root-process-instance-start"))
    assert.equal(1, counted(engine, "process-instance-end"))
    assert.equal(0, engine:metrics()["root-process-instance-start"])
    engine:start "p"
    assert.equal(3, counted(engine, "process-instances"))
    assert.same({}, engine:verify())
  end)

  it("is added up where one name writes twice of one quarter, and has no rows of what did not happen", function()
    engine:start "p"
    engine:close()
    engine = open()
    engine:start "p"
    engine:start "p"
    engine:close()
    engine = open "2026-01-01T05:00:00Z"
    local rows = engine:metrics { name = "root-process-instance-start", interval = 900 }
    assert.same({ 1, 3 }, { #rows, rows[1].value })
    assert.same({}, engine:metrics { name = "job-failed", interval = 900 })
  end)

  it("is written once in a quarter of an hour, and told for any time of whole quarters", function()
    engine:start "p"
    engine:advance "PT20M"
    engine:start "p"
    engine:start "p"
    engine:advance "PT40M"
    engine:start "p"
    local function rows(request)
      request.name = "root-process-instance-start"
      local out = {}
      for i, row in ipairs(engine:metrics(request)) do out[i] = orrery.format_time(row.time):sub(12, 16) .. " " .. row.value end
      return out
    end
    assert.same({ "01:00 1", "00:15 2", "00:00 1" }, rows { interval = 900 })
    assert.same({ "01:00 1", "00:00 3" }, rows { interval = "PT1H" })
    assert.same({ "00:15 2" }, rows { interval = 900, offset = 1, limit = 1 })
    assert.same({ "00:15 2" }, rows { interval = 900, from = "2026-01-01T00:15:00Z", to = "2026-01-01T01:00:00Z" })
    assert.equal(2, counted(engine, "process-instances", { from = "2026-01-01T00:15:00Z", to = "2026-01-01T01:00:00Z" }))
    assert.equal(4, counted(engine, "process-instances"))
  end)

  it("says who counted, when it is asked", function()
    engine:start "p"
    engine:close()
    engine = orrery.open(path .. "/store", { clock = "manual", name = "night", log = "error" })
    engine:start "p"
    engine:start "p"
    local by = {}
    for _, row in ipairs(engine:metrics { name = "process-instances", interval = 900, by_reporter = true }) do
      by[row.reporter:match "%$(.*)$"] = row.value
    end
    assert.same({ default = 1, night = 2 }, by)
    local own = engine:metrics { name = "process-instances", interval = 900, by_reporter = true, limit = 1 }[1].reporter
    assert.is_true(counted(engine, "process-instances", { reporter = own }) < 3)
    assert.equal(0, counted(engine, "process-instances", { reporter = "nobody" }))
  end)

  it("is who a worker's job gave a task to, whose context ends before its commit", function()
    engine:deploy { ["p.bpmn"] = MODEL:gsub('<userTask id="u"', '%0 camunda:asyncBefore="true"') }
    engine:start "p"
    assert.equal(0, counted(engine, "task-users"))
    engine:start_executor()
    assert.is_true(engine:wait_idle(60))
    assert.equal(1, engine:count "tasks")
    assert.equal(1, counted(engine, "task-users"))
  end)

  it("is the same people once, whatever they were given, and nobody whose task came to nothing", function()
    engine:start "p"
    engine:start "p"
    local task = engine:tasks {}[1]
    task:assign "gonzo"
    task:assign "gonzo"
    pcall(engine.transaction, engine, function()
      engine:task(task.id):assign "piggy"
      error "no"
    end)
    assert.equal(2, counted(engine, "task-users"))
    engine:advance "PT30M"
    engine:start "p"
    assert.equal(2, counted(engine, "unique-task-workers"))
    assert.equal(1, counted(engine, "task-users", { from = "2026-01-01T00:30:00Z" }))
    engine:close()
    engine = open "2026-01-01T00:30:00Z"
    assert.equal(2, counted(engine, "task-users"))
    engine:start "p"
    assert.equal(1, counted(engine, "task-users", { from = "2026-01-01T00:30:00Z" }))
    assert.equal("argument", select(2, pcall(engine.metrics, engine, { name = "task-users", interval = 900 })).kind)
  end)

  it("has decisions with those they require, and the cells of tables", function()
    assert.equal("a", engine:decide("price", {}))
    engine:decide("low", {})
    local sums = engine:metrics {}
    assert.same({ 3, 6 }, { sums["executed-decision-instances"], sums["executed-decision-elements"] })
  end)

  it("is deleted by time, by reporter, and people apart", function()
    engine:start "p"
    engine:advance "PT1H"
    engine:start "p"
    engine:close()
    engine = open "2026-01-01T02:00:00Z"
    assert.equal(2, engine:delete_metrics { task_workers = true })
    assert.same({ 2, 0 }, { counted(engine, "process-instances"), counted(engine, "task-users") })
    assert.is_true(engine:delete_metrics { before = "2026-01-01T01:00:00Z" } > 0)
    assert.equal(1, counted(engine, "process-instances"))
    assert.equal(0, engine:delete_metrics { reporter = "nobody" })
    assert.is_true(engine:delete_metrics() > 0)
    assert.equal(0, counted(engine, "process-instances"))
    assert.same({}, engine:verify())
  end)

  it("counts clean-up of history", function()
    engine:start "p"
    engine:task { assignee = "kermit" }:complete()
    engine:run_jobs()
    engine:advance "P2D"
    engine:schedule_clean_history { every = "P1D" }
    engine:run_jobs()
    assert.equal(1, counted(engine, "history-cleanup-removed-process-instances"))
  end)

  it("refuses requests that mean nothing", function()
    for _, request in ipairs { { name = "nope" }, { name = 7 }, { interval = 7 }, { interval = -900 }, { interval = "PT7M" },
      { by_reporter = 1 }, { limit = -1 }, { offset = "x" }, { from = {} }, { reporter = 7 }, { nonsense = 1 } } do
      local ok, problem = pcall(engine.metrics, engine, request)
      assert.is_false(ok)
      assert.equal("argument", problem.kind)
    end
    assert.is_false((pcall(engine.delete_metrics, engine, { after = 1 })))
  end)
end)
