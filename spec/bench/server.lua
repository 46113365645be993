--- The server by HTTP, without an executor: reads; starts and completions of 64 connections, which share commits, against what the
--- engine itself does when as many share one, with what a command costs of the server's processor time and of switches between its
--- threads; how soon a parked poll gets a task; what ten thousand parked polls weigh.
local http = require "orrery_http"
local support = require "support"

local READS, READERS = 5000, 4
local WRITERS, WRITES = 64, 150
local ROUNDS, PARKED = 300, 10000

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

local wait = support.model("wait", { '<startEvent id="start"/>', support.flow("start", "task"), '<userTask id="task"/>' })
local poll = support.model("poll", { '<startEvent id="start"/>', support.flow("start", "task"),
  '<serviceTask id="task" o:type="external" o:topic="work"/>' })

-- The server ------------------------------------------------------------------------------------------------------------------------

local function serve()
  local folder = support.directory "server"
  write(folder .. "/wait.bpmn", wait)
  write(folder .. "/poll.bpmn", poll)
  write(folder .. "/conf", "return { connections_per_address = 20000, connections_max = 20000 }")
  sh("(ulimit -n $(ulimit -Hn); exec %s/orrery serve %s/store --config %s/conf --listen 127.0.0.1:0 --no-executor --ready-file %s/port \z
    --deploy %s/wait.bpmn --deploy %s/poll.bpmn) >/dev/null 2>&1 & echo $! >%s/pid", support.build, folder, folder, folder, folder,
    folder, folder)
  while not (read(folder .. "/port") or ""):find "\n" do os.execute "sleep 0.01" end
  local self = { port = math.tointeger(read(folder .. "/port"):match "%d+"), pid = read(folder .. "/pid"):match "%d+" }
  return setmetatable(self, { __close = function() sh("kill -TERM %s", self.pid) end })
end

local function request(method, path, body)
  local text = body and ("Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"):format(#body, body) or "\r\n"
  return ("%s /engine-rest%s HTTP/1.1\r\nHost: localhost\r\n%s"):format(method, path, text)
end

local function ask(connection, ...)
  connection:send(request(...))
  return connection:receive()
end

--- What a process has used: seconds of the processors, and switches from one thread to another.
local function used(pid)
  local seconds, switches = 0, 0
  local pipe <close> = io.popen(("cat /proc/%s/task/*/schedstat /proc/%s/task/*/status"):format(pid, pid))
  for line in pipe:lines() do
    seconds = seconds + (tonumber(line:match "^(%d+) %d+ %d+$") or 0) / 1e9
    switches = switches + (tonumber(line:match "^n?o?n?voluntary_ctxt_switches:%s*(%d+)") or 0)
  end
  return seconds, switches
end

--- Has every connection send its requests ahead, and takes the answers. They must all have succeeded. How many a second; then of each,
--- microseconds of the server's processor time, switches, and microseconds of the client's.
local function rate(server, lists)
  local connections, count = {}, 0
  for i in ipairs(lists) do connections[i] = http.connect(server.port) end
  local processor, switches = used(server.pid)
  local client = os.clock()
  local seconds = support.time(function()
    for i, list in ipairs(lists) do connections[i]:send(table.concat(list)) end
    for i, list in ipairs(lists) do
      for _ = 1, #list do
        local status, body = connections[i]:receive()
        assert(status == 200 or status == 204, body)
        count = count + 1
      end
    end
  end)
  client = os.clock() - client
  local processor_after, switches_after = used(server.pid)
  for _, connection in ipairs(connections) do connection:close() end
  return { rate = count / seconds, processor = (processor_after - processor) / count * 1e6, switches = (switches_after - switches) / count,
    client = client / count * 1e6 }
end

local function lists_of(n, size, one)
  local lists = {}
  for i = 1, n do
    lists[i] = {}
    for k = 1, size do lists[i][k] = one(i, k) end
  end
  return lists
end

-- What is measured ------------------------------------------------------------------------------------------------------------------

local function reads(server)
  local connection = http.connect(server.port)
  local _, started = ask(connection, "POST", "/process-definition/key/wait/start", "{}")
  local one = request("GET", "/process-instance/" .. started:match '"id":"(%d+)"')
  return rate(server, lists_of(READERS, READS, function() return one end)).rate
end

--- Starts and completions by the engine itself, as many in a transaction as there are writers: each { rate, processor }.
local function own_writes()
  local engine <close> = support.open(support.directory "server-own")
  support.deploy(engine, wait)
  local function grouped(list, each)
    local processor = os.clock()
    local seconds = support.time(function()
      for first = 1, #list, WRITERS do
        engine:transaction(function()
          for i = first, math.min(first + WRITERS - 1, #list) do each(list[i]) end
        end)
      end
    end)
    return { rate = #list / seconds, processor = (os.clock() - processor) / #list * 1e6 }
  end
  local all = {}
  for i = 1, WRITERS * WRITES do all[i] = i end
  local starting = grouped(all, function() engine:start "wait" end)
  return starting, grouped(engine:tasks {}, function(task) task:complete() end)
end

--- The same by as many connections. They complete the tasks in the same order, each every so many-th, as clients that take them from the
--- front of a list.
local function writes(server)
  local start = request("POST", "/process-definition/key/wait/start", "{}")
  local starting = rate(server, lists_of(WRITERS, WRITES, function() return start end))
  local connection, tasks = http.connect(server.port), {}
  local _, list = ask(connection, "GET", "/task?maxResults=" .. WRITERS * WRITES)
  for id in list:gmatch '"id":"(%d+)"' do tasks[#tasks + 1] = id end
  return starting, rate(server, lists_of(WRITERS, WRITES, function(i, k)
    return request("POST", ("/task/%s/complete"):format(tasks[(k - 1) * WRITERS + i]), "{}")
  end))
end

local function fetch(timeout)
  return request("POST", "/external-task/fetchAndLock", ('{"workerId":"w","maxTasks":1,"asyncResponseTimeout":%d,"topics":\z
    [{"topicName":"work","lockDuration":100000}]}'):format(timeout))
end

--- Milliseconds from the moment a task is asked for to be made to when the poll that waits for it has
--- it; the 99th of a hundred. `after_dead`: the poll of a worker that has gone comes before it.
local function wakes(server, after_dead)
  local parked, starter, times = http.connect(server.port), http.connect(server.port), {}
  for i = 1, ROUNDS do
    if after_dead then
      local gone = http.connect(server.port)
      gone:send(fetch(600000))
      os.execute "sleep 0.005"
      gone:close()
    end
    parked:send(fetch(600000))
    os.execute "sleep 0.005" -- it waits by then, most of the time; when not, it finds the task at once
    local begun = support.measure.now()
    ask(starter, "POST", "/process-definition/key/poll/start", "{}")
    local status, tasks = parked:receive()
    times[i] = (support.measure.now() - begun) * 1000
    assert(status == 200 and tasks:find "topicName", tasks)
  end
  return support.quantile(times, 0.99)
end

local function resident(pid) return tonumber(read("/proc/" .. pid .. "/status"):match "VmRSS:%s*(%d+)") * 1024 end

local function parked_bytes(server)
  local before, connections, open = resident(server.pid), {}, tonumber(read("/proc/self/limits"):match "Max open files%s+(%d+)")
  local n = math.min(PARKED, open - 100)
  for i = 1, n do
    connections[i] = http.connect(server.port)
    connections[i]:send(fetch(600000))
  end
  local connection = http.connect(server.port)
  repeat
    local status, text = (function()
      connection:send "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
      return connection:receive()
    end)()
    assert(status == 200)
  until tonumber(text:match "\n[%w_]*parked (%d+)") >= n
  local bytes = (resident(server.pid) - before) * PARKED / n
  for _, one in ipairs(connections) do one:close() end
  return bytes
end

local function rows_of(name, by_server, own)
  return { name = name, value = by_server.rate, unit = "1/s", ratio = by_server.rate / own.rate, ratio_bar = 0.5 },
    { name = name .. ".own", value = own.rate, unit = "1/s, by the engine itself" },
    { name = name .. ".processor", value = by_server.processor, unit = "us of the server's processor time each",
      ratio = by_server.processor / own.processor },
    { name = name .. ".switches", value = by_server.switches, unit = "switches of its threads each" },
    { name = name .. ".client", value = by_server.client, unit = "us of the client's processor time each" }
end

return function()
  local own_starting, own_completing = own_writes()
  local server <close> = serve()
  local reading = reads(server)
  local get = request("GET", "/engine")
  local asking = rate(server, lists_of(WRITERS, WRITES, function() return get end))
  local starting, completing = writes(server)
  local rows = { { name = "server.reads", value = reading, unit = "1/s", bar = 20000 } }
  local function add(...) table.move({ ... }, 1, select("#", ...), #rows + 1, rows) end
  add(rows_of("server.starts", starting, own_starting))
  add(rows_of("server.completions", completing, own_completing))
  add { name = "server.get", value = asking.processor, unit = "us of the server's a GET /engine" }
  local added = starting.processor - own_starting.processor
  add { name = "server.starts.added", value = added, unit = "us that the server adds to a start",
    ratio = added / asking.processor, ratio_bar = 2, most = true }
  add { name = "server.wake.p99", value = wakes(server), unit = "ms", bar = 20, most = true }
  add { name = "server.wake.dead.p99", value = wakes(server, true),
    unit = "ms, behind a worker that has gone", bar = 1000, most = true }
  add { name = "server.parked", value = parked_bytes(server) / 1e6, unit = "MB for 10,000", bar = 400, most = true }
  return rows
end
