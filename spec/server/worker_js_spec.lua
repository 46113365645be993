-- Camunda's client for JavaScript, as npm brings it, while server and workers are killed: nothing is lost, and no task is begun by a second
-- worker while the first one's lock holds. ORRERY_WORKER_TASKS=10000 is the long run.
local orrery = require "orrery"
local support = require "spec.server.support"

local client = "examples/worker-js/node_modules/camunda-external-task-client-js"
local there = os.execute "command -v node >/dev/null 2>&1" and io.open(client .. "/package.json") -- npm ci in examples/worker-js

local LOCK_MS <const> = 2000
local HELD <const> = 40 -- tasks that are under way, some of them, when something is killed

-- Notes each task when it is begun: its id, when that was, and until when the server has promised it. While the file HOLD is there no work
-- comes to its end, so that a kill finds some under way.
local WORKER <const> = [[
import fs from "node:fs";
import path from "node:path";
const { Client, Variables, logger } = await import(path.resolve(process.env.CLIENT, "index.js"));
const log = fs.openSync(process.env.LOG, "a");
const client = new Client({ baseUrl: process.env.URL, workerId: `js-${process.pid}`, maxTasks: 10, asyncResponseTimeout: 5000,
  lockDuration: Number(process.env.LOCK_MS), use: logger.level("error") });
client.subscribe("pay", async ({ task, taskService }) => {
  fs.writeSync(log, `${task.id} ${Date.now()} ${Date.parse(task.lockExpirationTime)} ${process.pid}\n`);
  do await new Promise((done) => setTimeout(done, 10)); while (fs.existsSync(process.env.HOLD));
  const variables = new Variables();
  variables.set("paid", true);
  await taskService.complete(task, variables);
});
]]

local model = support.model([[<startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="pay"/>
  <serviceTask id="pay" camunda:type="external" camunda:topic="pay"/><sequenceFlow id="f2" sourceRef="pay" targetRef="e"/>
  <endEvent id="e"/>]], "order")

local function lines(path)
  local out = {}
  local f = io.open(path)
  for line in f and f:lines() or function() end do
    local id, at, expires = line:match "^(%d+) (%d+) (%d+) %d+$"
    if id then out[#out + 1] = { id = id, at = math.tointeger(tonumber(at)), expires = math.tointeger(tonumber(expires)) } end
  end
  if f then f:close() end
  return out
end

describe("Camunda's client for JavaScript", function()
  (there and it or pending)("loses nothing and does nothing twice within a lock, whatever is killed", function()
    local n = tonumber(os.getenv "ORRERY_WORKER_TASKS") or 300
    -- The client opens a connection for each task that it completes while others are under way, all from one address.
    local conf = "return { connections_per_address = 10000 }"
    local first = support.serve { files = { ["order.bpmn"] = model, ["worker.mjs"] = WORKER, conf = conf },
      arguments = "--config %f/conf --deploy %f/order.bpmn" }
    local port, log, hold, workers = math.tointeger(first.port), first:file "log", first:file "hold", 0

    local function work()
      workers = workers + 1
      assert(os.execute(("CLIENT=%s LOG=%s HOLD=%s URL=%s/engine-rest LOCK_MS=%d node %s/worker.mjs >%s/js%d 2>&1 & \z
        echo $! >%s/worker%d"):format(client, log, hold, first.url, LOCK_MS, first.folder, first.folder, workers, first.folder, workers)))
      return workers
    end
    local function kill(worker) os.execute(("kill -9 $(cat %s/worker%d) 2>/dev/null"):format(first.folder, worker)) end
    local function add(server, count)
      server:file("start", orrery.json.encode { businessKey = "k" })
      local starts = ("url = \"%s/engine-rest/process-definition/key/order/start\"\noutput = /dev/null\n"):format(server.url)
      server:file("starts", starts:rep(count))
      assert(os.execute(("curl -sf -Z --parallel-max 16 -H 'Content-Type: application/json' -d @%s -K %s 2>/dev/null"):format(
        server:file "start", server:file "starts")))
    end
    local function begun(more)
      local before = #lines(log)
      support.wait(function() return #lines(log) >= before + more end, "tasks that are begun")
    end

    local running, share, fleet = first, n // 5, {}
    local guard <close> = setmetatable({}, { __close = function()
      for _, worker in ipairs(fleet) do kill(worker) end
      if running ~= first then running:close() end
      first:close()
    end })
    fleet = { work(), work() }
    for phase = 1, 4 do
      first:file("hold", "")
      add(running, HELD)
      begun(HELD // 2)
      if phase % 2 == 1 then
        kill(fleet[1])
        fleet = { fleet[2], work() }
      else
        running:signal "KILL"
        support.wait(function() return not running:alive() end, "the server's end")
        if running ~= first then running:close() end
        running = first
        running = support.serve { store = first.store, port = port, files = { conf = conf }, arguments = "--config %f/conf" }
      end
      os.remove(hold)
      add(running, share - HELD)
    end
    add(running, n - 4 * share)
    local function count(path)
      local status, answer = running:ask("GET", path)
      assert.equal(200, status, running:log())
      return answer.count
    end
    local left
    repeat -- as long as it goes on
      left = count "/process-instance/count"
      if left > 0 then support.wait(function() return count "/process-instance/count" < left end, "the next ones") end
    until left == 0
    for _, worker in ipairs(fleet) do kill(worker) end

    assert.equal(n, count "/history/process-instance/count?finished=true&completed=true")
    assert.equal(n, count "/history/variable-instance/count?variableName=paid")
    local until_when, twice, within = {}, 0, {}
    for _, line in ipairs(lines(log)) do
      local held = until_when[line.id]
      if held then twice = twice + 1 end
      if held and line.at < held then within[#within + 1] = line.id end
      until_when[line.id] = line.expires
    end
    local ids = 0
    for _ in pairs(until_when) do ids = ids + 1 end
    assert.same({ n, {} }, { ids, within })
    assert.is_true(twice > 0, "no task was begun by a second worker: the kills came at nothing")
  end)
end)
