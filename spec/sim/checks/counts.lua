--- Counts and filters agree with a plain look at all records.
local counts = {}

-- Executions by activity are left out: asked for like that, a multi-instance is its instances alone.
local looked_at = {
  instances = { "definition_key", "suspended", "root_id", "parent_id" },
  executions = { "instance_id", "suspended" },
  tasks = { "key", "assignee", "suspended", "instance_id" },
  jobs = { "activity_id", "type", "handler", "suspended", "retries", "instance_id" },
  external_tasks = { "activity_id", "topic", "suspended", "retries" },
  subscriptions = { "type", "name", "activity_id" },
  incidents = { "type", "activity_id" },
  history_instances = { "state", "definition_key" },
  history_activities = { "activity_id", "type", "canceled", "instance_id" },
  history_tasks = { "key", "delete_reason" },
  history_variables = { "name", "instance_id" },
  history_jobs = { "state", "handler" },
}

local function check_field(engine, verb, field, list)
  local number = {}
  for _, record in ipairs(list) do
    local value = record[field]
    if value ~= nil then number[value] = (number[value] or 0) + 1 end
  end
  for value, plain in pairs(number) do
    local counted = engine:count(verb, { [field] = value })
    if counted ~= plain then
      error(("%s with %s = %s: %d are counted, %d are there"):format(verb, field,
        tostring(value), counted, plain), 0)
    end
  end
end

--- Raises what is counted otherwise.
function counts.check(world)
  local engine = world.engine
  for verb, fields in pairs(looked_at) do
    local list = engine[verb](engine, {})
    if engine:count(verb, {}) ~= #list then error(verb .. ": counted otherwise", 0) end
    for _, field in ipairs(fields) do check_field(engine, verb, field, list) end
  end
end

return counts
