-- What stays of failures at the default level of history, when everything has gone well in the end.
package.path = "spec/job/?.lua;" .. package.path
local model = require "model"
local orrery = require "orrery"

local external = { ["x.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="spec"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn"><process id="x" isExecutable="true"><startEvent id="s"/>
  <serviceTask id="t" camunda:type="external" camunda:topic="a"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/></process>
  </definitions>]] }
local nightly = { ["n.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="spec"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn"><process id="n" isExecutable="true"><startEvent id="s"><timerEventDefinition>
  <timeDuration>PT1H</timeDuration></timerEventDefinition></startEvent><scriptTask id="t" scriptFormat="lua"><script>error "at night"
  </script></scriptTask><sequenceFlow id="f" sourceRef="s" targetRef="t"/></process></definitions>]] }

describe("last night's failures", function()
  local function open(level)
    return orrery.open(nil, { clock = "manual", now = 1000, log = "none", retries = 2, history = level })
  end

  -- A job that fails twice and then succeeds, one that succeeds at once.
  local function night(engine)
    local broken = true
    engine:register("d", function(execution)
      if broken and execution:get "n" == 1 then error "no connection" end
    end)
    engine:deploy(model.async())
    for n = 1, 2 do engine:start("p", { variables = { n = n } }) end
    engine:run_jobs()
    engine:advance(3600)
    engine:run_jobs()
    broken = false
    for _, job in ipairs(engine:jobs { no_retries = true }) do job:set_retries(1) end
    engine:run_jobs()
    assert.equal(0, engine:count("instances", {}))
  end

  local function states(rows)
    local out = {}
    for i, row in ipairs(rows) do out[i] = row.state .. (row.error and ": " .. (row.error:match "no %a+" or "?") or "") end
    return out
  end

  it("are known in the morning: the incident, and each try of the job", function()
    local engine <close> = open()
    night(engine)
    assert.same({ "failed: no connection", "failed: no connection", "succeeded" },
      states(engine:history_jobs { order_by = { "time", "sequence" } }))
    local incident = engine:history_incident {}
    assert.same({ "resolved", "failed_job" }, { incident.state, incident.type })
    assert.matches("no connection", incident.message)
    assert.equal(1, engine:count("history_incidents", {}))
    assert.same({}, engine:verify())
  end)

  it("cost what succeeds at once no row, and are not kept below the default", function()
    for level, rows in pairs { none = 0, activity = 0, audit = 3, full = 6 } do
      local engine <close> = open(level)
      night(engine)
      assert.equal(rows, engine:count("history_jobs", {}), level)
      assert.equal(rows > 0 and 1 or 0, engine:count("history_incidents", {}), level)
    end
  end)

  it("of external tasks are told from the first one on", function()
    local engine <close> = open()
    engine:deploy(external)
    for _ = 1, 2 do engine:start "x" end
    local function fetch() return engine:fetch_and_lock { worker = "w", max = 2, topics = { { name = "a", lock = 60 } } } end
    local tasks = fetch()
    tasks[1]:complete "w"
    tasks[2]:fail("w", { message = "no answer", retries = 1 })
    fetch()[1]:complete "w"
    assert.same({ "failed: no answer", "succeeded" }, states(engine:history_externals { order_by = "sequence" }))
  end)

  it("that belong to no instance go by clean-up, too", function()
    local engine <close> = open()
    engine:deploy(nightly)
    engine:advance(3600)
    engine:run_jobs()
    engine:advance(3600)
    engine:run_jobs()
    assert.equal(2, engine:count("history_jobs", { error_like = "%at night%" }))
    assert.equal(1, engine:count("history_incidents", { state = "open" }))
    engine:clean_history { ended_before = engine:now() + 1 }
    assert.equal(0, engine:count("history_jobs", {}))
    assert.equal(1, engine:count("history_incidents", {})) -- it is open still
    engine:job({ no_retries = true }):delete()
    engine:advance(1)
    engine:clean_history { ended_before = engine:now() }
    assert.same({ 0, 0 }, { engine:count("history_jobs", {}), engine:count("history_incidents", {}) })
  end)
end)
