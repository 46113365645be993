-- How long a delegate may take: the timeout of its task, and the executor's delegate_timeout. What computes or awaits fails
-- at its limit, what is in C when it returns, and another thread takes the place of its thread meanwhile.
-- Marks: threads
local gates = require "spec.executor.gate"
local orrery = require "orrery"
local support = require "spec.support.process"

local REPLACED_MAX <const> = 8 -- ORR_THREADS_REPLACED_MAX

describe("the time limit of a delegate", function()
  local gate
  before_each(function() gate = gates.make() end)
  after_each(function()
    gate:open()
    getmetatable(gate).__close(gate)
  end)

  --- What closes before the engine does: else that would wait for what waits at the gate.
  local function opener() return setmetatable({}, { __close = function() gate:open() end }) end

  local function engine_of(attributes, options)
    local engine = support.engine { retries = 1, log = options and options.log or "none" }
    gate:register(engine)
    support.single(engine, attributes)
    engine:start_executor { threads = 1, delegate_timeout = options and options.delegate_timeout }
    return engine
  end

  local function failed_job(engine)
    local job
    gates.until_true(function()
      job = engine:jobs({})[1]
      return job and job.error
    end)
    return job
  end

  local function goes_through(engine)
    local id = engine:start("p").id
    gates.until_true(function() return engine:history_instance(id).state == "completed" end)
  end

  --- So many threads are in C, and do not answer.
  local function blocked(engine, n)
    gate:fills(n)
    gates.until_true(function()
      local in_c = 0
      for _, thread in ipairs(engine:threads(0)[1].threads) do in_c = in_c + (thread.in_c_since and 1 or 0) end
      return in_c == n
    end)
  end

  --- The one delegate sleeps, by a clock that stands still: it looks at the gate again when that is moved.
  local function asleep(engine)
    gates.until_true(function()
      for _, thread in ipairs(engine:threads(0)[1].threads) do
        if thread.state == "awaiting" then return true end
      end
    end)
  end

  local limits = { ["the task's"] = { 'o:timeout="PT30S"' },
    ["the task's, in seconds,"] = { 'o:timeout="30"', { delegate_timeout = 7200 } },
    ["the executor's"] = { "", { delegate_timeout = 30 } } }
  for whose, how in pairs(limits) do
    for _, way in ipairs { "computes", "computes in a coroutine", "awaits" } do
      it(("%s ends one that %s, as if it had raised"):format(whose, way), function()
        local engine <close> = engine_of(table.unpack(how))
        local _ <close> = opener()
        engine:start("p", { variables = gate:variables(way) })
        gate:fills(1)
        engine:advance(29)
        assert.equal(0, gate:left())
        assert.is_nil(engine:jobs({})[1].error)
        engine:advance(2)
        local job = failed_job(engine)
        assert.matches("longer than its time limit", job.error)
        assert.equal(0, gate:left())
        assert.equal(1, engine:count "incidents")
        goes_through(engine)
      end)
    end
  end

  it("may be an expression, which is evaluated for each call", function()
    local engine <close> = engine_of 'o:timeout="${limit}"'
    local _ <close> = opener()
    local says = { PT30S = "longer than its time limit", ["-1"] = 'its timeout is "%-1"' }
    for limit, over in pairs(says) do
      engine:start("p", { variables = gate:variables("awaits", { limit = limit }) })
      if limit == "PT30S" then
        gate:fills(1)
        engine:advance(31)
      end
      gates.until_true(function() return engine:count("jobs", { with_error = true }) == 1 end)
      local job = engine:jobs({ with_error = true })[1]
      assert.matches(over, job.error)
      engine:instance(job.instance_id):delete()
    end
    local id = engine:start("p", { variables = { limit = 30 } }).id
    gates.until_true(function() return engine:history_instance(id).state == "completed" end)
    id = engine:start("p", { variables = { limit = orrery.null } }).id -- as the executor says
    gates.until_true(function() return engine:history_instance(id).state == "completed" end)
  end)

  it("fails one that is in C when it returns, and its thread is replaced until then", function()
    local engine <close> = engine_of 'o:timeout="PT30S"'
    local _ <close> = opener()
    engine:start("p", { variables = gate:variables "blocks" })
    blocked(engine, 1)
    engine:advance(31)
    goes_through(engine)
    assert.equal(1, gate:inside())
    assert.is_nil(engine:jobs({})[1].error)
    gate:open()
    assert.matches("longer than its time limit", failed_job(engine).error)
    goes_through(engine)
  end)

  it("ends one that computes while the executor stops, too", function()
    local engine <close> = engine_of 'o:timeout="PT30S"'
    local _ <close> = opener()
    engine:start("p", { variables = gate:variables "computes" })
    gate:fills(1)
    engine.core:drain_executor()
    assert.is_true(engine.core:executor_draining())
    engine:advance(31)
    engine:stop_executor() -- returns, though the gate is shut
    assert.equal(0, gate:left())
    assert.matches("longer than its time limit", engine:jobs({})[1].error)
  end)

  it("is reached by so many at once as threads may be replaced", function()
    local engine <close> = engine_of 'o:timeout="PT30S"'
    local _ <close> = opener()
    for _ = 1, REPLACED_MAX + 3 do engine:start("p", { variables = gate:variables "blocks" }) end
    for n = 1, REPLACED_MAX + 1 do
      blocked(engine, n)
      engine:advance(31)
    end
    for _ = 1, 300 do assert.equal(REPLACED_MAX + 1, gate:inside(), engine:running(0)) end
    gate:open()
    gates.until_true(function() return engine:count("jobs", { with_error = true }) >= REPLACED_MAX + 1 end)
  end)

  it("does not touch what ends in time, nor what has none", function()
    local engine <close> = engine_of 'o:timeout="PT30S"'
    local _ <close> = opener()
    engine:start("p", { variables = gate:variables "awaits" })
    gate:fills(1)
    asleep(engine)
    gate:open()
    engine:advance(1)
    gates.until_true(function() return engine:count "jobs" == 0 end)
    assert.equal(0, engine:count "incidents")
  end)

  it("must be a number of seconds or a duration", function()
    local engine <close> = support.engine()
    for _, text in ipairs { "soon", "0", "-1", "PT0S", "1h" } do
      local problem = support.refused("deployment", support.single, engine, ('o:timeout="%s"'):format(text))
      assert.matches("Cannot parse timeout", problem.message)
    end
  end)
end)
