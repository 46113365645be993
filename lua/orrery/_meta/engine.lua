---@meta orrery.engine
-- The engine's methods; see orrery.lua beside this file. The list verbs are in lists.gen.lua.
error "this file is for editors"

-- # Engine

---@class orrery.Engine
---@field user? string the acting user
local Engine = {}

--- Stops its executor, waits for what runs, and closes the store. Also by `<close>`. Not within a transaction, nor by what it runs.
function Engine:close() end

--- The engine's clock.
---@return number # seconds since the epoch
function Engine:now() end

--- Sets the manual clock. Nothing runs by that; `run_jobs` does what is due then.
---@param t orrery.Time
---@core orr_engine_set_time
function Engine:set_time(t) end

--- Moves the manual clock on.
---@param duration orrery.Duration
---@core orr_engine_set_time
function Engine:advance(duration) end

--- Copies the store, as of one commit, to a folder that is not there yet, while everything goes on: a backup.
---@param path string
---@param options? { compact?: boolean } `compact`: without the pages that nothing uses: slower, and smaller
function Engine:copy_to(path, options) end

--- Calls `f`: all commands in it commit together, or not at all when it raises, and see each other's effects. It must not yield.
--- Gives what `f` returns.
---@param f fun(): any
---@return any
---@core orr_engine_commit
function Engine:transaction(f) end

--- Calls `f` with `user` as the acting user (`authenticatedUserId` in expressions, audit fields). Gives what `f` returns.
---@param user string?
---@param f fun(): any
---@return any
function Engine:as(user, f) end

--- What an expression of a model gives, over variables or in the scope of an execution.
---@param expression string such as `"${total > 100}"`
---@param options? orrery.EvaluateOptions
---@return orrery.Value?
function Engine:evaluate(expression, options) end

---@class orrery.EvaluateOptions
---@field variables? orrery.Variables
---@field execution? orrery.Id of an execution or an instance

-- # Names

--- Registers what models name in `class`, `delegateExpression`, `expression` and every `${name…}`: a function, a table, or the name of
--- a module. A second call replaces the first.
---@param name string
---@param value orrery.Delegate
function Engine:register(name, value) end

--- Registers the delegate of service tasks with this `type`; nil takes it away.
---@param name string
---@param delegate? orrery.Delegate
function Engine:register_task_type(name, delegate) end

--- Registers what `<camunda:connector>` with this `connectorId` calls: `f(input, execution)` gives the output.
---@param id string
---@param f? (fun(input: table, execution: orrery.CallExecution): table)|table|string
function Engine:register_connector(id, f) end

--- Sets what resolves a user's groups, for `candidate_user` in lists of tasks; nil takes it away.
---@param f? fun(user: string): string[]
function Engine:set_groups(f) end

--- A route of the camel tasks: docs/integration.md.
---@param uri string the endpoint that it begins at
---@param f? (fun(exchange: table))|table
---@param options? { context?: string }
function Engine:route(uri, f, options) end

--- Sends an exchange to an endpoint; returns it as it was in the end.
---@param uri string
---@param exchange? { body?: any, headers?: table, properties?: table }
---@param options? { context?: string }
---@return table
function Engine:send(uri, exchange, options) end

--- What the mock endpoint of this name got in this thread: an array of exchanges.
---@param uri string
---@return table[]
function Engine:received(uri) end

--- Registers what mule tasks find at an address: `f(payload, execution)` gives the answer.
---@param url string
---@param f? (fun(payload: any, execution: orrery.CallExecution): any)|string
function Engine:endpoint(url, f) end

--- Sets the address of a port of a WSDL, `"{namespace}name"`, in place of the WSDL's own; nil: that again.
---@param port string
---@param url? string
function Engine:set_endpoint(port, url) end

--- Sets what gives the headers of web service tasks' envelopes: `f(execution, operation)` gives XML or nil.
---@param f? (fun(execution: orrery.CallExecution, operation: string): string?)|string
function Engine:set_soap_headers(f) end

-- # Deployments

--- Deploys resources: a model's path, a folder, or a table `{ ["order.bpmn"] = xml, ["com/shop/Charge.lua"] = text }`. Models end in
--- `.bpmn` or `.bpmn20.xml`, decisions in `.dmn`. All or nothing: on any problem it raises `deployment` with all of them in `problems`.
--- A folder's hidden files, programs and stores are left out.
---@param source string|table<string, string>
---@param options? orrery.DeployOptions
---@return orrery.Deployment
function Engine:deploy(source, options) end

---@class orrery.DeployOptions
---@field name? string
---@field tenant? string
---@field filter_duplicates? boolean|"changed" true: nothing that is as in the last deployment of this name; `"changed"`: only what differs
---@field activate_at? orrery.Time the definitions are suspended until then
---@field source? string where it comes from, in the caller's words

--- Checks resources as `deploy` would, and stores nothing.
---@param source string|table<string, string>
---@return table[] # problems and warnings: `{ severity =, resource =, line =, column =, element =, message = }`
function Engine:check(source) end

--- Deletes a deployment and its definitions.
---@param id orrery.Id
---@param options? { cascade?: boolean } `cascade`: also their instances and history; without it running instances are in the way
function Engine:undeploy(id, options) end

--- Deletes one version of a definition.
---@param id orrery.Id
---@param options? { cascade?: boolean } `cascade`: also its instances and history
function Engine:delete_definition(id, options) end

--- Deletes one version of a decision; the version before it, if any, is the latest then.
---@param id orrery.Id
---@param options? { cascade?: boolean } `cascade`: also the history of what it decided outside of instances
function Engine:delete_decision(id, options) end

--- The names of a deployment's resources, sorted.
---@param deployment orrery.Id
---@return string[]
function Engine:resources(deployment) end

--- The bytes of one resource.
---@param deployment orrery.Id
---@param name string
---@return string
function Engine:resource(deployment, name) end

--- Suspends a definition, or every version of a key: no new instances, no jobs of it.
---@param which orrery.Id|orrery.DefinitionKey
---@param options? { instances?: boolean, at?: orrery.Time } `instances`: the running ones, too; `at`: then, by a job
function Engine:suspend_definition(which, options) end

---@class orrery.DefinitionKey
---@field id? orrery.Id
---@field key? string every version of it
---@field tenant? string|userdata orrery.null: of no tenant

--- The opposite of `suspend_definition`.
---@param which orrery.Id|orrery.DefinitionKey
---@param options? { instances?: boolean, at?: orrery.Time }
function Engine:activate_definition(which, options) end

--- Sets how long the history of instances that end from now on is kept, in place of what the model says.
---@param definition orrery.Id
---@param time_to_live? integer|string days, or an ISO 8601 duration; nil: for good
---@core orr_engine_set_history_time_to_live
function Engine:set_history_time_to_live(definition, time_to_live) end

--- What its call activities would call now, as far as the model says it without an expression, and there is such a process.
---@param definition orrery.Id
---@return table[] # `{ definition_id =, activity_ids = { … } }`
---@core orr_engine_called_definitions
function Engine:called_definitions(definition) end

--- Lets deployment-aware executors of this process take the jobs of a deployment.
---@param id orrery.Id
function Engine:register_deployment(id) end

--- The opposite of `register_deployment`.
---@param id orrery.Id
function Engine:unregister_deployment(id) end

--- The deployments whose jobs this process takes.
---@return orrery.Id[]
function Engine:registered_deployments() end

-- # Decisions

--- Evaluates a decision or decision service of a DMN file: docs/decisions.md.
---@param key string the element's id, or else its name
---@param vars? orrery.Variables
---@param options? orrery.DecideOptions
---@return orrery.Value?
---@core orr_engine_decision
function Engine:decide(key, vars, options) end

---@class orrery.DecideOptions
---@field version? integer default: the latest
---@field version_tag? string
---@field tenant? string `""`: of none
---@field deployment? orrery.Id
---@field exact? boolean gives FEEL's own values instead of plain ones
---@field diagnostics? table takes the reasons for which expressions gave null
---@field execution? orrery.Id the row of history belongs to its instance

-- # Instances

--- Starts an instance of the latest version of a process and runs it to its first wait states. It may have ended when this returns.
---@param key string
---@param options? orrery.StartOptions
---@return orrery.Instance
function Engine:start(key, options) end

--- Starts an instance of exactly this definition.
---@param id orrery.Id
---@param options? orrery.StartOptions
---@return orrery.Instance
---@core orr_engine_start
function Engine:start_by_id(id, options) end

--- Starts the process whose message start event waits for this message.
---@param name string
---@param options? orrery.StartOptions
---@return orrery.Instance
---@core orr_engine_start
function Engine:start_by_message(name, options) end

---@class orrery.StartOptions
---@field variables? orrery.Variables
---@field transient? orrery.Variables seen until the first wait state, never stored
---@field business_key? string
---@field initiator? string who starts it
---@field version? integer default: the latest
---@field tenant? string|userdata orrery.null: of no tenant
---@field start_event? string which one, when there are several
---@field instructions? orrery.Instruction[] start there instead of at a start event
---@field skip_listeners? boolean with `instructions`
---@field skip_io_mappings? boolean with `instructions`
---@field async? boolean by a job
---@field key? string the first argument says it
---@field definition? orrery.Id the first argument says it
---@field message? string the first argument says it

---@class orrery.Instruction
---@field cancel? string all instances of an activity
---@field cancel_instance? orrery.Id one node of `instance:tree()`
---@field start_before? string
---@field start_after? string
---@field transition? string a sequence flow
---@field variables? orrery.Variables of the instance, with a start
---@field local_variables? orrery.Variables of the new activity's scope
---@field ancestor? orrery.Id the scope to start in, when there are several

--- Suspends the instances that a filter, as of `engine:instances`, finds. It needs a criterion.
---@param filter table
function Engine:suspend_instances(filter) end

--- The opposite of `suspend_instances`.
---@param filter table
function Engine:activate_instances(filter) end

--- Carries out one modification in many instances: in all, or when one fails in none. docs/migration.md.
---@param instructions orrery.Instruction[]
---@param options { instances?: orrery.Id[], filter?: table, skip_listeners?: boolean, skip_io_mappings?: boolean, async?: boolean }
---@return integer # how many
---@core orr_engine_modify_instances
function Engine:modify(instructions, options) end

--- Makes a plan for moving running instances to another definition: docs/migration.md.
---@param source orrery.Id a definition
---@param target orrery.Id
---@param options? orrery.MigrationOptions
---@return orrery.MigrationPlan
function Engine:migration_plan(source, target, options) end

---@class orrery.MigrationOptions
---@field map_equal? boolean true: instructions for every activity that is the same in both
---@field update_event_triggers? boolean by the instructions that `map_equal` makes
---@field instructions? { from: string, to: string, update_event_trigger?: boolean }[]
---@field variables? orrery.Variables set in each instance
---@field arm_event_subprocesses? boolean those that only the target has, in Flowable models too

--- Moves instances by a plan: all, or when anything stands against one none; the error's `problems` has everything then.
---@param plan orrery.MigrationPlan|table
---@param options { instances?: orrery.Id[], filter?: table, skip_listeners?: boolean, skip_io_mappings?: boolean, async?: boolean }
---@return integer # how many
function Engine:migrate(plan, options) end

---@class orrery.MigrationPlan
---@field source_definition_id orrery.Id
---@field target_definition_id orrery.Id
---@field instructions table[]
---@field variables? orrery.Variables
---@field arm_event_subprocesses? boolean
local MigrationPlan = {}

--- Everything that stands against the plan and, with `instances` or a `filter`, against moving these; empty when all is well.
---@param options? { instances?: orrery.Id[], filter?: table }
---@return table[] # `{ message =, instance_id =, activity_id =, target_id = }`
---@core orr_engine_check_migration
function MigrationPlan:validate(options) end

--- As `engine:migrate(plan, options)`.
---@param options table
---@return integer # how many
---@core orr_engine_migrate
function MigrationPlan:execute(options) end

--- Starts ended instances again, as new ones, with the variables of their history: docs/migration.md.
---@param definition orrery.Id
---@param options orrery.RestartOptions
---@return orrery.Instance[]
function Engine:restart(definition, options) end

---@class orrery.RestartOptions
---@field instances? orrery.Id[]
---@field filter? table as of `engine:history_instances`
---@field instructions? orrery.Instruction[] none: at the start event
---@field initial_variables? boolean those that it began with (`history = "full"`) instead of those that it ended with
---@field without_business_key? boolean
---@field skip_listeners? boolean
---@field skip_io_mappings? boolean
---@field async? boolean each by a job of its own

-- # Messages and signals

--- Delivers a message to exactly one receiver: a waiting execution, or else a message start event. None, or several unless `all`, is
--- `correlation`. Without a name any message fits that the other criteria find.
---@param name string?
---@param options? orrery.MessageOptions
---@return orrery.Delivery # with `all` an array of these
function Engine:message(name, options) end

---@class orrery.Delivery
---@field type "execution"|"definition" a waiting execution got it, or a start event
---@field instance_id orrery.Id
---@field execution_id? orrery.Id
---@field variables? orrery.Variables with `return_variables`

---@class orrery.MessageOptions
---@field instance? orrery.Id
---@field execution? orrery.Id
---@field definition? orrery.Id
---@field business_key? string
---@field tenant? string|userdata orrery.null: of no tenant
---@field match? orrery.Variables variables that the receiver must have
---@field local_match? orrery.Variables variables of its own scope
---@field variables? orrery.Variables go to the instance
---@field local_variables? orrery.Variables go to the waiting scope
---@field triggered_variables? orrery.Variables go to the scope that the message opens
---@field transient? orrery.Variables
---@field start? boolean true: start events only; false: waiting executions only
---@field all? boolean every receiver
---@field return_variables? boolean
---@field async? boolean by jobs

--- Throws a signal to everything that waits for it: any number of receivers.
---@param name string
---@param options? orrery.SignalOptions
function Engine:signal(name, options) end

---@class orrery.SignalOptions
---@field variables? orrery.Variables
---@field execution? orrery.Id this one only
---@field tenant? string|userdata orrery.null: of no tenant
---@field async? boolean by jobs
---@field transient? orrery.Variables not with `async`

--- Goes on from a receive task or a triggerable service task.
---@param execution orrery.Id
---@param variables? orrery.Variables
---@param options? { transient?: orrery.Variables, async?: boolean } `async`: by a job
function Engine:trigger(execution, variables, options) end

--- Starts what a conditional start event lets start.
---@param options? orrery.ConditionOptions
---@return orrery.Instance[]
function Engine:evaluate_conditions(options) end

---@class orrery.ConditionOptions
---@field variables? orrery.Variables
---@field transient? orrery.Variables
---@field business_key? string
---@field definition? orrery.Id
---@field tenant? string|userdata orrery.null: of no tenant

-- # Lists

--- Counts what the list would hold, without building it.
---@param verb string such as `"jobs"`
---@param filter? table
---@return integer
function Engine:count(verb, filter) end

-- # Jobs and the executor

--- Acquires and executes due jobs on this thread, in acquisition order, until none is due or `limit` have run. A job's failure is
--- recorded on the job, not raised.
---@param limit? integer
---@return integer # how many ran, failed ones too
function Engine:run_jobs(limit) end

--- For a host's frame loop: due jobs, timers and finished awaits until the budget is spent.
---@param budget? number seconds; default 0: what can be done at once
---@return integer # how many jobs ran
function Engine:poll(budget) end

--- Starts worker threads. Functions whose only upvalue is `_ENV`, and modules, run on all of them; any other closure runs on the thread
--- that registered it, when that gives time.
---@param options? orrery.ExecutorOptions
function Engine:start_executor(options) end

--- Stops acquiring, waits for what runs, unlocks what was acquired.
function Engine:stop_executor() end

--- Whether an executor serves this engine.
---@return boolean
function Engine:executor_active() end

--- Waits until nothing runs and no job that the executor may take is due.
---@param timeout? number seconds; default: as long as it takes
---@return boolean # idle false when the time was over before
function Engine:wait_idle(timeout) end

--- Gives this thread to the engine until the program is to end: starts the executor when it does not run, and stops it in good order.
---@param options? { signals?: boolean, timeout?: number, executor?: orrery.ExecutorOptions } `signals`: SIGTERM and SIGINT end it
---@return "SIGTERM"|"SIGINT"|"stopped"|"timeout" # why it ended
---@core orr_engine_start_executor
function Engine:serve(options) end

--- Why a job does not run.
---@param job orrery.Id|orrery.Job
---@return { reason: string, text: string, cure: string }
function Engine:why(job) end

--- What the executor's threads are at.
---@param wait? number seconds that a busy thread may take to answer with its traceback; default 0.1
---@return orrery.ThreadState[]
function Engine:running(wait) end

---@class orrery.ThreadState
---@field thread string
---@field job orrery.Id
---@field activity_id? string
---@field instance_id? orrery.Id
---@field since orrery.Moment
---@field state "running"|"awaiting"|"committing"
---@field traceback? string of the delegate

--- The executors that run on this store, in whatever process on whatever machine.
---@return orrery.ExecutorState[]
function Engine:executors() end

---@class orrery.ExecutorState
---@field owner string the name in the locks
---@field host? string
---@field pid? integer
---@field room? integer for so many more jobs; nil: its first round is yet to come
---@field jobs orrery.Id[] those that its threads are at
---@field waiting? integer jobs that are begun and wait for what their delegates await
---@field stopping boolean
---@field priority_min? integer what it takes
---@field priority_max? integer
---@field deployment_aware boolean

--- The nodes of this store: every executor, and every thread that runs jobs itself, of whatever process on whatever machine, those
--- that have ended without a word included.
---@return orrery.Node[]
function Engine:nodes() end

---@class orrery.Node
---@field name string the name in the locks
---@field host? string
---@field pid integer
---@field build? string the version of Orrery
---@field state "at work"|"silent"|"expired"|"gone" silent: its lease holds, but it has not prolonged it for long; expired: it is over
---@field alive boolean its lease holds, and its process is not known to have ended
---@field started orrery.Moment
---@field expires orrery.Moment the end of its lease
---@field seen? orrery.Moment when an executor prolonged its lease last
---@field lag? number how many seconds ago
---@field held integer jobs that it has locked; at most 10,000 that are not exclusive are counted
---@field executor boolean else a thread that runs jobs itself
---@field threads? integer of an executor, as is all that follows: as of now on this machine, as of `seen` on others
---@field room? integer for so many more jobs; nil: its first round is yet to come
---@field jobs? orrery.Id[] those that its threads are at
---@field stopping? boolean
---@field priority_min? integer what it takes
---@field priority_max? integer
---@field deployment_aware? boolean

--- Suspends the jobs alone that a filter, as of `engine:jobs`, finds. It needs a criterion.
---@param filter table
function Engine:suspend_jobs(filter) end

--- The opposite of `suspend_jobs`.
---@param filter table
function Engine:activate_jobs(filter) end

--- Does one thing to everything that a list finds now, in steps by jobs: docs/job-executor.md. Without `action` it is a look-up, as
--- `engine:batch(id)`.
---@param request orrery.BatchRequest|orrery.Id
---@return orrery.Batch
---@core orr_engine_batch
function Engine:batch(request) end

--- The actions: `retry`, `set_priority`, `suspend`, `activate`, `cancel`, `set_variables`, `correlate_message`, `modify`, `migrate`,
--- `restart`, `delete_history`, `set_removal_time`; docs/job-executor.md tells what each wants.
---@class orrery.BatchRequest
---@field action string what is done
---@field filter? table of that list; none: all of it
---@field list? "jobs"|"instances"|"external_tasks"|"history_instances"|"batches" where the action suits several: docs/job-executor.md
---@field size? integer 100; things in one job
---@field jobs_per_seed? integer 100; jobs that one seed makes
---@field priority? integer of the batch's own jobs
---@field retries? integer of `retry`; 1
---@field due? orrery.Time of `retry` of jobs; `orrery.null`: at once
---@field value? integer of `set_priority`
---@field reason? string of `cancel`
---@field variables? orrery.Variables of `set_variables`, `correlate_message`
---@field message? string of `correlate_message`: its name; nil: any
---@field instructions? table of `modify`, `restart`
---@field plan? orrery.MigrationPlan of `migrate`
---@field definition_id? orrery.Id of `restart`: by which; of `modify`: against which the instructions are checked at once
---@field initial_variables? boolean of `restart`: those that it began with
---@field without_business_key? boolean of `restart`
---@field skip_listeners? boolean of `cancel`, `modify`, `migrate`, `restart`
---@field skip_io_mappings? boolean of the same
---@field at? orrery.Time of `set_removal_time`; `orrery.null`: never
---@field calculated? boolean of `set_removal_time`: by the definition's historyTimeToLive
---@field hierarchical? boolean of `set_removal_time`: also of the callers and the called

--- Ends a batch before it is done; what was done stays done.
---@param id orrery.Id
---@core orr_engine_batch_cancel
function Engine:cancel_batch(id) end

--- Sets a limit, or changes it: so many at once, so many starts in a second. docs/job-executor.md.
---@param of { job_definition?: orrery.Id, topic?: string, key?: string } one of them
---@param limit { max?: integer, per_second?: number, burst?: number }
function Engine:set_limit(of, limit) end

--- Takes a limit away; what waited for it goes on.
---@param of { job_definition?: orrery.Id, topic?: string, key?: string }
function Engine:clear_limit(of) end

--- Counters of what this process did since the engine was opened, by name.
---@return table<string, integer>
function Engine:metrics() end

--- The same and gauges of the store's jobs, as text for Prometheus.
---@return string
function Engine:metrics_text() end

--- Checks the store: records, index rows, references, tokens.
---@return table[] # findings, empty when all is well
function Engine:verify() end

-- # Tasks

--- Creates a task without a process, or a subtask, which ends with its parent. It has variables of its own and no listeners.
---@param fields? orrery.NewTask
---@return orrery.Task
---@core orr_engine_task_create
function Engine:create_task(fields) end

---@class orrery.NewTask
---@field name? string
---@field description? string
---@field assignee? string
---@field owner? string
---@field priority? integer 50
---@field due? orrery.Time
---@field follow_up? orrery.Time
---@field category? string
---@field delegation? "pending"|"resolved"
---@field parent_id? orrery.Id the task that it is a part of
---@field tenant? string the parent's

--- Comments on a task or an instance, which may have ended. Those there are: `engine:comments { task = id }`, `{ instance = id }`.
---@param to orrery.Id
---@param message string at most 64 KiB
---@return orrery.Comment
---@core orr_engine_add_comment
function Engine:add_comment(to, message) end

--- Changes what a comment says.
---@param comment orrery.Id
---@param message string
---@core orr_engine_update_comment
function Engine:update_comment(comment, message) end

--- Takes a comment away.
---@param comment orrery.Id
---@core orr_engine_delete_comment
function Engine:delete_comment(comment) end

--- Attaches a document to a task or an instance: its content, or where it is. Those there are: `engine:attachments { task = id }`.
---@param to orrery.Id
---@param attachment orrery.NewAttachment
---@return orrery.Attachment
---@core orr_engine_add_attachment
function Engine:add_attachment(to, attachment) end

---@class orrery.NewAttachment
---@field name? string
---@field type? string such as a media type
---@field description? string
---@field content? string any bytes
---@field url? string instead of a content

--- What is in an attachment; nil when it has a url instead.
---@param attachment orrery.Id
---@return string?
---@core orr_engine_attachment_content
function Engine:attachment_content(attachment) end

--- Takes an attachment and its content away.
---@param attachment orrery.Id
---@core orr_engine_delete_attachment
function Engine:delete_attachment(attachment) end

-- # External tasks

--- Locks tasks for a worker and gives them, with variables.
---@param request orrery.FetchRequest
---@return orrery.ExternalTask[]
function Engine:fetch_and_lock(request) end

---@class orrery.FetchRequest
---@field worker string
---@field max integer at most so many tasks
---@field use_priority? boolean the higher ones first
---@field order_by? string|table `"created"`, or `{ { "created", "desc" } }`
---@field topics orrery.FetchTopic[]

---@class orrery.FetchTopic
---@field name string
---@field lock orrery.Duration
---@field variables? string[] which ones to fetch; default: all
---@field local_variables? boolean only those of the task's own scope
---@field extension_properties? boolean
---@field business_key? string
---@field definition_id? orrery.Id
---@field definition_key? string
---@field version_tag? string
---@field match? orrery.Variables
---@field tenant? string

--- The distinct topics, sorted.
---@param filter? table as of `engine:external_tasks`
---@return string[]
function Engine:external_topics(filter) end

--- Unlocks every task of a worker, of a topic, or of both.
---@param options { worker?: string, topic?: string }
function Engine:unlock_external_tasks(options) end

-- # Change feed

--- Tells what is committed of topics and instances: watch first, then look, then wait, and nothing is lost. What other processes on
--- the store commit counts as a change of everything that is watched.
---@param options? { topics?: string[], instances?: orrery.Id[], all?: boolean } what it watches from the beginning
---@return orrery.Feed
---@core orr_engine_feed
function Engine:feed(options) end

---@class orrery.Feed
local Feed = {}

--- Watches a topic of external tasks, an instance, or everything.
---@param what { topic?: string, instance?: orrery.Id, all?: boolean } one of them
---@core orr_feed_watch
function Feed:watch(what) end

--- The opposite of `watch`.
---@param what { topic?: string, instance?: orrery.Id, all?: boolean } one of them
---@core orr_feed_unwatch
function Feed:unwatch(what) end

--- What has changed since the last time, each once, in the order of the changes. Who watches everything is told the `kind` of record
--- ("task", "variable", "history_task", …) and the `id` of the instance that it belongs to; what belongs to none has none there, or one
--- that no instance has. Of more than 256 changes, and of what other processes commit, `all = true` stands alone.
---@return { topic?: string, instance_id?: orrery.Id, kind?: string, id?: orrery.Id, all?: boolean }[]
---@core orr_feed_take
function Feed:take() end

--- Waits until there is something to take; false on time-out.
---@param timeout number seconds
---@return boolean
---@core orr_feed_wait
function Feed:wait(timeout) end

--- A file descriptor that can be read while there is something to take that this process committed, for a loop of one's own.
---@return integer
---@core orr_feed_descriptor
function Feed:descriptor() end

--- Ends it; `local feed <close> = engine:feed()` does that, too.
---@core orr_feed_close
function Feed:close() end

-- # Statistics

--- Counts what runs: without a definition a row for each that is deployed, with one a row for each of its activities at which tokens
--- stand, or that has what was asked for. One walk along an index, however many activities there are.
---@param request? { definition?: orrery.Id, failed_jobs?: boolean, incidents?: boolean, incident_type?: string, root_incidents?: boolean }
---@return orrery.Statistics[]
---@core orr_engine_statistics
function Engine:statistics(request) end

---@class orrery.Statistics
---@field definition_id? orrery.Id of definitions; so are the next five
---@field definition_key? string
---@field version? integer
---@field name? string
---@field tenant? string
---@field deployment_id? orrery.Id
---@field activity_id? string of activities
---@field instances integer that run; of activities: tokens that stand there
---@field failed_jobs? integer without tries
---@field incidents? table<string, integer> how many of each type

--- Counts what history tells of the activities of a definition. The times are of the process instances, and inclusive.
---@param request orrery.HistoryStatisticsRequest
---@return orrery.HistoryStatistics[]
---@core orr_engine_history_statistics
function Engine:history_statistics(request) end

---@class orrery.HistoryStatisticsRequest
---@field definition orrery.Id
---@field incidents? boolean
---@field instance_in? orrery.Id[]
---@field started_before? orrery.Time
---@field started_after? orrery.Time
---@field ended_before? orrery.Time
---@field ended_after? orrery.Time

---@class orrery.HistoryStatistics
---@field activity_id string
---@field instances integer that have not ended
---@field finished integer
---@field canceled integer of the finished ones
---@field complete_scope integer of the finished ones: no flow leaves it
---@field open_incidents? integer with `incidents`; so are the next two
---@field resolved_incidents? integer
---@field deleted_incidents? integer

-- # History

--- Deletes the history of instances that ended before a time, here and now.
---@param options { ended_before: orrery.Time }
---@return integer # how many instances and decisions went
function Engine:clean_history(options) end

--- Has history cleaned by jobs, by the definitions' `historyTimeToLive`: docs/job-executor.md.
---@param options? orrery.CleanHistoryOptions
function Engine:schedule_clean_history(options) end

--- Deletes the history of one instance that has ended.
---@param instance orrery.Id
---@core orr_engine_delete_history
function Engine:delete_history(instance) end

--- Deletes the history of variables with each writing. What runs keeps its variables, and tells history their next values.
---@param of orrery.Id an instance with all that is in it; or a scope, or a task without a process
---@param name? string of that scope, this one alone
---@return integer # how many went
---@core orr_engine_delete_history_variables
function Engine:delete_history_variables(of, name) end

--- How long what has ended took, by the month or quarter in which it began, earliest first.
---@param options? orrery.DurationsOptions
---@return table[] # `{ year =, period = (1 to 12, or to 4), count =, minimum =, maximum =, average = (seconds) }`
---@core orr_engine_durations
function Engine:durations(options) end

--- Makes an incident of your own at an activity and for each calling instance, until it is resolved or the token leaves.
---@param execution orrery.Id
---@param incident { type: string, configuration?: string, message?: string } `configuration`: whatever it is to tell
---@return orrery.Incident
---@core orr_engine_create_incident
function Engine:create_incident(execution, incident) end

--- Notes something beside a user's operation, on all its rows of `history_operations`; nil takes the note away.
---@param operation orrery.Id an `operation_id`
---@param text? string
---@core orr_engine_annotate_operation
function Engine:annotate_operation(operation, text) end

