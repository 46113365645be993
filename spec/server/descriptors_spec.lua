-- Descriptors: what a crowd of connections, or a program that opens files, may take of them, and
-- that nothing stays gone.
local support = require "spec.server.support"

local build = os.getenv "ORRERY_BUILD"

-- Opens `n` connections, says so in a file, and keeps them until another file is there.
local CROWD <const> = [==[trap "" PIPE
for i in $(seq N); do exec {fd}<>/dev/tcp/127.0.0.1/PORT; done 2>/dev/null
touch FOLDER/here
until [ -e FOLDER/go ] || ! [ -e FOLDER/port ]; do read -t 0.05 <> <(:); done
]==]

local function crowd(server, n)
  server:script("crowd", (CROWD:gsub("N%)", n .. ")")))
  server:await "here"
  return function()
    server:file("go", "")
    server:await "crowd.over"
  end
end

-- Each request is a connection of its own, which any of the loops may get.
local function answers(server, n)
  for i = 1, n do assert.equal(200, (server:ask("GET", "/health/ready")), i) end
end

describe("the limit of open files", function()
  it("is raised as far as it may be, so that a crowd takes its share alone", function()
    local server <close> = support.serve { environment = "ulimit -Sn 256;", files = {
      conf = "return { connections_max = 400, connections_per_address = 0 }" },
      arguments = "--config %f/conf" }
    local leave = crowd(server, 300)
    answers(server, 8)
    leave()
    answers(server, 8)
  end)

  it("that may not be raised lowers connections_max, which is said", function()
    local server <close> = support.serve { environment = "ulimit -n 160;", files = {
      conf = [[return { loops = 4, connections_per_address = 0, head_seconds = 86400,
        idle_seconds = 86400 }]] }, arguments = "--config %f/conf" }
    local said = "open files is 160, which leaves room for (%d+) connections instead of 12000"
    local room = tonumber(server:log():match(said))
    assert.is_true(room >= 16 and room < 160, server:log())
    local leave = crowd(server, 200)
    leave()
    support.wait(function() return server:ask("GET", "/health/ready") == 200 end, "room")
    answers(server, 32)
    assert.equal(0, server:metric "accept_pauses_total")
    assert.is_true(server:metric "cut_off_total" >= 200 - room)
  end)

  it("is no matter of a Unix socket's connections, which count for no address", function()
    local server <close> = support.serve { arguments = "--socket %f/socket --config %f/conf",
      files = { conf = "return { connections_per_address = 1 }" } }
    local poll = [[curl -s -m 50 -o /dev/null --unix-socket FOLDER/socket \
      -H 'Content-Type: application/json' -d '{"workerId": "w", "maxTasks": 1,
      "asyncResponseTimeout": 40000, "topics": [{"topicName": "t", "lockDuration": 1000}]}' \
      http://localhost/engine-rest/external-task/fetchAndLock]]
    for n = 1, 5 do server:script("poll" .. n, poll) end
    support.wait(function() return server:metric "parked" == 5 end, "the polls")
    assert.equal(0, server:stop "TERM")
    for n = 1, 5 do server:await("poll" .. n .. ".over") end
  end)

  it("that leaves room for next to nothing ends the server with a word", function()
    local command = "(ulimit -n %d; exec %s/orrery serve %s --listen :0) 2>&1; echo EXIT $?"
    for _, n in ipairs { 12, 16, 20, 24, 28, 30, 31, 32, 33, 35, 37, 44, 56, 64 } do
      local folder = os.tmpname()
      os.remove(folder)
      local pipe = assert(io.popen(command:format(n, build, folder)))
      local text = pipe:read "a"
      pipe:close()
      assert.truthy(text:find "EXIT 1\n$", n .. ": " .. text)
      assert.truthy(text:lower():find "open files", n .. ": " .. text)
      os.execute("rm -rf " .. folder)
    end
  end)
end)

-- Takes every descriptor that there is, until it is told to let go.
local HOG <const> = [==[return function(engine)
  engine:register("hog", function()
    local held = {}
    repeat held[#held + 1] = io.open "/dev/null" or false until not held[#held]
    os.rename("FOLDER/free", "FOLDER/full")
    repeat until os.rename("FOLDER/go", "FOLDER/went")
    for _, file in ipairs(held) do if file then file:close() end end
  end)
end]==]

-- Has it do so, over a connection that stays open.
local HOLDER <const> = [==[exec 3<>/dev/tcp/127.0.0.1/PORT
printf 'POST /engine-rest/process-definition/key/hog/start HTTP/1.1\r\nHost: localhost\r\n' >&3
printf 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}' >&3
read line <&3
echo $line >FOLDER/started
until [ -e FOLDER/over ] || ! [ -e FOLDER/port ]; do read -t 0.05 <> <(:); done
]==]

describe("descriptors that something else uses up", function()
  it("keep new connections waiting, and no longer, whoever stays connected meanwhile", function()
    local hog = support.model([[<startEvent id="s"/>
      <sequenceFlow id="f1" sourceRef="s" targetRef="t"/><serviceTask id="t" camunda:class="hog"/>
      <sequenceFlow id="f2" sourceRef="t" targetRef="e"/><endEvent id="e"/>]], "hog")
    local server <close> = support.serve { environment = "ulimit -n 160;", files = {
      ["hog.bpmn"] = hog, free = "",
      ["hog.lua"] = function(folder) return (HOG:gsub("FOLDER", folder)) end,
      conf = "return { loops = 1, head_seconds = 86400, idle_seconds = 86400 }" },
      arguments = "--no-executor --deploy %f/hog.bpmn --config %f/conf --lua %f/hog.lua" }
    server:script("holder", HOLDER)
    server:await "full"
    server:script("late", [[U=http://127.0.0.1:PORT/health/live
      S=$(curl -s -m 50 -o /dev/null -w '%{http_code}' $U)
      echo $S >FOLDER/late.new; mv FOLDER/late.new FOLDER/came]])
    support.wait(function() return server:log():find "no connection can be accepted for now" end,
      "a connection that is not accepted")
    server:file("go", "")
    assert.equal("200\n", server:await "came")
    assert.truthy(server:await "started":find "200")
    assert.truthy(server:metric "accept_pauses_total" > 0)
    server:file("over", "")
    server:await "holder.over"
  end)
end)
