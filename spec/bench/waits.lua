--- 1,000 jobs that each wait a second, on two threads, durable: from the executor's start to the last commit. A job that
--- waits holds no thread.
local support = require "support"

local JOBS, WAIT = 1000, 1

local nap = ([[
local orrery = require "orrery"
return { execute = function() orrery.sleep(%d) end }]]):format(WAIT)

return function()
  local engine <close> = support.open(support.directory "waits", {})
  support.deploy(engine, support.model("waits", {
    '<startEvent id="start"/>', support.flow("start", "task"), '<serviceTask id="task" o:class="nap" o:asyncBefore="true"/>',
    support.flow("task", "end"), '<endEvent id="end"/>',
  }), { ["nap.lua"] = nap })
  support.populate(engine, "waits", JOBS)
  local seconds = support.time(function()
    engine:start_executor { threads = 2 }
    assert(engine:wait_idle(600))
  end)
  assert(engine:count "instances" == 0)
  return { { name = "waits", value = seconds, unit = "s", bar = 1.5, most = true } }
end
