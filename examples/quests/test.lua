--- Tests of the quest and its rules: orrery lua test.lua
local testing = require "orrery.testing"

local function quest()
  local t = testing.new { deploy = "quest.bpmn", register = dofile "rules.lua" }
  return t, t:start("quest", { business_key = "hero" })
end

local tests = {}

function tests.a_dragon_that_is_hit_pays()
  local t <close>, pi = quest()
  t:pass "PT2S"
  t:at(pi, "fight")
  t.engine:message("dragon hit", { instance = pi.id })
  t:run()
  t:ended(pi, "beaten")
  assert(t.engine:history_variables({ instance = pi.id, name = "gold" })[1].value == 10)
end

function tests.at_dawn_it_is_gone()
  local t <close>, pi = quest()
  t:pass "PT8S"
  t:ended(pi, "fled")
end

function tests.a_dragon_that_sleeps_cannot_be_hit()
  local t <close>, pi = quest()
  assert(not pcall(t.engine.message, t.engine, "dragon hit", { instance = pi.id }))
  t:at(pi, "nightfall")
end

for name, test in pairs(tests) do
  test()
  print("ok " .. name)
end
