--- From start's return to the first instruction of an asynchronous delegate, on an idle engine, durable. Below zero: the delegate was
--- faster than the caller's thread.
local support = require "support"
local deploy_clocked = require "clocked"

local SAMPLES = 500

return function()
  local now = support.measure.now
  local engine <close> = support.open(support.directory "latency", {})
  deploy_clocked(engine)
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
