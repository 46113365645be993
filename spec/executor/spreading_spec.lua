-- As many jobs are at work at once as there are threads, whatever their delegates do: block,
-- compute or await.
local gates = require "spec.executor.gate"
local orrery = require "orrery"
local stores = require "spec.support.stores"(it, pending)
local support = require "spec.support.process"

local THREADS <const> = 4

local gate, engine
before_each(function() gate = gates.make() end)
after_each(function()
  gate:open()
  if engine then engine:close() end
  engine = nil
  getmetatable(gate).__close(gate)
end)

local function open(options, path)
  options = options or {}
  options.clock, options.log = options.clock or "system", options.log or "none"
  engine = orrery.open(path, options)
  gate:register(engine)
end

local function start_many(n, how)
  engine:transaction(function()
    for _ = 1, n do engine:start("p", { variables = gate:variables(how) }) end
  end)
end

--- All jobs are done, each once.
local function all_done(jobs)
  assert.is_true(engine:wait_idle(300))
  assert.equal(0, engine:count "jobs")
  assert.equal(jobs, gate:left())
end

local function branches(exclusive, names)
  local elements, flows = { '<startEvent id="s"/><parallelGateway id="fork"/>' }, { "s -> fork" }
  for _, name in ipairs(names) do
    elements[#elements + 1] = support.task(name, ('camunda:exclusive="%s"'):format(exclusive))
    flows[#flows + 1] = "fork -> " .. name
  end
  support.deploy(engine, table.concat(elements), table.concat(flows, " "))
end

for _, kind in ipairs(stores) do
  local where, declare, make = table.unpack(kind)
  for _, how in ipairs(gates.ways) do
    local verb = how:gsub("s$", "")
    local name = "jobs of different instances whose delegates %s: a thread each, %s"
    declare(name:format(verb, where), function()
      local path, remove = make()
      open({}, path)
      support.single(engine)
      start_many(THREADS * 3, how)
      engine:start_executor { threads = THREADS }
      gate:fills(how == "awaits" and THREADS * 3 or THREADS)
      gate:open()
      all_done(THREADS * 3)
      engine:close()
      engine = nil
      remove()
    end)
  end
end

for _, how in ipairs(gates.ways) do
  local verb = how:gsub("s$", "")
  describe("delegates that " .. verb, function()
    it("three asynchronous branches of an instance, not exclusive, have three threads", function()
      open()
      branches(false, { "a", "b", "c" })
      engine:start_executor { threads = 3 }
      start_many(1, how)
      gate:fills(3)
      gate:open()
      all_done(3)
    end)

    it("exclusive jobs of an instance are never at work together, those of others are", function()
      open()
      branches(true, { "a", "b", "c" })
      engine:start_executor { threads = THREADS }
      start_many(2, how)
      gate:fills(2)
      engine:wait_idle(0.05) -- what else could begin would do so
      assert.equal(2, gate:inside())
      gate:open()
      all_done(6)
    end)

    it("jobs that are started meanwhile are begun by threads that are free", function()
      open()
      support.single(engine)
      engine:start_executor { threads = THREADS, queue_size = 100 }
      for i = 1, THREADS do
        start_many(1, how)
        gate:fills(i)
      end
      gate:open()
      all_done(THREADS)
    end)

    it("short jobs do not wait behind one that takes long, with any settings", function()
      local kinds = { { queue_size = 4 }, { queue_size = 8, max_jobs_per_acquisition = 1 },
        { acquire_by_priority = true } }
      for _, settings in ipairs(kinds) do
        local round <close> = gates.make()
        local short <close> = support.engine { clock = "system" }
        round:register(short)
        support.single(short)
        short:start("p", { variables = round:variables(how) })
        short:transaction(function()
          for _ = 1, 3 do short:start "p" end
        end)
        settings.threads = 2
        short:start_executor(settings)
        gates.until_true(function() return short:count "jobs" == 1 end)
        round:fills(1)
        round:open()
        assert.is_true(short:wait_idle(300))
      end
    end)
  end)
end

describe("a thread that runs jobs itself, beside an executor whose threads are busy,", function()
  for _, kind in ipairs(stores) do
    local where, declare, make = table.unpack(kind)
    for _, how in ipairs { "blocks", "computes" } do
      local verb = how:gsub("s$", "")
      declare(("is one thread more for delegates that %s, %s"):format(verb, where), function()
        local path, remove = make()
        open({}, path)
        support.single(engine)
        start_many(THREADS, how) -- these stay until the last of all has come in
        engine:start_executor { threads = THREADS }
        gate:fills(THREADS)
        engine:start("p", { variables = gate:variables(how, { opens_at = THREADS + 1 }) })
        gates.until_true(function() return engine:run_jobs() > 0 end)
        all_done(THREADS + 1)
        engine:close()
        engine = nil
        remove()
      end)
    end
  end

  it("keeps exclusive jobs of an instance one after another, whoever runs them", function()
    open()
    branches(true, { "a", "b" })
    engine:start_executor { threads = 1 }
    start_many(1, "blocks")
    gate:fills(1)
    engine:start("p", { variables = gate:variables(nil, { opens_at = 2 }) })
    gates.until_true(function() return engine:run_jobs() > 0 end)
    all_done(4)
  end)
end)

describe("while a thread is in a delegate", function()
  --- So many threads, all held, each by an instance with a gate of its own: h1, h2.
  local function hold(threads)
    for i = 1, threads do
      local id = "h" .. i
      support.deploy(engine, '<startEvent id="s"/>' .. support.task(id), "s -> " .. id,
        { key = "hold" .. i })
    end
    engine:start_executor { threads = threads }
    for i = 1, threads do
      local own = { ["gate_h" .. i] = "h" .. i }
      engine:start("hold" .. i, { variables = gate:variables("blocks", own) })
      gate:fills(1, "h" .. i)
    end
  end

  --- A thread that comes back takes what is started here together: the first ends at once, and the
  --- next blocks.
  local function start_behind(...)
    local instances = { ... }
    engine:transaction(function()
      for _, variables in ipairs(instances) do engine:start("p", { variables = variables }) end
    end)
  end

  it("what follows the job that it ended before is begun by another", function()
    open()
    local tasks = support.task "a" .. support.task "b"
    support.deploy(engine, '<startEvent id="s"/>' .. tasks, "s -> a a -> b")
    hold(2)
    start_behind({}, gate:variables(nil, { how_a = "blocks" }))
    gate:open "h1"
    gate:fills(1, "a")
    gate:open "h2"
    gates.until_true(function() return engine:count "instances" == 1 end) -- the first is at its end
    assert.equal(1, gate:inside "a")
    gate:open()
    all_done(4)
  end)

  it("so is the next exclusive job of the instance whose job it ended before", function()
    open()
    branches(true, { "a", "b" })
    hold(2)
    start_behind({}, gate:variables "blocks")
    gate:open "h1"
    gates.until_true(function() return gate:inside "a" + gate:inside "b" == 1 end)
    gate:open "h2"
    gates.until_true(function() return engine:count "instances" == 1 end)
    assert.equal(1, gate:inside())
    gate:open()
    all_done(4)
  end)

  it("the outcome of the job that it ended before is known, with a duration of its own", function()
    local durations = {}
    open { clock = "manual", log = function(_, _, fields)
      local succeeded = fields.event == "job succeeded"
      if succeeded then durations[tostring(fields.job)] = fields.duration_ms end
    end }
    local function logged(job)
      gates.until_true(function()
        engine:poll() -- lines of other threads come when this one gives time
        return durations[job]
      end)
      return durations[job]
    end
    support.single(engine)
    hold(1)
    start_behind({}, gate:variables "blocks")
    local jobs = engine:jobs { order_by = "id" }
    gate:open "h1"
    gate:fills(1, "work")
    assert.equal(0, logged(tostring(jobs[2].id)))
    assert.equal(2, engine:metrics()["job-successful"])
    assert.equal(1, engine:count "jobs")
    engine:advance(3600)
    gate:open()
    all_done(2)
    assert.equal(3600000, logged(tostring(jobs[3].id)))
  end)
end)
