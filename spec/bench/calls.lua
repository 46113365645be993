--- Calls to a service: 1,000 of a second each on two threads; what one costs in processor time; what other jobs lose meanwhile; what
--- is left of 100,000 that are canceled; and six tasks in a row that start 50 times a second. Each has a server of its own: one that has
--- been left by thousands of clients is busy with that for a second, which would count as the engine's time.
local orrery = require "orrery"
local support = require "support"

package.path = "./?.lua;" .. package.path
local servers = require "spec.support.servers"

local CALLS, CANCELED, AT_ONCE = 1000, 100000, 1000
local WINDOW, IN_A_CHAIN, TURNS = 4000, 10, 5 -- instances and their jobs in each window of a rate
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

--- A window: jobs that do nothing, a second, and the processor time of each.
local function window(engine)
  local function done() return engine:metrics()["job-successful"] or 0 end
  local jobs, before, used = WINDOW * IN_A_CHAIN, done(), support.measure.used()
  local seconds = support.time(function()
    support.populate(engine, "busy", WINDOW)
    repeat orrery.sleep(0.002) until done() - before >= jobs
  end)
  return jobs / seconds, (support.measure.used() - used) / jobs
end

--- Has so many calls wait for their answers.
local function begin_waiting(engine, server, calls, before)
  support.populate(engine, "waiting", calls)
  repeat orrery.sleep(0.05) until tonumber(orrery.await(orrery.http(server:url "/count?of=waiting")).body) >= before + calls
end

local function end_waiting(engine, calls)
  engine:transaction(function()
    for _, instance in ipairs(engine:instances { definition_key = "waiting", limit = calls }) do instance:delete() end
  end)
  orrery.sleep(1.5) -- their threads look twice a second whether their jobs are still there
end

--- What other jobs keep of their rate beside so many calls that wait, and how much of the processors each takes, of what it takes alone.
--- By turns, alone, beside, beside, alone: a machine that becomes faster or slower does so for both.
local function kept_beside(calls)
  local server <close> = servers.start "faults"
  local engine <close> = support.open(support.directory "calls-rate", OPTIONS)
  support.deploy(engine, one_call("waiting", server:url "/slow?ms=600000&key=waiting"))
  support.deploy(engine, support.chain("busy", IN_A_CHAIN, support.service 'o:asyncBefore="true"'))
  engine:start_executor { threads = 2, drain_time = 0.001 }
  window(engine) -- warms up
  local rates, costs = {}, {}
  for turn = 1, TURNS do
    local alone, cost_alone = window(engine)
    begin_waiting(engine, server, calls, (turn - 1) * calls)
    local beside, cost_beside = window(engine)
    local beside_again, cost_beside_again = window(engine)
    end_waiting(engine, calls)
    local alone_again, cost_alone_again = window(engine)
    rates[turn] = (beside + beside_again) / (alone + alone_again)
    costs[turn] = (cost_beside + cost_beside_again) / (cost_alone + cost_alone_again)
  end
  return support.quantile(rates, 0.5), support.quantile(costs, 0.5)
end

local function descriptors()
  local count = 0
  for _ in io.popen("ls /proc/self/fd"):lines() do count = count + 1 end
  return count
end

local function canceled()
  local server <close> = servers.start "faults"
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

--- Seconds of as many calls, one after the other, that no engine makes: what the server takes, and this machine.
local function bare_row(url)
  return support.time(function()
    for _ = 1, IN_A_ROW do orrery.await(orrery.http(url)) end
  end)
end

--- The 99th percentile of the milliseconds that an instance takes beyond the median of bare calls, which are made meanwhile.
local function in_a_row()
  local server <close> = servers.start "faults"
  local engine <close> = support.open(support.directory "calls-row", OPTIONS)
  local url = server:url "/echo"
  support.deploy(engine, support.chain("row", IN_A_ROW, function(i)
    return "task" .. i, http_task("task" .. i, url, 'o:asyncBefore="true"')
  end))
  engine:start_executor { threads = 2 }
  local bare, begun = {}, support.measure.now()
  for i = 1, STARTS do
    engine:start "row"
    if i % 10 == 0 then bare[#bare + 1] = bare_row(url) * 1000 end
    orrery.sleep(math.max(0, begun + i / PER_SECOND - support.measure.now())) -- by the clock, however long that took
  end
  assert(engine:wait_idle(60))
  local took = {}
  for _, instance in ipairs(engine:history_instances { definition_key = "row", limit = STARTS }) do
    took[#took + 1] = (instance.ended_at - instance.started_at) * 1000
  end
  assert(#took == STARTS)
  return support.quantile(took, 0.99) - support.quantile(bare, 0.5)
end

--- Seconds of all calls together, and milliseconds of processor time of each.
local function together()
  local server <close> = servers.start "faults"
  local engine <close> = support.open(support.directory "calls", OPTIONS)
  support.deploy(engine, one_call("calls", server:url "/slow?ms=1000"))
  support.populate(engine, "calls", CALLS)
  local used = support.measure.used()
  local seconds = support.time(function()
    engine:start_executor { threads = 2 }
    assert(engine:wait_idle(600))
  end)
  assert(engine:count "instances" == 0)
  return seconds, (support.measure.used() - used) * 1000 / CALLS
end

return function()
  local seconds, cost = together()
  local rate, share = kept_beside(1000)
  return {
    { name = "calls", value = seconds, unit = "s", bar = 1.5, most = true },
    { name = "calls, processor time each", value = cost, unit = "ms", bar = 0.3, most = true },
    { name = "calls, rate of other jobs", value = rate, unit = "of alone", bar = 0.9 },
    { name = "calls, cost of other jobs", value = share, unit = "of alone" },
    { name = "calls canceled, descriptors left", value = canceled(), unit = "", bar = 0, most = true },
    { name = "six calls in a row, p99", value = in_a_row(), unit = "ms", bar = 500, most = true },
  }
end
