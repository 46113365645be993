-- Commands on user tasks: what they refuse, and that a refused one changes nothing.
local support = require "spec.support.process"
local refused = support.refused

describe("a user task", function()
  local engine, instance, task

  before_each(function()
    engine = support.engine()
    support.user_task(engine)
    instance = engine:start "p"
    task = engine:task {}
  end)

  after_each(function() engine:close() end)

  local verbs = {
    complete = function(t) t:complete() end,
    claim = function(t) t:claim "ann" end,
    assign = function(t) t:assign "ann" end,
    unclaim = function(t) t:unclaim() end,
    delegate = function(t) t:delegate "ann" end,
    resolve = function(t) t:resolve() end,
    update = function(t) t:update { priority = 1, owner = "ann" } end,
    add_link = function(t) t:add_link("candidate", { user = "ann" }) end,
    remove_link = function(t) t:remove_link("candidate", { user = "ann" }) end,
    bpmn_error = function(t) t:bpmn_error "code" end,
    escalation = function(t) t:escalation "code" end,
  }

  for name, call in pairs(verbs) do
    it(name .. " needs a task that exists", function()
      task:complete()
      local err = refused("not_found", call, task)
      assert.truthy(err.message:find("task " .. task.id, 1, true))
    end)

    it(name .. " waits until its instance is active again", function()
      instance:suspend()
      refused("suspended", call, task)
      assert.is_nil(engine:task(task.id).assignee)
      assert.same({}, engine:task(task.id):links())
      instance:activate()
      assert.is_false(engine:task(task.id).suspended)
    end)
  end

  it("may be due at the epoch, which is no less a time than others", function()
    for _, epoch in ipairs { 0, 0.0, "1970-01-01T00:00:00Z" } do
      task:update { due = epoch, follow_up = epoch }
      assert.same({ 0.001, 0.001 }, { task:reload().due, task.follow_up }) -- 0 is "none" in records
      assert.equal(1, engine:count("tasks", { due_before = 1 }))
      task:update { due = require "orrery".null, follow_up = require "orrery".null }
      assert.is_nil(task:reload().due)
    end
  end)

  it("may be described while its instance is suspended, but by whom it is done stays", function()
    instance:suspend()
    task:update { priority = 7, name = "n", description = "d", due = 60, follow_up = 30, category = "c" }
    local now = engine:task(task.id)
    assert.same({ 7, "n", "d", 60, 30, "c" }, { now.priority, now.name, now.description, now.due, now.follow_up, now.category })
    refused("suspended", task.update, task, { priority = 8, assignee = "ann" })
    refused("suspended", task.update, task, { assignee = require("orrery").null })
    assert.equal(7, engine:task(task.id).priority)
  end)

  it("tells of an update when its fields, links or own variables change, by whichever call", function()
    local updates = 0
    engine:register("count", function() updates = updates + 1 end)
    support.deploy(engine, [[<startEvent id="s"/><userTask id="task"><extensionElements>
      <camunda:taskListener event="update" class="count"/></extensionElements></userTask>]], "s -> task")
    local own = engine:task { instance = engine:start("p").id }
    local function told(n, change, ...)
      updates = 0
      change(own, ...)
      assert.equal(n, updates)
    end
    told(0, own.set, "x", 1) -- the instance's
    told(1, own.set_local, "mine", 1)
    told(1, own.set, "mine", 2)
    told(1, own.set_all, { x = 2, mine = 3 })
    told(0, own.set_all, { x = 3 })
    told(1, own.remove, "mine")
    told(0, own.remove, "x")
    told(1, own.claim, "ann")
    told(1, own.claim, "ann") -- she has it; that somebody asked is news
    told(1, own.add_link, "owner", { user = "bob" })
    told(0, own.remove_link, "owner", { user = "ann" })
  end)

  it("is claimed by one user at a time", function()
    task:claim "ann"
    task:claim "ann"
    refused("state", task.claim, task, "bob")
    refused("argument", task.claim, task)
    refused("argument", task.claim, task, "")
    assert.equal("ann", engine:task(task.id).assignee)
    task:unclaim()
    task:claim "bob"
    assert.equal("bob", engine:task(task.id).assignee)
  end)

  it("cannot be completed while somebody else resolves it for its owner", function()
    task:assign "ann"
    task:delegate "bob"
    refused("state", task.complete, task)
    task:resolve { answer = 42 }
    assert.equal("ann", engine:task(task.id).assignee)
    assert.equal(42, instance:get "answer")
    task:complete()
    assert.is_nil(engine:instance(instance.id))
  end)

  it("refuses variables that are no map", function()
    for _, wrong in ipairs { 1, "text", { 1, 2 } } do
      refused("argument", task.complete, task, wrong)
      refused("argument", task.resolve, task, wrong)
      refused("argument", task.bpmn_error, task, "code", nil, wrong)
      refused("argument", task.escalation, task, "code", wrong)
    end
    assert.is_not_nil(engine:task(task.id))
    task:complete {}
    assert.is_nil(engine:task(task.id))
  end)

  it("needs a code for an error, a user to be delegated to", function()
    refused("argument", task.bpmn_error, task, "")
    refused("argument", task.escalation, task, "")
    refused("argument", task.delegate, task, "")
    assert.is_nil(engine:task(task.id).delegation)
  end)

  it("is told that nobody catches its escalation", function()
    assert.matches('"code" of task', refused("state", task.escalation, task, "code", { x = 1 }).message)
    assert.is_nil(instance:get "x")
    assert.equal(task.id, engine:task({}).id)
  end)

  it("has links of one user or one group", function()
    refused("argument", task.add_link, task, "candidate", {})
    refused("argument", task.add_link, task, "candidate", { user = "ann", group = "sales" })
    refused("argument", task.add_link, task, "", { user = "ann" })
    task:add_link("candidate", { user = "ann" })
    task:add_link("candidate", { user = "ann" })
    task:add_link("watcher", { group = "sales" })
    task:remove_link("candidate", { user = "nobody" })
    assert.same({ { type = "candidate", user = "ann" }, { type = "watcher", group = "sales" } }, task:links())
    task:remove_link("candidate", { user = "ann" })
    assert.same({ { type = "watcher", group = "sales" } }, task:links())
  end)

  it("has its assignee and its owner by links, too, which are users", function()
    refused("argument", task.add_link, task, "assignee", { group = "sales" })
    task:add_link("assignee", { user = "ann" })
    task:add_link("owner", { user = "bob" })
    task:remove_link("assignee", { user = "bob" })
    assert.same({ "ann", "bob" }, { task:reload().assignee, task:reload().owner })
    assert.same({}, task:links())
    task:remove_link("assignee", { user = "ann" })
    assert.same({ nil, "bob" }, { task:reload().assignee, task:reload().owner })
  end)

  it("keeps what an update may not change", function()
    refused("argument", task.update, task, { instance_id = 1 })
    refused("argument", task.update, task, { priority = "high" })
    refused("argument", task.update, task, { due = "soon" })
    assert.equal(task.priority, engine:task(task.id).priority)
  end)

  it("is not deleted from under a running instance", function()
    refused("state", task.delete, task, "no reason")
    assert.is_not_nil(engine:task(task.id))
  end)

  it("tells who listens that it was given back, and why it went", function()
    local heard = {}
    engine:register("hear", function(t)
      heard[#heard + 1] = t.event_name .. " " .. tostring(t.event_name == "delete" and t.delete_reason or t.assignee)
    end)
    support.deploy(engine, [[<startEvent id="s"/><userTask id="task"><extensionElements>
      <camunda:taskListener event="assignment" class="hear"/>
      <camunda:taskListener event="delete" class="hear"/></extensionElements></userTask><endEvent id="e"/>]], "s -> task task -> e")
    local pi = engine:start "p"
    local t = engine:task { instance = pi.id }
    t:claim "ann"
    t:unclaim()
    t:unclaim()
    pi:modify { { cancel = "task" } }
    assert.same({ "assignment ann", "assignment nil", "delete deleted" }, heard)
  end)
end)
