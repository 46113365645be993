--- Tests of the parcels: orrery lua test.lua
local testing = require "orrery.testing"

local function parcel(variables)
  local t = testing.new { deploy = "parcel.bpmn" }
  return t, t:start("parcel", { business_key = "p-1", variables = variables })
end

local function fetch(t, worker, topic)
  return t.engine:fetch_and_lock { worker = worker, max = 1, topics = { { name = topic, lock = 30 } } }[1]
end

local tests = {}

function tests.two_workers_share_the_work()
  local t <close>, pi = parcel { address = "Street 1" }
  fetch(t, "one", "label"):complete("one", { label = "p-1" })
  t:at(pi, "pickup")
  fetch(t, "two", "pickup"):complete "two"
  t:ended(pi, "sent")
end

function tests.a_worker_that_dies_loses_its_task_to_another()
  local t <close>, pi = parcel { address = "Street 1" }
  fetch(t, "one", "label")
  assert(not fetch(t, "two", "label"), "the first one has it")
  t.engine:advance(31)
  fetch(t, "two", "label"):complete "two"
  t:at(pi, "pickup")
end

function tests.a_missing_address_is_asked_for()
  local t <close>, pi = parcel {}
  fetch(t, "one", "label"):bpmn_error("one", "NO_SUCH_ADDRESS", "the address is missing")
  t:at(pi, "address")
  assert(pi:get "problem" == "the address is missing")
  t:complete("address", { address = "Street 2" })
  t:at(pi, "print")
end

function tests.work_that_fails_for_good_is_an_incident()
  local t <close>, pi = parcel { address = "Street 1" }
  fetch(t, "one", "label"):fail("one", { message = "out of paper", retries = 0 })
  local incident = t.engine:incidents({ instance = pi.id })[1]
  assert(incident.type == "failed_external_task" and incident.message == "out of paper")
  t.engine:external_task({ activity = "print" }):set_retries(1)
  assert(fetch(t, "two", "label"), "once there is paper it goes on")
end

for name, test in pairs(tests) do
  test()
  print("ok " .. name)
end
