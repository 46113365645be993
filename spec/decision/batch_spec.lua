-- Batches over what was decided, within instances and outside: its rows are named by two numbers.
local models = require "spec.decision.models"
local orrery = require "orrery"
local process = require "spec.support.process"

local TWO = models.file(models.decision("one", "1") .. models.decision("two", "2"))

describe("a batch over decisions in history", function()
  local engine

  before_each(function()
    engine = models.engine { history = "full" }
    engine:deploy { ["two.dmn"] = TWO }
    process.user_task(engine)
    local instance = engine:start "p"
    for _ = 1, 5 do
      engine:decide("one", {})
      engine:decide("two", {}, { execution = instance.id })
    end
  end)
  after_each(function() engine:close() end)

  local function decided(filter) return engine:count("history_decisions", filter) end

  it("deletes what its filter finds, in seeds and jobs of any size", function()
    local batch = engine:batch { action = "delete_history", list = "history_decisions", filter = { decision_key = "two" }, size = 2,
      jobs_per_seed = 1 }
    assert.same({ 5, 3, 5, "historic-decision-instance-deletion" }, { batch.total, batch.jobs, batch.remaining, batch.type })
    engine:run_jobs(2)
    assert.is_true(batch:reload().remaining < 5)
    engine:advance "PT10M"
    engine:run_jobs()
    batch = batch:reload()
    assert.same({ "completed", 5, 0 }, { batch.state, batch.done, batch.skipped })
    assert.same({ 5, 0 }, { decided { decision_key = "one" }, decided { decision_key = "two" } })
    assert.same({}, engine:verify())
  end)

  it("skips what is gone before its turn", function()
    local batch = engine:batch { action = "delete_history", list = "history_decisions", filter = {}, size = 1 }
    engine:advance(1)
    engine:clean_history { ended_before = engine:now() }
    assert.equal(5, decided {})
    engine:run_jobs()
    engine:advance "PT10M"
    engine:run_jobs()
    batch = batch:reload()
    assert.same({ "completed", 10, 5 }, { batch.state, batch.done, batch.skipped })
    assert.equal(0, decided {})
  end)

  it("sets when it goes, and clean-up takes it then", function()
    engine:set_decision_time_to_live(engine:decisions({ key = "one" })[1].id, "P3D")
    engine:batch { action = "set_removal_time", list = "history_decisions", filter = { decision_key = "one" }, calculated = true }
    engine:batch { action = "set_removal_time", list = "history_decisions", filter = { decision_key = "two" }, at = engine:now() + 60 }
    engine:run_jobs()
    for _, row in ipairs(engine:history_decisions { decision_key = "one" }) do
      assert.equal(row.time + 3 * 86400, row.remove_at)
    end
    engine:advance "PT1H"
    engine:schedule_clean_history {}
    engine:run_jobs()
    assert.same({ 5, 0 }, { decided { decision_key = "one" }, decided { decision_key = "two" } })
    engine:batch { action = "set_removal_time", list = "history_decisions", filter = {}, at = orrery.null }
    engine:run_jobs()
    assert.equal(5, decided { remove_at = orrery.null })
  end)

  it("knows versions of models", function()
    engine:deploy { ["two.dmn"] = TWO }
    assert.equal(2, #engine:decisions { latest = true })
    local first = engine:decisions { first_of_model = true, order_by = "model_version" }
    assert.equal(2, #first)
    assert.equal(first[2].id, engine:decisions({ first_of_model = true, model_version = 2 })[1].id)
    assert.equal(first[2].id, engine:decisions({ first_of_model = true, latest_model = true })[1].id)
    assert.equal(2, engine:count("decisions", { model = first[2].id }))
  end)

  it("refuses spans that are none, and decisions that there are not", function()
    for _, case in ipairs { { "argument", engine:decisions({})[1].id, "soon" }, { "not_found", tostring(1 << 40), 3 } } do
      local ok, problem = pcall(engine.set_decision_time_to_live, engine, case[2], case[3])
      assert.same({ false, case[1] }, { ok, problem.kind })
    end
    assert.is_false((pcall(engine.batch, engine, { action = "cancel", list = "history_decisions", filter = {} })))
  end)
end)
