--- Calls to a service: 1,000 of a second each on two threads; what one costs in processor time; what other jobs lose meanwhile; what
--- is left of 100,000 that are canceled; and six tasks in a row that start 50 times a second.
local orrery = require "orrery"
local support = require "support"

package.path = "./?.lua;" .. package.path
local servers = require "spec.support.servers"

local CALLS, CANCELED, AT_ONCE = 1000, 100000, 1000
local BUSY = 20000
local STARTS, PER_SECOND, IN_A_ROW = 500, 50, 6

local function http_task(id, url, attributes)
  url = url:gsub("&", "&amp;")
  return ([[<serviceTask id="%s" o:type="http" %s><extensionElements><o:field name="requestMethod" stringValue="GET"/>
    <o:field name="requestUrl" stringValue="%s"/></extensionElements></serviceTask>]]):format(id, attributes or "", url)
end

local function one_call(key, url)
  return support.model(key, { '<startEvent id="start"/>', support.flow("start", "task"),
    http_task("task", url, 'o:asyncBefore="true"'), support.flow("task", "end"), '<endEvent id="end"/>' })
end

local OPTIONS = { log = "none", http = { timeout = 120, stall_timeout = 60, connect_timeout = 60 } }

--- Jobs that do nothing, a second, beside so many calls that wait for their answers.
local function rate_beside(server, calls)
  local engine <close> = support.open(support.directory "calls-rate", OPTIONS)
  support.deploy(engine, one_call("waiting", server:url "/slow?ms=60000&key=waiting"))
  support.deploy(engine, support.chain("busy", 1, support.service 'o:asyncBefore="true"'))
  if calls > 0 then support.populate(engine, "waiting", calls) end
  engine:start_executor { threads = 2, drain_time = 0.001 }
  local count = server:url "/count?of=waiting"
  while tonumber(orrery.await(orrery.http(count)).body) < calls do orrery.sleep(0.05) end
  local seconds = support.time(function()
    support.populate(engine, "busy", BUSY)
    repeat orrery.sleep(0.005) until engine:count("jobs", { definition_key = "busy" }) == 0
  end)
  engine:stop_executor()
  return BUSY / seconds
end

local function descriptors()
  local count = 0
  for _ in io.popen("ls /proc/self/fd"):lines() do count = count + 1 end
  return count
end

local function canceled(server)
  local url = server:url "/silent"
  local before
  for round = 0, CANCELED / AT_ONCE do
    local futures = {}
    for i = 1, AT_ONCE do futures[i] = orrery.http { url = url } end
    orrery.sleep(0.001 * (round % 20)) -- in every state: queued, connecting, sent
    for _, future in ipairs(futures) do future:cancel() end
    if round == 0 then before = descriptors() end -- what the first call opens for good is not lost
  end
  orrery.sleep(0.1)
  return descriptors() - before
end

local function percentile(values, p)
  table.sort(values)
  return values[math.ceil(#values * p)]
end

local function in_a_row(server)
  local engine <close> = support.open(support.directory "calls-row", OPTIONS)
  support.deploy(engine, support.chain("row", IN_A_ROW, function(i)
    return "task" .. i, http_task("task" .. i, server:url "/echo", 'o:asyncBefore="true"')
  end))
  engine:start_executor { threads = 2 }
  for _ = 1, STARTS do
    engine:start "row"
    orrery.sleep(1 / PER_SECOND)
  end
  assert(engine:wait_idle(60))
  local took = {}
  for _, instance in ipairs(engine:history_instances { definition_key = "row", limit = STARTS }) do
    took[#took + 1] = (instance.ended_at - instance.started_at) * 1000
  end
  assert(#took == STARTS)
  return percentile(took, 0.99)
end

return function()
  local server <close> = servers.start "faults"
  local seconds, cpu
  do
    local engine <close> = support.open(support.directory "calls", OPTIONS)
    support.deploy(engine, one_call("calls", server:url "/slow?ms=1000"))
    support.populate(engine, "calls", CALLS)
    cpu = os.clock()
    seconds = support.time(function()
      engine:start_executor { threads = 2 }
      assert(engine:wait_idle(600))
    end)
    cpu = (os.clock() - cpu) * 1000 / CALLS
    assert(engine:count "instances" == 0)
  end
  local alone, beside = rate_beside(server, 0), rate_beside(server, 1000)
  return {
    { name = "calls", value = seconds, unit = "s", bar = 1.5, most = true },
    { name = "calls, processor time each", value = cpu, unit = "ms", bar = 0.3, most = true },
    { name = "calls, rate of other jobs", value = beside / alone, unit = "of alone", bar = 0.9 },
    { name = "calls canceled, descriptors left", value = canceled(server), unit = "", bar = 0, most = true },
    { name = "six calls in a row, p99", value = in_a_row(server), unit = "ms", bar = 500, most = true },
  }
end
