--- Jobs whose delegates block: 64 of a tenth of a second each, in C, on four threads. Shared out
--- evenly they take 1.6 seconds.
local support = require "support"

local JOBS, THREADS = 64, 4

return function()
  local engine <close> = support.open(nil, { durability = "none" })
  engine:register("block", function() os.execute "sleep 0.1" end)
  support.deploy(engine, support.chain("blocking", 1, function(i)
    local task = '<serviceTask id="task%d" o:class="block" o:asyncBefore="true"/>'
    return "task" .. i, task:format(i)
  end))
  support.populate(engine, "blocking", JOBS)
  local seconds = support.time(function()
    engine:start_executor { threads = THREADS }
    assert(engine:wait_idle(600))
  end)
  assert(engine:metrics()["job-successful"] == JOBS)
  return { { name = "blocking", value = seconds, unit = "s", bar = 2.1, most = true } }
end
