--- Every token waits for something that is there, or has an incident.
local waiting = {}

local function set_of(list, field)
  local set = {}
  for _, record in ipairs(list) do
    if record[field] ~= nil then set[record[field]] = true end
  end
  return set
end

local throws = { intermediateThrowEvent = true, endEvent = true, boundaryEvent = true }
local gateways = { parallelGateway = true, inclusiveGateway = true }

--- What leaves of a world's trees may wait for, by their executions and instances.
local function reasons_of(engine)
  local reasons = { compensating = {}, callers = set_of(engine:instances {}, "parent_id") }
  for i, verb in ipairs { "jobs", "tasks", "external_tasks", "subscriptions", "incidents" } do
    reasons[i] = set_of(engine[verb](engine, {}), "execution_id")
  end
  for _, task in ipairs(engine:tasks {}) do
    if task.key:find "^undo" then reasons.compensating[task.instance_id] = true end
  end
  return reasons
end

local function waits(reasons, node, instance)
  for _, reason in ipairs(reasons) do
    if reason[node.execution_id] then return true end
  end
  if throws[node.type] then return reasons.compensating[instance.id] end -- for its handlers
  if node.type == "callActivity" then return reasons.callers[instance.id] end
  if node.type == "receiveTask" then return true end -- one without a message
  if node.type == "serviceTask" then return node.activity_id:find "^t" ~= nil end -- triggerable
  return gateways[node.type]
end

local function look(reasons, node, instance)
  local children = node.children or {}
  for _, child in ipairs(children) do look(reasons, child, instance) end
  if #children == 0 and not waits(reasons, node, instance) then
    error(("%s %s waits for nothing in instance %s"):format(node.type, node.activity_id,
      instance.id), 0)
  end
end

--- Raises what waits for nothing.
function waiting.check(world)
  local instances = world.engine:instances {}
  local reasons = #instances > 0 and reasons_of(world.engine)
  for _, instance in ipairs(instances) do look(reasons, instance:tree(), instance) end
end

return waiting
