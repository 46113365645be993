---@meta orrery
-- The public layer: what `require "orrery"` gives. Editors read it as it stands; docs/lua.md is made from it (make generate), and
-- spec/bindings/manual_spec.lua compares it with the module both ways. `-- # Title` begins a part of the manual.
error "this file is for editors"

---@alias orrery.Id string opaque: compare it, print it, pass it back
---@alias orrery.Moment number seconds since the epoch
---@alias orrery.Variables table<string, orrery.Value>
---@alias orrery.Delegate (fun(execution: orrery.CallExecution): any)|table|string

-- # The module

---@class orrery
---@field version string such as `"1.0.0"`
---@field null userdata what a variable holds that is null; clears a field or a due date; as a tenant: of none
---@field wait userdata what a triggerable delegate returns to keep its task open until `engine:trigger`
---@field json orrery.Json JSON as Lua values: `encode`, `decode`
local orrery = {}

--- Opens an engine on a store. Without a path the store is private and goes with the engine. Close it with `<close>` or
--- `engine:close()`.
---@param path? string the store's folder, made if absent, but not among other files (`argument`)
---@param options? orrery.OpenOptions
---@return orrery.Engine
---@core orr_engine_open
function orrery.open(path, options) end

--- Makes an executor that serves several engines.
---@param options? orrery.ExecutorOptions
---@return orrery.Executor
function orrery.executor(options) end

--- Marks a table as an array, which only an empty one needs: `{}` is stored as a map.
---@param t table
---@return table # t
function orrery.array(t) end

--- Makes a value of a declared type, by Camunda's names, which stays with it wherever the whole value goes; scripts see the plain value.
---@param t orrery.TypedOptions
---@return orrery.TypedValue
function orrery.typed(t) end

--- Brings a store on disk that an older version wrote to this version's format, which opening it refuses to do. Every record is put
--- into a new file beside the old one, which takes its place at last, by one step: a failure, or a kill, leaves the old one as it was.
--- Nothing else may have the store open.
---@param path string
---@param options? orrery.UpgradeOptions
---@return { from: integer, to: integer, records: integer, problems: integer } result formats; equal: there was nothing to do
---@core orr_store_upgrade
function orrery.upgrade(path, options) end

---@class orrery.UpgradeOptions
---@field keep? boolean the old file stays, as data.mdb.old
---@field force? boolean also when the new file does not pass `engine:verify`
---@field progress? fun(done: integer, total: integer) so many entries of so many, each read and then checked

---@class orrery.TypedOptions
---@field type string `"Short"`, `"Integer"`, `"Long"`, `"Date"`, `"Bytes"`, `"File"`, `"Xml"`, `"Json"`, `"Object"`, `"Null"`, …
---@field value? orrery.Value none: a null of the type; a Date is a time
---@field info? table of a File `filename`, `mimetype`, `encoding`; of an Object `objectTypeName`, `serializationDataFormat`
---@field transient? boolean seen until the transaction ends, and never stored

---@class orrery.TypedValue
---@field type string
---@field value? orrery.Value
---@field info? table
---@field transient? boolean

--- Raises a BPMN error, from a delegate, a listener or a script. A boundary event or an event sub-process catches it by its code.
---@param code string|number
---@param message? string
---@param variables? orrery.Variables set where the error is caught; one that cannot be stored makes it an `argument` error
function orrery.bpmn_error(code, message, variables) end

--- Reads an ISO 8601 date or time; without a zone it is UTC. A number passes through.
---@param text string|number
---@return number # seconds since the epoch
---@core orr_time_parse
function orrery.parse_time(text) end

--- Writes a time as ISO 8601, such as `2026-03-15T10:20:30Z`; by the clocks of a zone, such as `"Europe/Berlin"`, when one is given.
---@param t orrery.Time
---@param zone? string
---@return string
---@core orr_time_format_local
function orrery.format_time(t, zone) end

--- Reads an ISO 8601 duration such as `PT5M`; months and years are counted from `base` (the epoch when nil).
---@param text orrery.Duration
---@param base? orrery.Time
---@return number # seconds
---@core orr_duration_parse
function orrery.parse_duration(text, base) end

-- # Futures

--- Makes a future, to be settled by `resolve` or `reject`.
---@return orrery.Future
function orrery.future() end

--- Waits for a future and gives its value, or raises what it was rejected with. In a delegate the job's coroutine yields and its
--- thread goes on with other jobs; elsewhere the thread's loop runs until the future is settled.
---@param future orrery.Future
---@return any
function orrery.await(future) end

--- Waits, as `orrery.await` does. By the engine's clock when that is a manual one: `run_jobs` and `poll` leave a job that waits
--- for nothing else, and end it once the clock has moved far enough. A command that runs a delegate outside of a job waits for
--- as much real time.
---@param delay orrery.Duration
function orrery.sleep(delay) end

--- May `engine:running` find the line of a delegate that computes by a signal? It may, unless this says no. It sends the thread SIGURG,
--- which is ignored otherwise, and whose handler sets a hook that goes with the answer. A handler is the whole process's, and a signal
--- may end some waits of other C code early: a program that embeds Orrery and cannot have that forbids it before it asks.
---@param allowed boolean
---@return boolean # whether it can be done; false, too, where the program handles SIGURG itself
function orrery.trace_by_signal(allowed) end

--- Runs a module's function on another thread, in a Lua state of its own: the module returns a function, which gets the argument.
--- Argument and result are copied.
---@param module string
---@param argument? orrery.Value
---@return orrery.Future
function orrery.defer(module, argument) end

--- Sends an HTTP request. The future resolves with the answer, whatever its status, or is rejected with an error whose `type` is
--- `http.connect`, `http.timeout`, …: docs/integration.md has them all.
---@param request string|orrery.HttpRequest a URL, or a table
---@return orrery.Future # of an `HttpResponse`
function orrery.http(request) end

--- Sends a mail by the server of the engine's options. The future resolves with true, or is rejected with `mail.rejected`, …
---@param message orrery.Mail
---@return orrery.Future
function orrery.mail(message) end

--- Starts a program by its path, without a shell. The future resolves with `{ code =, output =, errors = }`.
---@param request orrery.SpawnRequest
---@return orrery.Future
function orrery.spawn(request) end

---@class orrery.WorkerOptions
---@field url string where `orrery serve` answers, with `/engine-rest` and for a named engine `/engine/NAME`
---@field topic string
---@field handler fun(task: table): table|nil does a task's work: what it returns completes the task, what it raises fails it
---@field worker? string the worker's name; by default the topic and a random number
---@field user? string
---@field password? string
---@field token? string instead of user and password
---@field lock? number seconds that a task is locked for; default 60
---@field max? integer tasks fetched at once; default 1
---@field wait? integer seconds that the server waits for a task; default 20
---@field retries? integer how often a task is tried that says nothing of it; default 3
---@field retry_timeout? number seconds until a failed task may be fetched again
---@field variables? string[] names of those that are fetched; default all
---@field on_trouble? fun(problem: any) is told when the server does not answer

--- Makes a worker of external tasks on another machine: `worker:run(limit)` fetches and handles tasks until that many are done, or the
--- handler calls `worker:stop()`. docs/server.md.
---@param options orrery.WorkerOptions
---@return table
function orrery.worker(options) end

--- Wraps a text that may be sent and joined to other texts, and not be read: `tostring` gives `***`, storing it is an error.
---@param text string
---@return userdata
function orrery.secret(text) end

---@class orrery.Json
local Json = {}

--- A value as JSON. An empty table is an object, unless `orrery.array` marked it.
---@param value orrery.Value
---@return string
function Json.encode(value) end

--- JSON as a value; nil and a message for what is none. null is `orrery.null`.
---@param text string
---@return orrery.Value? # value
---@return string? # problem
function Json.decode(text) end

---@class orrery.Future
---@field done boolean whether it is settled
---@field value any what it was resolved with
---@field failure any what it was rejected with
local Future = {}

--- Settles it with a value. Only the first of `resolve` and `reject` counts.
---@param value? any
---@return boolean # first
function Future:resolve(value) end

--- Settles it with a failure, which `await` raises.
---@param failure? any
---@return boolean # first
function Future:reject(failure) end

--- Ends the call that it stands for; an `await` gets an error of type `canceled`.
---@return boolean # first
function Future:cancel() end

--- As `orrery.await(future)`.
---@return any
function Future:await() end

--- Calls `f(future)` once it is settled: at once, or from the thread's loop. What `f` raises is lost.
---@param f fun(future: orrery.Future)
function Future:done_then(f) end

---@class orrery.HttpRequest
---@field url string
---@field method? string default `"GET"`
---@field headers? table `{ ["X-A"] = "b", "X-C: d" }`; a value may be a list
---@field body? string
---@field json? orrery.Value the body as JSON
---@field form? table<string, string> the body as a form
---@field parts? table[] of a multipart form: `{ name =, data =, file =, type = }`
---@field user? string for basic authentication, with `password`
---@field password? string|userdata
---@field oauth? string the service of `http.oauth` whose token the request carries
---@field timeout? number seconds in all
---@field connect_timeout? number seconds
---@field stall_timeout? number seconds of silence
---@field redirects? integer followed at most
---@field retries? integer repetitions of a request that may be repeated
---@field body_max? integer bytes of the answer
---@field detached? boolean it goes on when the token that called is canceled

---@class orrery.HttpResponse
---@field status integer such as 200
---@field reason string
---@field protocol string
---@field headers table<string, string> by lower-case name; repeated ones joined
---@field header_list table[] as they came: `{ name, value }`
---@field head string the headers' text
---@field body string
---@field url string where it came from at last
---@field retry_after? number seconds, of the header Retry-After
local HttpResponse = {}

--- The body as JSON; nil for an empty one. Raises an error of type `http.json` for what is none.
---@return orrery.Value?
function HttpResponse:json() end

---@class orrery.Mail
---@field to? string|string[] `"a@example.org, Name <b@example.org>"`, or a list; likewise `cc`, `bcc`
---@field cc? string|string[]
---@field bcc? string|string[]
---@field from? string default: the engine's option `mail.from`
---@field subject? string
---@field text? string
---@field html? string
---@field charset? string default UTF-8
---@field headers? table<string, string>
---@field attachments? table[] `{ name =, type =, data =, cid = }`
---@field message_id? string
---@field tenant? string whose server sends it

---@class orrery.SpawnRequest
---@field arguments string[] the program's path, then its arguments
---@field directory? string
---@field clean_environment? boolean
---@field merge_errors? boolean the standard error goes into `output`
---@field detached? boolean it goes on when the token that called is canceled
---@field timeout? number seconds
---@field output_max? integer bytes of each stream

-- # Errors

---@class orrery.Error
---@field kind orrery.ErrorKind
---@field message string
---@field where? string `file:line` of the program that called
---@field activity_id? string the activity at which it happened
---@field problems? table[] of `deployment`: `{ resource =, line =, column =, element =, message = }`; of a migration: what is against it
---@field cause? any of `script`: what the delegate, listener or script raised
---@field traceback? string of `script`
---@field error_code? string of `bpmn_error`
---@field error_message? string of `bpmn_error`
---@field away? boolean of `store`: it cannot be reached now, or the connection was lost; nothing was done, and a later try may succeed
---@field in_doubt? boolean of `store`: the commit was sent, and whether it was made is not known: look before doing it again
---@field missing_delegate? string of `not_found`: the name that nothing is registered under

-- # Options of an engine

---@class orrery.OpenOptions
---@field name? string `"default"`; shown in the log
---@field clock? "system"|"manual" `"system"`; `"manual"`: time stands until `engine:set_time` or `engine:advance`
---@field now? orrery.Time 2026-01-01T00:00:00Z; the manual clock's first time
---@field time_zone? string the store's, which keeps it (docs/operating.md): another is refused; of a new store `"UTC"`
---@field history? "none"|"activity"|"audit"|"full" `"audit"`
---@field retries? integer 3; how often a job is tried in all, where no retry cycle says otherwise
---@field retry_time_cycle? string the retry cycle where a model gives none: `R5/PT5M`, or a list `PT10M,PT17M,PT20M`
---@field retry_strategy? string the registered name that decides after a job's failure: docs/job-executor.md
---@field produce_prioritized_jobs? boolean true; false: every job has priority 0
---@field reevaluate_time_cycle_when_due? boolean false; a repeating timer's expression is evaluated again each time it fires
---@field ensure_due_not_null? boolean false; jobs to run at once get their creation time as due date
---@field unhandled_bpmn_error? "end"|"raise" by dialect; `"end"`: the path ends as at a none end event, and it is logged
---@field durability? "commit"|"none" `"commit"`: a call returns once its commit is on disk; `"none"`: the system flushes when it likes
---@field package_path? string `package.path`; where modules of delegates are looked up, here and in the workers
---@field sandbox? orrery.SandboxOptions bounds of scripts and expressions
---@field dialect? "auto"|"camunda"|"flowable"|"orrery" `"auto"`: of the vendor that each model uses
---@field acquisition? orrery.ExecutorOptions order and range for `run_jobs` and `poll`, and the executor's defaults
---@field executor? true|orrery.ExecutorOptions none; starts an executor at once
---@field allow? string[] task types that reach outside and are off by default: `"shell"`
---@field user? string the acting user
---@field log? string|fun(level: string, message: string, fields: table) `"warning"`; or `none`, `error`, `info`, `debug`, a function
---@field http? table for calls by HTTP: docs/integration.md
---@field mail? table the mail server: docs/integration.md
---@field shell? table the programs that may be started: docs/integration.md
---@field soap? table `{ decimals = "float" or "text" }`
---@field secrets? (fun(name: string): string)|table|string what `${secret.get('name')}` gives
---@field steps_max? integer 1,000,000; operations of one transaction; 0: no bound
---@field memory_max? integer 256 MiB; bytes of one transaction; 0: no bound
---@field tokens_max? integer 100,000; tokens of one instance at once; 0: no bound

---@class orrery.SandboxOptions
---@field instructions? integer 100 million; steps of one script or expression; 0: no bound
---@field memory? integer 256 MiB; bytes of one script or expression; 0: no bound
---@field seconds? number 30; work of one script or expression, without what it waits for; 0: no bound
---@field await_seconds? number 15; how long scripts and expressions of one transaction may hold a thread by awaiting; 0: no bound
---@field libraries? string[] all of `string`, `table`, `math`, `utf8`, `os` (the engine's clock alone)

---@class orrery.ExecutorOptions
---@field threads? integer one for each core
---@field queue_size? integer 4000; acquired jobs held in memory
---@field max_jobs_per_acquisition? integer 1000
---@field lock_time? orrery.Duration 300 s; 20 s of an executor on a store in PostgreSQL
---@field wait_time? orrery.Duration 5 s; first pause of an idle executor, which looks before that when the store changes
---@field max_wait? orrery.Duration 60 s; its longest pause
---@field backoff_time? orrery.Duration 25 ms; first wait after lost acquisitions
---@field max_backoff? orrery.Duration 5 s
---@field backoff_factor? number 2
---@field acquire_by_priority? boolean false
---@field prefer_timer_jobs? boolean false
---@field acquire_by_due_date? boolean false
---@field acquire_by_aging? number off; seconds that one point of priority is worth
---@field priority_min? integer takes only jobs of at least this priority
---@field priority_max? integer and at most this
---@field deployment_aware? boolean false; takes only jobs of registered deployments
---@field exclusive_over_hierarchies? boolean false; exclusive jobs follow each other below one root
---@field owner? string machine, process and engine; the name in the locks
---@field delegate_timeout? orrery.Duration how long a delegate may take whose task has no timeout; default: as long as it likes
---@field drain_time? orrery.Duration 30 s; how long a stop waits for jobs that await something; 0: not at all

-- # Executor

---@class orrery.Executor
local Executor = {}

--- Lets it serve an engine.
---@param engine orrery.Engine
---@core orr_executor_add
function Executor:add(engine) end

--- Waits for what runs of an engine, and serves it no more.
---@param engine orrery.Engine
---@core orr_executor_remove
function Executor:remove(engine) end

--- Starts its threads.
function Executor:start() end

--- Stops acquiring, waits for what runs, unlocks what was acquired.
---@core orr_executor_stop
function Executor:stop() end

--- Stops it for good; `<close>` does the same.
---@core orr_executor_stop
function Executor:close() end

return orrery
