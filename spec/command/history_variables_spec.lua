-- Deleting the history of variables; and what the log of a job keeps of its failures.
local peers = require "spec.exec.peers"
local support = require "spec.support.process"
local refused = support.refused

local function names(rows)
  local out = {}
  for i, row in ipairs(rows) do out[i] = row.name end
  table.sort(out)
  return table.concat(out, " ")
end

describe("the history of variables", function()
  local engine, instance, other

  before_each(function()
    engine = support.engine { history = "full", user = "kermit" }
    support.user_task(engine)
    instance, other = engine:start("p", { variables = { a = 1, b = 2 } }), engine:start("p", { variables = { a = 3 } })
    instance:set("a", 4)
    engine:task({ instance = instance.id }):set_local("a", 5)
  end)
  after_each(function() engine:close() end)

  local function kept(of)
    return names(engine:history_variables { instance = of.id }), names(engine:history_details { instance = of.id })
  end

  it("is deleted by name in one scope, with each writing", function()
    assert.same({ "a a b", "a a a b" }, { kept(instance) })
    assert.equal(1, engine:delete_history_variables(instance.id, "a"))
    assert.same({ "a b", "a b" }, { kept(instance) })
    assert.same({ "a", "a" }, { kept(other) })
    assert.equal(4, instance:get "a")
    local task = engine:task { instance = instance.id }
    assert.equal(1, engine:delete_history_variables(task.execution_id, "a"))
    assert.same({ "b", "b" }, { kept(instance) })
    local logged = engine:history_operations { type = "DeleteHistory" }
    assert.same({ 2, "Variable", "name", "a" }, { #logged, logged[1].entity, logged[1].property, logged[1].new_value })
    instance:set("a", 6)
    assert.same({ "a b", "a b" }, { kept(instance) })
  end)

  it("is deleted as a whole, of what runs and of what has ended", function()
    assert.equal(3, engine:delete_history_variables(instance.id))
    assert.same({ "", "" }, { kept(instance) })
    assert.equal(0, engine:delete_history_variables(instance.id))
    other:delete()
    assert.equal(1, engine:delete_history_variables(other.id))
    assert.same({ "", "" }, { kept(other) })
  end)

  it("is deleted of a task without a process", function()
    local task = engine:create_task { name = "alone" }
    task:set("x", 1)
    task:set("y", 1)
    assert.equal(1, engine:delete_history_variables(task.id, "x"))
    assert.equal("y", names(engine:history_variables { scope = task.id }))
    assert.equal(1, engine:delete_history_variables(task.id))
    assert.same({ "a a b", "a a a b" }, { kept(instance) })
  end)

  it("must be there", function()
    refused("not_found", engine.delete_history_variables, engine, "999999")
    refused("not_found", engine.delete_history_variables, engine, instance.id, "none")
    refused("not_found", engine.delete_history_variables, engine, "999999", "a")
    assert.same({ "a a b", "a a a b" }, { kept(instance) })
  end)
end)

describe("the history of local variables", function()
  local function repeated(id, times)
    return ('<task id="%s"><multiInstanceLoopCharacteristics isSequential="true">'
      .. "<loopCardinality>%d</loopCardinality></multiInstanceLoopCharacteristics></task>"):format(id, times)
  end

  local engine, instance
  before_each(function()
    engine = support.engine { history = "full" }
    support.deploy(engine, '<startEvent id="s"/>' .. repeated("a", 2) .. repeated("b", 3)
      .. '<userTask id="t"/>', "s -> a a -> b b -> t")
    instance = engine:start "p"
  end)
  after_each(function() engine:close() end)

  local function counted()
    local out = {}
    for _, row in ipairs(engine:history_variables { name = "nrOfInstances" }) do
      out[#out + 1] = ("%s %d, written %d times"):format(row.activity_id, row.value,
        row.revision + 1)
    end
    table.sort(out)
    return out
  end

  it("has rows of each activity that one token comes to", function()
    assert.same({ "a 2, written 1 times", "b 3, written 1 times" }, counted())
    local token = engine:task({ key = "t" }).execution_id
    assert.equal(1, engine:delete_history_variables(token, "nrOfInstances"))
    assert.same({ "a 2, written 1 times" }, counted())
    local details = engine:history_details { instance = instance.id, name = "nrOfInstances" }
    assert.same({ 1, "a" }, { #details, details[1].activity_id })
  end)

  it("tells each by its own scope", function()
    local of_a = engine:history_variable { name = "nrOfInstances", activity_id = "a" }
    assert.equal(1, engine:delete_history_variables(of_a.scope, "nrOfInstances"))
    assert.same({ "b 3, written 1 times" }, counted())
  end)
end)

-- A token whose branch has "x" goes through activities that are scopes with an "x" of their own.
describe("the history of a scope's variable and its branch's of one name", function()
  local INNER <const> = '<extensionElements><o:inputOutput><o:inputParameter name="x">inner %s'
    .. "</o:inputParameter></o:inputOutput></extensionElements>"

  local function scope(id) return ('<userTask id="%s">%s</userTask>'):format(id, INNER:format(id)) end

  local function started(engine)
    engine:register("work", function(execution) execution:set_local("x", "outer") end)
    peers.run(engine, '<startEvent id="s"/><parallelGateway id="f"/><userTask id="beside"/>'
      .. '<serviceTask id="d" o:class="work"/>' .. scope "a" .. scope "b" .. '<userTask id="c"/>',
      "s -> f f -> beside f -> d d -> a a -> b b -> c")
    return engine:task({ key = "a" }).execution_id
  end

  -- What there is of the token: each row, and the one that its id finds.
  local function told(engine, token)
    local out, found = {}, "none"
    for _, row in ipairs(engine:history_variables { name = "x" }) do
      assert.equal(token, row.execution_id)
      out[#out + 1] = ("%s at %s, %d"):format(row.value, row.activity_id, row.revision)
      if row.scope == token then found = row.value end
    end
    table.sort(out)
    return { found, table.concat(out, "; ") }
  end

  local function complete(engine, key) engine:task({ key = key }):complete() end

  peers.shows("has a row of each, which stays when the scope has ended", function(engine)
    local token = started(engine)
    local out = { told(engine, token) }
    complete(engine, "a")
    out[2] = told(engine, token)
    complete(engine, "b")
    engine:execution(token):set_local("x", "more")
    out[3] = told(engine, token)
    return out
  end, { { "inner a", "inner a at a, 0; outer at d, 0" },
    { "inner b", "inner a at a, 0; inner b at b, 0; outer at d, 0" },
    { "more", "inner a at a, 0; inner b at b, 0; more at d, 1" } })

  peers.shows("has the branch's alone when the scope's is removed", function(engine)
    local token = started(engine)
    local task = engine:task { key = "a" }
    task:remove_local "x"
    local out = { told(engine, token), task:get "x" }
    task:set_local("x", "again")
    out[3] = told(engine, token)
    complete(engine, "a")
    complete(engine, "b")
    engine:execution(token):remove_local "x"
    out[4] = told(engine, token)
    return out
  end, { { "outer", "outer at d, 0" }, "outer", { "again", "again at a, 0; outer at d, 0" },
    { "none", "again at a, 0; inner b at b, 0" } })

  -- In Flowable's dialect what is set at an activity with boundary events is the branch's, and what
  -- is set at its task the activity's.
  local BOUNDED <const> = '<startEvent id="s"/><userTask id="a"/><boundaryEvent id="b"'
    .. ' attachedToRef="a"><messageEventDefinition messageRef="m"/></boundaryEvent><userTask id="c"/>'

  peers.shows("has a row of each where the branch's came second", function(engine)
    local instance = peers.run(engine, BOUNDED, "s -> a a -> c")
    local task = engine:task { instance = instance.id }
    local token = task.execution_id
    task:set_local("x", "inner")
    engine:execution(token):set_local("x", "outer")
    engine:execution(token):set_local("x", "more")
    local out = { told(engine, token), task:get "x" }
    task:set_local("x", "inner still")
    out[3] = told(engine, token)
    complete(engine, "a")
    out[4] = { told(engine, token), engine:task({ key = "c" }):get "x" }
    return out
  end, {
    flowable = { { "inner", "inner at a, 0; more at a, 1" }, "inner",
      { "inner still", "inner still at a, 1; more at a, 1" },
      { { "more", "inner still at a, 1; more at a, 1" }, "more" } },
    camunda = { { "more", "more at a, 2" }, "more", { "inner still", "inner still at a, 3" },
      { { "inner still", "inner still at a, 3" } } },
    orrery = { { "more", "more at a, 2" }, "more", { "inner still", "inner still at a, 3" },
      { { "inner still", "inner still at a, 3" } } } })
end)

describe("the log of a job", function()
  it("keeps the traceback of each failure, and none where nothing failed", function()
    local engine <close> = support.engine { retries = 2, history = "full" }
    local message = "first"
    engine:register("work", function() error(message) end)
    support.async(engine)
    engine:start "p"
    engine:run_jobs(1)
    message = "second"
    engine:set_time(engine:now() + 86400)
    engine:run_jobs(1)
    local seen = {}
    for _, row in ipairs(engine:history_jobs { order_by = "sequence" }) do
      if row.state == "failed" then seen[#seen + 1] = row.error:match "%w+$" .. " " .. row.traceback:match "stack traceback" end
      if row.state == "created" then assert.is_nil(row.traceback) end
    end
    assert.same({ "first stack traceback", "second stack traceback" }, seen)
  end)
end)
