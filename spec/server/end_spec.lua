-- The end under load: what was answered is in the store, whatever ran when SIGTERM came.
local orrery = require "orrery"
local support = require "spec.server.support"

local STARTERS, WORKERS, PARKED, ACKNOWLEDGED = 6, 2, 3, 120

-- Starts instances, and completes tasks, one after the other until the server refuses; a line for each that was answered. Others wait for
-- tasks that never come.
local CLIENTS = [[
BASE=$1 LOG=$2
starter() {
  for N in $(seq 100000); do
    curl -sf -m 20 -o /dev/null -X POST $BASE/process-definition/key/order/start -H 'Content-Type: application/json' \
      -d "{\"businessKey\": \"k$1-$N\"}" || return 0
    echo "start k$1-$N" >> $LOG.$1
  done
}
worker() {
  while TASK=$(curl -sf -m 20 -X POST $BASE/external-task/fetchAndLock -H 'Content-Type: application/json' \
    -d "{\"workerId\": \"w$1\", \"maxTasks\": 1, \"asyncResponseTimeout\": 10000,
      \"topics\": [{\"topicName\": \"pay\", \"lockDuration\": 600000}]}"); do
    ID=$(echo "$TASK" | grep -o '"id":"[0-9]*"' | head -n 1 | grep -o '[0-9]*')
    if [ -z "$ID" ]; then continue; fi
    curl -sf -m 20 -X POST $BASE/external-task/$ID/complete -H 'Content-Type: application/json' -d "{\"workerId\": \"w$1\"}" || return 0
    echo "done $ID" >> $LOG.w$1
  done
}
parked() {
  curl -s -m 120 -o $LOG.parked$1 -X POST $BASE/external-task/fetchAndLock -H 'Content-Type: application/json' -d "{\"workerId\": \"p$1\",
    \"maxTasks\": 1, \"asyncResponseTimeout\": 600000, \"topics\": [{\"topicName\": \"idle\", \"lockDuration\": 600000}]}"
}
for N in $(seq $5); do parked $N & done
for N in $(seq $3); do starter $N & done
for N in $(seq $4); do worker $N & done
wait
touch $LOG.over
]]

describe("SIGTERM under load", function()
  it("loses nothing that was answered", function()
    local server = support.serve { files = { ["order.bpmn"] = support.order, clients = CLIENTS }, arguments = "--deploy %f/order.bpmn" }
    local log = server.folder .. "/log"
    assert(os.execute(("bash %s/clients %s/engine-rest %s %d %d %d >/dev/null 2>&1 &"):format(server.folder, server.url, log, STARTERS,
      WORKERS, PARKED)))
    local function answered()
      local pipe = assert(io.popen(("cat %s.[0-9]* %s.w* 2>/dev/null"):format(log, log)))
      local starts, completions = {}, {}
      for what, id in pipe:read "a":gmatch "(%a+) (%S+)\n" do
        if what == "start" then starts[#starts + 1] = id else completions[#completions + 1] = id end
      end
      pipe:close()
      return starts, completions
    end
    support.wait(function()
      local starts, completions = answered()
      return #starts >= ACKNOWLEDGED and #completions > 5
    end, "the load")
    support.wait(function()
      local _, metrics = server:ask("GET", "/metrics")
      return tonumber(metrics:match "\norrery_http_parked (%d+)") >= PARKED
    end, "the polls")
    assert.equal(0, server:stop "TERM")
    support.wait(function() return io.open(log .. ".over") end, "the clients' end")
    local starts, completions = answered()
    local engine = orrery.open(server.store, { log = "none" })
    local lost = {}
    for _, key in ipairs(starts) do
      if engine:count("history_instances", { business_key = key }) ~= 1 then lost[#lost + 1] = key end
    end
    for _, id in ipairs(completions) do
      if engine:external_task(id) then lost[#lost + 1] = "task " .. id end
    end
    assert.same({}, lost)
    for n = 1, PARKED do assert.equal("[]", io.open(log .. ".parked" .. n):read "a") end
    engine:close()
    server:close()
  end)
end)
