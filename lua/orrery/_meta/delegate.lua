---@meta orrery.delegate
-- What delegates, listeners and scripts get; see orrery.lua beside this file.
error "this file is for editors"

-- # Execution of a delegate

--- Where a delegate, a listener or a script stands. It lives as long as the call; after that every use raises. Fields cannot be
--- assigned.
---@class orrery.CallExecution
---@field id orrery.Id
---@field instance_id orrery.Id
---@field root_id orrery.Id
---@field parent_id? orrery.Id
---@field definition_id orrery.Id
---@field definition_key string
---@field business_key? string
---@field tenant? string
---@field activity_id? string in a process's listeners where it begins or has ended, if any
---@field activity_name? string
---@field event_name? string in listeners: `"start"`, `"end"`, `"take"`
---@field sequence_flow_id? string in listeners of flows
---@field delete_reason? string
---@field canceled boolean in end listeners: whether the activity was canceled
---@field multi_instance_root boolean
---@field dialect string whose rules the process follows: `"camunda"`, `"flowable"` or `"orrery"`
---@field parent? orrery.CallExecution the scope around it
---@field job? orrery.Job the job that runs it
---@field job_id? orrery.Id its id
---@field task_id? orrery.Id in task listeners: the task's id
---@field engine orrery.Engine its commands join the current transaction
---@field vars table `vars.amount = 3` is `execution:set("amount", 3)`; `vars.amount = nil` removes it
local CallExecution = {}

--- A variable of the nearest scope that has it; nil for null, too.
---@param name string
---@return orrery.Value?
function CallExecution:get(name) end

--- The same of its own scope alone.
---@param name string
---@return orrery.Value?
function CallExecution:get_local(name) end

--- A variable with its type and what was declared of it.
---@param name string
---@return orrery.TypedValue?
function CallExecution:get_typed(name) end

--- The same of its own scope alone.
---@param name string
---@return orrery.TypedValue?
function CallExecution:get_local_typed(name) end

--- Whether there is such a variable, be it null.
---@param name string
---@return boolean
function CallExecution:has(name) end

--- Whether its own scope has one.
---@param name string
---@return boolean
function CallExecution:has_local(name) end

--- Sets a variable in the nearest scope that has it; a new one goes to the instance. nil stores
--- null; `remove` takes a variable away.
---@param name string
---@param value orrery.Value?
function CallExecution:set(name, value) end

--- Sets one of its own scope. In an activity that is no scope it belongs to the token and follows that branch.
---@param name string
---@param value orrery.Value?
function CallExecution:set_local(name, value) end

--- Sets one in the scope of an enclosing activity, or of the process by its key.
---@param activity string
---@param name string
---@param value orrery.Value?
function CallExecution:set_in(activity, name, value) end

--- Sets a variable that is seen until the transaction ends, and never stored.
---@param name string
---@param value orrery.Value?
function CallExecution:set_transient(name, value) end

--- The same in its own scope.
---@param name string
---@param value orrery.Value?
function CallExecution:set_transient_local(name, value) end

--- Removes a variable from the nearest scope that has it.
---@param name string
function CallExecution:remove(name) end

--- Removes one of its own scope.
---@param name string
function CallExecution:remove_local(name) end

--- A snapshot of all that can be seen.
---@return orrery.Variables
function CallExecution:variables() end

--- A snapshot of its own scope.
---@return orrery.Variables
function CallExecution:local_variables() end

--- An injected field of the model; its expression is evaluated now.
---@param name string
---@return any
function CallExecution:field(name) end

--- Chooses the outgoing flow by its id.
---@param flow_id string
function CallExecution:leave(flow_id) end

--- What `class="name"` of the model means here: a registered value or a module.
---@param name string
---@return any
function CallExecution:resolve(name) end

--- For delegates of task types: what a field names as a class, gives by an expression, or computes by a script; `names` are a
--- script's further names.
---@param name string
---@param names? table
---@return any # value
---@return boolean? # given whether there is such a field
function CallExecution:handler(name, names) end

--- For connectors: the inputs that the model maps.
---@return table
function CallExecution:connector_inputs() end

--- For connectors: maps an output to variables.
---@param output table
function CallExecution:connector_outputs(output) end
