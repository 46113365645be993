--- The engine's Lua face: option tables in, records out. Commands are the core's; see docs/api.md.
local core = require "orrery.core"
local errors = require "orrery.errors"
local files = require "orrery.files"
local ids = require "orrery.ids"
local lazy = require "orrery.lazy"
local open_options = require "orrery.engine.options"
local records = require "orrery.record"
local start_form = require "orrery.record.start_form"
local zero = require "orrery.zero"

local camel = lazy.module "orrery.outside.camel"
local decision = lazy.module "orrery.decision"
local migration = lazy.module "orrery.engine.migration"
local serving = lazy.module "orrery.engine.serving"
local wsdls = lazy.module "orrery.outside.wsdl_fetch"

local null = core.null

local Engine = {}
Engine.__index = Engine
Engine.__name = "orrery.Engine"
Engine.__shown = "engine" -- lua/orrery/view.lua

local M = {}

-- Opening ---------------------------------------------------------------------------------------------------------------------------

local opened = setmetatable({}, { __mode = "v" }) -- by address, so that delegates see the very object that runs them

--- Makes the object for a core engine: its own, or in a worker a borrowed one.
local function wrap(box)
  local self = setmetatable({ core = box, transactions = 0 }, Engine) -- transactions: begun here and not ended
  core.set_records(box, records.metatables(self))
  opened[core.address(box)] = self
  return self
end

--- The object of an engine that is open in this state already, or one for the borrowed box.
function M.of(box) return opened[core.address(box)] or wrap(box) end

--- What an engine has once it is open. For a host in C `of` is a borrowed box.
function M.adopt(of, options)
  local self, secrets = type(of) == "table" and of or wrap(of), options.secrets
  if secrets and type(secrets) ~= "table" then self.core:register("secrets of:", secrets) end
  if secrets then self.core:register("secret", "orrery.outside.secrets") end
end

function M.open(path, options)
  options = open_options.check(path, options)
  records.classes() -- an open engine needs none of their files: descriptors may be out by then
  local self = wrap(core.open(open_options.config(path, options), open_options.settings(options)))
  M.adopt(self, options)
  self.user = options.user
  if options.clock == "manual" and options.now ~= nil then self.core:set_time(options.now) end -- 0 is a time, too
  if options.executor then
    local ok, problem = pcall(self.start_executor, self, options.executor ~= true and options.executor or nil)
    if not ok then
      self:close()
      error(problem, 0)
    end
  end
  return self
end

function Engine:close()
  if self.transactions > 0 then errors.raise("state", "an engine cannot be closed within a transaction") end
  if self.telling then errors.raise("state", "an engine cannot be closed by what is told how far it is") end
  self.core:close()
end

Engine.__close = Engine.close
Engine.__tostring = function(self) return tostring(self.core) end

--- Calls a method of the core that tells `progress` (may be nil) how far it is. Meanwhile the core is at work, so the engine stays open.
local function tell(self, method, progress, ...)
  if progress == nil or self.telling then return self.core[method](self.core, ...) end
  self.telling = true
  local ok, result = pcall(self.core[method], self.core, ...)
  self.telling = nil
  if not ok then error(result, 0) end
  return result
end

--- Copies the store, as of one commit, to a folder that is not there yet, while everything goes on. options: compact, progress.
function Engine:copy_to(path, options)
  errors.check_text("copy_to", 1, path)
  options = errors.check_options("copy_to", 2, options, { "compact", "progress" })
  local progress = errors.check_progress("copy_to", 2, options)
  tell(self, "copy_to", progress, path, options.compact, progress)
end

-- Clock and transactions ------------------------------------------------------------------------------------------------------------

function Engine:now() return self.core:now() end

--- The name of the store's zone.
function Engine:time_zone() return self.core:time_zone() end

--- Gives the store another zone.
function Engine:set_time_zone(name)
  errors.check_text("set_time_zone", 1, name)
  self.core:set_time_zone(name)
end

function Engine:set_time(t)
  self.core:set_time(t)
  core.clock_moved(self.core)
end

function Engine:advance(duration)
  local now = self:now()
  local seconds = type(duration) == "string" and core.duration_parse(duration, now) or errors.check_type("advance", 1, duration, "number")
  self:set_time(now + seconds)
end

--- How a coroutine that runs all of a function answered: as pcall. One that yields is closed, for what it is in the middle of must not
--- stay open while other code of the thread goes on.
local function whole(name, co, ok, ...)
  if coroutine.status(co) == "dead" then
    if not ok then coroutine.close(co) end
    return ok, ...
  end
  coroutine.close(co)
  return pcall(errors.raise, "state", ("its function yielded; what %s does ends before other code runs"):format(name))
end

--- Calls `f` without letting other code of this thread in between. A delegate may await: its work is apart from that of others anyway.
local function uninterrupted(name, f)
  if core.fiber() then return pcall(f) end
  local co = coroutine.create(f)
  return whole(name, co, coroutine.resume(co))
end

--- Ends what begin began, whatever `f` did, and passes on its results or error.
local function finish(self, begun, ok, ...)
  self.transactions = self.transactions - begun
  if not ok then
    self.core:rollback()
    error((...), 0)
  end
  self.core:commit()
  return ...
end

function Engine:transaction(f)
  errors.check_type("transaction", 1, f, "function")
  local begun = core.fiber() and 0 or 1 -- a delegate's belongs to the transaction that runs the delegate
  self.core:begin()
  self.transactions = self.transactions + begun
  return finish(self, begun, uninterrupted("engine:transaction", f))
end

local function restore_user(self, before, ok, ...)
  self.user = before
  self.core:set_user(before)
  if not ok then error((...), 0) end
  return ...
end

--- Calls `f` with `user` as the acting one.
function Engine:as(user, f)
  errors.check_type("as", 1, user, "string", "nil")
  errors.check_type("as", 2, f, "function")
  local before = self.user
  self.core:set_user(user)
  self.user = user
  return restore_user(self, before, uninterrupted("engine:as", f))
end

function Engine:evaluate(expression, options)
  options = errors.check_options("evaluate", 2, options, { "variables", "execution" })
  return records.plain(self.core:evaluate(expression, options.variables, options.execution))
end

-- Names -----------------------------------------------------------------------------------------------------------------------------

function Engine:register(name, value)
  errors.check_type("register", 1, name, "string")
  errors.check_type("register", 2, value, "function", "table", "string") -- nil is most often a variable's name mistyped
  if type(value) == "string" then errors.check_text("register", 2, value) end
  self.core:register(name, value)
end

--- f(input, execution) -> output: what <camunda:connector> with this connectorId calls.
function Engine:register_connector(id, f)
  errors.check_text("register_connector", 1, id)
  errors.check_type("register_connector", 2, f, "function", "table", "string", "nil")
  self.core:register("connector:" .. id, f)
end

--- A route of the camel tasks: f(exchange), or a table with process(self, exchange), from an endpoint on. docs/integration.md.
function Engine:route(uri, f, options) camel.route(self, uri, f, options) end

--- Sends { body =, headers =, properties = } to an endpoint; returns the exchange as it was in the end.
function Engine:send(uri, exchange, options) return camel.send(self, uri, exchange, options) end

--- What the mock endpoint of this name got in this thread: an array of exchanges.
function Engine:received(uri) return camel.received(self, uri) end

--- f(payload, execution) -> answer: what mule tasks find at this address.
function Engine:endpoint(url, f)
  errors.check_text("endpoint", 1, url)
  errors.check_type("endpoint", 2, f, "function", "string", "nil")
  self.core:register("endpoint:" .. url, f)
end

--- The address of a port of a WSDL, "{namespace}name", in place of the WSDL's own; nil: that again.
function Engine:set_endpoint(port, url)
  errors.check_text("set_endpoint", 1, port)
  errors.check_type("set_endpoint", 2, url, "string", "nil")
  self.core:register("soap-endpoint:" .. port, url and load(("return %q"):format(url)))
end

--- f(execution, operation) -> XML, or nil: the headers of the envelopes of web service tasks.
function Engine:set_soap_headers(f)
  self.core:register("soap-headers:", errors.check_type("set_soap_headers", 1, f, "function", "string", "nil"))
end

function Engine:register_task_type(name, delegate)
  errors.check_text("register_task_type", 1, name)
  errors.check_type("register_task_type", 2, delegate, "function", "table", "string", "nil")
  if type(delegate) == "string" then errors.check_text("register_task_type", 2, delegate) end
  self.core:register("type:" .. name, delegate)
end

--- f(user) -> array of groups; nil removes it.
function Engine:set_groups(f)
  errors.check_type("set_groups", 1, f, "function", "nil")
  self.core:register("groups of user:", f)
end

--- orrery.null as a tenant says: of no tenant.
local function told_tenant(options)
  if type(options) ~= "table" or options.tenant ~= null then return options end
  local told = {}
  for key, value in pairs(options) do told[key] = value end
  told.tenant = ""
  return told
end

-- Repository ------------------------------------------------------------------------------------------------------------------------

function Engine:deploy(source, options)
  errors.check_type("deploy", 1, source, "string", "table")
  if type(source) == "table" and source[1] ~= nil then
    errors.argument("deploy", 1,
      'resources must be a map of names to bytes, as { ["order.bpmn"] = text }; a path, of a file or folder, goes without a table')
  end
  local resources = type(source) == "string" and files.read(source) or source
  local given = {}
  errors.check_type("deploy", 2, options, "table", "nil")
  for key, value in pairs(options or {}) do given[key] = value end
  if type(given.filter_duplicates) == "boolean" then given.filter_duplicates = given.filter_duplicates and "true" or nil end
  local deployment = self.core:deploy(wsdls.fetch(self, resources), given)[1]
  deployment.definitions = self:definitions { deployment_id = deployment.id } -- records with their methods
  deployment.decisions = self:decisions { deployment_id = deployment.id }
  return deployment
end

--- Checks resources as deploy would, and stores nothing: an array of problems and warnings.
function Engine:check(source, options)
  errors.check_type("check", 1, source, "string", "table")
  options = errors.check_options("check", 2, options, { "no_scripts" })
  return self.core:check(type(source) == "string" and files.read(source) or source, options)
end

--- The dialect that a model has in this engine, and why; nil when the text is no XML.
function Engine:model_dialect(text)
  errors.check_text("model_dialect", 1, text)
  local found = self.core:model_dialect(text)
  return found.dialect, found.reason
end

-- What of its instances goes, and whether listeners hear of it.
local function cascade_of(name, options)
  options = errors.check_options(name, 2, options, { "cascade", "skip_listeners" })
  local cascade = options.cascade
  errors.check_type(name, 2, cascade, "boolean", "nil")
  local quiet = errors.check_type(name, 2, options.skip_listeners, "boolean", "nil")
  return cascade and quiet and "quietly" or cascade
end

function Engine:undeploy(id, options)
  self.core:undeploy(id, cascade_of("undeploy", options))
end

function Engine:delete_definition(id, options)
  self.core:delete_definition(id, cascade_of("delete_definition", options))
end

function Engine:delete_decision(id, options)
  self.core:delete_decision(id, errors.check_options("delete_decision", 2, options, { "cascade" }).cascade)
end

--- The names of a deployment's resources, sorted.
function Engine:resources(deployment) return self.core:resources(deployment) end
function Engine:resource(deployment, name) return self.core:resource(deployment, name) end

local function suspend_definition(self, name, which, options)
  options = errors.check_options(name, 2, options, { "instances", "at" })
  local request = { instances = options.instances, at = options.at }
  if type(which) == "table" then
    errors.check_options(name, 1, which, { "key", "tenant", "id" })
    request.key, request.tenant, request.definition = which.key, told_tenant(which).tenant, which.id
  else
    request.definition = errors.check_type(name, 1, which, "string", "number", "table")
    if not ids.possible(which) then
      errors.argument(name, 1, ('"%s" is no id; every version of a key is { key = "%s" }'):format(which, which))
    end
  end
  self.core[name](self.core, request)
end

function Engine:suspend_definition(which, options) suspend_definition(self, "suspend_definition", which, options) end
function Engine:activate_definition(which, options) suspend_definition(self, "activate_definition", which, options) end

function Engine:set_history_time_to_live(definition, time_to_live)
  errors.check_type("set_history_time_to_live", 2, time_to_live, "string", "number", "nil")
  if math.type(time_to_live) == "integer" then time_to_live = tostring(time_to_live) end
  self.core:set_history_time_to_live(definition, time_to_live)
end

function Engine:set_decision_time_to_live(decision, time_to_live)
  errors.check_type("set_decision_time_to_live", 2, time_to_live, "string", "number", "nil")
  if math.type(time_to_live) == "integer" then time_to_live = tostring(time_to_live) end
  self.core:set_decision_time_to_live(decision, time_to_live)
end

function Engine:called_definitions(definition) return self.core:called_definitions(definition) end

for _, verb in ipairs { "suspend_instances", "activate_instances", "suspend_jobs", "activate_jobs" } do
  Engine[verb] = function(self, filter) self.core[verb](self.core, errors.check_type(verb, 1, filter, "table", "nil")) end
end

function Engine:register_deployment(id) self.core:register_deployment(id) end
function Engine:unregister_deployment(id) self.core:unregister_deployment(id) end
function Engine:registered_deployments() return ids.list(self.core:registered_deployments()) end

--- What a decision or decision service gives for `vars`. options: version, version_tag, tenant, deployment; exact, for FEEL's own values;
--- diagnostics, a table that takes what was wrong with expressions that gave null.
function Engine:decide(key, vars, options) return decision.decide(self, key, vars, options) end

-- Running ---------------------------------------------------------------------------------------------------------------------------

local function start(self, name, field, value, options)
  local request = { [field] = value }
  if options ~= nil then
    errors.check_type(name, 2, options, "table")
    zero.refuse(name, 2, options, "version")
    for key, option in pairs(options) do request[key] = option end
    request[field] = value
  end
  if request.tenant == null then request.tenant = "" end -- as told_tenant has it; the request is our own
  if name ~= "start" then core.called(("engine:%s+1"):format(name)) end
  return self.core:start(request)[1]
end

function Engine:start(key, options)
  return start(self, "start", "key", errors.check_type("start", 1, key, "string"), options)
end

function Engine:start_by_id(id, options)
  return start(self, "start_by_id", "definition", ids.check("start_by_id", 1, id), options)
end

function Engine:start_by_message(name, options)
  return start(self, "start_by_message", "message", errors.check_text("start_by_message", 1, name), options)
end

Engine.start_form, Engine.submit_start_form = start_form.show, start_form.submit

function Engine:modify(instructions, options)
  errors.check_type("modify", 1, instructions, "table")
  return self.core:modify_instances(instructions, errors.check_type("modify", 2, options, "table"))
end

--- options: map_equal, update_event_triggers, instructions, variables, arm_event_subprocesses.
function Engine:migration_plan(source, target, options)
  local request = { source = errors.check_type("migration_plan", 1, source, "number", "string"),
    target = errors.check_type("migration_plan", 2, target, "number", "string") }
  for key, value in pairs(errors.check_options("migration_plan", 3, options,
    { "map_equal", "update_event_triggers", "instructions", "variables", "arm_event_subprocesses" })) do request[key] = value end
  return migration.plan(self, ids.fields(self.core:migration_plan(request)))
end

function Engine:migrate(plan, options)
  errors.check_type("migrate", 1, plan, "table")
  return self.core:migrate(plan, errors.check_type("migrate", 2, options, "table"))
end

function Engine:restart(definition, options)
  errors.check_type("restart", 1, definition, "number", "string")
  return self.core:restart(definition, errors.check_type("restart", 2, options, "table"))
end

function Engine:trigger(execution, variables, options)
  options = errors.check_options("trigger", 3, options, { "transient", "async" })
  if not options.async then return self.core:trigger(execution, variables, options.transient) end
  if options.transient then errors.argument("trigger", 3, "transient variables do not last until the job runs") end
  self.core:trigger_later(execution, variables)
end

function Engine:message(name, options) return ids.fields(self.core:message(name, told_tenant(options))) end
function Engine:evaluate_conditions(options) return self.core:evaluate_conditions(told_tenant(options)) end
function Engine:signal(name, options) self.core:signal(name, told_tenant(options)) end

-- Lists -----------------------------------------------------------------------------------------------------------------------------

local lists = require "orrery.gen.lists"

for verb, one in pairs(lists) do
  local many_called, one_called = "engine:verb:" .. verb, "engine:verb:" .. one
  Engine[verb] = function(self, filter)
    core.called(many_called)
    return self.core:list(verb, filter)
  end
  Engine[one] = function(self, which)
    -- nil is an id that its caller did not have: any record at all would be the wrong one
    if type(errors.check_type(one, 1, which, "string", "number", "table")) ~= "table" then
      return ids.possible(which) and self.core:find(verb, which)[1] or nil
    end
    local filter = { limit = 1 }
    for key, value in pairs(which) do filter[key] = value end
    core.called(one_called)
    return self.core:list(verb, filter)[1]
  end
end

--- The distinct topics of external tasks, in order.
function Engine:external_topics(filter)
  local names = {}
  core.called "engine:verb:external_topics"
  for i, row in ipairs(self.core:list("external_topics", filter)) do names[i] = row.name end
  table.sort(names)
  return names
end

function Engine:count(verb, filter)
  errors.check_type("count", 1, verb, "string")
  if not lists[verb] and verb ~= "external_topics" then
    local names = {}
    for name in pairs(lists) do names[#names + 1] = name end
    table.sort(names)
    errors.argument("count", 1, ('there is no list "%s"%s'):format(verb, errors.suggestion(verb, names)))
  end
  return self.core:count(verb, filter)
end

function Engine:statistics(request) return self.core:statistics(request) end
function Engine:history_statistics(request)
  return self.core:history_statistics(errors.check_type("history_statistics", 1, request, "table"))
end

function Engine:clean_history(options)
  options = errors.check_options("clean_history", 1, options, { "ended_before" })
  return self.core:clean_history(options.ended_before)
end

--- A task without a process, or a subtask of the one named by parent_id.
function Engine:create_task(fields)
  return self.core:task_create(errors.check_options("create_task", 1, fields, records.new_task))[1]
end

--- Comments on a task or an instance, by its id; those there are: engine:comments { task = } or { instance = }.
function Engine:add_comment(to, message) return self.core:add_comment(to, message)[1] end
function Engine:update_comment(comment, message) self.core:update_comment(comment, message) end
function Engine:delete_comment(comment) self.core:delete_comment(comment) end

--- Attaches a document to a task or an instance: its content, or where it is.
function Engine:add_attachment(to, attachment)
  local known = { "name", "type", "description", "url", "content" }
  return self.core:add_attachment(to, errors.check_options("add_attachment", 2, attachment, known))[1]
end

function Engine:attachment_content(attachment) return self.core:attachment_content(attachment) end
function Engine:delete_attachment(attachment) self.core:delete_attachment(attachment) end

--- Deletes the history of one instance that has ended.
function Engine:delete_history(instance) self.core:delete_history(instance) end

--- Deletes the history of variables: of an instance or a scope, all or the one of that name.
function Engine:delete_history_variables(of, name) return self.core:delete_history_variables(of, name) end

--- How long instances or tasks took, by the month or quarter in which they began.
function Engine:durations(options)
  options = errors.check_options("durations", 1, options, { "of", "period", "filter" })
  local verb = "history_" .. (options.of or "instances")
  return self.core:durations(verb, options.filter, options.period or "month")
end

--- Makes an incident where an execution is at an activity.
function Engine:create_incident(execution, incident)
  incident = errors.check_options("create_incident", 2, incident, { "type", "configuration", "message" })
  return self.core:create_incident(execution, incident.type or "", incident.configuration, incident.message)[1]
end

--- Sets, or with nil clears, what is noted beside a user's operation.
function Engine:annotate_operation(operation, text) self.core:annotate_operation(operation, text) end

function Engine:schedule_clean_history(options)
  options = errors.check_options("schedule_clean_history", 1, options, { "at", "every", "batch_size", "priority", "ended_before", "off" })
  zero.refuse("schedule_clean_history", 1, options, "batch_size")
  local request = {}
  for key, value in pairs(options) do request[key] = value end
  if type(request.every) == "string" then request.every = core.duration_parse(request.every, self:now()) end
  self.core:schedule_clean_history(request)
end

-- Jobs ------------------------------------------------------------------------------------------------------------------------------

function Engine:run_jobs(limit) return self.core:run_jobs(limit) end
function Engine:poll(budget) return self.core:poll(budget or 0) end
function Engine:start_executor(options)
  self.core:start_executor(zero.executor("start_executor", 1, options))
  self.core:executor_starts()
end
function Engine:stop_executor() self.core:stop_executor() end
function Engine:store_state() return self.core:store_state() end
function Engine:executor_active() return self.core:executor_active() end
function Engine:wait_idle(timeout) return serving.wait_idle(self, timeout) end
function Engine:serve(options) return serving.serve(self, options) end

local find_batch = Engine.batch

--- With an action: makes a batch. Else finds one, by id or filter.
function Engine:batch(request)
  if type(request) ~= "table" or request.action == nil or request.state or request.id then return find_batch(self, request) end
  errors.check_options("batch", 1, request, { "action", "filter", "list", "size", "jobs_per_seed", "priority", "retries", "due", "value",
    "reason", "variables", "message", "instructions", "plan", "definition_id", "initial_variables", "without_business_key",
    "skip_listeners", "skip_io_mappings", "keep_called", "at", "calculated", "hierarchical" })
  zero.refuse("batch", 1, request, "size", "jobs_per_seed")
  return self.core:batch(zero.batch("batch", 1, request))[1]
end

function Engine:cancel_batch(id) self.core:batch_cancel(ids.check("cancel_batch", 1, id)) end

--- `of`: { job_definition = id }, { topic = name } or { key = name }.
function Engine:set_limit(of, limit)
  errors.check_options("set_limit", 1, of, { "job_definition", "topic", "key" })
  errors.check_options("set_limit", 2, limit, { "max", "per_second", "burst" })
  zero.refuse("set_limit", 2, limit, "max", "per_second", "burst")
  self.core:set_limit(of, limit)
end

function Engine:clear_limit(of)
  self.core:clear_limit(errors.check_options("clear_limit", 1, of, { "job_definition", "topic", "key" }))
end

--- Loaded when it is first used, as most programs have none.
function Engine:feed(options) return require "orrery.engine.feed".open(self, options) end

--- Counters of this process since the engine opened; of what the store tells, when a request says which.
function Engine:metrics(request)
  if request == nil then return self.core:metrics() end
  errors.check_options("metrics", 1, request, { "name", "reporter", "from", "to", "interval", "by_reporter", "limit", "offset" })
  local plain = {}
  for key, value in pairs(request) do plain[key] = value end
  if type(plain.interval) == "string" then plain.interval = core.duration_parse(plain.interval, self:now()) end
  return self.core:stored_metrics(plain)
end

--- Returns how many rows went.
function Engine:delete_metrics(request)
  if request ~= nil then errors.check_options("delete_metrics", 1, request, { "before", "reporter", "task_workers" }) end
  return self.core:delete_metrics(request)
end

function Engine:metrics_text() return self.core:metrics_text() end

--- What the executor's threads are at; `wait`: how many seconds a busy one may take to answer with its traceback (default 0.1).
function Engine:running(wait) return self.core:running(wait or 0.1) end

--- Why a job does not run: { reason, text, cure }.
function Engine:why(job)
  return self.core:why(errors.check_type("why", 1, type(job) == "table" and job.id or job, "string", "number"))
end
--- The executors on this store, of all processes: an array of { owner, host, pid, room, jobs, stopping, … }.
function Engine:executors() return self.core:executors() end
--- The nodes of this store, those that are gone included: an array of { name, host, pid, state, alive, held, lag, … }.
function Engine:nodes() return self.core:nodes() end
--- What each thread of each executor on this store is at; `wait`: how many seconds other processes may take to answer (default 2).
function Engine:threads(wait)
  if wait ~= nil then errors.check_type("threads", 1, wait, "number") end
  return self.core:threads(wait or 2)
end
function Engine:verify(options)
  options = errors.check_options("verify", 1, options, { "progress" })
  local progress = errors.check_progress("verify", 1, options)
  return tell(self, "verify", progress, progress)
end

-- External tasks --------------------------------------------------------------------------------------------------------------------

function Engine:fetch_and_lock(request) return self.core:fetch_and_lock(errors.check_type("fetch_and_lock", 1, request, "table")) end

function Engine:unlock_external_tasks(options)
  options = errors.check_options("unlock_external_tasks", 1, options, { "worker", "topic" })
  self.core:unlock_external_tasks(options.worker, options.topic)
end

errors.guard_methods(Engine, "engine", { [Engine] = true })

return M
