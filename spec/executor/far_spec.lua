-- What executors ask a server for the jobs that they run: little, and together.
-- Marks: load
local core = require "orrery.core"
local inside = require "orrery_inside"
local orrery = require "orrery"
local postgres = require "spec.support.postgres"
local support = require "spec.support.process"

local INSTANCES, TASKS, TRIES = 64, 3, 20

describe("the jobs of a far store", function()
  local it = postgres.with(it, pending)

  it("ask the server less than once each, as soon as their workers' local queues are quick", function()
    local url = postgres.shared():schema()
    assert(inside.store.make_schema(url))
    local engine <close> = orrery.open(url, { log = "none" })
    local tasks = support.task("a") .. support.task("b") .. support.task("c")
    engine:deploy { ["work.lua"] = "return { execute = function() end }",
      ["p.bpmn"] = support.model('<startEvent id="s"/>' .. tasks .. '<endEvent id="e"/>', "s -> a a -> b b -> c c -> e") }
    local function questions() return inside.query.questions(core.address(engine.core)) end
    -- what was read ahead is used for some milliseconds: on a busy machine the first tries may be too slow for that
    local least = math.huge
    for _ = 1, TRIES do
      engine:transaction(function() for _ = 1, INSTANCES do engine:start "p" end end)
      local before = questions()
      engine:start_executor { threads = 1 }
      assert(engine:wait_idle(60))
      least = math.min(least, (questions() - before) / (INSTANCES * TASKS))
      engine:stop_executor()
      assert.equal(0, #engine:instances {})
      if least < 0.6 then break end
    end
    assert.is_true(least < 0.6, least .. " questions a job")
  end)
end)
