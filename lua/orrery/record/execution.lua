--- An execution as a record: a token or a scope of an instance.
local errors = require "orrery.errors"
local records = require "orrery.record"

local Execution = records.class "executions"
records.variables(Execution)

function Execution:trigger(variables, options)
  errors.check_type("trigger", 1, variables, "table", "nil")
  self.engine:trigger(self.id, variables, errors.check_type("trigger", 2, options, "table", "nil"))
end

return Execution
