-- A job that loses one race after the other (ORR_CONFLICTS_MAX of base/limits.h) becomes an incident, without costing a retry before.
-- Marks: threads, load
local orrery = require "orrery"
local folder = require "spec.support.folder"

local CONFLICTS <const> = 50
local MODEL <const> = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn" targetNamespace="limit">
  <process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="t"/>
  <serviceTask id="t" o:class="contend" o:asyncBefore="true"/></process></definitions>]]

describe("a job that loses races", function()
  local place
  before_each(function() place = folder.make() end)
  after_each(function() folder.remove(place) end)

  --- Lets the delegate of `engine` run `times` times; each time somebody else changes what it has read before it writes it.
  local function interfere(instance, pipes, times)
    for i = 1, times do
      io.open(pipes.reads):close()
      instance:set("v", i)
      io.open(pipes.goes_on, "w"):close()
    end
  end

  it("fails after so many in a row, and not before", function()
    local engine <close> = orrery.open(nil, { log = "none", durability = "none" })
    local pipes = { reads = place .. "/reads", goes_on = place .. "/goes_on" }
    assert(os.execute(("mkfifo '%s' '%s'"):format(pipes.reads, pipes.goes_on)))
    engine:register("contend", function(execution)
      local seen, pipes = execution:get "v", execution:get "pipes"
      io.open(pipes.reads, "w"):close()
      io.open(pipes.goes_on):close()
      execution:set("v", seen + 1)
    end)
    engine:deploy { ["p.bpmn"] = MODEL }
    local instance = engine:start("p", { variables = { v = 0, pipes = pipes } })
    engine:start_executor { threads = 1, backoff_time = 0.001, max_backoff = 0.001 }

    interfere(instance, pipes, CONFLICTS)
    assert.same({ 3, 0 }, { engine:jobs({})[1].retries, engine:count("incidents", {}) })
    interfere(instance, pipes, 1)
    assert.is_true(engine:wait_idle(120))
    local job = engine:jobs({})[1]
    assert.equal(0, job.retries)
    assert.matches("lost " .. CONFLICTS .. " races in a row", job.error)
    assert.equal(1, engine:count("incidents", {}))
    assert.equal(1, engine:history_job({ state = "failed" }).retries) -- the last one is spent

    job:set_retries(1)
    io.open(pipes.reads):close()
    io.open(pipes.goes_on, "w"):close()
    assert.is_true(engine:wait_idle(120))
    assert.equal(0, engine:count("instances", {}))
    assert.same({}, engine:verify())
  end)

  describe("on the caller's thread", function()
    local lua = os.getenv "ORRERY_LUA" or "lua5.4"
    local engine, contended

    --- The delegate "contend" loses its first `times` races: another process changes what it has read before it writes it.
    local function open(times, options)
      local store = place .. "/store"
      engine = orrery.open(store, { log = "none", durability = "none",
        acquisition = options or { backoff_time = 0.001, max_backoff = 0.002 } })
      contended = 0
      engine:register("contend", function(execution)
        local seen = execution:get "v"
        if execution:get "calm" then return end
        contended = contended + 1
        if contended <= times then
          assert(os.execute(("%s spec/limit/meddler.lua '%s' '%s' %d"):format(lua, store, execution.instance_id, contended)))
        end
        execution:set("v", seen + 1)
      end)
      engine:deploy { ["p.bpmn"] = MODEL }
    end
    after_each(function() engine:close() end)

    local runners = {
      run_jobs = function() return engine:run_jobs() end,
      poll = function() -- as a frame loop does, until nothing is left that rests
        local ran = 0
        repeat ran = ran + engine:poll(0.01)
        until engine:count("jobs", { retries_gt = 0 }) == 0
        return ran
      end,
    }
    for name, run in pairs(runners) do
      it(name .. " gives up after so many in a row, and not before", function()
        open(CONFLICTS + 1)
        engine:start("p", { variables = { v = 0 } })
        assert.equal(1, run())
        assert.equal(CONFLICTS + 1, contended)
        assert.equal(CONFLICTS + 1, engine:metrics()["job-conflict"])
        local job = engine:job {}
        assert.same({ 0, nil }, { job.retries, job.lock_owner })
        assert.matches("lost " .. CONFLICTS .. " races in a row", job.error)
        assert.equal(1, engine:count "incidents")
        job:set_retries(1)
        assert.equal(1, run())
        assert.same({ 0, 0 }, { engine:count "instances", #engine:verify() })
      end)

      it(name .. " tries again at no cost, and others go on meanwhile", function()
        open(CONFLICTS)
        engine:start("p", { variables = { v = 0 } })
        for _ = 1, 3 do engine:start("p", { variables = { v = 0, calm = true } }) end
        assert.equal(4, run())
        assert.equal(CONFLICTS + 1, contended)
        assert.same({ 0, 0 }, { engine:count "incidents", engine:count "instances" })
        assert.same({}, engine:verify())
      end)
    end

    it("a job that rests is locked, and free again when run_jobs has done what it was asked for", function()
      open(1, { backoff_time = 3600, max_backoff = 3600 })
      local contender = engine:start("p", { variables = { v = 0 } })
      engine:start("p", { variables = { v = 0, calm = true } })
      local locked_by
      engine:register("watch", function(execution)
        locked_by = execution.engine:job({ instance = contender.id }).lock_owner
      end)
      engine:deploy { ["q.bpmn"] = (MODEL:gsub('id="p"', 'id="q"'):gsub("contend", "watch")) }
      engine:start "q"
      assert.equal(2, engine:run_jobs(2))
      assert.is_string(locked_by)
      local job = engine:job {}
      assert.same({ contender.id, 3, nil }, { job.instance_id, job.retries, job.lock_owner })
      assert.equal(1, engine:run_jobs())
      assert.equal(2, contended)
      assert.same({}, engine:verify())
    end)
  end)
end)
