-- A job that loses one race after the other (ORR_CONFLICTS_MAX of base/limits.h) becomes an incident, without costing a retry before.
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
    assert.is_true(engine:wait_idle(20))
    local job = engine:jobs({})[1]
    assert.equal(0, job.retries)
    assert.matches("lost " .. CONFLICTS .. " races in a row", job.error)
    assert.equal(1, engine:count("incidents", {}))

    job:set_retries(1)
    io.open(pipes.reads):close()
    io.open(pipes.goes_on, "w"):close()
    assert.is_true(engine:wait_idle(20))
    assert.equal(0, engine:count("instances", {}))
    assert.same({}, engine:verify())
  end)
end)
