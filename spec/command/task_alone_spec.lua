-- Tasks without a process, subtasks, states, comments and attachments.
-- Marks: records
local orrery = require "orrery"
local folder = require "spec.support.folder"
local support = require "spec.support.process"
local refused, fields = support.refused, support.fields

local function waiting(options)
  local engine = support.engine(options)
  support.user_task(engine)
  local pi = engine:start "p"
  return engine, pi, engine:task { instance = pi.id }
end

describe("a task without a process", function()
  it("is created with its fields, and listed like any other", function()
    local engine <close> = support.engine()
    local task = engine:create_task { name = "Call back", description = "soon", assignee = "kermit", owner = "miss", priority = 70,
      due = "2026-02-01T00:00:00Z", follow_up = "2026-01-15T00:00:00Z", category = "calls", tenant = "t" }
    assert.same({ "Call back", "soon", "kermit", "miss", 70, orrery.parse_time "2026-02-01T00:00:00Z",
      orrery.parse_time "2026-01-15T00:00:00Z", "calls", "t", engine:now(), "created", false },
      { task.name, task.description, task.assignee, task.owner, task.priority, task.due, task.follow_up, task.category, task.tenant,
        task.created, task.state, task.suspended })
    assert.same({}, { task.instance_id, task.execution_id, task.definition_id, task.key, task.activity_instance_id, task.last_updated })
    assert.equal(task.id, engine:task { assignee = "kermit" }.id)
    assert.equal(50, engine:create_task().priority)
    assert.equal(2, #engine:tasks { active = true })
    assert.equal(task.id, engine:history_task(task.id).id)
    assert.same({}, engine:verify())
  end)

  it("refuses what is no field or no value of one, and leaves nothing", function()
    local engine <close> = support.engine()
    refused("argument", engine.create_task, engine, { nme = "x" })
    refused("argument", engine.create_task, engine, { priority = "high" })
    refused("argument", engine.create_task, engine, { due = "soon" })
    refused("argument", engine.create_task, engine, { parent_id = "x" })
    refused("not_found", engine.create_task, engine, { parent_id = "12345" })
    assert.same({}, engine:tasks {})
    assert.same({}, engine:history_tasks {})
  end)

  it("is claimed, delegated, resolved, updated, linked and completed", function()
    local engine <close> = support.engine()
    local task = engine:create_task { name = "t" }
    task:add_link("candidate", { group = "frogs" })
    assert.equal(task.id, engine:task({ candidate_group = "frogs" }).id)
    engine:advance(1)
    task:claim "kermit"
    refused("state", task.claim, task, "fozzie")
    task:delegate "fozzie"
    refused("state", task.complete, task)
    task:resolve { done = true }
    task:update { name = "u" }
    task:reload()
    assert.same({ "kermit", "u", "updated", engine:now() }, { task.assignee, task.name, task.state, task.last_updated })
    task:complete { more = 1 }
    assert.same({}, engine:tasks {})
    local row = engine:history_task(task.id)
    assert.same({ "completed", "completed", "u", engine:now() }, { row.state, row.delete_reason, row.name, row.ended_at })
    refused("not_found", task.complete, task)
    assert.same({}, engine:verify())
  end)

  it("is moved below another, and out again", function()
    local engine <close>, _, of_process = waiting { history = "full" }
    local a, b = engine:create_task { name = "a" }, engine:create_task { name = "b" }
    engine:as("kermit", function() b:update { parent_id = a.id } end)
    assert.equal(a.id, b:reload().parent_id)
    assert.same({ b.id }, fields(a:subtasks(), "id"))
    local row = engine:history_operations({ type = "Update" })[1]
    assert.same({ "parent_id", a.id }, { row.property, row.new_value, row.old_value })
    assert.matches("part of itself", refused("state", a.update, a, { parent_id = b.id }).message)
    refused("state", a.update, a, { parent_id = a.id })
    refused("not_found", a.update, a, { parent_id = "12345" })
    refused("argument", a.update, a, { parent_id = true })
    refused("state", of_process.update, of_process, { parent_id = a.id })
    of_process:update { parent_id = orrery.null }
    a:update { parent_id = of_process.id }
    b:update { parent_id = orrery.null }
    assert.same({}, a:subtasks())
    of_process:complete()
    assert.same({ b.id }, fields(engine:tasks {}, "id"))
    assert.same({}, engine:verify())
  end)

  it("is moved no deeper than subtasks nest", function()
    local engine <close> = support.engine()
    local function chain(n)
      local first = engine:create_task {}
      local last = first
      for _ = 2, n do last = last:add_subtask {} end
      return first, last
    end
    local upper, bottom = chain(20)
    local lower = chain(13)
    assert.matches("32 deep", refused("limit", lower.update, lower, { parent_id = bottom.id }).message)
    lower:subtasks()[1]:update { parent_id = bottom.id }
    assert.equal(32 + 1, engine:count("tasks", {}))
    upper:delete()
    assert.same({ lower.id }, fields(engine:tasks {}, "id"))
  end)

  it("is told how its delegation stands", function()
    local engine <close>, _, task = waiting()
    task:update { delegation = "pending" }
    refused("state", task.complete, task)
    task:update { delegation = "resolved" }
    assert.equal("resolved", task:reload().delegation)
    task:update { delegation = orrery.null }
    assert.is_nil(task:reload().delegation)
    refused("argument", task.update, task, { delegation = "done" })
    assert.equal("pending", engine:create_task { delegation = "pending" }.delegation)
    task:complete()
  end)

  it("has variables of its own", function()
    local engine <close> = support.engine()
    local task, other = engine:create_task {}, engine:create_task {}
    task:set("x", 1)
    task:set_local("y", orrery.typed { type = "Long", value = 2 })
    task:set_all { z = { 1 } }
    other:set("x", 9)
    assert.same({ x = 1, y = 2, z = { 1 } }, task:variables())
    assert.same({ x = 1, y = 2, z = { 1 } }, task:local_variables())
    assert.same({ 1, "Long", 9 }, { task:get "x", task:get_typed "y".type, other:get_local "x" })
    local row = engine:variables({ task_id = task.id, name = "y" })[1]
    assert.same({ "y", 2, "Long", task.id }, { row.name, row.value, row.type, row.scope })
    assert.same({}, { row.instance_id, row.execution_id, row.activity_instance_id, row.activity_id })
    assert.equal(3, #engine:variables { task_id = task.id })
    task:set("x", 3)
    task:remove "z"
    assert.is_nil(task:get "z")
    assert.equal(task.id, engine:task({ variables = { x = 3 } }).id)
    engine:transaction(function()
      task:complete({ x = 4 }, { transient = { t = 1 }, local_variables = { l = 5 } })
    end)
    local last = {}
    for _, row in ipairs(engine:history_variables { scope = task.id }) do last[row.name] = row.value end
    assert.same({ x = 4, y = 2, l = 5 }, last)
    assert.is_nil(engine:history_variables({ scope = task.id })[1].activity_instance_id)
    assert.same({ x = 9 }, other:variables())
    assert.same({}, engine:verify())
  end)

  it("has no variables of a process, and is in nobody's way who asks for those", function()
    local engine <close>, pi, task = waiting()
    pi:set("x", 1)
    local alone = engine:create_task { name = "alone" }
    alone:set("x", 1)
    local function found(verb, filter) return fields(engine[verb](engine, filter), "id") end
    for _, verb in ipairs { "tasks", "history_tasks" } do
      local all = { any = { { process_variables = { x = { gt = 0 } } }, { name = "none" } } }
      assert.same({ task.id }, found(verb, all), verb)
      assert.same({ task.id }, found(verb, { process_variables = { x = { gt = 0 } } }), verb)
      assert.same({ task.id }, found(verb, { process_variables = { X = 1 },
        variable_names_ignore_case = true }), verb)
      assert.same({ alone.id }, found(verb, { local_variables = { x = 1 } }), verb)
      assert.same({ alone.id }, found(verb, { local_variables = { X = 1 },
        variable_names_ignore_case = true }), verb)
      assert.same({ task.id, alone.id }, found(verb, { variables = { x = 1 } }), verb)
      assert.same({ task.id, alone.id }, found(verb, { order_by = "process_variables.x" }), verb)
      assert.same({ task.id, alone.id }, found(verb, { order_by = { { "process_variables.x",
        "desc" } } }), verb)
    end
    alone:complete()
    assert.same({ alone.id }, found("history_tasks", { local_variables = { x = 1 } }))
  end)

  it("is deleted, which a process's is not", function()
    local engine <close>, _, of_process = waiting()
    local task = engine:create_task {}
    task:set("x", 1)
    task:add_link("candidate", { user = "a" })
    task:delete "no need"
    assert.is_nil(engine:task(task.id))
    assert.same({ "deleted", "no need" }, { engine:history_task(task.id).state, engine:history_task(task.id).delete_reason })
    refused("state", of_process.delete, of_process, "x")
    assert.same({}, engine:verify())
  end)

  it("has no activity to raise an error or an escalation from", function()
    local engine <close> = support.engine()
    local task = engine:create_task {}
    assert.truthy(refused("state", task.bpmn_error, task, "e").message:find("no process", 1, true))
    refused("state", task.escalation, task, "e")
    task:complete()
  end)

  it("survives the engine", function()
    local path = folder.make()
    local id
    do
      local engine <close> = orrery.open(path, { log = "none" })
      local task = engine:create_task { name = "kept" }
      task:set("x", 1)
      id = task.id
    end
    do
      local engine <close> = orrery.open(path, { log = "none" })
      assert.same({ "kept", 1 }, { engine:task(id).name, engine:task(id):get "x" })
      assert.same({}, engine:verify())
    end
    folder.remove(path)
  end)

  it("goes from the history by the time of its end, with all that was said", function()
    local engine <close> = support.engine { history = "full", user = "u" }
    local old, new = engine:create_task {}, engine:create_task {}
    old:set("x", 1)
    old:add_comment "c"
    old:add_attachment { name = "a", content = "bytes" }
    old:complete()
    engine:advance(10)
    new:complete()
    engine:clean_history { ended_before = engine:now() - 5 }
    assert.same({ new.id }, fields(engine:history_tasks {}, "id"))
    for _, verb in ipairs { "history_variables", "history_links", "comments", "attachments" } do
      assert.same({}, engine[verb](engine, {}), verb)
    end
    assert.same({}, engine:history_operations { task_id = old.id })
    assert.same({}, engine:verify())
  end)
end)

describe("a subtask", function()
  it("belongs to a task of a process or to another without one, and ends with it", function()
    local engine <close>, _, parent = waiting()
    local first = parent:add_subtask { name = "first", assignee = "a" }
    local deep = first:add_subtask { name = "deep" }
    local second = parent:add_subtask { name = "second" }
    assert.same({ first.id, second.id }, fields(parent:subtasks(), "id"))
    assert.same({ parent.id, first.id }, { first.parent_id, deep.parent_id })
    second:complete()
    assert.same({ first.id }, fields(parent:subtasks(), "id"))
    parent:complete()
    assert.same({}, engine:tasks {})
    assert.equal(first.id, engine:history_task(deep.id).parent_id)
    assert.same({ "completed", "completed" }, { engine:history_task(first.id).state, engine:history_task(deep.id).state })
    assert.same({}, engine:verify())
  end)

  it("ends with an instance that is deleted, and takes its parent's tenant", function()
    local engine <close> = support.engine()
    engine:deploy({ ["p.bpmn"] = support.model('<startEvent id="s"/><userTask id="t"/>', "s -> t") }, { tenant = "x" })
    local pi = engine:start("p", { tenant = "x" })
    local part = engine:task {}:add_subtask {}
    assert.equal("x", part.tenant)
    pi:delete "over"
    assert.same({}, engine:tasks {})
    assert.same({ "deleted", "over" }, { engine:history_task(part.id).state, engine:history_task(part.id).delete_reason })
    assert.same({}, engine:verify())
  end)

  it("can be no deeper than a list that people make", function()
    local engine <close> = support.engine()
    local task, depth = engine:create_task {}, 1
    local ok, problem = true, nil
    while ok and depth < 100 do
      ok, problem = pcall(task.add_subtask, task, {})
      if ok then task, depth = problem, depth + 1 end
    end
    assert.equal("limit", problem.kind)
    assert.equal(32, depth)
    engine:tasks({ order_by = "id" })[1]:delete()
    assert.same({}, engine:tasks {})
  end)
end)

describe("a task's state", function()
  it("is created until something of it changes", function()
    local engine <close>, _, task = waiting()
    local function state()
      task:reload()
      return task.state, task.last_updated
    end
    assert.same({ "created" }, { state() })
    assert.equal("created", engine:history_task(task.id).state)
    engine:advance(3)
    task:claim "kermit"
    assert.same({ "updated", engine:now() }, { state() })
    assert.equal("updated", engine:history_task(task.id).state)
    engine:advance(3)
    task:set_local("x", 1)
    assert.equal(engine:now(), select(2, state()))
    engine:advance(3)
    task:add_comment "hm"
    assert.equal(engine:now(), select(2, state()))
    engine:advance(3)
    task:add_link("candidate", { user = "a" })
    assert.equal(engine:now(), select(2, state()))
    assert.equal(1, #engine:tasks { state = "updated", last_updated_after = engine:now() - 1 })
    task:complete()
    assert.equal("completed", engine:history_task(task.id).state)
  end)

  it("stays created when its listeners change it at creation, and is deleted with its activity", function()
    local engine <close> = support.engine()
    engine:register("listen", function(task) task:update { priority = 1 } end)
    support.deploy(engine, [[<startEvent id="s"/><userTask id="t"><extensionElements>
      <camunda:taskListener event="create" class="listen"/></extensionElements></userTask><boundaryEvent id="b" attachedToRef="t">
      <messageEventDefinition messageRef="m"/></boundaryEvent><endEvent id="e"/>]], "s -> t b -> e",
      { before = '<message id="m" name="m"/>' })
    engine:start "p"
    local task = engine:task {}
    assert.same({ 1, "created" }, { task.priority, task.state })
    engine:message "m"
    assert.equal("deleted", engine:history_task(task.id).state)
  end)
end)

describe("comments", function()
  it("are on tasks and instances, running and ended, with who and when", function()
    local engine <close>, pi, task = waiting()
    local first = engine:as("kermit", function() return task:add_comment "one" end)
    assert.same({ "one", "kermit", engine:now(), task.id, pi.id },
      { first.message, first.user, first.time, first.task_id, first.instance_id })
    engine:advance(1)
    engine:add_comment(pi.id, "two")
    task:complete()
    engine:add_comment(task.id, "three")
    engine:add_comment(pi.id, "four")
    assert.same({ "one", "three" }, support.each(task:comments(), "message"))
    assert.same({ "four", "one", "three", "two" }, support.each(engine:comments { instance = pi.id }, "message"))
    assert.equal(first.id, engine:comment(first.id).id)
    assert.same({}, engine:verify())
  end)

  it("are changed and taken away", function()
    local engine <close>, _, task = waiting { history = "full", user = "u" }
    local comment = task:add_comment "one"
    engine:advance(1)
    engine:update_comment(comment.id, "uno")
    assert.same({ "uno", engine:now() }, { engine:comment(comment.id).message, engine:comment(comment.id).time })
    engine:delete_comment(comment.id)
    assert.same({}, task:comments())
    refused("not_found", engine.delete_comment, engine, comment.id)
    refused("not_found", engine.update_comment, engine, comment.id, "x")
    assert.equal("one", engine:history_operations({ type = "UpdateComment" })[1].old_value)
  end)

  it("need a text of a reader's length, and something to be about", function()
    local engine <close>, _, task = waiting()
    refused("argument", task.add_comment, task, "")
    refused("argument", task.add_comment, task)
    refused("limit", task.add_comment, task, ("x"):rep(65537))
    refused("not_found", engine.add_comment, engine, "4711", "x")
    refused("not_found", engine.add_comment, engine, task.execution_id, "x")
    task:add_comment(("x"):rep(65536))
    assert.equal(1, #task:comments())
  end)

  it("go with the instance's history", function()
    local engine <close>, pi, task = waiting()
    task:add_comment "one"
    task:add_attachment { name = "a", content = "x" }
    engine:add_attachment(pi.id, { name = "b", url = "http://x/" })
    task:complete()
    engine:delete_history(pi.id)
    assert.same({}, engine:comments {})
    assert.same({}, engine:attachments {})
    assert.same({}, engine:verify())
  end)
end)

describe("attachments", function()
  it("have a content or are elsewhere", function()
    local engine <close>, pi, task = waiting { user = "u" }
    local content = ("\0\255x"):rep(100000)
    local a = task:add_attachment { name = "scan.pdf", type = "application/pdf", description = "signed", content = content }
    assert.same({ "scan.pdf", "application/pdf", "signed", 300000, "u", task.id, pi.id },
      { a.name, a.type, a.description, a.size, a.user, a.task_id, a.instance_id })
    assert.is_nil(a.content)
    assert.equal(content, engine:attachment_content(a.id))
    local b = engine:add_attachment(pi.id, { name = "page", url = "https://example.org/" })
    assert.same({ "https://example.org/", 0 }, { b.url, b.size })
    assert.is_nil(engine:attachment_content(b.id))
    local empty = task:add_attachment { name = "empty", content = "" }
    assert.equal("", engine:attachment_content(empty.id))
    assert.same({ a.id, empty.id }, fields(task:attachments(), "id"))
    engine:delete_attachment(a.id)
    refused("not_found", engine.attachment_content, engine, a.id)
    refused("not_found", engine.delete_attachment, engine, a.id)
    assert.equal("updated", engine:task {}.state)
    assert.same({}, engine:verify())
  end)

  it("refuse what is none, and leave nothing", function()
    local engine <close>, _, task = waiting()
    for _, wrong in ipairs { {}, { name = "x" }, { content = "x", url = "y" }, { content = 1 }, { content = "x", name = 1 },
      { content = "x", nme = "x" } } do
      refused("argument", task.add_attachment, task, wrong)
    end
    refused("argument", task.add_attachment, task)
    refused("not_found", engine.add_attachment, engine, "4711", { url = "x" })
    assert.same({}, engine:attachments {})
  end)
end)

describe("the log of operations", function()
  it("tells of tasks without a process", function()
    local engine <close> = support.engine { history = "full", user = "u" }
    local task = engine:create_task { name = "x" }
    task:set("v", 1)
    task:claim "u"
    task:delete()
    assert.same({ "Claim", "Create", "Delete", "SetVariable" },
      support.each(engine:history_operations { task_id = task.id }, "type"))
  end)
end)
