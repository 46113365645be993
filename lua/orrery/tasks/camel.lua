--- The camel task: runs the route that begins at flowable:process:task.
local camel = require "orrery.outside.camel"
local fields = require "orrery.tasks.fields"

local task_type = {}

function task_type.execute(_, execution)
  local task = fields.of(execution, "camel")
  camel.call(execution, task:text "camelContext" or camel.CONTEXT, task:text "camelBehaviorClass")
end

return task_type
