--- What was done is there once: acknowledged completions, and the runs of delegates that count
--- themselves.
local effects = {}

local function completions(world)
  for _, id in ipairs(world.completed) do
    local row = world.engine:history_tasks({ id = id })[1]
    if not row or not row.ended_at then
      error(("task %s was completed, and history does not know"):format(id), 0)
    end
  end
end

local function keys_of_instances(engine)
  local keys = {}
  for _, row in ipairs(engine:history_instances {}) do keys[row.id] = row.definition_key end
  return keys
end

--- As its own process has counted them: an instance that it calls may have a copy.
local function runs_of(engine, counting)
  local runs, keys = {}, keys_of_instances(engine)
  for _, row in ipairs(engine:history_variables { name_like = "ran_%" }) do
    local activity = row.name:sub(5)
    if counting[activity] == keys[row.instance_id] then
      runs[row.instance_id .. activity] = row.value
    end
  end
  return runs
end

--- How often an activity of an instance ended by itself, and how often it was begun at most.
local function ends_of(engine, counting)
  local ended, begun = {}, {}
  for _, row in ipairs(engine:history_activities { type = "serviceTask" }) do
    if counting[row.activity_id] then
      local key = row.instance_id .. row.activity_id
      local by_itself = row.ended_at and not row.canceled
      ended[key] = (ended[key] or 0) + (by_itself and 1 or 0)
      begun[key] = (begun[key] or 0) + 1
    end
  end
  return ended, begun
end

--- An activity that ended by itself has run, once. In Flowable one that has run may be open still,
--- until it is left by a job.
local function check_runs(world, counting)
  local ended, begun = ends_of(world.engine, counting)
  local runs = runs_of(world.engine, counting)
  for key, times in pairs(runs) do
    local most = world.dialect == "flowable" and begun[key] or ended[key]
    if times < (ended[key] or 0) or times > (most or 0) then
      error(("%s ran %d times, and ended %d times"):format(key, times, ended[key] or 0), 0)
    end
  end
  for key, times in pairs(ended) do
    if times > 0 and not runs[key] then error(key .. " ended, and never ran", 0) end
  end
end

--- Raises what is lost or doubled.
function effects.check(world, model)
  completions(world)
  if not model.copies_back then check_runs(world, model.counting) end
end

return effects
