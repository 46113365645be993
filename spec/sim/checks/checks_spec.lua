-- The checks of random models convict what they are for: here each gets a world that is not whole.
local counts = require "spec.sim.checks.counts"
local effects = require "spec.sim.checks.effects"
local story = require "spec.sim.checks.story"
local waiting = require "spec.sim.checks.waiting"

--- An engine that has these records and no others; `counted`: how many more it counts.
local function world_with(records, counted)
  local engine = setmetatable({}, { __index = function(_, verb)
    return function() return records[verb] or {} end
  end })
  function engine:count(verb, filter)
    local number = 0
    for _, record in ipairs(records[verb] or {}) do
      local key, value = next(filter)
      if not key or record[key] == value then number = number + 1 end
    end
    return number + (counted or 0)
  end
  return { engine = engine, completed = {} }
end

local function instance(children)
  local tree = { children = children }
  return { id = "1", suspended = false, tree = function() return tree end,
    variables = function() return {} end }
end

local function convicts(what, check, ...)
  local ok, err = pcall(check, ...)
  assert.is_false(ok)
  assert(tostring(err):find(what, 1, true), err)
end

describe("a check convicts", function()
  it("a token that waits for nothing", function()
    local token = { activity_id = "t1", type = "userTask", execution_id = "2" }
    local records = { instances = { instance { token } } }
    convicts("waits for nothing", waiting.check, world_with(records))
    records.tasks = { { execution_id = "2", key = "t1" } }
    waiting.check(world_with(records))
  end)

  it("a task that history does not have, or has alone", function()
    local task = { id = "3", key = "t1" }
    convicts("task 3 is not open", story.check, world_with { tasks = { task } })
    convicts("task 3 is open in history alone", story.check, world_with { history_tasks = { task } })
    story.check(world_with { tasks = { task }, history_tasks = { task } })
  end)

  it("a job that is there after its log says that it is gone", function()
    local records = { jobs = { { id = "4" } }, history_jobs = { { job_id = "4", state = "created" },
      { job_id = "4", state = "succeeded" } } }
    convicts("job 4 is not open", story.check, world_with(records))
    records.history_jobs[2] = nil
    story.check(world_with(records))
  end)

  it("an activity that is open where no token stands", function()
    local row = { activity_id = "t1", type = "userTask", execution_id = "2" }
    convicts("open in history alone", story.check, world_with { history_activities = { row } })
  end)

  it("a variable that history tells otherwise", function()
    local variable = { scope = "2", name = "x", value = 1, instance_id = "1" }
    local row = { scope = "2", execution_id = "2", name = "x", value = 2 }
    local records = { executions = { { id = "2" } }, variables = { variable },
      history_variables = { row } }
    convicts("variable 2 x is another in history", story.check, world_with(records))
    row.value = 1
    story.check(world_with(records))
    row.scope = "3"
    records.history_variables[2] = { scope = "2", execution_id = "2", name = "x", value = 2 }
    convicts("variable 2 x is another in history", story.check, world_with(records))
  end)

  it("a scope's variable and its branch's by one name that share a row", function()
    local records = { executions = { { id = "2" } }, variables = {
      { scope = "2", name = "x", value = 1, instance_id = "1" },
      { scope = "2", name = "x", value = 2, instance_id = "1" } } }
    local rows = { { scope = "2", execution_id = "2", name = "x", value = 2 } }
    records.history_variables = rows
    convicts("variable 2 x is another in history", story.check, world_with(records))
    rows[2] = { scope = "3", execution_id = "2", name = "x", value = 1 }
    story.check(world_with(records))
    rows[1].scope = "4"
    convicts("variable 2 x is not found in history", story.check, world_with(records))
  end)

  it("a count that is another than that of the records", function()
    local records = { tasks = { { key = "t1" } } }
    convicts("counted", counts.check, world_with(records, 1))
    counts.check(world_with(records))
  end)

  it("a completion that is lost", function()
    local world = world_with {}
    world.completed[1] = "5"
    convicts("task 5 was completed", effects.check, world, { counting = {} })
  end)

  it("a run that is lost or doubled", function()
    local model = { counting = { t1 = "p" } }
    local row = { activity_id = "t1", instance_id = "1", ended_at = 1, canceled = false }
    local records = { history_instances = { { id = "1", definition_key = "p" } },
      history_activities = { row, row },
      history_variables = { { name = "ran_t1", value = 3, instance_id = "1" } } }
    convicts("ran 3 times, and ended 2 times", effects.check, world_with(records), model)
    records.history_variables[1].value = 1
    convicts("ran 1 times, and ended 2 times", effects.check, world_with(records), model)
    records.history_variables[1].value = 2
    effects.check(world_with(records), model)
  end)
end)
