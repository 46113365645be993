-- Notes how many jobs are locked while it runs.
local orrery = require "orrery"

return function(execution)
  orrery.sleep(0.002)
  execution:set("overlap", execution.engine:count("jobs", { locked = true }))
end
