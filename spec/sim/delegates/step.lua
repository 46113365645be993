--- Counts its runs, and those of its branch.
local count = require "spec.sim.delegates.count"

local step = {}

function step:execute(execution)
  count:execute(execution)
  execution:set_local("steps", (execution:get "steps" or 0) + 1)
end

return step
