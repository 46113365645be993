-- What a definition's record says beside its model: how long history is kept, and what its call activities call.
local folder = require "spec.support.folder"
local orrery = require "orrery"
local support = require "spec.support.process"
local refused = support.refused

local DAY = 86400

local function called(engine, key)
  local out = {}
  for i, row in ipairs(engine:called_definitions(engine:definition({ key = key, latest = true }).id)) do
    local d = engine:definition(row.definition_id)
    out[i] = ("%s %d: %s"):format(d.key, d.version, table.concat(row.activity_ids, " "))
  end
  return out
end

describe("a time to live", function()
  it("that is set counts for what ends from then on, also for what runs already", function()
    local engine <close> = support.engine { history = "full", user = "kermit" }
    support.user_task(engine)
    local definition = engine:definition {}
    local function ended()
      local instance = engine:start "p"
      engine:task({ instance = instance.id }):complete()
      local row = engine:history_instance(instance.id)
      return row.remove_at and math.tointeger((row.remove_at - row.ended_at) // DAY)
    end
    assert.is_nil(ended())
    local running = engine:start "p"
    engine:set_history_time_to_live(definition.id, 5)
    assert.equal(5, engine:definition(definition.id).history_time_to_live)
    assert.equal(5, ended())
    engine:task({ instance = running.id }):complete()
    local row = engine:history_instance(running.id)
    assert.equal(5 * DAY, math.tointeger(row.remove_at - row.ended_at))
    engine:set_history_time_to_live(definition.id, "P2W")
    assert.equal(14, ended())
    engine:set_history_time_to_live(definition.id)
    assert.is_nil(ended())
    local logged = engine:history_operations { type = "UpdateHistoryTimeToLive", order_by = "time" }
    assert.same({ 3, "kermit" }, { #logged, logged[1].user })
  end)

  it("is that of the record when an engine reads it anew", function()
    local path = folder.make() .. "/store"
    local one = orrery.open(path, { log = "none" })
    support.user_task(one)
    one:start "p"
    one:set_history_time_to_live(one:definition({}).id, "30")
    one:close()
    local other <close> = orrery.open(path, { log = "none" })
    local id = other:instance({}).id
    other:task({}):complete()
    assert.equal(30 * DAY, math.tointeger(other:history_instance(id).remove_at - other:history_instance(id).ended_at))
    other:close()
    folder.remove(path:match "^(.*)/")
  end)

  it("must be one, of a definition that there is", function()
    local engine <close> = support.engine()
    support.user_task(engine)
    local id = engine:definition({}).id
    refused("argument", engine.set_history_time_to_live, engine, id, "soon")
    refused("argument", engine.set_history_time_to_live, engine, id, "")
    refused("not_found", engine.set_history_time_to_live, engine, "999999", 3)
    assert.is_nil(engine:definition(id).history_time_to_live)
  end)
end)

describe("what a definition calls", function()
  local engine

  before_each(function() engine = support.engine() end)
  after_each(function() engine:close() end)

  local function deploy(key, body, flows) engine:deploy { [key .. ".bpmn"] = support.model(body, flows, { key = key }) } end

  local function callee(key) deploy(key, '<startEvent id="s"/><endEvent id="e"/>', "s -> e") end

  it("is found as far as no expression decides, each once with all that call it", function()
    callee "a"
    callee "b"
    callee "b"
    deploy("caller", [[<startEvent id="s"/><callActivity id="one" calledElement="b"/>
      <callActivity id="two" calledElement="a"/><callActivity id="three" calledElement="b"/>
      <callActivity id="first" calledElement="b" camunda:calledElementBinding="version" camunda:calledElementVersion="1"/>
      <callActivity id="late" calledElement="${which}"/><callActivity id="none" calledElement="nobody"/>
      <callActivity id="none_such" calledElement="b" camunda:calledElementBinding="version" camunda:calledElementVersion="9"/>
      <callActivity id="own" calledElement="b" camunda:calledElementBinding="deployment"/>]],
      "s -> one one -> two two -> three three -> first first -> late late -> none none -> none_such none_such -> own")
    assert.same({ "b 2: one three", "a 1: two", "b 1: first" }, called(engine, "caller"))
    callee "b"
    assert.same({ "b 3: one three", "a 1: two", "b 1: first" }, called(engine, "caller"))
    assert.same({}, called(engine, "a"))
    refused("not_found", engine.called_definitions, engine, "999999")
  end)
end)
