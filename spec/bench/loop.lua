--- 1,000,000 steps without a wait state: a script counts in a loop with a gateway. The memory that the process has in use is looked at from
--- inside the loop, after a tenth of the steps and at the end: what lies between is what steps keep. An endless loop then meets its limit.
local support = require "support"

local STEPS = 1000000
local ROUNDS = STEPS // 2 -- a task and a gateway each

local count = [[
local resident = require "orrery_bench".resident
return { execute = function(_, execution)
  local i = execution:get "i" + 1
  execution:set("i", i)
  if i == execution:get "early" then execution:set("before", resident()) end
  if i == execution:get "last" then execution:set("after", resident()) end
end }]]

local function model()
  return support.model("loop", {
    '<startEvent id="start"/>', support.flow("start", "merge"), '<exclusiveGateway id="merge"/>', support.flow("merge", "count"),
    '<serviceTask id="count" o:class="count"/>', support.flow("count", "again"),
    '<exclusiveGateway id="again" default="again_wait"/>', support.flow("again", "merge", "return i &lt; last"),
    support.flow("again", "wait"), '<userTask id="wait"/>', support.flow("wait", "end"), '<endEvent id="end"/>',
  })
end

local function check_limit()
  local engine <close> = support.open(nil, { steps_max = 10000 })
  support.deploy(engine, model(), { ["count.lua"] = count })
  local ok, problem = pcall(engine.start, engine, "loop", { variables = { i = 0, early = -1, last = math.maxinteger } })
  assert(not ok and problem.kind == "limit", "an endless loop met no limit")
end

return function()
  check_limit()
  local engine <close> = support.open(support.directory "loop", { durability = "none", history = "none", steps_max = 0 })
  support.deploy(engine, model(), { ["count.lua"] = count })
  local instance
  local seconds = support.time(function()
    instance = engine:start("loop", { variables = { i = 0, early = ROUNDS // 10, last = ROUNDS } })
  end)
  local grown = (instance:get "after" - instance:get "before") / 2 ^ 20
  return {
    { name = "loop", value = grown, unit = "MiB in 900,000 steps", bar = 1, most = true },
    { name = "loop.rate", value = STEPS / seconds, unit = "steps/s" },
  }
end
