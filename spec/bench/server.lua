--- Reads by HTTP: one instance asked for again and again, over four connections that send ahead of the answers.
local support = require "support"

local READS, CONNECTIONS = 5000, 4

local function sh(command, ...) return assert(os.execute(command:format(...))) end

local function read(path)
  local f = io.open(path)
  local text = f and f:read "a"
  if f then f:close() end
  return text
end

local function write(path, text)
  local f = assert(io.open(path, "w"))
  f:write(text)
  f:close()
end

return function()
  local folder = support.directory "server"
  sh("mkdir -p %s", folder)
  write(folder .. "/wait.bpmn", support.model("wait", { '<startEvent id="start"/>', support.flow("start", "task"),
    '<userTask id="task"/>' }))
  sh("(%s/orrery serve %s/store --listen 127.0.0.1:0 --ready-file %s/port --deploy %s/wait.bpmn >/dev/null 2>&1 & echo $! >%s/pid)",
    support.build, folder, folder, folder, folder)
  while not (read(folder .. "/port") or ""):find "\n" do os.execute "sleep 0.01" end
  local port = read(folder .. "/port"):match "%d+"
  sh("curl -s -X POST -H 'Content-Type: application/json' -d '{}' -o %s/started \z
    http://127.0.0.1:%s/engine-rest/process-definition/key/wait/start", folder, port)
  local id = read(folder .. "/started"):match '"id":"(%d+)"'
  local one = ("GET /engine-rest/process-instance/%s HTTP/1.1\r\nHost: localhost\r\n\r\n"):format(id)
  local last = one:gsub("\r\n\r\n$", "\r\nConnection: close\r\n\r\n")
  write(folder .. "/asked", one:rep(READS - 1) .. last)
  local began = support.measure.now()
  sh([[bash -c 'for i in %s; do (exec 3<>/dev/tcp/127.0.0.1/%s; cat %s/asked >&3 & cat <&3 >%s/answer$i) & done; wait']],
    table.concat({ 1, 2, 3, 4 }, " ", 1, CONNECTIONS), port, folder, folder)
  local seconds = support.measure.now() - began
  local answered = 0
  for i = 1, CONNECTIONS do answered = answered + select(2, read(folder .. "/answer" .. i):gsub("HTTP/1.1 200", "")) end
  sh("kill -TERM $(cat %s/pid)", folder)
  assert(answered == READS * CONNECTIONS, answered)
  return { { name = "server.reads", value = READS * CONNECTIONS / seconds, unit = "1/s", bar = 20000 } }
end
