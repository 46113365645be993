--- A listener that counts what it hears, of an execution or of a task.
local await_turns = require "spec.sim.delegates.turns"

local listener = {}

function listener:notify(about)
  local execution = about.execution or about
  await_turns(execution)
  execution:set("heard", (execution:get "heard" or 0) + 1)
end

return listener
