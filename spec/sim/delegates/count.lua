--- Counts its runs: those of all, and those of its activity, which history must have as many of.
local await_turns = require "spec.sim.delegates.turns"

local function up(execution, name) execution:set(name, (execution:get(name) or 0) + 1) end

local count = {}

function count:execute(execution)
  await_turns(execution)
  up(execution, "y")
  up(execution, "ran_" .. execution.activity_id)
end

return count
