-- Deleting the history of variables; and what the log of a job keeps of its failures.
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
