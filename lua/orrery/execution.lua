--- An execution as a record: a token or a scope of an instance.
local records = require "orrery.records"

local Execution = records.class "executions"
records.variables(Execution)

function Execution:trigger(variables, options) self.engine:trigger(self.id, variables, options) end

return Execution
