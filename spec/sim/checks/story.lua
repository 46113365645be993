--- History tells what the state shows: what is open there is here, and the other way round.
local story = {}

local function by_id(list)
  local out = {}
  for _, record in ipairs(list) do out[record.id] = record end
  return out
end

local function compare(what, present, open)
  for id in pairs(present) do
    if not open[id] then error(("%s %s is not open in history"):format(what, id), 0) end
  end
  for id in pairs(open) do
    if not present[id] then error(("%s %s is open in history alone"):format(what, id), 0) end
  end
end

local function open_rows(rows, is_open)
  local out = {}
  for _, row in ipairs(rows) do
    if is_open(row) then out[row.id] = row end
  end
  return out
end

local function unended(row) return not row.ended_at end

local function instances(engine)
  local present = by_id(engine:instances {})
  local open = open_rows(engine:history_instances {}, unended)
  compare("instance", present, open)
  for id, instance in pairs(present) do
    local state = instance.suspended and "suspended" or "active"
    if open[id].state ~= state then
      error(("instance %s is %s, and %s in history"):format(id, state, open[id].state), 0)
    end
  end
end

local function tasks(engine)
  local present = by_id(engine:tasks {})
  local open = open_rows(engine:history_tasks {}, unended)
  compare("task", present, open)
  for id, task in pairs(present) do
    if task.key ~= open[id].key or task.assignee ~= open[id].assignee then
      error(("task %s has another key or assignee in history"):format(id), 0)
    end
  end
end

local function incidents(engine)
  compare("incident", by_id(engine:incidents {}),
    open_rows(engine:history_incidents {}, function(row) return row.state == "open" end))
end

--- A job is there until its log says that it succeeded or was deleted, but for a cycle's, which goes
--- on.
local function jobs(engine)
  local last, open = {}, {}
  for _, row in ipairs(engine:history_jobs {}) do last[row.job_id] = row.state end
  for id, state in pairs(last) do
    if state ~= "succeeded" and state ~= "deleted" then open[id] = true end
  end
  compare("job", by_id(engine:jobs {}), open)
end

-- ---- Activities ----------------------------------------------------------------------------------

local function key_of(record)
  return ("%s of execution %s"):format(record.activity_id, record.execution_id)
end

--- True if a handler runs in it: what has ended stands there again while it is compensated.
local function add_nodes(node, nodes, over)
  local compensated = false
  for _, child in ipairs(node.children or {}) do
    local within = add_nodes(child, nodes, over)
    local key = key_of(child)
    if not child.activity_id:find "#" then nodes[key] = child end
    over[key] = within
    compensated = compensated or within or child.activity_id:find "^undo" ~= nil
  end
  return compensated
end

local function check_open(engine, nodes)
  local begun = {}
  for _, row in ipairs(engine:history_activities { finished = false }) do
    local key = key_of(row)
    begun[key] = true
    if not nodes[key] and row.type ~= "boundaryEvent" then -- some are begun when they are armed
      error(("%s %s is open in history alone"):format(row.type, key), 0)
    end
  end
  return begun
end

--- A token that waits for a job has not begun its activity yet, or has ended it.
local function activities(engine)
  local nodes, over, waiting = {}, {}, {}
  for _, instance in ipairs(engine:instances {}) do add_nodes(instance:tree(), nodes, over) end
  for _, job in ipairs(engine:jobs {}) do waiting[job.execution_id or ""] = true end
  local begun = check_open(engine, nodes)
  for key, node in pairs(nodes) do
    if not begun[key] and not over[key] and not waiting[node.execution_id] then
      error(("%s %s is not open in history"):format(node.type, key), 0)
    end
  end
end

-- ---- Variables ---------------------------------------------------------------------------------

local function alike(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do
    if not alike(value, b[key]) then return false end
  end
  return true
end

local function variable_key(place, row) return place .. " " .. row.name end

--- Those of tokens and instances, by both. A token may have two by one name, its scope's and its
--- branch's.
local function live_variables(engine)
  local out, scopes = {}, by_id(engine:executions {})
  for _, instance in ipairs(engine:instances {}) do scopes[instance.id] = instance end
  for _, row in ipairs(engine:variables {}) do
    local key = variable_key(row.scope, row)
    if scopes[row.scope] then
      out[key] = out[key] or {}
      table.insert(out[key], row)
    end
  end
  return out
end

--- Takes the row that tells of the variable from the list; nil: none does.
local function take_row(rows, variable)
  for i, row in ipairs(rows) do
    if alike(row.value, variable.value) then return table.remove(rows, i) end
  end
end

--- Each has a row of its own, and one of these is the one that their token's id finds.
local function check_variables(key, live, rows)
  local found = #live == 1
  for _, variable in ipairs(live) do
    -- A completed scope that is compensated has its variables again, which are no news.
    local again = #rows == 0 and #live == 1 and variable.scope ~= variable.instance_id
    local row = not again and take_row(rows, variable)
    if not again and not row then error(("variable %s is another in history"):format(key), 0) end
    found = found or row.scope == row.execution_id
  end
  if not found then error(("variable %s is not found in history"):format(key), 0) end
end

local function variables(engine)
  local places, found = {}, {}
  for _, row in ipairs(engine:history_variables {}) do
    local key = variable_key(row.execution_id or "", row)
    local is_found = row.scope == row.execution_id
    places[key] = places[key] or {}
    table.insert(places[key], is_found and 1 or #places[key] + 1, row)
    if is_found then found[key] = { row } end
  end
  for key, live in pairs(live_variables(engine)) do
    check_variables(key, live, (#live == 1 and found or places)[key] or {})
  end
end

--- Raises what history tells otherwise.
function story.check(world)
  local engine = world.engine
  instances(engine)
  tasks(engine)
  incidents(engine)
  jobs(engine)
  activities(engine)
  variables(engine)
end

return story
