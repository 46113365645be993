---@meta orrery.engine
-- The engine: its life, definitions, instances, messages. Its other methods: jobs.lua, tasks.lua, queries.lua, lists.gen.lua.
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

--- The store's time zone, such as Europe/Berlin. By its clocks cron fires, local times are meant, and days, weeks, months and
--- years are counted.
---@return string
---@core orr_engine_time_zone
function Engine:time_zone() end

--- Gives the store another time zone. Every engine that has it open counts by it within a second. What is due already stays
--- due when it is. Not within a transaction.
---@param name string
---@core orr_engine_set_time_zone
function Engine:set_time_zone(name) end

--- Moves the manual clock on.
---@param duration orrery.Duration
---@core orr_engine_set_time
function Engine:advance(duration) end

--- Copies the store, as of one commit, to a folder that is not there yet, while everything goes on: a backup.
---@param path string
---@param options? orrery.CopyOptions
---@core orr_engine_copy_to
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

---@class orrery.CopyOptions
---@field compact? boolean without the pages that nothing uses: slower, and smaller
---@field progress? fun(done: integer, total: integer) so many bytes of so many; entries, unless it is a plain copy of a folder

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

--- Deploys resources: a path of a model, a folder or an archive (`.bar`, `.zip`), or a table
--- `{ ["order.bpmn"] = xml, ["com/shop/Charge.lua"] = text }`. Models end in `.bpmn` or `.bpmn20.xml`, decisions in `.dmn`.
--- All or nothing: on any problem it raises `deployment` with all of them in `problems`. Hidden files, and a folder's programs
--- and stores, are left out.
---@param source string|table<string, string>
---@param options? orrery.DeployOptions
---@return orrery.Deployment
function Engine:deploy(source, options) end

---@class orrery.DeployOptions
---@field name? string
---@field tenant? string
---@field filter_duplicates? boolean|"changed" true: nothing, unless something changed; `"changed"`: what changed, and what goes with it
---@field activate_at? orrery.Time the definitions are suspended until then
---@field source? string where it comes from, in the caller's words

--- Checks resources as `deploy` would, and stores nothing.
---@param source string|table<string, string>
---@param options? { no_scripts?: boolean } no_scripts: what needs Lua is a problem, as it is for a host in C without it
---@return table[] # problems and warnings: `{ severity =, resource =, line =, column =, element =, message = }`
function Engine:check(source, options) end

--- The dialect that a model has in this engine, and why it has that one.
---@param text string the model, not a path
---@return "camunda"|"flowable"|"orrery"|nil dialect nil when the text is no XML
---@return string? reason a clause, such as "it uses http://flowable.org/bpmn"
function Engine:model_dialect(text) end

--- Deletes a deployment and its definitions; without `cascade` running instances are in the way.
--- With `skip_listeners` no listener hears of the instances' end; output mappings run in no case.
---@param id orrery.Id
---@param options? { cascade?: boolean, skip_listeners?: boolean } `cascade`: also their instances and history
function Engine:undeploy(id, options) end

--- Deletes one version of a definition.
--- With `skip_listeners` no listener hears of the instances' end.
---@param id orrery.Id
---@param options? { cascade?: boolean, skip_listeners?: boolean } `cascade`: also its instances and history
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
---@core orr_engine_definition_set_time_to_live
function Engine:set_history_time_to_live(definition, time_to_live) end

--- The same of a decision, and of what it decides outside of instances.
---@param decision orrery.Id
---@param time_to_live? integer|string days, or an ISO 8601 duration; nil: for good
---@core orr_engine_decision_set_time_to_live
function Engine:set_decision_time_to_live(decision, time_to_live) end

--- What its call activities would call now, as far as the model says it without an expression, and there is such a process.
---@param definition orrery.Id
---@return table[] # `{ definition_id =, activity_ids = { … } }`
---@core orr_engine_definition_calls
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
---@core orr_engine_decision_find
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

--- The form that a process is started with: docs/forms.md.
---@param key string
---@param options? { version?: integer, tenant?: string } default: the latest version
---@return orrery.Form
---@core orr_engine_start_form
function Engine:start_form(key, options) end

--- Checks what a start form says, makes each value one of its field's type, and starts an instance
--- with that.
---@param key string
---@param values? orrery.Variables by the fields' ids; what is no field becomes a variable
---@param options? orrery.StartFormOptions
---@return orrery.Instance
---@core orr_engine_start_form_submit
function Engine:submit_start_form(key, values, options) end

---@class orrery.StartFormOptions
---@field version? integer default: the latest
---@field tenant? string `""`: of none
---@field business_key? string default: what the form's businessKey field says
---@field initiator? string default: the thread's user
---@field transient? orrery.Variables

--- Starts an instance of exactly this definition.
---@param id orrery.Id
---@param options? orrery.StartOptions
---@return orrery.Instance
---@core orr_engine_instance_start
function Engine:start_by_id(id, options) end

--- Starts the process whose message start event waits for this message.
---@param name string
---@param options? orrery.StartOptions
---@return orrery.Instance
---@core orr_engine_instance_start
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
---@core orr_engine_instances_modify
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
---@core orr_engine_migration_check
function MigrationPlan:validate(options) end

--- As `engine:migrate(plan, options)`.
---@param options table
---@return integer # how many
---@core orr_engine_instances_migrate
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
---@field match_waiting? boolean match chooses among executions alone; where none fits a process starts

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
