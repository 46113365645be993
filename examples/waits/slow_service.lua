--- A service that takes a second to answer. The wait yields the job's coroutine, so its thread goes on with other jobs meanwhile.
local orrery = require "orrery"

return function(execution)
  orrery.sleep(1)
  execution:set("answer", 42)
end
