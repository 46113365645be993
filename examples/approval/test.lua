--- Tests of the approval: orrery lua test.lua
local testing = require "orrery.testing"

local groups = { kermit = { "managers" }, piggy = { "managers" }, fozzie = { "directors" } }

local function approval(amount)
  local t = testing.new { deploy = "." }
  t.engine:set_groups(function(user) return groups[user] or {} end)
  local pi = t:start("approval", { initiator = "gonzo", business_key = "17", variables = { amount = amount, what = "chair" } })
  t:run()
  return t, pi
end

--- The one task that a user may take.
local function task_of(t, user) return t:task { candidate_user = user } end

local tests = {}

function tests.what_is_cheap_is_ordered_at_once()
  local t <close>, pi = approval(500)
  t:ended(pi, "ordered")
end

function tests.a_manager_claims_and_refuses()
  local t <close>, pi = approval(501)
  assert(#t.engine:tasks { candidate_user = "fozzie" } == 0, "directors are not asked yet")
  local task = task_of(t, "kermit")
  task:claim "kermit"
  assert(#t.engine:tasks { candidate_user = "piggy" } == 0, "one manager is enough")
  task:complete { approved = false, comment = "sit on the box" }
  t:ended(pi, "refused")
  assert(t.engine:history_variables({ instance = pi.id, name = "told" })[1].value == "gonzo: sit on the box")
end

--- A delegated task comes back to its owner, who decides.
function tests.a_manager_asks_a_colleague()
  local t <close>, pi = approval(900)
  local task = task_of(t, "kermit")
  task:claim "kermit"
  task:delegate "rowlf"
  local asked = t:task { assignee = "rowlf" }
  assert(asked.owner == "kermit" and asked.delegation == "pending")
  asked:resolve { comment = "it is a good chair" }
  local back = t:task { assignee = "kermit" }
  assert(back.delegation == "resolved")
  back:complete { approved = true }
  t:run()
  t:ended(pi, "ordered")
end

function tests.managers_who_sleep_are_reminded_and_passed_over()
  local t <close>, pi = approval(900)
  t:pass "P1D"
  t:at(pi, "approve")
  assert(pi:get "reminders" == 1)
  t:pass "P2D"
  t:at(pi, "decide")
  local task = task_of(t, "fozzie")
  assert(task.priority == 100)
  task:claim "fozzie"
  task:complete { approved = true }
  t:run()
  t:ended(pi, "ordered")
end

for name, test in pairs(tests) do
  test()
  print("ok " .. name)
end
