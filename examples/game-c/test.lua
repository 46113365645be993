--- Tests of the model, with the rules played: orrery lua test.lua
local testing = require "orrery.testing"

local function quest()
  local woken = {}
  local t = testing.new { deploy = "quest.bpmn", register = {
    wake = function(execution) woken[execution.business_key] = true end,
    reward = function(execution) execution:set("gold", 10) end,
  } }
  return t, t:start("quest", { business_key = "kermit" }), woken
end

local tests = {}

function tests.a_dragon_that_is_hit_in_time_pays()
  local t <close>, pi, woken = quest()
  t.engine:advance(2)
  t:run()
  assert(woken.kermit)
  t.engine:message("dragon hit", { business_key = "kermit" })
  t:run()
  t:ended(pi, "beaten")
end

function tests.a_dragon_goes_at_dawn()
  local t <close>, pi = quest()
  t.engine:advance(2)
  t:run()
  t.engine:advance(6)
  t:run()
  t:ended(pi, "fled")
end

for name, test in pairs(tests) do
  test()
  print("ok " .. name)
end
