-- Back-off of job acquisition (seed C, "Backoff Strategy"): a pure function, so every sentence is a table of cases.
local job = require("orrery_inside").job

local RULES = { idle = 100, idle_max = 1600, conflict = 25, conflict_max = 400, factor = 2, decrease_after = 3 }
local TOP = -1 -- the largest random number: jitter takes the whole wait

local function next_wait(state, outcome) return job.backoff(RULES, state, outcome, TOP) end

describe("the waits of an executor", function()
  it("begin at 5 s, double, and end at 60 s; after conflicts from 25 ms to 5 s", function()
    assert.same({ idle = 5000, idle_max = 60000, conflict = 25, conflict_max = 5000, factor = 2.0, decrease_after = 100 },
      job.backoff_rules {})
  end)

  it("are never longer than max_wait, not even the first", function()
    local rules = job.backoff_rules { max_wait = 1000 }
    for _ = 1, 3 do assert.equal(1000, job.backoff(rules, {}, { asked = 10 }, TOP)) end
  end)
end)

describe("idle back-off", function()
  it("grows from the first wait by the factor up to the longest", function()
    local state, waits = {}, {}
    for i = 1, 7 do waits[i] = next_wait(state, { asked = 10 }) end
    assert.same({ 100, 200, 400, 800, 1600, 1600, 1600 }, waits)
  end)

  it("starts again once something was acquired", function()
    local state = {}
    for _ = 1, 4 do next_wait(state, { asked = 10 }) end
    next_wait(state, { asked = 10, acquired = 1 })
    assert.equal(100, next_wait(state, { asked = 10 }))
  end)

  it("does not wait after a full page: there is more", function()
    assert.equal(0, next_wait({}, { asked = 10, acquired = 10 }))
    assert.equal(0, next_wait({}, { asked = 10, acquired = 10, left = true }))
  end)

  it("is short while others are taking what there is, and no sign that there is nothing", function()
    local state = { idle = 3 }
    local function within(low, high, wait) assert.is_true(low <= wait and wait <= high, wait) end
    within(12, 25, next_wait(state, { asked = 10, left = true }))
    within(12, 25, next_wait(state, { asked = 10, acquired = 4, left = true }))
    assert.same({ 0, 0 }, { state.idle, state.conflict })
    assert.equal(100, next_wait(state, { asked = 10 }))
    within(100, 200, next_wait({ conflict = 4 }, { asked = 10, left = true }))
  end)
end)

describe("conflict back-off", function()
  it("ends early when another process commits, unless the last acquisition itself lost", function()
    local state = { conflict = 5 }
    assert.is_true(next_wait(state, { asked = 10, acquired = 3 }) > 0) -- rests, since it lost before
    assert.is_false(state.lost)
    next_wait(state, { asked = 10, acquired = 3, lost = 1 })
    assert.is_true(state.lost)
    next_wait(state, { asked = 10 })
    assert.is_false(state.lost)
  end)

  it("grows with every lost acquisition, with jitter between half and all of the wait", function()
    local state = {}
    for level = 1, 8 do
      local whole = math.min(25 * 2 ^ (level - 1), 400)
      local before = { conflict = state.conflict, calm = state.calm, idle = state.idle }
      for _, random in ipairs { 0, 1, 12345, math.maxinteger, TOP } do
        local copy = { conflict = before.conflict, calm = before.calm, idle = before.idle }
        local wait = job.backoff(RULES, copy, { asked = 10, lost = 2 }, random)
        assert.is_true(wait >= whole // 2 and wait <= whole, ("level %d: %d is outside %d..%d"):format(level, wait, whole // 2, whole))
        state = copy
      end
    end
  end)

  it("has jitter: who lost the same races together wait differently, and evenly so", function()
    local waits, below = {}, 0
    for random = 1, 1000 do
      local wait = job.backoff(RULES, { conflict = 4 }, { asked = 10, lost = 1 }, random * 7919)
      waits[wait] = true
      if wait < 300 then below = below + 1 end
    end
    local different = 0
    for _ in pairs(waits) do different = different + 1 end
    assert.is_true(different > 100, different)
    assert.is_true(below > 400 and below < 600, below)
    local one, two = job.backoff_conflict(RULES, 5, 1), job.backoff_conflict(RULES, 5, 2)
    assert.not_equal(one, two)
  end)

  it("sinks by one level after some acquisitions without a loss", function()
    local state = {}
    for _ = 1, 3 do next_wait(state, { asked = 10, lost = 1 }) end
    assert.equal(3, state.conflict)
    for _ = 1, 2 do next_wait(state, { asked = 10, acquired = 1 }) end
    assert.equal(3, state.conflict)
    next_wait(state, { asked = 10, acquired = 1 })
    assert.equal(2, state.conflict)
  end)

  it("sinks level by level down to none, each after as many calm acquisitions, counted afresh", function()
    local state, levels = {}, {}
    for _ = 1, 3 do next_wait(state, { asked = 10, lost = 1 }) end
    for i = 1, 10 do
      next_wait(state, { asked = 10, acquired = 1 })
      levels[i] = state.conflict
    end
    assert.same({ 3, 3, 2, 2, 2, 1, 1, 1, 0, 0 }, levels)
  end)

  it("counts calm acquisitions from the last loss", function()
    local state = {}
    next_wait(state, { asked = 10, lost = 1 })
    for _ = 1, 2 do next_wait(state, { asked = 10, acquired = 1 }) end
    next_wait(state, { asked = 10, lost = 1 })
    for _ = 1, 2 do next_wait(state, { asked = 10, acquired = 1 }) end
    assert.equal(2, state.conflict)
    next_wait(state, { asked = 10 }) -- nothing found is calm, too
    assert.equal(1, state.conflict)
  end)

  it("holds for what comes after a loss: a page that was not filled waits by the level, a full one does not", function()
    local state = {}
    next_wait(state, { asked = 10, lost = 1 })
    local wait = next_wait(state, { asked = 10, acquired = 3 })
    assert.is_true(wait >= 12 and wait <= 25, wait)
    assert.equal(0, next_wait(state, { asked = 10, acquired = 10 }))
    assert.equal(100, next_wait(state, { asked = 10 }))
  end)

  it("of one job depends on its own attempt only", function()
    for attempt, whole in ipairs { 25, 50, 100, 200, 400, 400 } do
      for _, random in ipairs { 0, 99, TOP } do
        local wait = job.backoff_conflict(RULES, attempt, random)
        assert.is_true(wait >= whole // 2 and wait <= whole)
      end
    end
  end)
end)
