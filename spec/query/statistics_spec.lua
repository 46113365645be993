-- Statistics are held against what lists of single records tell.
local orrery = require "orrery"
local support = require "spec.support.process"
local world = require "spec.query.world"

local function constant(n) return function(of) return type(of) == "number" and n % of + 1 or of[n % #of + 1] end end

describe("statistics", function()
  local engine
  setup(function()
    local n = 0
    engine = world.open(function(of)
      n = n + 7
      return constant(n)(of)
    end)
  end)
  teardown(function() engine:close() end)

  local function by(list, field)
    local out = {}
    for _, row in ipairs(list) do out[row[field]] = row end
    return out
  end

  local function add(counts, key, type)
    counts[key] = counts[key] or {}
    counts[key][type] = (counts[key][type] or 0) + 1
  end

  it("of definitions count instances, failed jobs and incidents", function()
    for _ = 1, 20 do engine:run_jobs() engine:advance(3600) end
    local rows = engine:statistics { failed_jobs = true, incidents = true }
    local found = by(rows, "definition_id")
    assert.equal(engine:count("definitions"), #rows)
    local all = 0
    for _, d in ipairs(engine:definitions()) do
      local row = found[d.id]
      assert.same({ d.key, d.version, d.name, d.deployment_id }, { row.definition_key, row.version, row.name, row.deployment_id })
      assert.equal(engine:count("instances", { definition = d.id }), row.instances)
      assert.equal(engine:count("jobs", { definition = d.id, no_retries = true }), row.failed_jobs)
      local incidents = engine:count("incidents", { definition = d.id })
      assert.same(incidents > 0 and { failed_job = incidents } or {}, row.incidents)
      all = all + row.failed_jobs
    end
    assert.is_true(all > 0)
    assert.is_nil(engine:statistics()[1].failed_jobs)
    for _, row in ipairs(engine:statistics { incident_type = "failed_external_task" }) do assert.same({}, row.incidents) end
  end)

  it("of tasks count those that nobody has taken, by the groups that are asked", function()
    local wanted, without = {}, 0
    for n, groups in ipairs { { "a" }, { "a", "b" }, { "b" }, {}, { "c" } } do
      local task = engine:create_task { name = "t" .. n }
      for _, group in ipairs(groups) do task:add_link("candidate", { group = group }) end
      if n == 5 then task:claim "ann" end
    end
    for _, task in ipairs(engine:tasks { unassigned = true }) do
      local any = false
      for _, link in ipairs(task:links()) do
        if link.type == "candidate" and link.group then
          any, wanted[link.group] = true, (wanted[link.group] or 0) + 1
        end
      end
      if not any then without = without + 1 end
    end
    local rows, found = engine:statistics { candidate_groups = true }, {}
    for _, row in ipairs(rows) do
      if row.candidate_group then found[row.candidate_group] = row.tasks end
    end
    assert.same(wanted, found)
    assert.is_true(found.a >= 2 and without >= 1)
    assert.same({ nil, without }, { rows[#rows].candidate_group, rows[#rows].tasks })
    support.refused("argument", function()
      engine:statistics { candidate_groups = true, incidents = true }
    end)
    support.refused("argument", function() engine:statistics { candidate_groups = 1 } end)
  end)

  it("of activities count tokens where they stand", function()
    for _, d in ipairs(engine:definitions()) do
      local tokens, failed, incidents = {}, {}, {}
      for _, instance in ipairs(engine:instances { definition = d.id }) do
        for _, activity in ipairs(instance:active()) do tokens[activity] = (tokens[activity] or 0) + 1 end
      end
      for _, job in ipairs(engine:jobs { definition = d.id, no_retries = true }) do
        failed[job.activity_id] = (failed[job.activity_id] or 0) + 1
      end
      for _, i in ipairs(engine:incidents { definition = d.id }) do add(incidents, i.activity_id, i.type) end
      local rows = engine:statistics { definition = d.id, failed_jobs = true, incidents = true }
      for _, row in ipairs(rows) do
        assert.same({ tokens[row.activity_id] or 0, failed[row.activity_id] or 0, incidents[row.activity_id] or {} },
          { row.instances, row.failed_jobs, row.incidents }, row.activity_id)
        tokens[row.activity_id], failed[row.activity_id], incidents[row.activity_id] = nil, nil, nil
      end
      assert.same({ {}, {}, {} }, { tokens, failed, incidents })
    end
  end)

  it("of history count what ended, and how", function()
    local ended_scopes = { e = true, ce = true, we = true }
    for _, d in ipairs(engine:definitions()) do
      for _, bound in ipairs { 0, engine:now() - 7200 } do
        local wanted = {}
        for _, a in ipairs(engine:history_activities { definition = d.id }) do
          if engine:history_instance(a.instance_id).started_at >= bound then
            local row = wanted[a.activity_id] or { instances = 0, finished = 0, canceled = 0, complete_scope = 0 }
            wanted[a.activity_id] = row
            row.instances = row.instances + (a.ended_at and 0 or 1)
            row.finished = row.finished + (a.ended_at and 1 or 0)
            row.canceled = row.canceled + (a.canceled and 1 or 0)
            row.complete_scope = row.complete_scope + (a.ended_at and not a.canceled and ended_scopes[a.activity_id] and 1 or 0)
          end
        end
        local found = {}
        for _, row in ipairs(engine:history_statistics { definition = d.id, started_after = bound }) do
          found[row.activity_id] = row
          row.activity_id = nil
        end
        assert.same(wanted, found)
      end
    end
  end)

  it("of history count incidents by their states, of some instances on request", function()
    local slow = engine:definition { key = "slow", latest = true }
    local open = engine:count("history_incidents", { definition = slow.id, state = "open", activity = "work" })
    local row = by(engine:history_statistics { definition = slow.id, incidents = true }, "activity_id").work
    assert.is_true(open > 0)
    assert.same({ open, 0, 0 }, { row.open_incidents, row.resolved_incidents, row.deleted_incidents })
    local one = engine:instance { definition = slow.id }
    row = by(engine:history_statistics { definition = slow.id, incidents = true, instance_in = { one.id } }, "activity_id").work
    assert.equal(1, row.open_incidents)
    assert.same({}, engine:history_statistics { definition = slow.id, instance_in = orrery.array {} })
  end)

  it("refuse what they do not know", function()
    assert.matches('unknown key "definitions"', support.refused("argument", engine.statistics, engine, { definitions = 1 }).message)
    support.refused("argument", engine.statistics, engine, { failed_jobs = 1 })
    support.refused("argument", engine.history_statistics, engine, {})
    support.refused("argument", engine.history_statistics, engine, { definition = 1, started_before = true })
    support.refused("not_found", engine.statistics, engine, { definition = "12345" })
  end)
end)
