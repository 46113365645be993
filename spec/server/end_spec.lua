-- The end under load: what was answered is in the store, whatever ran when SIGTERM came.
-- Marks: threads
local orrery = require "orrery"
local support = require "spec.server.support"

local STARTERS, WORKERS, PARKED, ACKNOWLEDGED = 6, 2, 3, 120

-- Starts instances, and completes tasks, one after the other until the server refuses; a line for each that was answered. Others wait for
-- tasks that never come.
local CLIENTS = [[
BASE=$1 LOG=$2
starter() {
  for N in $(seq 100000); do
    curl -sf -m 120 -o /dev/null -X POST $BASE/process-definition/key/order/start -H 'Content-Type: application/json' \
      -d "{\"businessKey\": \"k$1-$N\"}" || return 0
    echo "start k$1-$N" >> $LOG.$1
  done
}
worker() {
  while TASK=$(curl -sf -m 120 -X POST $BASE/external-task/fetchAndLock -H 'Content-Type: application/json' \
    -d "{\"workerId\": \"w$1\", \"maxTasks\": 1, \"asyncResponseTimeout\": 10000,
      \"topics\": [{\"topicName\": \"pay\", \"lockDuration\": 600000}]}"); do
    ID=$(echo "$TASK" | grep -o '"id":"[0-9]*"' | head -n 1 | grep -o '[0-9]*')
    if [ -z "$ID" ]; then continue; fi
    curl -sf -m 120 -X POST $BASE/external-task/$ID/complete -H 'Content-Type: application/json' -d "{\"workerId\": \"w$1\"}" || return 0
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

describe("Heads that are never whole", function()
  local BROKEN = 20

  -- Says half a head and goes, so many times.
  local function break_heads(server)
    local half = [[bash -c 'for i in $(seq %d); do
      exec 3<>/dev/tcp/127.0.0.1/%d; printf "GET /engine-rest/task HTTP/1.1\r\nHo" >&3; exec 3>&-; done']]
    assert(os.execute(half:format(BROKEN, server.port)))
    local metrics
    support.wait(function()
      metrics = select(2, server:ask("GET", "/metrics"))
      return tonumber(metrics:match "\norrery_http_undelivered_total (%d+)") >= BROKEN
    end, "their end")
    return metrics
  end

  it("are no requests that an end waits for, nor does it wait for fewer than there are", function()
    local server <close> = support.serve()
    assert.equal("1", break_heads(server):match "\norrery_http_active (%-?%d+)") -- which is the one that asks
  end)

  it("do not keep streams from ending with the server", function()
    local server <close> = support.serve()
    break_heads(server)
    assert(os.execute(("(curl -sN -m 60 %s/engine-rest/orrery/events?scope=all >%s/stream; echo $? >%s/ended) >/dev/null 2>&1 &")
      :format(server.url, server.folder, server.folder)))
    support.wait(function()
      local file = io.open(server.folder .. "/stream")
      local text = file and file:read "a" or ""
      if file then file:close() end
      return text:find "hello"
    end, "the stream")
    assert.equal(0, server:stop "TERM")
    support.wait(function() return io.open(server.folder .. "/ended") end, "the stream's end")
  end)
end)

-- A client that asks again whenever it has been answered, over one connection, while a body of another's never comes whole, for which the
-- end would wait. It notes that it was answered, and whether the server let it go or broke off.
local PERSISTENT <const> = [==[
exec 3<>/dev/tcp/127.0.0.1/PORT 4<>/dev/tcp/127.0.0.1/PORT
printf 'POST /engine-rest/message HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{' >&3
while true; do
  printf 'GET /engine-rest/engine HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n' >&4
  whole=no last=no size=0
  while IFS= read -r -u 4 line; do
    line=${line%$'\r'}
    case ${line,,} in
      '') whole=yes; break ;;
      connection:*close*) last=yes ;;
      content-length:*) size=${line##* } ;;
    esac
  done
  if [ $whole = no ]; then echo broken >FOLDER/ended; exit; fi
  read -r -N "$size" -u 4 _
  touch FOLDER/answered
  if [ $last = yes ]; then echo last >FOLDER/ended; exit; fi
done
]==]

describe("A client that goes on and on", function()
  it("is told with its next answer that this is the last one, once the server ends", function()
    local server <close> = support.serve()
    server:file("client", (PERSISTENT:gsub("PORT", server.port):gsub("FOLDER", server.folder)))
    assert(os.execute(("bash %s/client >/dev/null 2>&1 &"):format(server.folder)))
    support.wait(function() return io.open(server.folder .. "/answered") end, "an answer")
    server:signal "TERM"
    support.wait(function() return support.read(server.folder .. "/ended") end, "the client's end")
    assert.equal("last\n", support.read(server.folder .. "/ended"))
    assert.equal(0, server:ended())
  end)
end)

-- Starts of many connections at once, which share commits; a line for each that was answered.
describe("An end while many connections share commits", function()
  local CONNECTIONS, ENTRIES, ANSWERED = 64, 20000, 500

  local function starts(server)
    local lines = {}
    for n = 1, ENTRIES do
      lines[n] = ([[url = "%s/engine-rest/process-definition/key/waiting/start"
header = "Content-Type: application/json"
data = "{\"businessKey\": \"k%d\"}"
output = "/dev/null"
write-out = "%%{http_code} k%d\n"
fail
next]]):format(server.url, n, n)
    end
    server:file("starts", table.concat(lines, "\n", 1, ENTRIES):gsub("\nnext$", "") .. "\n")
    assert(os.execute(("(stdbuf -oL curl -s -Z --fail-early --parallel-max %d -K %s/starts >%s/answered 2>/dev/null; \z
      touch %s/over) &"):format(CONNECTIONS, server.folder, server.folder, server.folder)))
  end

  local function answered(server)
    local keys = {}
    local file = io.open(server.folder .. "/answered")
    local text = file and file:read "a" or ""
    if file then file:close() end
    for key in text:gmatch "200 (k%d+)\n" do keys[#keys + 1] = key end
    return keys
  end

  for _, signal in ipairs { "TERM", "KILL" } do
    it("by " .. signal .. " loses nothing that was answered", function()
      local server <close> = support.serve { files = { ["waiting.bpmn"] = support.waiting }, arguments = "--deploy %f/waiting.bpmn" }
      starts(server)
      support.wait(function() return #answered(server) >= ANSWERED end, "the load")
      server:stop(signal)
      support.wait(function() return io.open(server.folder .. "/over") end, "the clients' end")
      local engine <close> = orrery.open(server.store, { log = "none" })
      local kept, lost = {}, {}
      for _, instance in ipairs(engine:instances {}) do kept[instance.business_key] = true end
      for _, key in ipairs(answered(server)) do
        if not kept[key] then lost[#lost + 1] = key end
      end
      assert.same({}, lost)
    end)
  end
end)
