---@meta orrery.jobs
-- The engine's methods about jobs and what runs them.
error "this file is for editors"

-- # Jobs and the executor

---@class orrery.Engine
local Engine = {}

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

--- How the store is: `"well"`; `"away"` when its database has not been reached for 20 s: it is tried again until it is back, and whoever
--- asks meanwhile gets `store` at once; `"away"`, too, when another process keeps a store on disk from being written (5 s by one that is
--- stopped, 20 s by another): it can still be read; `"failed"` when it will do nothing more until it is opened again, as after a disk that
--- lost what was written to it.
---@return "well"|"away"|"failed"
function Engine:store_state() end

--- Whether an executor serves this engine.
---@return boolean
function Engine:executor_active() end

--- Waits until nothing runs and no job that the executor may take is due. One that only a limit's rate holds back is.
---@param timeout? number seconds; default: as long as it takes
---@return boolean # idle false when the time was over before
function Engine:wait_idle(timeout) end

--- Gives this thread to the engine until the program is to end: starts the executor when it does not run, and stops it in good order.
---@param options? { signals?: boolean, timeout?: number, executor?: orrery.ExecutorOptions } `signals`: SIGTERM and SIGINT end it
---@return "SIGTERM"|"SIGINT"|"stopped"|"timeout" # why it ended
---@core orr_engine_executor_start
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

--- What each thread of each executor on this store is at, of all processes: docs/job-executor.md.
---@param wait? number seconds that other processes may take to answer; default 2; 0: none but this one is asked
---@return orrery.NodeThreads[]
function Engine:threads(wait) end

---@class orrery.NodeThreads
---@field name string the executor's, in the locks
---@field host? string
---@field pid integer
---@field answered boolean
---@field threads? orrery.ThreadRow[] for each thread one, and behind it one for each job that awaits something there
---@field jobs? orrery.Id[] of one that has not answered: those that its threads are known to be at

---@class orrery.ThreadRow
---@field thread integer its number, from 1
---@field state "running"|"awaiting"|"committing"|"idle"|"elsewhere" elsewhere: at a job of another engine
---@field job? orrery.Id
---@field definition_key? string
---@field activity_id? string
---@field instance_id? orrery.Id
---@field delegate? string as the model names it
---@field listener? boolean it is a listener of the element's that runs
---@field since? orrery.Moment when the job was begun
---@field line? string where its script is, "mail.lua:12"; of a thread in C: where that was called, as far as it was noted
---@field in_c_since? orrery.Moment of a thread that is in C: when that was
---@field limit_at? orrery.Moment of a call with a time limit: when that is reached

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
---@core orr_engine_batch_create
function Engine:batch(request) end

--- The actions: `retry`, `set_priority`, `suspend`, `activate`, `cancel`, `set_variables`, `correlate_message`, `modify`, `migrate`,
--- `restart`, `delete_history`, `set_removal_time`; docs/job-executor.md tells what each wants.
---@class orrery.BatchRequest
---@field action string what is done
---@field filter? table of that list; none: all of it
---@field list? string where the action suits several (docs/job-executor.md): "jobs", "instances", "history_decisions", …
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
---@field keep_called? boolean of `cancel`: instances that it has called go on, as if nobody had
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

--- Counters of what this process did since the engine was opened, by name. With a request, be it empty, what all processes on the
--- store did: sums by name, or with `interval` rows, the latest first (docs/job-executor.md#metrics-and-log).
---@param request? orrery.MetricsRequest
---@return table<string, integer>|orrery.MetricsInterval[]
function Engine:metrics(request) end

---@class orrery.MetricsRequest
---@field name? string a counter's; without one all
---@field from? orrery.Time inclusive
---@field to? orrery.Time exclusive
---@field reporter? string "host$engine"
---@field interval? integer|string seconds, or a duration: whole quarters of an hour
---@field by_reporter? boolean a row for each reporter
---@field limit? integer
---@field offset? integer

---@class orrery.MetricsInterval
---@field name string
---@field time number when the interval began
---@field value integer
---@field reporter? string with `by_reporter`

--- Deletes what was counted: all of it, or of a reporter, or before a time. `task_workers = true` deletes only who was given tasks, false
--- all but that. Returns how many rows went.
---@param request? { before?: orrery.Time, reporter?: string, task_workers?: boolean }
---@return integer
---@core orr_engine_metrics_delete
function Engine:delete_metrics(request) end

--- The same and gauges of the store's jobs, as text for Prometheus.
---@return string
function Engine:metrics_text() end

--- Checks the store: records, index rows, references, tokens.
---@param options? { progress?: fun(done: integer, total: integer) } `progress` is called now and then: so many entries of so many
---@return table[] # findings, empty when all is well
---@core orr_engine_verify
function Engine:verify(options) end
