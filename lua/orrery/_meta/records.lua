---@meta orrery.records
-- Records: snapshots that lists, look-ups and commands give; see orrery.lua beside this file.
error "this file is for editors"

-- # Records

--- What every record with methods has.
---@class orrery.Record
---@field id orrery.Id
---@field engine orrery.Engine the engine that it came from
local Record = {}

--- Brings the snapshot up to date; nil when there is no such record any more. An instance that has ended becomes its row of history.
---@return self?
function Record:reload() end

--- Variables of an instance, an execution or a task. A name is looked for from its scope outwards; the `_local` forms mean its own alone.
---@class orrery.Scope: orrery.Record
---@field fetched_variables? table<string, orrery.Value> of lists `with_variables` alone
---@field fetched_local_variables? table<string, orrery.Value> of lists `with_local_variables` alone
local Scope = {}

--- A variable's value; nil when there is none, or it holds null.
---@param name string
---@return orrery.Value?
---@core orr_engine_get_variable
function Scope:get(name) end

--- The same of its own scope alone.
---@param name string
---@return orrery.Value?
---@core orr_engine_get_variable
function Scope:get_local(name) end

--- A variable with its type and what was declared of it; nil when there is none.
---@param name string
---@return orrery.TypedValue?
---@core orr_engine_get_variable_typed
function Scope:get_typed(name) end

--- The same of its own scope alone.
---@param name string
---@return orrery.TypedValue?
---@core orr_engine_get_variable_typed
function Scope:get_local_typed(name) end

--- Sets a variable in the nearest scope that has it; a new one goes to the instance. nil stores null.
---@param name string
---@param value orrery.Value?
---@core orr_engine_set_variables
function Scope:set(name, value) end

--- Sets one of its own scope.
---@param name string
---@param value orrery.Value?
---@core orr_engine_set_variables
function Scope:set_local(name, value) end

--- Sets several in one commit.
---@param variables orrery.Variables
---@core orr_engine_set_variables
function Scope:set_all(variables) end

--- Sets several of its own scope.
---@param variables orrery.Variables
---@core orr_engine_set_variables
function Scope:set_all_local(variables) end

--- Removes a variable from the nearest scope that has it.
---@param name string
---@core orr_engine_remove_variable
function Scope:remove(name) end

--- Removes one of its own scope.
---@param name string
---@core orr_engine_remove_variable
function Scope:remove_local(name) end

--- All that can be seen from here; null is `orrery.null`.
---@return orrery.Variables
---@core orr_engine_get_variables
function Scope:variables() end

--- Those of its own scope.
---@return orrery.Variables
---@core orr_engine_get_variables
function Scope:local_variables() end

--- All that can be seen from here, each with its type.
---@return table<string, orrery.TypedValue>
---@core orr_engine_get_variables_typed
function Scope:typed_variables() end

--- Those of its own scope, each with its type.
---@return table<string, orrery.TypedValue>
---@core orr_engine_get_variables_typed
function Scope:local_typed_variables() end

-- # Deployment

---@class orrery.Deployment: orrery.Record
---@field name? string
---@field time orrery.Moment
---@field tenant? string
---@field source? string
---@field definitions? orrery.Definition[] of `engine:deploy` alone
---@field decisions? orrery.Decision[] of `engine:deploy` alone
---@field resources? string[] names; of `engine:deploy` alone
---@field warnings? table[] as problems have it; of `engine:deploy` alone
local Deployment = {}

--- The bytes of one of its resources.
---@param name string
---@return string
---@core orr_engine_resource
function Deployment:resource(name) end

-- # Definition

---@class orrery.Definition: orrery.Record
---@field key string the process's id in the model
---@field version integer
---@field version_tag? string
---@field name? string
---@field category? string the model's target namespace
---@field deployment_id orrery.Id
---@field resource string the model's file
---@field tenant? string
---@field suspended boolean
---@field documentation? string
---@field history_time_to_live? string|integer
---@field startable boolean
---@field start_form_key? string
---@field starter_users string[] who may start it; none: everyone
---@field starter_groups string[]
local Definition = {}

--- Who may start it, as the model and `add_link` say; none: everyone. Nothing is enforced.
---@return { type: "candidate", user: string?, group: string? }[]
function Definition:links() end

--- Names a user or a group as who may start it: what `startable_by` finds.
---@param kind string `"candidate"`
---@param link { user?: string, group?: string }
---@core orr_engine_definition_add_link
function Definition:add_link(kind, link) end

--- Takes one away, be it the model's own.
---@param kind string `"candidate"`
---@param link { user?: string, group?: string }
---@core orr_engine_definition_remove_link
function Definition:remove_link(kind, link) end

-- # Instance

---@class orrery.Instance: orrery.Scope
---@field definition_id orrery.Id
---@field definition_key string
---@field business_key? string
---@field tenant? string
---@field root_id orrery.Id the topmost calling instance, or itself
---@field parent_id? orrery.Id the calling instance
---@field suspended boolean
---@field started_at orrery.Moment
---@field initiator? string
---@field starter? string the same
---@field state "active"|"suspended"|"completed"|"terminated"
---@field ended boolean
---@field ended_at? orrery.Moment of one that has run to its end at once; `reload()` gives it later on
local Instance = {}

--- The ids of the activities that its tokens stand at, sorted, one for each token. Empty once it has ended is an error: `not_found`.
---@return string[]
function Instance:active() end

--- Its tokens as a tree; the root is the instance. With `transition = true` a token waits for the
--- job that begins the activity, or leaves it.
---@return { id: orrery.Id, activity_id: string, name: string?, type: string, execution_id: orrery.Id, children: table[] }
function Instance:tree() end

--- Suspends it: its jobs do not run, its tasks cannot be completed.
---@core orr_engine_suspend_instances
function Instance:suspend() end

--- The opposite of `suspend`.
---@core orr_engine_activate_instances
function Instance:activate() end

--- Deletes it with everything it owns; history keeps it. With `skip_listeners` no listener hears of it: that is the way
--- where they fail, or are there no more. With `skip_io_mappings` no output mapping of what is
--- canceled runs; with `keep_called` what it has called goes on, as if nobody had called it. A
--- listener may delete its own instance: once more while that is deleted changes nothing; while its
--- activity is canceled, the instance has gone when the listener has returned, and nothing else begins.
---@param reason? string
---@param options? { skip_listeners?: boolean, skip_io_mappings?: boolean, keep_called?: boolean }
---@core orr_engine_delete_instance
function Instance:delete(reason, options) end

--- Cancels and starts activities.
---@param instructions orrery.Instruction[]
---@param options? { skip_listeners?: boolean, skip_io_mappings?: boolean }
---@core orr_engine_modify
function Instance:modify(instructions, options) end

--- Who started it, and who takes or took part.
---@return { type: "starter"|"participant", user: string }[]
function Instance:links() end

-- # Execution

--- A token or a scope of an instance, as a record.
---@class orrery.Execution: orrery.Scope
---@field parent_id? orrery.Id the scope around it
---@field instance_id orrery.Id
---@field activity_id? string
---@field activity_name? string
---@field definition_id orrery.Id
---@field definition_key string
---@field root_id orrery.Id
---@field suspended boolean
---@field business_key? string
---@field tenant? string
---@field ended boolean
---@field activity_instance_id? string one run of an activity has one id in all lists and in the tree
local Execution = {}

--- As `engine:trigger` of it.
---@param variables? orrery.Variables
---@param options? { transient?: orrery.Variables, async?: boolean }
---@core orr_engine_trigger
function Execution:trigger(variables, options) end

-- # Task

---@class orrery.Task: orrery.Scope
---@field name? string
---@field key? string its id in the model; nil, as all that follows from a process, of a task without one
---@field description? string
---@field assignee? string
---@field owner? string
---@field priority integer
---@field due? orrery.Moment
---@field follow_up? orrery.Moment
---@field created orrery.Moment
---@field category? string
---@field form_key? string
---@field instance_id? orrery.Id
---@field execution_id? orrery.Id
---@field definition_id? orrery.Id
---@field definition_key? string
---@field suspended boolean
---@field delegation? "pending"|"resolved"
---@field tenant? string
---@field event_name? string in listeners
---@field execution? orrery.CallExecution in listeners
---@field delete_reason? string in listeners
---@field activity_instance_id? string one run of an activity has one id in all lists and in the tree
---@field last_updated? orrery.Moment nil: it is as it was created
---@field state "created"|"updated"
---@field parent_id? orrery.Id the task that it is a part of
---@field own_id? string that its maker gave it beside its id
local Task = {}

--- Completes it: its token goes on.
---@param variables? orrery.Variables
---@param options? { local_variables?: orrery.Variables, transient?: orrery.Variables }
---@core orr_engine_task_complete
function Task:complete(variables, options) end

--- Its form, with the values that its fields show: docs/forms.md.
---@return orrery.Form
---@core orr_engine_task_form
function Task:form() end

--- Checks what its form says, makes each value one of its field's type, sets them, and completes
--- it; a delegated task is resolved.
--- An `argument` error has the fields `field` and `constraint`.
---@param values? orrery.Variables by the fields' ids; what is no field becomes a variable
---@core orr_engine_task_submit_form
function Task:submit_form(values) end

---@class orrery.Form
---@field key? string its formKey
---@field reference? { key: string, binding: string, version: integer? } of a Camunda Form
---@field deployment_id? orrery.Id where it lies, if it was deployed
---@field resource? string its file there
---@field business_key? string of a start form: the id of the field that gives the business key
---@field fields orrery.FormField[]

---@class orrery.FormField
---@field id string
---@field label? string
---@field type? string
---@field value? orrery.Value the variable's, else the default; a date as a text of its pattern
---@field default? orrery.Value if that is its value
---@field variable string that holds it
---@field required boolean
---@field readonly boolean
---@field date_pattern? string
---@field values? { id: string, name: string }[] of an enum
---@field constraints { name: string, config: string? }[]
---@field properties table<string, string>
---@field error? string why its value will not do

--- Makes a user its assignee, when it has none. Another's task is `state`.
---@param user string
---@core orr_engine_task_claim
function Task:claim(user) end

--- Takes the assignee away.
---@core orr_engine_task_assign
function Task:unclaim() end

--- Makes a user its assignee, whoever was; nil: nobody.
---@param user string?
---@core orr_engine_task_assign
function Task:assign(user) end

--- Gives it to another user, who resolves it; the assignee becomes its owner.
---@param user string
---@core orr_engine_task_delegate
function Task:delegate(user) end

--- Gives a delegated task back to its owner.
---@param variables? orrery.Variables
---@core orr_engine_task_resolve
function Task:resolve(variables) end

--- Changes fields; `orrery.null` clears one.
---@param changes orrery.TaskChanges
---@core orr_engine_task_update
function Task:update(changes) end

---@class orrery.TaskChanges
---@field name? string
---@field description? string
---@field assignee? string
---@field owner? string
---@field priority? integer
---@field due? orrery.Time
---@field follow_up? orrery.Time
---@field category? string
---@field delegation? "pending"|"resolved" nothing else changes by that: see `delegate` and `resolve`
---@field parent_id? orrery.Id the task that it is a part of; only of a task without a process

--- Who is tied to it.
---@return { type: string, user: string?, group: string? }[]
---@core orr_engine_task_links
function Task:links() end

--- Ties a user or a group to it. A user who is tied as `"assignee"` or `"owner"` becomes that.
---@param kind string `"candidate"`, `"participant"`, or a type of one's own
---@param link { user?: string, group?: string }
---@core orr_engine_task_add_link
function Task:add_link(kind, link) end

--- Removes what `add_link` added.
---@param kind string
---@param link { user?: string, group?: string }
---@core orr_engine_task_remove_link
function Task:remove_link(kind, link) end

--- The tasks that it is divided into.
---@return orrery.Task[]
function Task:subtasks() end

--- Divides it: a task without a process, which ends with this one.
---@param fields orrery.NewTask
---@return orrery.Task
---@core orr_engine_task_create
function Task:add_subtask(fields) end

--- What was said about it, first to last.
---@return orrery.Comment[]
function Task:comments() end

--- Says something about it.
---@param message string
---@return orrery.Comment
---@core orr_engine_add_comment
function Task:add_comment(message) end

--- Its documents, first to last.
---@return orrery.Attachment[]
function Task:attachments() end

--- Attaches a document.
---@param attachment orrery.NewAttachment
---@return orrery.Attachment
---@core orr_engine_add_attachment
function Task:add_attachment(attachment) end

--- Deletes a task without a process, with its subtasks.
---@param reason? string
---@core orr_engine_task_delete
function Task:delete(reason) end

--- Raises a BPMN error where it stands.
---@param code string
---@param message? string
---@param variables? orrery.Variables
---@core orr_engine_task_bpmn_error
function Task:bpmn_error(code, message, variables) end

--- Raises an escalation where it stands.
---@param code string
---@param variables? orrery.Variables
---@core orr_engine_task_escalation
function Task:escalation(code, variables) end

--- In listeners: an injected field.
---@param name string
---@return any
function Task:field(name) end

-- # Job

---@class orrery.Job: orrery.Record
---@field type string `"async"`, `"timer"`, `"signal"`, `"message"`, …
---@field handler string `"async-before"`, `"timer-boundary"`, …: docs/job-executor.md
---@field activity_id? string
---@field instance_id? orrery.Id
---@field execution_id? orrery.Id
---@field root_id? orrery.Id
---@field definition_id? orrery.Id
---@field definition_key? string
---@field deployment_id? orrery.Id
---@field job_definition_id? orrery.Id
---@field batch_id? orrery.Id the batch that it works for
---@field due? orrery.Moment nil: at once
---@field created orrery.Moment
---@field retries integer how often it may still be tried
---@field priority integer
---@field exclusive boolean
---@field suspended boolean
---@field lock_owner? string
---@field lock_expires? orrery.Moment
---@field error? string of the last failure
---@field failed_activity_id? string
---@field limit_key? string
---@field waits_for? string a delegate that was not there when it last ran
---@field tenant? string
local Job = {}

--- Runs it now, on this thread, whatever its due date. A failure is recorded on the job and then raised.
---@core orr_engine_job_execute
function Job:execute() end

--- Sets how often it may still be tried; above 0 resolves its incident.
---@param retries integer
---@param options? { due?: orrery.Time }
---@core orr_engine_job_set_retries
function Job:set_retries(retries, options) end

--- Sets when it is due; `orrery.null`: at once.
---@param due orrery.Time|userdata
---@param options? { cascade?: boolean } `cascade`: the later firings of a cycle move, too
---@core orr_engine_job_set_due
function Job:set_due(due, options) end

--- Evaluates a timer's due date again.
---@param options? { from_creation?: boolean } from its creation instead of from now
---@core orr_engine_job_recalculate_due
function Job:recalculate_due(options) end

--- Sets its priority.
---@param priority integer
---@core orr_engine_job_set_priority
function Job:set_priority(priority) end

--- Suspends it: nothing runs it.
---@core orr_engine_job_suspend
function Job:suspend() end

--- The opposite of `suspend`.
---@core orr_engine_job_activate
function Job:activate() end

--- Deletes it; what it would have continued waits for nothing any more.
---@core orr_engine_job_delete
function Job:delete() end

--- The text of the last failure and below it the traceback; nil when there was none.
---@return string?
---@core orr_engine_job_traceback
function Job:traceback() end

--- Why it does not run.
---@return { reason: string, text: string, cure: string }
---@core orr_engine_why
function Job:why() end

-- # Job definition

--- What the jobs of one activity have in common.
---@class orrery.JobDefinition: orrery.Record
---@field definition_id orrery.Id
---@field definition_key string
---@field deployment_id orrery.Id
---@field activity_id string
---@field type string
---@field handler string
---@field tenant? string
---@field suspended boolean
---@field priority? integer nil unless it is overridden
local JobDefinition = {}

--- Overrides the priority of the jobs to come.
---@param priority integer
---@param options? { cascade?: boolean } `cascade`: of the present ones, too
---@core orr_engine_job_definition_set_priority
function JobDefinition:set_priority(priority, options) end

--- Takes the override back.
---@core orr_engine_job_definition_clear_priority
function JobDefinition:clear_priority() end

--- Gives new retries to the present jobs that have none left.
---@param retries integer
---@param options? { due?: orrery.Time }
---@core orr_engine_job_definition_set_retries
function JobDefinition:set_retries(retries, options) end

--- Suspends it: its jobs begin suspended.
---@param options? { jobs?: boolean, at?: orrery.Time } `jobs`: the present ones, too; `at`: then, by a job
---@core orr_engine_job_definition_suspend
function JobDefinition:suspend(options) end

--- The opposite of `suspend`.
---@param options? { jobs?: boolean, at?: orrery.Time }
---@core orr_engine_job_definition_activate
function JobDefinition:activate(options) end

-- # Incident

---@class orrery.Incident: orrery.Record
---@field type string `"failed_job"`, `"failed_external_task"`, …
---@field time orrery.Moment
---@field message? string
---@field activity_id? string
---@field failed_activity_id? string
---@field instance_id? orrery.Id
---@field execution_id? orrery.Id
---@field definition_id? orrery.Id
---@field job_id? orrery.Id the job or external task
---@field cause_id orrery.Id the incident of a called instance that this one is about, or itself
---@field root_cause_id orrery.Id
---@field annotation? string
---@field tenant? string
---@field definition_key? string
---@field configuration? string what one that a program made is to tell
local Incident = {}

--- Closes an incident that no failed job holds open.
---@core orr_engine_incident_resolve
function Incident:resolve() end

--- Sets its annotation; nil clears it.
---@param text string?
---@core orr_engine_incident_annotate
function Incident:annotate(text) end

-- # External task

---@class orrery.ExternalTask: orrery.Record
---@field topic string
---@field worker? string
---@field lock_expires? orrery.Moment
---@field created orrery.Moment
---@field retries? integer how often it may still be tried
---@field priority integer
---@field error? string
---@field details? string
---@field suspended boolean
---@field activity_id string
---@field instance_id orrery.Id
---@field execution_id orrery.Id
---@field definition_id orrery.Id
---@field definition_key string
---@field version_tag? string
---@field business_key? string
---@field tenant? string
---@field variables? orrery.Variables of `fetch_and_lock` alone
---@field extension_properties? table<string, string> of `fetch_and_lock`, if asked for
---@field activity_instance_id? string one run of an activity has one id in all lists and in the tree
---@field fetched_variables? table<string, orrery.Value> of lists `with_variables` alone
---@field fetched_local_variables? table<string, orrery.Value> of lists `with_local_variables` alone
local ExternalTask = {}

--- Completes it for the worker that holds it.
---@param worker string
---@param variables? orrery.Variables
---@param local_variables? orrery.Variables
---@core orr_engine_external_complete
function ExternalTask:complete(worker, variables, local_variables) end

--- Raises a BPMN error where it stands.
---@param worker string
---@param code string
---@param message? string
---@param variables? orrery.Variables
---@core orr_engine_external_bpmn_error
function ExternalTask:bpmn_error(worker, code, message, variables) end

--- Records a failure; without `retries` they are counted down from the engine's.
---@param worker string
---@param failure orrery.ExternalFailure
---@core orr_engine_external_fail
function ExternalTask:fail(worker, failure) end

---@class orrery.ExternalFailure
---@field message? string
---@field details? string
---@field retries? integer 0: an incident
---@field retry_timeout? orrery.Duration nobody gets it before
---@field variables? orrery.Variables
---@field local_variables? orrery.Variables

--- Locks it for a worker.
---@param worker string
---@param duration orrery.Duration
---@core orr_engine_external_lock
function ExternalTask:lock(worker, duration) end

--- Lengthens the lock that the worker has: it ends so long from now.
---@param worker string
---@param duration orrery.Duration
---@core orr_engine_external_extend_lock
function ExternalTask:extend_lock(worker, duration) end

--- Gives it back.
---@core orr_engine_external_unlock
function ExternalTask:unlock() end

--- Sets how often it may still be tried; above 0 resolves its incident.
---@param retries integer
---@core orr_engine_external_set_retries
function ExternalTask:set_retries(retries) end

--- Sets its priority.
---@param priority integer
---@core orr_engine_external_set_priority
function ExternalTask:set_priority(priority) end

-- # Plain records

--- Something that waits for a message, a signal, a condition, or to be compensated.
---@class orrery.Subscription
---@field id orrery.Id
---@field type "message"|"signal"|"conditional"|"compensation"
---@field name? string
---@field activity_id string
---@field execution_id? orrery.Id nil: a start event
---@field instance_id? orrery.Id
---@field definition_id orrery.Id
---@field created orrery.Moment
---@field tenant? string

--- A decision or decision service that is deployed.
---@class orrery.Decision
---@field id orrery.Id
---@field key string
---@field version integer
---@field version_tag? string
---@field name? string
---@field kind "decision"|"service"
---@field deployment_id orrery.Id
---@field resource string
---@field tenant? string
---@field model_id? string
---@field model_name? string
---@field history_time_to_live? string

--- A limit on what runs at once, or starts in a second.
---@class orrery.Limit
---@field name string
---@field job_definition_id? orrery.Id
---@field topic? string
---@field key? string
---@field max? integer
---@field per_second? number
---@field burst? integer

--- One command for many, done by jobs.
---@class orrery.Batch
---@field id orrery.Id
---@field action string
---@field list string
---@field type string Camunda's word for both: "instance-migration", …
---@field state "running"|"completed"|"canceled"
---@field suspended boolean
---@field total integer things
---@field done integer things that are done, or were gone
---@field skipped integer gone before their turn
---@field remaining integer still to be done
---@field failed integer of these: in a job that has no tries left
---@field jobs integer that it takes
---@field jobs_created integer by its seeds so far
---@field jobs_completed integer
---@field jobs_remaining integer the failed ones, and those to be made, among them
---@field jobs_failed integer without tries left
---@field has_failures boolean some of its jobs have no tries left
---@field ended boolean
---@field size integer things in one job
---@field jobs_per_seed integer
---@field priority integer
---@field user? string who made it
---@field created orrery.Moment
---@field first_run_at? orrery.Moment when the first of its jobs was done
---@field ended_at? orrery.Moment
---@field remove_at? orrery.Moment when clean-up may take it
---@field job_id? orrery.Id the next that has something to do
---@field seed_job_definition_id orrery.Id while it runs
---@field monitor_job_definition_id orrery.Id while it runs
---@field batch_job_definition_id orrery.Id while it runs
local Batch = {}

--- Holds up its jobs, and those that it is yet to make.
---@core orr_engine_batch_suspend
function Batch:suspend() end

--- The opposite of `suspend`.
---@core orr_engine_batch_activate
function Batch:activate() end

--- Ends it before it is done; what was done stays done.
---@core orr_engine_batch_cancel
function Batch:cancel() end

--- Deletes the record of a batch that has ended.
---@param options? { cascade?: boolean } cascade: one that runs ends first
---@core orr_engine_delete_batch
function Batch:delete(options) end

--- Gives those of its jobs that have no tries left new ones.
---@param retries? integer 1
function Batch:retry(retries) end

--- Brings the snapshot up to date.
---@return orrery.Batch? self nil when there is no such batch any more
function Batch:reload() end

--- A variable of an instance that runs.
---@class orrery.Variable
---@field id string of its scope and name
---@field name string
---@field value orrery.Value
---@field type string "String", "Integer", "Json", …
---@field info? table what was declared beside the value: the file's name, …
---@field scope orrery.Id the instance or execution that has it
---@field created orrery.Moment
---@field instance_id? orrery.Id nil: of a task without a process
---@field execution_id? orrery.Id the same as `scope`
---@field task_id? orrery.Id whose own it is
---@field activity_id? string where the execution stands
---@field activity_instance_id? string
---@field tenant? string

--- What a user has said about a task or an instance.
---@class orrery.Comment
---@field id orrery.Id
---@field instance_id? orrery.Id
---@field task_id? orrery.Id
---@field user? string
---@field time orrery.Moment
---@field message string
---@field tenant? string

--- A document of a task or an instance, without its content.
---@class orrery.Attachment
---@field id orrery.Id
---@field instance_id? orrery.Id
---@field task_id? orrery.Id
---@field user? string
---@field time orrery.Moment
---@field name? string
---@field type? string
---@field description? string
---@field url? string
---@field size integer bytes of its content
---@field tenant? string
