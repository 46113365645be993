--- Tests of the process: orrery lua test.lua
local testing = require "orrery.testing"

local tests = {}

function tests.somebody_is_greeted_and_answers()
  local t <close> = testing.new { deploy = "." }
  local pi = t:start("hello", { variables = { name = "kermit" } })
  t:run()
  t:at(pi, "answer")
  assert(pi:get "greeting" == "Hello kermit")
  assert(t:task("answer").assignee == "kermit")
  t:complete("answer", { answer = "hello yourself" })
  t:at(pi, "later")
  t:pass "PT1M"
  t:ended(pi, "gone")
end

for name, test in pairs(tests) do
  test()
  print("ok " .. name)
end
