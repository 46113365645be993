--- A process whose delegate takes the time before anything else; the user task behind it keeps the instance until it has been asked.
local support = require "support"

local clock = [[
local now = require "orrery_bench".now
return { execute = function(_, execution)
  local began = now()
  execution:set("began", began)
end }]]

--- Deploys it as "latency"; the delegate's variable is `began`.
return function(engine)
  support.deploy(engine, support.model("latency", {
    '<startEvent id="start"/>', support.flow("start", "task"), '<serviceTask id="task" o:class="clock" o:asyncBefore="true"/>',
    support.flow("task", "wait"), '<userTask id="wait"/>', support.flow("wait", "end"), '<endEvent id="end"/>',
  }), { ["clock.lua"] = clock })
end
