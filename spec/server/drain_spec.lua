-- The end under ordinary traffic: what runs is answered, every further answer is its connection's
-- last, and nothing that is refused is kept.
-- Marks: threads
local orrery = require "orrery"
local support = require "spec.server.support"

local CLIENTS <const> = 8

-- Asks over one connection after the other until none is to be had. It notes each answer's status,
-- and whether a request was left without one.
local CLIENT <const> = [==[trap "" PIPE
while exec 3<>/dev/tcp/127.0.0.1/PORT; do
  last=no
  while [ $last = no ]; do
    printf 'POST /engine-rest/process-definition/key/waiting/start HTTP/1.1\r\n' >&3 || break
    printf 'Host: localhost\r\nContent-Length: 2\r\n' >&3 || break
    printf 'Content-Type: application/json\r\n\r\n{}' >&3 || break
    status= size=0
    while IFS= read -r -u 3 line; do
      line=${line%$'\r'}
      case ${line,,} in
        '') break ;;
        http/*) status=${line:9:3} ;;
        connection:*close*) last=yes ;;
        content-length:*) size=${line##* } ;;
      esac
    done
    if [ -z "$status" ]; then echo none; break; fi
    read -r -N "$size" -u 3 _
    echo $status
  done
done >>FOLDER/client.NUMBER 2>/dev/null
]==]

local function statuses(server)
  local counts = {}
  for n = 1, CLIENTS do
    for status in (server:said("client." .. n) or ""):gmatch "%w+" do
      counts[status] = (counts[status] or 0) + 1
    end
  end
  return counts
end

describe("SIGTERM under ordinary traffic", function()
  it("ends the server, and not when all of drain_seconds are over", function()
    for _ = 1, 3 do
      local server <close> = support.serve { files = { ["waiting.bpmn"] = support.waiting,
        conf = "return { drain_seconds = 86400 }" },
        arguments = "--deploy %f/waiting.bpmn --config %f/conf" }
      for n = 1, CLIENTS do server:script("client" .. n, (CLIENT:gsub("NUMBER", n))) end
      support.wait(function() return (statuses(server)["200"] or 0) >= 100 end, "answers")
      assert.equal(0, server:stop "TERM")
      for n = 1, CLIENTS do
        server:await("client" .. n .. ".over")
      end
      local counts = statuses(server)
      local engine = orrery.open(server.store, { log = "none" })
      local instances = engine:count "history_instances"
      engine:close()
      assert.is_true(instances >= counts["200"], instances)
      counts["200"], counts["503"], counts.none = nil, nil, nil
      assert.same({}, counts)
    end
  end)

  local SLOW <const> = [==[return function(engine)
    engine:register("slow", function()
      os.rename("FOLDER/free", "FOLDER/begun")
      repeat until os.rename("FOLDER/go", "FOLDER/went")
    end)
  end]==]
  local SLOWLY <const> = "--deploy %f/waiting.bpmn --deploy %f/slow.bpmn --config %f/conf \z
    --lua %f/slow.lua"
  local slow <const> = support.model([[<startEvent id="s"/>
    <sequenceFlow id="f1" sourceRef="s" targetRef="t"/><serviceTask id="t" camunda:class="slow"/>
    <sequenceFlow id="f2" sourceRef="t" targetRef="e"/><endEvent id="e"/>]], "slow")

  -- Has connections open before the end, and asks over each when the server takes no commands more.
  local LATE <const> = [==[trap "" PIPE; fds=()
    for i in $(seq 100); do exec {fd}<>/dev/tcp/127.0.0.1/PORT; fds+=($fd); done
    for fd in ${fds[@]}; do
      printf 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n' >&$fd; read -r line <&$fd; done
    touch FOLDER/connected
    until [ -e FOLDER/ask ]; do read -t 0.05 <> <(:); done
    for fd in ${fds[@]}; do
      printf 'POST /engine-rest/process-definition/key/waiting/start HTTP/1.1\r\n' >&$fd
      printf 'Host: localhost\r\nContent-Length: 2\r\n' >&$fd
      printf 'Content-Type: application/json\r\n\r\n{}' >&$fd
      tr -d '\r' <&$fd | grep -aoi -e 'HTTP/1.1 [0-9]*' -e '^connection.*'
    done >FOLDER/late]==]

  it("answers what runs when drain_seconds are over, and refuses what comes then", function()
    local server <close> = support.serve { files = { ["waiting.bpmn"] = support.waiting,
      ["slow.bpmn"] = slow, free = "",
        conf = "return { drain_seconds = 0, idle_seconds = 86400 }",
      ["slow.lua"] = function(folder) return (SLOW:gsub("FOLDER", folder)) end },
      arguments = SLOWLY }
    server:script("runs", [[curl -s -m 50 -o /dev/null -w '%{http_code}' -X POST -d '{}' \
      -H 'Content-Type: application/json' \
      http://127.0.0.1:PORT/engine-rest/process-definition/key/slow/start >FOLDER/answered]])
    server:script("asks", LATE)
    server:await "begun"
    server:await "connected"
    server:signal "TERM"
    server:script("knocks", [[until ! (exec 3<>/dev/tcp/127.0.0.1/PORT) 2>/dev/null; do
      read -t 0.05 <> <(:); done]])
    server:await "knocks.over"
    server:file("ask", "")
    server:await "asks.over"
    server:file("go", "")
    assert.equal(0, server:ended())
    server:await "runs.over"
    assert.equal("200", server:said "answered")
    local lines = server:said "late"
    assert.equal(100, select(2, lines:gsub("Connection: close\n", "")), lines)
    local refused = select(2, lines:gsub("HTTP/1.1 503", ""))
    local taken = select(2, lines:gsub("HTTP/1.1 200", ""))
    assert.equal(100, refused + taken, lines)
    assert.is_true(refused > 0)
  end)

  -- Requests over as many connections as there may be, one behind the other, from the moment that
  -- what ran has ended. Nobody reads their answers.
  local BURST <const> = [==[trap "" PIPE; fds=()
    for i in $(seq 250); do exec {fd}<>/dev/tcp/127.0.0.1/PORT; fds+=($fd); done
    for fd in ${fds[@]}; do
      printf 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n' >&$fd; read -r line <&$fd; done
    A='POST /engine-rest/process-definition/key/waiting/start HTTP/1.1'
    B='Host: localhost'; C='Content-Type: application/json'; D='Content-Length: 2'
    touch FOLDER/connected
    until [ -e FOLDER/ask ]; do read -t 0.01 <> <(:); done
    touch FOLDER/go
    for fd in ${fds[@]}; do
      printf '%s\r\n%s\r\n%s\r\n%s\r\n\r\n{}' "$A" "$B" "$C" "$D" >&$fd; done]==]

  it("keeps no request that comes as it ends", function()
    for _ = 1, 3 do
      local server <close> = support.serve { files = { ["waiting.bpmn"] = support.waiting,
        ["slow.bpmn"] = slow, free = "",
        conf = "return { drain_seconds = 0, idle_seconds = 86400 }",
        ["slow.lua"] = function(folder) return (SLOW:gsub("FOLDER", folder)) end },
        arguments = SLOWLY }
      server:script("runs", [[curl -s -m 50 -o /dev/null -w '%{http_code}' -X POST -d '{}' \
        -H 'Content-Type: application/json' \
        http://127.0.0.1:PORT/engine-rest/process-definition/key/slow/start >FOLDER/answered]])
      server:script("asks", BURST)
      server:await "begun"
      server:await "connected"
      server:signal "TERM"
      server:file("ask", "")
      assert.equal(0, server:ended())
      server:await "runs.over"
      server:await "asks.over"
    end
  end)
end)

describe("heads that are refused", function()
  local HEADS <const> = [==[for i in $(seq 20); do
    for head in 'no colon' ': x' 'A : b' 'Host: a,b'; do
    exec 3<>/dev/tcp/127.0.0.1/PORT
    printf 'GET /health/live HTTP/1.1\r\n%s\r\n\r\n' "$head" >&3; cat <&3; echo; done
    done >FOLDER/answers]==]

  it("are not among the requests that are under way", function()
    local server <close> = support.serve()
    server:script("heads", HEADS)
    server:await "heads.over"
    assert.equal(80, select(2, server:said "answers":gsub("HTTP/1.1 400", "")))
    assert.equal(1, server:metric "active") -- which is the one that asks
    assert.equal(0, server:stop "TERM")
  end)
end)
