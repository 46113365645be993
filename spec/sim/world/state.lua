--- All that a client can see of a world, as text.
local state = {}

local function text_of(value)
  if type(value) ~= "table" then
    return math.type(value) == "float" and ("%.17g"):format(value) or tostring(value)
  end
  local keys, parts = {}, {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for i, key in ipairs(keys) do parts[i] = tostring(key) .. "=" .. text_of(value[key]) end
  return "{" .. table.concat(parts, ",") .. "}"
end

local with_ids = { error = true, message = true }

local function fields_of(record, names)
  local parts = {}
  for _, name in ipairs(names) do
    local value = record[name]
    if value and with_ids[name] then value = value:gsub("%d%d%d%d%d+", "#") end
    if value ~= nil then parts[#parts + 1] = name .. "=" .. text_of(value) end
  end
  return table.concat(parts, " ")
end

local function tree_lines(node, indent, out)
  out[#out + 1] = indent .. (node.activity_id or "-") .. " " .. (node.type or "-")
  for _, child in ipairs(node.children or {}) do tree_lines(child, indent .. "  ", out) end
end

local function words(text)
  local out = {}
  for word in text:gmatch "%S+" do out[#out + 1] = word end
  return out
end

local function rows(list)
  for _, kind in ipairs(list) do kind[2] = words(kind[2]) end
  return list
end

-- Ids are left out: they may differ between two stores with the same history.
local all = rows {
  { "jobs", "type handler activity_id due retries priority exclusive suspended error "
    .. "failed_activity_id created" },
  { "subscriptions", "type name activity_id created" },
  { "tasks", "key name assignee suspended created priority" },
  { "external_tasks", "topic worker retries activity_id error suspended lock_expires" },
  { "incidents", "type activity_id message" },
  { "executions", "activity_id suspended" },
  { "history_instances", "definition_key state started_at ended_at delete_reason start_activity "
    .. "end_activity" },
  { "history_activities", "activity_id type started_at ended_at canceled" },
  { "history_tasks", "key assignee started_at ended_at delete_reason" },
  { "history_variables", "name value activity_id revision" },
  { "history_incidents", "type activity_id state" },
  { "history_jobs", "state handler activity_id retries" },
}

--- What is the same wherever transactions end, and in which order jobs ran.
local settled = rows {
  { "subscriptions", "type name activity_id created" },
  { "tasks", "key name assignee suspended created priority" },
  { "external_tasks", "topic worker retries activity_id error suspended lock_expires" },
  { "incidents", "type activity_id" },
  { "history_instances", "definition_key state started_at ended_at start_activity" },
  { "history_activities", "activity_id type started_at ended_at canceled" },
  { "history_tasks", "key assignee started_at ended_at delete_reason" },
  { "history_variables", "name value activity_id" },
}

--- Rows of one kind are sorted: their order is promised for one store, not between two.
local function add_rows(engine, kinds, out)
  for _, kind in ipairs(kinds) do
    local lines = {}
    for i, row in ipairs(engine[kind[1]](engine, {})) do
      lines[i] = "  " .. fields_of(row, kind[2])
    end
    table.sort(lines)
    out[#out + 1] = kind[1]
    out[#out + 1] = table.concat(lines, "\n")
  end
end

local INSTANCE <const> = { "definition_key", "suspended", "business_key" }

local function add_instances(instances, out)
  for i, instance in ipairs(instances) do
    out[#out + 1] = ("instance %d %s"):format(i, fields_of(instance, INSTANCE))
    out[#out + 1] = "  active " .. table.concat(instance:active(), " ")
    tree_lines(instance:tree(), "  ", out)
    out[#out + 1] = "  variables " .. text_of(instance:variables())
  end
end

function state.whole(world)
  local out = { "now " .. world.engine:now() }
  add_instances(world.engine:instances {}, out)
  add_rows(world.engine, all, out)
  return table.concat(out, "\n")
end

--- Of a calm world in which no job is due.
function state.settled(world)
  local engine, lines = world.engine, {}
  for i, instance in ipairs(engine:instances {}) do
    lines[i] = ("%s\n  active %s\n  variables %s"):format(fields_of(instance, INSTANCE),
      table.concat(instance:active(), " "), text_of(instance:variables()))
  end
  table.sort(lines)
  local out = { "now " .. engine:now(), table.concat(lines, "\n") }
  add_rows(engine, settled, out)
  return table.concat(out, "\n")
end

return state
