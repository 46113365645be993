--- Fails unless x is 1.
local await_turns = require "spec.sim.delegates.turns"

return function(execution)
  await_turns(execution)
  if execution:get "x" ~= 1 then error("not with this x", 0) end
end
