-- History: what it is found by, engine:clean_history and engine:verify.
local support = require "spec.support.process"

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

describe("history", function()
  local engine
  before_each(function()
    engine = support.engine()
    support.user_task(engine)
  end)
  after_each(function() engine:close() end)

  it("is found by variables, of what runs and of what has ended", function()
    local low = engine:start("p", { business_key = "order-1", variables = { n = 1, word = "one" } })
    local high = engine:start("p", { business_key = "offer-1", variables = { n = 5 } })
    engine:task({ instance = high.id }):set_local("n", 7)
    for _ = 1, 2 do
      for wanted, pi in pairs { [{ n = 1 }] = low, [{ n = { gt = 4 } }] = high, [{ word = { like = "o%" } }] = low } do
        assert.equal(1, engine:count("history_instances", { variables = wanted }))
        assert.equal(pi.id, engine:history_instance({ variables = wanted }).id)
        assert.equal(pi.id, engine:history_task({ variables = wanted }).instance_id)
      end
      assert.same({}, engine:history_instances { variables = { n = 1, word = "two" } })
      assert.same({}, engine:history_instances { variables = { n = 7 } })
      assert.equal(1, engine:count("history_tasks", { variables = { n = 7 } }))
      for _, task in ipairs(engine:tasks {}) do
        assert.equal(task.id, engine:task({ business_key_like = task.instance_id == low.id and "order%" or "offer%" }).id)
        task:complete()
      end
    end
  end)
end)
