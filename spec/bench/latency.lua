--- From start's return to the first instruction of an asynchronous delegate, on an idle engine, durable. Below zero: the delegate was
--- faster than the caller's thread.
local support = require "support"

local SAMPLES = 500

--- The delegate takes the time first of all; the user task keeps the instance until it has been asked.
local clock = [[
local now = require "orrery_bench".now
return { execute = function(_, execution)
  local began = now()
  execution:set("began", began)
end }]]

local function model()
  return support.model("latency", {
    '<startEvent id="start"/>', support.flow("start", "task"), '<serviceTask id="task" o:class="clock" o:asyncBefore="true"/>',
    support.flow("task", "wait"), '<userTask id="wait"/>', support.flow("wait", "end"), '<endEvent id="end"/>',
  })
end

return function()
  local now = support.measure.now
  local engine <close> = support.open(support.directory "latency", {})
  support.deploy(engine, model(), { ["clock.lua"] = clock })
  engine:start_executor { threads = 2 }
  assert(engine:wait_idle(60))
  local waits = {}
  for i = 1, SAMPLES do
    local instance = engine:start "latency"
    local returned = now()
    assert(engine:wait_idle(60))
    waits[i] = (instance:get "began" - returned) * 1000
  end
  return {
    { name = "latency", value = support.quantile(waits, 0.5), unit = "ms", bar = 1, most = true },
    { name = "latency.p99", value = support.quantile(waits, 0.99), unit = "ms" },
  }
end
