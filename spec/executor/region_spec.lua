-- Where a process looks for jobs while others take theirs from the same store: a pure function.
local job = require("orrery_inside").job

local ROUNDS = 4

--- The state after each of these outcomes, and the pages that the last answer passes over.
local function play(outcomes, random)
  local state, pages = {}, nil
  for _, outcome in ipairs(outcomes) do pages = job.region(state, outcome, ROUNDS, random or 0) end
  return state, pages
end

local won, lost, ended = { filled = true }, { filled = true, lost = true, level = 3 }, { filled = false }

describe("the region that acquisition looks at", function()
  it("is the front as long as nobody takes jobs away from there", function()
    for _, outcome in ipairs { won, ended } do
      local state, pages = play { outcome, outcome, outcome }
      assert.is_false(state.away)
      assert.equal(0, pages)
    end
  end)

  it("lies behind after a lost round, within 16 pages, within 32 after another", function()
    for level, most in pairs { [0] = 16, [1] = 16, [2] = 32, [5] = 32, [9] = 32 } do
      local furthest = 0
      for random = 0, 63 do
        local state, pages = play({ { filled = true, lost = true, level = level } }, random)
        assert.is_true(state.away)
        furthest = math.max(furthest, pages)
      end
      assert.equal(most - 1, furthest)
    end
  end)

  it("is worked off from where it was left", function()
    local state, pages = play({ lost, won, won }, 5)
    assert.is_true(state.away)
    assert.equal(0, pages)
  end)

  it("is left for the front when it ends", function()
    assert.is_false(play { lost, won, ended }.away)
  end)

  it("is left for the front after some rounds, however much it gives", function()
    local state = play { lost, won, won, won, won }
    assert.is_true(state.away)
    job.region(state, won, ROUNDS, 0)
    assert.is_false(state.away)
  end)

  it("moves on when jobs are lost there, too, but not for ever", function()
    local state = {}
    for _ = 1, ROUNDS + 1 do
      job.region(state, lost, ROUNDS, 7)
      assert.is_true(state.away)
    end
    job.region(state, lost, ROUNDS, 7)
    assert.is_false(state.away)
  end)
end)
