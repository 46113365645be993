--- Tests of the trip: orrery lua test.lua
local testing = require "orrery.testing"

local function trip(variables)
  local t = testing.new { deploy = "." }
  return t, t:start("trip", { variables = variables })
end

local tests = {}

function tests.booked_at_last()
  local t <close>, pi = trip { traveler = "kermit", city = "Vienna", card = "4111" }
  t:run()
  t:at(pi, "flight") -- the airline did not answer, and is asked again
  t:pass "PT5M"
  t:ended(pi, "booked")
end

function tests.all_or_nothing()
  local t <close>, pi = trip { traveler = "kermit", city = "Vienna", card = "4000" }
  t:pass "PT5M"
  t:at(pi, "another_card")
  assert(#pi:get "booked" == 0, "the bookings are undone")
  assert(pi:get "reason" == "there is no money on it")
  t:complete("another_card", { card = "4111" })
  t:pass "PT5M"
  t:ended(pi, "booked")
  assert(t.engine:history_variables({ instance = pi.id, name = "tickets" })[1].value == "kermit: hotel in Vienna, flight to Vienna")
end

function tests.given_up()
  local t <close>, pi = trip { traveler = "kermit", city = "Vienna", card = "4000" }
  t:pass "PT5M"
  t:complete("another_card", { card = require "orrery".null })
  t:ended(pi, "given_up")
end

for name, test in pairs(tests) do
  test()
  print("ok " .. name)
end
