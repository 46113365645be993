-- Starting ended instances again from their history.
local support = require "spec.support.process"

local model = support.definitions [[<process id="p" isExecutable="true"><startEvent id="start"/>
  <sequenceFlow id="f1" sourceRef="start" targetRef="a"/><userTask id="a"/>
  <sequenceFlow id="f2" sourceRef="a" targetRef="b"/><userTask id="b">
    <extensionElements><o:executionListener event="start" expression="${noted.add('b')}"/></extensionElements></userTask>
  <sequenceFlow id="f3" sourceRef="b" targetRef="end"/><endEvent id="end"/></process>]]

describe("restart", function()
  local engine, definition, noted
  local function open(history)
    engine = support.engine { history = history }
    noted = {}
    engine:register("noted", { add = function(_, id) noted[#noted + 1] = id end })
    definition = engine:deploy({ ["p.bpmn"] = model }).definitions[1]
  end
  before_each(function() open "full" end)
  after_each(function()
    assert.same({}, engine:verify())
    engine:close()
  end)

  --- An instance that has run to its end.
  local function ended(options)
    local pi = engine:start("p", options)
    engine:task({ instance = pi.id }):complete { x = 2 }
    engine:task({ instance = pi.id }):complete()
    return pi
  end
  local at_b = { { start_before = "b" } }

  it("starts a new instance where it is told to, with the variables of the end", function()
    local old = ended { variables = { x = 1, y = { deep = true } }, business_key = "k" }
    local new = engine:restart(definition.id, { instances = { old.id }, instructions = at_b })
    assert.equal(1, #new)
    assert.are_not.equal(old.id, new[1].id)
    assert.equal("k", new[1].business_key)
    assert.same({ "b" }, new[1]:active())
    assert.same({ x = 2, y = { deep = true } }, new[1]:variables())
    assert.equal("completed", engine:history_instance({ id = old.id }).state)
  end)

  it("takes the variables of the beginning", function()
    local old = ended { variables = { x = 1 }, transient = { t = 3 } }
    local new = engine:restart(definition.id, { instances = { old.id }, instructions = at_b, initial_variables = true })
    assert.same({ x = 1 }, new[1]:variables())
  end)

  it("knows those only at the full level", function()
    engine:close()
    open "audit"
    local old = ended()
    local err = support.refused("argument", function()
      engine:restart(definition.id, { instances = { old.id }, instructions = at_b, initial_variables = true })
    end)
    assert.matches('history = "full"', err.message)
    assert.equal(2, engine:restart(definition.id, { instances = { old.id }, instructions = at_b })[1]:get "x")
  end)

  it("leaves local variables behind", function()
    local pi = engine:start "p"
    engine:task({ instance = pi.id }):set_local("mine", 1)
    pi:delete "wrong"
    assert.same({}, engine:restart(definition.id, { instances = { pi.id }, instructions = at_b })[1]:variables())
  end)

  it("begins at the start event without instructions", function()
    local new = engine:restart(definition.id, { instances = { ended().id } })
    assert.same({ "a" }, new[1]:active())
  end)

  it("follows several instructions, with their variables", function()
    local new = engine:restart(definition.id, { instances = { ended().id },
      instructions = { { start_before = "b", variables = { z = 1 } }, { transition = "f1" } } })
    assert.same({ "a", "b" }, new[1]:active())
    assert.equal(1, new[1]:get "z")
  end)

  it("goes without the business key, and without listeners", function()
    local old = ended { business_key = "k" }
    noted = {}
    local new = engine:restart(definition.id,
      { instances = { old.id }, instructions = at_b, without_business_key = true, skip_listeners = true })
    assert.is_nil(new[1].business_key)
    assert.same({}, noted)
    engine:restart(definition.id, { instances = { old.id }, instructions = at_b })
    assert.same({ "b" }, noted)
  end)

  it("restarts whatever a filter finds", function()
    ended { business_key = "k1" }
    ended { business_key = "k2" }
    ended { business_key = "other" }
    local new = engine:restart(definition.id, { filter = { business_key_like = "k%" }, instructions = at_b })
    assert.same({ "k1", "k2" }, support.each(new, "business_key"))
    assert.same({}, engine:restart(definition.id, { filter = { business_key = "none" }, instructions = at_b }))
  end)

  it("can leave the starting to jobs", function()
    local new = engine:restart(definition.id, { instances = { ended().id, ended().id }, instructions = at_b, async = true })
    assert.equal(0, #engine:tasks {})
    assert.equal(2, engine:run_jobs())
    assert.same({ "b" }, new[1]:active())
    assert.same({ "b" }, new[2]:active())
  end)

  it("keeps the tenant", function()
    local own = engine:deploy({ ["p.bpmn"] = model }, { tenant = "t" }).definitions[1]
    local pi = engine:start("p", { tenant = "t" })
    pi:delete()
    assert.equal("t", engine:restart(own.id, { instances = { pi.id }, instructions = at_b })[1].tenant)
  end)

  it("lists everything that stands against it, and starts nothing", function()
    local running, other = engine:start "p", ended()
    local target = engine:deploy({ ["p.bpmn"] = model }).definitions[1]
    local err = support.refused("argument", function()
      engine:restart(target.id, { instances = { running.id, other.id, tostring(1 << 40) }, instructions = at_b })
    end)
    local messages = table.concat(support.each(err.problems, "message"), "\n")
    assert.matches("still runs", messages)
    assert.matches("ran by definition", messages)
    assert.matches("no history", messages)
    assert.equal(4, #err.problems)
    assert.equal(1, #engine:instances {})
  end)

  it("refuses what it cannot make sense of", function()
    local old = ended()
    support.refused("not_found", function() engine:restart(tostring(1 << 40), { instances = { old.id } }) end)
    support.refused("argument", function() engine:restart(definition.id, { instructions = at_b }) end)
    for _, wrong in ipairs { { start_before = "c" }, { cancel = "a" } } do
      support.refused("argument", function() engine:restart(definition.id, { instances = { old.id }, instructions = { wrong } }) end)
    end
    support.refused("argument", function() engine:restart(definition.id, { instances = { "x" } }) end)
    local gone = support.refused("not_found", function()
      engine:restart(definition.id, { instances = { tostring(1 << 40) }, instructions = at_b })
    end)
    assert.matches("no history", gone.message)
    assert.same({}, engine:instances {})
  end)
end)
