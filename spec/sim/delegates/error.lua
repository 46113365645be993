--- Raises a BPMN error for two of the values of x.
local orrery = require "orrery"
local await_turns = require "spec.sim.delegates.turns"

return function(execution)
  await_turns(execution)
  local x = execution:get "x"
  if x == 1 or x == 2 then orrery.bpmn_error("e" .. x, "by x") end
end
