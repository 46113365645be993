---@meta orrery.testing
-- `require "orrery.testing"`; see orrery.lua beside this file.
error "this file is for editors"

-- # Testing

---@class orrery.testing
local testing = {}

--- Makes an engine for a test: private, with a clock that stands.
---@param options? orrery.TestOptions
---@return orrery.Test
function testing.new(options) end

--- Makes a collector of coverage, for the tests of a suite.
---@return orrery.Coverage
function testing.coverage() end

--- Beside the options of `orrery.open`, whose `clock` is `"manual"` and whose `log` is `"error"` here:
---@class orrery.TestOptions: orrery.OpenOptions
---@field deploy? string|string[]|table<string, string> as for `engine:deploy`, or a list of paths
---@field register? table<string, orrery.Delegate> by name
---@field stubs? boolean a stub for each delegate and bean of the models that is not there
---@field coverage? boolean|orrery.Coverage a collector, or true for one of its own

--- An instance, its id, or what belongs to it: what `t:message` gives, a task, a job.
---@alias orrery.OfInstance orrery.Instance|orrery.HistoryInstance|orrery.Delivery|orrery.Task|orrery.Id

---@class orrery.Test
---@field engine orrery.Engine
---@field stubs table<string, orrery.StubCall[]> the calls of each stub, by name
---@field collector? orrery.Coverage
local Test = {}

--- Closes the engine, as `<close>` does; what was reached is added to the collector.
function Test:close() end

--- As `engine:start`.
---@param key string
---@param options? orrery.StartOptions
---@return orrery.Instance
function Test:start(key, options) end

--- As `engine:start_by_message`.
---@param name string
---@param options? orrery.StartOptions
---@return orrery.Instance
function Test:start_by_message(name, options) end

--- Runs what is due until nothing is. A job that fails is recorded, not raised.
---@return integer # how many jobs ran
function Test:run() end

--- Lets time pass, stopping at everything that falls due on the way, as a running executor would.
---@param duration orrery.Duration
function Test:pass(duration) end

--- Jumps to the next time at which something falls due (a timer, a retry, the end of a delegate's
--- sleep), and runs it. Fails when nothing will.
---@return number # that time
function Test:skip() end

--- Jumps from one thing that falls due to the next until the condition holds, and gives what it gave. Fails when nothing is left
--- to wait for.
---@param condition fun(): any
---@param longest? orrery.Duration default a year
---@return any
function Test:pass_until(condition, longest) end

--- The earliest time in the future at which something falls due, or a delegate wakes that sleeps.
---@return number?
function Test:next_due() end

--- Tokens stand exactly at these activities: one name for each token.
---@param instance orrery.OfInstance
---@param ... string
function Test:at(instance, ...) end

--- Tokens stand at each of these, and maybe elsewhere.
---@param instance orrery.OfInstance
---@param ... string
function Test:waiting_at(instance, ...) end

--- No token stands at any of these.
---@param instance orrery.OfInstance
---@param ... string
function Test:not_waiting_at(instance, ...) end

--- The instance has ended, and with `at` at that end event.
---@param instance orrery.OfInstance
---@param at? string
function Test:ended(instance, at) end

--- The instance has not ended.
---@param instance orrery.OfInstance
function Test:not_ended(instance) end

--- The instance is suspended.
---@param instance orrery.OfInstance
function Test:suspended(instance) end

--- Each of these was completed at least once.
---@param instance orrery.OfInstance
---@param ... string
function Test:passed(instance, ...) end

--- These were completed, and began in this order, whatever came between.
---@param instance orrery.OfInstance
---@param ... string
function Test:passed_in_order(instance, ...) end

--- None of these was completed.
---@param instance orrery.OfInstance
---@param ... string
function Test:not_passed(instance, ...) end

--- The instance has these variables with these values, and maybe others; also after its end.
---@param instance orrery.OfInstance
---@param wanted orrery.Variables
function Test:variables(instance, wanted) end

--- The instance has none of these variables.
---@param instance orrery.OfInstance
---@param ... string
function Test:no_variables(instance, ...) end

--- The instance waits for each of these messages or signals.
---@param instance orrery.OfInstance
---@param ... string
function Test:waiting_for(instance, ...) end

--- The instance waits for none of these.
---@param instance orrery.OfInstance
---@param ... string
function Test:not_waiting_for(instance, ...) end

--- The one instance that it called (of this process), running or ended.
---@param instance orrery.OfInstance
---@param key? string
---@return orrery.Instance
function Test:called(instance, key) end

--- The one open task of this key, or of this filter, with these facts: its fields (`orrery.null`: none; times may be texts),
--- `candidate_user`, `candidate_users`, `candidate_group`, `candidate_groups`, `variables`.
---@param which string|orrery.TaskFilter|orrery.Task
---@param facts? table
---@return orrery.Task
function Test:task(which, facts) end

--- The one job of this activity, or of this filter, with these facts.
---@param which string|orrery.JobFilter|orrery.Job
---@param facts? table
---@return orrery.Job
function Test:job(which, facts) end

--- The one open incident of this activity, or of this filter, with these facts.
---@param which string|table|orrery.Incident
---@param facts? table
---@return orrery.Incident
function Test:incident(which, facts) end

--- The one open external task of this topic, or of this filter, with these facts.
---@param which string|orrery.ExternalTaskFilter|orrery.ExternalTask
---@param facts? table
---@return orrery.ExternalTask
function Test:external_task(which, facts) end

--- The list holds so many.
---@param verb string such as `"instances"`
---@param filter table
---@param wanted integer
function Test:count(verb, filter, wanted) end

--- There is no open incident (of this instance).
---@param instance? orrery.OfInstance
function Test:no_incidents(instance) end

--- Completes the one open task of this key or filter, and runs what that makes due; so do the following.
---@param which string|orrery.TaskFilter|orrery.Task
---@param variables? orrery.Variables
---@return orrery.Task
function Test:complete(which, variables) end

--- Runs the one job of this activity or filter now, whatever its due date, and raises what it raises.
---@param which string|orrery.JobFilter|orrery.Job
function Test:execute(which) end

--- As `engine:message`.
---@param name string?
---@param options? orrery.MessageOptions
---@return orrery.Delivery
function Test:message(name, options) end

--- As `engine:signal`.
---@param name string
---@param options? orrery.SignalOptions
function Test:signal(name, options) end

--- Completes the one open external task of this topic or filter, as its worker would.
---@param which string|orrery.ExternalTaskFilter|orrery.ExternalTask
---@param variables? orrery.Variables
function Test:complete_external(which, variables) end

--- Has it fail, as its worker would.
---@param which string|orrery.ExternalTaskFilter|orrery.ExternalTask
---@param failure orrery.ExternalFailure
function Test:fail_external(which, failure) end

--- Raises a BPMN error where it stands.
---@param which string|orrery.ExternalTaskFilter|orrery.ExternalTask
---@param code string
---@param message? string
---@param variables? orrery.Variables
function Test:throw_external(which, code, message, variables) end

--- Registers a stand-in for a delegate, a listener or a bean, which has every method. Gives the
--- list of its calls, which grows. A name that nothing deployed has fails when jobs are run.
---@param name string
---@param behavior? orrery.StubBehavior|fun(execution: orrery.CallExecution): any none: it does nothing
---@return orrery.StubCall[]
function Test:stub(name, behavior) end

---@class orrery.StubBehavior
---@field variables? orrery.Variables to set
---@field error? string the code of a BPMN error to raise
---@field fails? string the message to fail with
---@field times? integer how often it does these two; afterwards it succeeds
---@field result? any what it gives: of a bean's method, of a delegate
---@field calls? fun(execution: orrery.CallExecution): any instead; a bean gives it arguments

---@class orrery.StubCall
---@field activity_id? string
---@field instance_id? orrery.Id not of a bean's method that gets no execution, as the other fields
---@field business_key? string
---@field event_name? string in listeners
---@field variables? orrery.Variables as it saw them
---@field method? string of a bean
---@field arguments? any[] of a bean's method

--- What this test has reached so far of a process; the key may be left out when there is one.
---@param key? string
---@return orrery.CoverageResult
function Test:coverage(key) end

---@class orrery.CoverageResult
---@field process string
---@field reached integer of the process's nodes and sequence flows
---@field total integer
---@field ratio number
---@field times table<string, integer> by element
---@field missing string[] in the order of the model

---@class orrery.Coverage
local Coverage = {}

--- Adds what an engine reached that `testing.new` made; its test does so when it closes.
---@param engine orrery.Engine
function Coverage:add(engine) end

--- What all tests together reached of a process.
---@param key? string
---@return orrery.CoverageResult
function Coverage:result(key) end

--- A table as text, of one process or of all.
---@param key? string
---@return string
function Coverage:text(key) end

--- The model's drawing as SVG, with what was reached, how often, and what was not. A model without a diagram is placed.
---@param key? string
---@return string
function Coverage:svg(key) end

--- Writes `coverage.txt` and the drawings, `KEY.svg`, into a folder that is there.
---@param folder string
function Coverage:write(folder) end

--- Fails unless at least this part was reached: 1 is all of it.
---@param ratio number
---@param key? string
function Coverage:at_least(ratio, key) end

return testing
