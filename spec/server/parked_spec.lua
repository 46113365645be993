-- Polls that wait for external tasks: what wakes them, what does not, and what becomes of one whose worker has gone.
-- Marks: threads
local orrery = require "orrery"
local support = require "spec.server.support"

local function metric(server, name)
  return tonumber((select(2, server:ask("GET", "/metrics"))):match("\norrery_http_" .. name .. " (%d+)"))
end

local polls, made = 0, {}

--- A poll of a worker in a process of its own; `parked`: how many wait once it does.
local function park(server, worker, topics, parked)
  polls = polls + 1
  local name = server.folder .. "/poll" .. polls
  server:file("poll" .. polls, orrery.json.encode { workerId = worker, maxTasks = 1, asyncResponseTimeout = 600000, topics = topics })
  server:file("run" .. polls, ([[curl -s -m 60 -o NAME.new -H 'Content-Type: application/json' -d @NAME URL/external-task/fetchAndLock &
    echo $! >NAME.pid
    wait $!
    mv NAME.new NAME.answer
    echo >NAME.ended]]):gsub("NAME", name):gsub("URL", server.url .. "/engine-rest"))
  assert(os.execute(("sh %s/run%d >/dev/null 2>&1 &"):format(server.folder, polls)))
  if parked then support.wait(function() return metric(server, "parked") == parked end, "the poll") end
  local poll = {
    answer = function()
      return orrery.json.decode(support.wait(function() return support.read(name .. ".answer") end, "the answer of " .. worker))
    end,
    kill = function() assert(os.execute("kill -9 $(cat " .. name .. ".pid)")) end,
    answered = function() return support.read(name .. ".answer") ~= nil end,
    ended = function() return support.read(name .. ".ended") end,
  }
  made[#made + 1] = poll
  return poll
end

local function topic(name, lock, more)
  local out = more or {}
  out.topicName, out.lockDuration = name, lock or 600000
  return out
end

describe("a parked poll", function()
  local server

  before_each(function()
    server = support.serve { files = { ["order.bpmn"] = support.order }, arguments = "--no-executor --deploy %f/order.bpmn" }
  end)

  after_each(function()
    server:stop "KILL"
    for _, poll in ipairs(made) do support.wait(poll.ended, "the end of a poll") end -- they write into the server's folder
    made = {}
    server:close()
  end)

  local function start(key)
    local status, instance = server:ask("POST", "/process-definition/key/order/start", { businessKey = key })
    assert.equal(200, status)
    return instance.id
  end

  local function fetch(worker, lock)
    local status, tasks = server:ask("POST", "/external-task/fetchAndLock", { workerId = worker, maxTasks = 10, topics = {
      topic("pay", lock) } })
    assert.equal(200, status)
    return tasks
  end

  it("gets the task that comes, and polls of other topics are not looked after", function()
    local others = park(server, "other", { topic "other" }, 1)
    local poll = park(server, "w", { topic "pay" }, 2)
    local looks
    support.wait(function() -- each topic once, since a task may have come before it was watched
      local now = metric(server, "looks_total")
      local settled = now == looks and now >= 2
      looks = now
      return settled
    end, "the first looks")
    for i = 1, 5 do assert.equal(204, (server:ask("POST", "/signal", { name = "all" })), i) end
    assert.equal(looks, metric(server, "looks_total"))
    local id = start "a"
    assert.equal(id, poll.answer()[1].processInstanceId)
    assert.is_false(others.answered())
  end)

  it("gets a task that another process makes", function()
    local poll = park(server, "w", { topic "pay" }, 1)
    assert(os.execute(("%s/orrery start %s/store order --business-key elsewhere >/dev/null"):format(os.getenv "ORRERY_BUILD",
      server.folder)))
    assert.equal("elsewhere", poll.answer()[1].businessKey)
  end)

  it("gets a task whose lock ends, which no commit tells", function()
    start "a"
    local first = fetch("gone", 700)
    assert.equal(1, #first)
    local poll = park(server, "w", { topic "pay" }) -- the lock may have ended by now
    assert.equal(first[1].id, poll.answer()[1].id)
  end)

  it("that does not want the task lets the next one have it", function()
    local never = park(server, "choosy", { topic("pay", nil, { businessKey = "never" }) }, 1)
    local poll = park(server, "w", { topic "nothing", topic "pay" }, 2)
    start "a"
    assert.equal("a", poll.answer()[1].businessKey)
    assert.is_false(never.answered())
    assert.equal(1, metric(server, "parked"))
    start "never"
    assert.equal("never", never.answer()[1].businessKey)
  end)

  it("of a worker that was killed costs nobody a lock", function()
    local killed, n = {}, 5
    for i = 1, n do killed[i] = park(server, "killed" .. i, { topic "pay" }, i) end
    local poll = park(server, "w", { topic "pay" }, n + 1)
    for i = 1, n do killed[i].kill() end
    for i = 1, n do support.wait(killed[i].ended, "the end of a worker") end
    start "a"
    assert.equal("a", poll.answer()[1].businessKey)
    start "b"
    assert.equal("b", fetch("next")[1].businessKey)
  end)
end)
