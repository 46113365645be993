--- What a client may do to a world. An action is { name =, n =, x =, m =, id =, flow =, body = }; the
--- numbers choose among what there is, so that two worlds that look the same choose the same.
local client = {}

local WHOLE_DAYS <const> = 600 -- seconds, of which some pass

--- In a calm world, where no order is promised, the n-th of the names that there are, and any that
--- has it; in others the n-th of the list.
local function at(world, list, n, field)
  if #list == 0 then return nil end
  if not world.calm then return list[(n - 1) % #list + 1] end
  local names, of = {}, {}
  for _, record in ipairs(list) do
    local name = record[field]
    if not of[name] then names[#names + 1] = name end
    of[name] = of[name] or record
  end
  table.sort(names)
  return of[names[(n - 1) % #names + 1]]
end

local function task_of(world, a, filter) return at(world, world.engine:tasks(filter or {}), a.n, "key") end

local function instance_of(world, a)
  return at(world, world.engine:instances { key = "p" }, a.n, "definition_key")
end

function client.start(world, a)
  world.engine:start("p", { variables = { x = a.x, items = { "a", "b" } } })
end

-- ---- Tasks ---------------------------------------------------------------------------------------

function client.complete(world, a)
  local task = task_of(world, a)
  if not task then return end
  task:complete(a.m == 1 and { x = a.x, c = a.x % 2 } or { x = a.x })
  world.completed[#world.completed + 1] = task.id
end

function client.claim(world, a)
  local task = task_of(world, a, { unassigned = true })
  if task then task:claim "kermit" end
end

function client.task_error(world, a)
  local task = task_of(world, a)
  if task then task:bpmn_error("e" .. a.x, "by the client", { told = a.x }) end
end

function client.task_escalation(world, a)
  local task = task_of(world, a)
  if task then task:escalation(a.x == 3 and "down" or "up", {}) end
end

function client.external(world, a)
  local list = world.engine:fetch_and_lock { worker = "w", max = 10,
    topics = { { name = "t", lock = 60 } } }
  local task = at(world, list, a.n, "activity_id")
  for _, other in ipairs(list) do
    if other ~= task then other:unlock() end
  end
  if not task then return end
  if a.m == 0 then task:fail("w", { message = "no", retries = a.x, retry_timeout = 0 })
  elseif a.m == 1 then task:bpmn_error("w", "e" .. a.x)
  else task:complete("w", { x = a.x }) end
end

function client.external_retries(world, a)
  local task = at(world, world.engine:external_tasks { no_retries = true }, a.n, "activity_id")
  if task then task:set_retries(1 + a.x) end
end

-- ---- Events ----------------------------------------------------------------------------------------

local function subscription_of(world, a, type)
  return at(world, world.engine:subscriptions { type = type }, a.n, "name")
end

function client.message(world, a)
  local subscription = subscription_of(world, a, "message")
  if not subscription then return end
  world.engine:message(subscription.name, { execution = subscription.execution_id })
end

function client.correlate(world, a)
  world.engine:message("m" .. a.n % 3 + 1, { all = a.m == 0 or nil, variables = { told = a.x } })
end

function client.signal(world, a)
  local subscription = subscription_of(world, a, "signal")
  if subscription then world.engine:signal(subscription.name) end
end

function client.trigger(world, a)
  local execution = at(world, world.engine:executions {}, a.n, "activity_id")
  if execution then execution:trigger {} end
end

-- ---- Time and jobs -----------------------------------------------------------------------------------

function client.advance(world, a) world.engine:advance((a.n % 4 + 1) * WHOLE_DAYS) end

--- To the moment at which a job is due next, and no further.
function client.next_due(world)
  local next
  for _, job in ipairs(world.engine:jobs { suspended = false }) do
    local due = job.retries > 0 and job.due
    if due and due > world.engine:now() and (not next or due < next) then next = due end
  end
  if next then world.engine:set_time(next) end
end

function client.run_jobs(world, a) world.engine:run_jobs(a.n) end

local function job_of(world, a, filter)
  return at(world, world.engine:jobs(filter or {}), a.n, "activity_id")
end

function client.execute(world, a)
  local job = job_of(world, a)
  if job then job:execute() end
end

function client.retries(world, a)
  local job = job_of(world, a, { no_retries = true })
  if job then job:set_retries(1) end
end

function client.due(world, a)
  local job = job_of(world, a, { type = "timer" })
  if job then job:set_due(world.engine:now() + a.x * WHOLE_DAYS) end
end

function client.suspend_job(world, a)
  local job = job_of(world, a)
  if not job then return end
  if job.suspended then job:activate() else job:suspend() end
end

-- ---- Instances -----------------------------------------------------------------------------------

function client.set(world, a)
  local instance = instance_of(world, a)
  if not instance then return end
  instance:set_all(world.calm and { x = a.x } or { x = a.x, c = a.x % 2 })
end

function client.suspend(world, a)
  local instance = instance_of(world, a)
  if instance then instance:suspend() end
end

function client.activate(world)
  for _, instance in ipairs(world.engine:instances { suspended = true }) do instance:activate() end
end

function client.delete(world, a)
  local instance = instance_of(world, a)
  if instance then instance:delete "by the client" end
end

-- ---- Modification ----------------------------------------------------------------------------------

local function nth(list, n) return list[(n - 1) % #list + 1] end

local instructions = {}

function instructions.cancel(instance, a)
  local active = instance:active()
  return #active > 0 and { cancel = nth(active, a.n) } or nil
end
function instructions.start_before(_, a) return { start_before = a.id, variables = { told = a.x } } end
function instructions.start_after(_, a) return { start_after = a.id } end
function instructions.transition(_, a) return { transition = a.flow } end
function instructions.start_body(_, a) return a.body and { start_before = a.body } end
function instructions.cancel_instance(instance, a)
  local nodes = {}
  local function look(node)
    for _, child in ipairs(node.children or {}) do
      nodes[#nodes + 1] = child.id
      look(child)
    end
  end
  look(instance:tree())
  return #nodes > 0 and { cancel_instance = nth(nodes, a.n) } or nil
end

function client.modify(world, a)
  local instance = instance_of(world, a)
  local list = {}
  for _, kind in ipairs(instance and a.kinds or {}) do
    list[#list + 1] = instructions[kind](instance, a)
  end
  if #list > 0 then instance:modify(list, { skip_listeners = a.m == 0 or nil }) end
end

function client.cancel(world, a)
  local instance = instance_of(world, a)
  local one = instance and instructions.cancel(instance, a)
  if one then instance:modify { one } end
end

return client
