-- Incidents that a program makes of its own accord.
-- Marks: records
local support = require "spec.support.process"
local refused = support.refused

describe("an incident of one's own", function()
  local engine

  before_each(function() engine = support.engine { history = "full", user = "kermit" } end)
  after_each(function() engine:close() end)

  local function token(instance) return engine:execution { instance = instance.id, activity_id = "t" } end

  local function waiting()
    support.deploy(engine, '<startEvent id="s"/><userTask id="t"/><endEvent id="e"/>', "s -> t t -> e")
    return engine:start "p"
  end

  it("stands where the token is, in history and in the log, until it is resolved", function()
    local instance = waiting()
    local made = engine:create_incident(token(instance).id, { type = "paper", configuration = "tray 2", message = "is out" })
    assert.same({ "paper", "tray 2", "is out", "t", "t", instance.id, made.id },
      { made.type, made.configuration, made.message, made.activity_id, made.failed_activity_id, made.instance_id, made.root_cause_id })
    assert.equal(made.id, engine:incident({ about = "tray 2" }).id)
    assert.equal(made.id, engine:instances({ incident_type = "paper" })[1] and engine:incident({}).id)
    local past = engine:history_incident { id = made.id }
    assert.same({ "open", "tray 2" }, { past.state, past.configuration })
    assert.equal(2, #engine:history_operations { type = "CreateIncident" })
    made:resolve()
    assert.is_nil(engine:incident {})
    assert.equal("resolved", engine:history_incident({ id = made.id }).state)
  end)

  it("is one for each calling instance, too", function()
    waiting()
    engine:deploy { ["q.bpmn"] = support.model('<startEvent id="s"/><callActivity id="call" calledElement="p"/>', "s -> call",
      { key = "q" }) }
    local outer = engine:start "q"
    local inner = engine:instance { parent_id = outer.id }
    local made = engine:create_incident(token(inner).id, { type = "paper" })
    local above = engine:incident { instance = outer.id }
    assert.same({ made.id, "call", "paper" }, { above.root_cause_id, above.activity_id, above.type })
    made:resolve()
    assert.equal(0, #engine:incidents {})
  end)

  it("goes with its token", function()
    local instance = waiting()
    engine:create_incident(token(instance).id, { type = "paper" })
    engine:task({}):complete()
    assert.equal(0, #engine:incidents {})
    assert.equal("deleted", engine:history_incident({}).state)
  end)

  it("needs a type, and an execution that is at an activity", function()
    local instance = waiting()
    refused("argument", engine.create_incident, engine, token(instance).id, {})
    refused("argument", engine.create_incident, engine, token(instance).id, { type = "" })
    refused("not_found", engine.create_incident, engine, "999999", { type = "paper" })
    refused("not_found", engine.create_incident, engine, engine:task({}).id, { type = "paper" })
    assert.equal(0, #engine:incidents {})
    assert.equal(0, #engine:history_operations { type = "CreateIncident" })
  end)
end)
