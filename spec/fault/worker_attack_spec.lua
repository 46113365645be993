--- Scripts that would go on for ever, or take all memory, on a worker: it outlives each of them, and goes on with other jobs.
-- Marks: threads, load
local orrery = require "orrery"
local attack = require "spec.fault.attack_scripts"
local sorted, process, model, limits = attack.sorted, attack.process, attack.model, attack.limits

describe("a worker", function()
  it("outlives every such script, and runs what else there is", function()
    local engine <close> = orrery.open(nil, { log = "none", retries = 1, sandbox = limits })
    local processes, keys = { process("good", 'execution:set("done", ("a"):rep(3))', 'camunda:asyncBefore="true"') }, {}
    for _, set in ipairs { attack.endless, attack.greedy, attack.harmless } do
      for _, name in ipairs(sorted(set)) do
        keys[#keys + 1] = "p" .. #keys + 1
        processes[#processes + 1] = process(keys[#keys], set[name], 'camunda:asyncBefore="true"')
      end
    end
    engine:deploy(model(processes))
    for _, key in ipairs(keys) do
      engine:start(key)
      engine:start "good"
    end
    engine:start_executor { threads = 2 }
    assert.is_true(engine:wait_idle(400))
    assert.equal(#keys, engine:count("history_instances", { key = "good", state = "completed" }))
    assert.is_true(engine:count("incidents", {}) >= #sorted(attack.endless) + #sorted(attack.greedy))
    for _, incident in ipairs(engine:incidents {}) do assert.not_matches("process that ran", incident.message) end
    engine:start "good"
    assert.is_true(engine:wait_idle(60))
    assert.equal(#keys + 1, engine:count("history_instances", { key = "good", state = "completed" }))
    assert.is_true(engine:executor_active())
    engine:stop_executor()
  end)

  it("ends scripts that wait and would close for ever, when it stops", function()
    local engine <close> = orrery.open(nil, { log = "none", sandbox = limits })
    engine:deploy(model { process("p", [[local x <close> = setmetatable({}, { __close = function() while true do end end })
      orrery.await(orrery.future())]], 'camunda:asyncBefore="true"') })
    engine:start "p"
    engine:start_executor { threads = 1, drain_time = 0.05 }
    repeat until (engine:running()[1] or {}).state == "awaiting"
    engine:stop_executor()
    assert.is_nil(engine:jobs({})[1].lock_owner)
  end)
end)
