-- engine:clean_history and engine:verify.
local support = require "spec.command.support"

describe("cleaning history", function()
  local engine
  before_each(function()
    engine = support.engine { history = "full" }
    support.user_task(engine)
  end)
  after_each(function() engine:close() end)

  local LISTS = { "history_instances", "history_activities", "history_tasks", "history_variables" }

  local function run_one()
    local pi = engine:start("p", { variables = { x = 1 } })
    engine:task({ instance = pi.id }):complete()
    return pi
  end

  it("takes what ended before a time, and nothing else", function()
    run_one()
    local limit = engine:now() + 1
    engine:advance(1)
    local kept, running = run_one(), engine:start("p", { variables = { x = 1 } })
    assert.equal(1, engine:clean_history { ended_before = limit })
    assert.equal(0, engine:clean_history { ended_before = limit })
    for _, list in ipairs(LISTS) do
      local ids = {}
      for _, row in ipairs(engine[list](engine, {})) do ids[row.instance_id or row.id] = true end
      assert.same({ [kept.id] = true, [running.id] = true }, ids, list)
    end
    assert.same({}, engine:verify())
  end)

  it("goes on step by step until nothing is left", function()
    for _ = 1, 250 do run_one() end
    engine:advance(1)
    assert.equal(250, engine:clean_history { ended_before = engine:now() })
    for _, list in ipairs(LISTS) do assert.equal(0, engine:count(list, {}), list) end
    assert.same({}, engine:verify())
  end)

  it("needs a time", function() support.refused("argument", engine.clean_history, engine, {}) end)
end)
