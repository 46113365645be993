--- What the engine does while something fails: each scenario is a function over driver.lua's run, whose calls are those of
--- spec/inside/scenario.c. Together they reach every room of the runtime that needs no script host.
local models = require "spec.fault.models"

local scenarios = {}

local MINUTE = 60 * 1000
local START = 1767225600000 -- the manual clock's first time

local function ended(r, instance, state)
  r:expect("the history's state", state or "completed", r:one("history_instances", { id = instance }).state)
  r:expect("running instances", 0, r:count { verb = "instances" })
end

function scenarios.approval(r)
  r:deploy_model(models.approval)
  local instance = r:start { key = "approval", business_key = "b1", variables = { amount = 12, order = { lines = { 1, 2 } } } }[1]
  local task = r:one("tasks", { candidate_group = "clerks", include_assigned = true })
  r:task_claim { task = task.id, user = "ann" }
  r:task_update { task = task.id, changes = { priority = 70, description = "please" } }
  r:task_add_link { task = task.id, type = "participant", user = "bob" }
  r:expect("links", 2, #r:task_links { task = task.id })
  r:set_variables { scope = instance.id, variables = { note = ("x"):rep(2000), amount = 13 } }
  r:set_variables { scope = task.id, variables = { mine = true }, ["local"] = true }
  r:remove_variable { scope = instance.id, name = "note" }
  r:expect("variables", { amount = 13, order = { lines = { 1, 2 } }, mine = true }, r:get_variables { scope = task.id })
  r:expect("active", { "check" }, r:active { instance = instance.id })
  r:task_complete { task = task.id, variables = { approved = true } }
  ended(r, instance.id)
  r:expect("the delegate's result", true, r:one("history_variables", { instance = instance.id, name = "result" }).value)
  r:expect("activities", 5, r:count { verb = "history_activities", filter = { instance = instance.id } })
end

-- A failure of the engine's own may leave a job locked: six minutes later the lock has expired, whoever holds it.
local function run_jobs(r, from, to)
  for minute = from, to, 6 do
    r:set_time { time = START + minute * MINUTE }
    r:run_jobs()
  end
end

function scenarios.jobs(r)
  r:deploy_model(models.jobs)
  local instance = r:start { key = "jobs", variables = { amount = 1 } }[1]
  r:expect("jobs", 4, r:count { verb = "jobs", filter = { instance = instance.id } })
  run_jobs(r, 0, 18)
  r:why { job = r:one("jobs", { activity = "fail" }).id }
  r:expect("incidents", 1, r:count { verb = "incidents" })
  r:modify { instance = instance.id, instructions = { { cancel = "fail" }, { start_after = "fail" } } }
  r:expect("incidents", 0, r:count { verb = "incidents" })
  run_jobs(r, 24, 60)
  r:expect("jobs", 0, r:count { verb = "jobs" })
  r:expect("tokens", { "ask", "join", "join", "join" }, r:active { instance = instance.id })
  r:task_complete { task = r:one("tasks", {}).id }
  ended(r, instance.id)
end

function scenarios.events(r)
  r:deploy_model(models.events)
  r:message { name = "ordered", business_key = "b2", variables = { amount = 5, people = { "ann", "bob", "eve" } } }
  local instance = r:one("instances", { business_key = "b2" })
  r:expect("tasks", 3, r:count { verb = "tasks", filter = { instance = instance.id } })
  r:tree { instance = instance.id }
  local tasks = r:list { verb = "tasks", filter = { instance = instance.id, order_by = "created" } }
  r:task_complete { task = tasks[1].id }
  r:signal { name = "alarm", variables = { late = true } }
  r:expect("active", { "receive" }, r:active { instance = instance.id })
  r:message { name = "paid", business_key = "b2" }
  local task = r:one("tasks", { key = "look" })
  r:task_complete { task = task.id }
  ended(r, instance.id)
  r:expect("what the callee gave", true, r:one("history_variables", { instance = instance.id, name = "answer" }).value)
end

function scenarios.external(r)
  r:deploy_model(models.external)
  local instance = r:start { key = "external", variables = { amount = 3 } }[1]
  local request = { worker = "w", max = 5, topics = { { name = "goods", lock = 60, variables = { "amount" } } } }
  local tasks = r:fetch_and_lock { request = request }
  r:expect("fetched", 1, #tasks)
  r:external_fail { task = tasks[1].id, worker = "w", failure = { message = "no", retries = 0 } }
  r:expect("incidents", 1, r:count { verb = "incidents" })
  r:suspend_definition { key = "external", instances = true, suspended = true }
  r:suspend_definition { key = "external", instances = true, suspended = false }
  r:modify { instance = instance.id, instructions = { { cancel = "pick" }, { start_before = "pick" } } }
  tasks = r:fetch_and_lock { request = request }
  r:external_complete { task = tasks[1].id, worker = "w", variables = { picked = true } }
  r:expect("active", { "sign" }, r:active { instance = instance.id })
  r:delete_instance { instance = instance.id, reason = "enough" }
  ended(r, instance.id, "terminated")
end

function scenarios.decisions(r)
  local resources = { ["d.dmn"] = models.decisions, ["library.dmn"] = models.library }
  local deployment = r:deploy { resources = resources }[1]
  r:expect("decisions", 3, r:count { verb = "decisions" })
  local found = r:decision { key = "boxed" }[1]
  r:expect("its version", 1, found.version)
  r:expect("its code", true, #r:decision_code { deployment = deployment.id, resource = "d.dmn" } > 1000)
  r:expect("the rules of its table", 0, #r:decision_table { decision = found.id }.rules)
  r:record_decisions { rows = { { decision_id = found.id, decision_key = "boxed", inputs = { 1, { a = 2 } }, result = 3 } } }
  r:expect("history", { 1, { a = 2 } }, r:one("history_decisions", { decision_key = "boxed" }).inputs)
  r:clean_history { ended_before = START + MINUTE }
  r:expect("history", 0, r:count { verb = "history_decisions" })
  local second = r:deploy { resources = resources }[1]
  r:expect("the latest version", 2, r:decision { key = "boxed" }[1].version)
  r:expect("an older version", found.id, r:decision { key = "boxed", version = 1 }[1].id)
  r:undeploy { deployment = second.id, cascade = true }
  r:expect("the version before", 1, r:decision { key = "boxed" }[1].version)
  r:undeploy { deployment = deployment.id, cascade = true }
  r:expect("decisions", 0, r:count { verb = "decisions" })
end

function scenarios.people(r)
  r:deploy_model(models.approval)
  r:set_user { user = "boss" }
  local instance = r:start { key = "approval", variables = { amount = 12 } }[1]
  local parent = r:one("tasks", { instance = instance.id })
  local at = r:one("executions", { instance = instance.id, activity_id = parent.key })
  local incident = r:create_incident { execution = at.id, type = "paper", configuration = "tray 2", message = "is out" }[1]
  r:expect("the incident", incident.id, r:one("incidents", { about = "tray 2" }).id)
  r:set_history_time_to_live { definition = instance.definition_id, time_to_live = "30" }
  r:expect("what it calls", {}, r:called_definitions { definition = instance.definition_id })
  local task = r:task_create { fields = { name = "alone", parent_id = parent.id, assignee = "ann" } }[1]
  r:set_variables { scope = task.id, variables = { list = { 1, { a = "é" } }, n = 1 } }
  r:set_variables { scope = task.id, variables = { n = 2 } }
  local typed = r:get_variables_typed { scope = task.id }
  r:expect("types", { "Json", '[1,{"a":"é"}]', "Integer" }, { typed.list.type, typed.list.value, typed.n.type })
  r:add_comment { to = task.id, message = "well" }
  local attached = r:add_attachment { to = instance.id, attachment = { name = "a", content = "bytes" } }[1]
  r:expect("its content", "bytes", r:attachment_content { attachment = attached.id })
  local gone = r:add_attachment { to = task.id, attachment = { name = "b", url = "x" } }[1]
  r:delete_attachment { attachment = gone.id }
  local other = r:task_create { fields = { name = "other" } }[1]
  r:task_delete { task = other.id, reason = "no need" }
  r:task_complete { task = parent.id, variables = { approved = true } }
  ended(r, instance.id)
  r:expect("tasks", 0, r:count { verb = "tasks" })
  r:expect("its incident", "deleted", r:one("history_incidents", { id = incident.id }).state)
  r:expect("its state", "completed", r:one("history_tasks", { id = task.id }).state)
  r:expect("durations", 1, #r:durations { verb = "history_instances", period = "month" })
  r:expect("operations", true, r:count { verb = "history_operations", filter = { user = "boss", task_id = task.id } } > 2)
  r:expect("variables in history", true, r:delete_history_variables { of = instance.id } > 0)
  r:delete_history { instance = instance.id }
  r:expect("attachments", 0, r:count { verb = "attachments" })
  r:clean_history { ended_before = START + MINUTE }
  r:expect("tasks in history", 0, r:count { verb = "history_tasks" })
end

function scenarios.lists_and_ends(r)
  local deployment = r:deploy_model(models.approval)
  r:deploy_model(models.events)
  r:transaction(function()
    r:start { key = "approval", business_key = "a", variables = { amount = 1 } }
    r:start { key = "approval", business_key = "b", variables = { amount = 2 } }
  end)
  r:expect("by a variable", 1, r:count { verb = "instances", filter = { variables = { amount = { gt = 1 } } } })
  local newest_first = { definition_key = "approval", order_by = { { "business_key", "desc" } } }
  r:expect("of a definition", 2, #r:list { verb = "instances", filter = newest_first })
  r:expect("definitions", 3, #r:list { verb = "definitions", filter = { latest = true } })
  for _, verb in ipairs { "deployments", "executions", "subscriptions", "tasks", "jobs", "job_definitions", "incidents",
                          "history_activities", "history_tasks", "history_variables", "history_jobs" } do
    r:expect(verb, r:count { verb = verb }, #r:list { verb = verb, filter = { limit = 100 } })
  end
  r:expect("found", 1, #r:find { verb = "deployments", id = deployment.id })
  r:undeploy { deployment = deployment.id, cascade = true }
  r:expect("instances", 0, r:count { verb = "instances" })
  r:expect("their history", 0, r:count { verb = "history_instances" })
  r:expect("definitions", 2, r:count { verb = "definitions" })
end

return scenarios
