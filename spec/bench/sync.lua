--- Commands that their callers wait for.
---
--- `sync`: instances a second in one thread: start -> 3 no-op Lua service tasks -> end, each start
--- its own transaction, history off, durability none.
---
--- `sync.shared`: durable calls a second of 1, 2, 8 and 64 threads of a host, which share commits:
--- an instance is started, its task completed, and a message sent to it, each in a transaction of
--- its own on disk, with the default history. The ratio is to one thread with 64 calls in each
--- transaction.
local core = require "orrery.core"
local support = require "support"

local INSTANCES = 100000
local START, COMPLETE, MESSAGE = 0, 1, 2
local CALLERS <const> = { { 1, 500 }, { 2, 500 }, { 8, 2000 }, { 64, 8000 } } -- and instances

local function alone()
  local path = support.directory "sync"
  local engine <close> = support.open(path, { durability = "none", history = "none" })
  support.deploy(engine, support.chain("sync", 3, support.service()))
  support.populate(engine, "sync", 1000)
  local seconds = support.time(function()
    for _ = 1, INSTANCES do engine:start "sync" end
  end)
  return INSTANCES / seconds
end

local shared = support.model("shared", { '<startEvent id="start"/>', support.flow("start", "task"),
  '<userTask id="task"/>', support.flow("task", "catch"), '<intermediateCatchEvent id="catch">',
  '<messageEventDefinition messageRef="go"/></intermediateCatchEvent>',
  support.flow("catch", "end"), '<endEvent id="end"/>' })
shared = shared:gsub("<process", '<message id="go" name="go"/>%0', 1)

local function ids(records)
  local out = {}
  for i, record in ipairs(records) do out[i] = record.id end
  return out
end

--- Calls a second, microseconds of processor time of each, and calls to a commit.
local function calls(instances, threads, grouped)
  local engine <close> = support.open(support.directory "sync", {})
  support.deploy(engine, shared)
  local address, all = core.address(engine.core), { 0, 0, 0 }
  local function add(...)
    for i, cost in ipairs { ... } do all[i] = all[i] + cost end
  end
  local callers = support.measure.callers
  add(callers(address, START, "shared", instances, threads, grouped))
  add(callers(address, COMPLETE, nil, ids(engine:tasks {}), threads, grouped))
  add(callers(address, MESSAGE, "go", ids(engine:instances {}), threads, grouped))
  assert(engine:count "instances" == 0)
  local n = 3 * instances
  return { rate = n / all[1], processor = all[2] / n * 1e6, to_a_commit = n / all[3] }
end

return function(only)
  local rows = {}
  if only ~= "shared" then
    rows[1] = { name = "sync", value = alone(), unit = "instances/s", bar = 100000 }
  end
  local own = calls(8000, 64, true)
  local function add(row) rows[#rows + 1] = row end
  for _, with in ipairs(CALLERS) do
    local threads, instances = table.unpack(with)
    local cost, name = calls(instances, threads), "sync.shared." .. threads
    add { name = name, value = cost.rate, unit = "calls/s", ratio = cost.rate / own.rate,
      ratio_bar = threads == 64 and 0.5 or nil }
    add { name = name .. ".processor", value = cost.processor, unit = "us a call",
      ratio = cost.processor / own.processor }
    add { name = name .. ".group", value = cost.to_a_commit, unit = "calls/commit" }
  end
  add { name = "sync.shared.own", value = own.rate, unit = "calls/s, 64 to a transaction" }
  return rows
end
