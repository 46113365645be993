---@meta orrery.queries
-- The engine's methods about what there is and what there was.
error "this file is for editors"

-- # Lists

---@class orrery.Engine
local Engine = {}

--- Counts what the list would hold, without building it.
---@param verb string such as `"jobs"`
---@param filter? table
---@return integer
function Engine:count(verb, filter) end

-- # Change feed

--- Tells what is committed of topics and instances: watch first, then look, then wait, and nothing is lost. What other processes on
--- the store commit counts as a change of everything that is watched.
---@param options? { topics?: string[], instances?: orrery.Id[], all?: boolean } what it watches from the beginning
---@return orrery.Feed
---@core orr_feed_open
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
--- With `candidate_groups` alone, a row for each group that is asked to take tasks which nobody has taken, by name; a last row
--- without a group is of tasks that no group is asked to take.
---@param request? orrery.StatisticsRequest
---@return orrery.Statistics[]
---@core orr_engine_statistics
function Engine:statistics(request) end

---@class orrery.StatisticsRequest
---@field definition? orrery.Id
---@field failed_jobs? boolean
---@field incidents? boolean
---@field incident_type? string
---@field root_incidents? boolean
---@field candidate_groups? boolean

---@class orrery.Statistics
---@field definition_id? orrery.Id of definitions; so are the next five
---@field definition_key? string
---@field version? integer
---@field name? string
---@field tenant? string
---@field deployment_id? orrery.Id
---@field activity_id? string of activities
---@field candidate_group? string of groups
---@field tasks? integer of a group
---@field instances? integer that run; of activities: tokens that stand there
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
---@return integer # how many instances, tasks without a process, decisions, batches and other rows went
function Engine:clean_history(options) end

--- Has history cleaned by jobs, by the definitions' `historyTimeToLive`: docs/job-executor.md.
---@param options? orrery.CleanHistoryOptions
function Engine:schedule_clean_history(options) end

--- Deletes the history of one instance that has ended.
---@param instance orrery.Id
---@core orr_engine_history_delete
function Engine:delete_history(instance) end

--- Deletes the history of variables with each writing. What runs keeps its variables, and tells history their next values.
---@param of orrery.Id an instance with all that is in it; or a scope, or a task without a process
---@param name? string of that scope, this one alone
---@return integer # how many went
---@core orr_engine_history_delete_variables
function Engine:delete_history_variables(of, name) end

--- How long what has ended took, by the month or quarter in which it began, earliest first.
---@param options? orrery.DurationsOptions
---@return table[] # `{ year =, period = (1 to 12, or to 4), count =, minimum =, maximum =, average = (seconds) }`
---@core orr_engine_history_durations
function Engine:durations(options) end

--- Makes an incident of your own at an activity and for each calling instance, until it is resolved or the token leaves.
---@param execution orrery.Id
---@param incident { type: string, configuration?: string, message?: string } `configuration`: whatever it is to tell
---@return orrery.Incident
---@core orr_engine_incident_create
function Engine:create_incident(execution, incident) end

--- Notes something beside a user's operation, on all its rows of `history_operations`; nil takes the note away.
---@param operation orrery.Id an `operation_id`
---@param text? string
---@core orr_engine_operation_annotate
function Engine:annotate_operation(operation, text) end
