--- What a random client does next: something that can have an effect.
local choice = {}

-- How often, and what must be there for it to do something; `delete` and its like are rare, since
-- they end what is looked at.
local wild = { start = 6, complete = 40, claim = 3, task_error = 3, task_escalation = 3,
  message = 12, correlate = 3, signal = 6, advance = 10, run_jobs = 18, execute = 8, retries = 4,
  due = 2, suspend_job = 1, set = 8, trigger = 6, external = 10, external_retries = 4,
  suspend = 2, activate = 12, modify = 5, delete = 1 }

--- With time that goes from one due job to the next.
local calm = { complete = 40, claim = 3, message = 16, signal = 10, next_due = 14, retries = 8,
  set = 8, external = 14, external_retries = 6, suspend = 2, activate = 12, cancel = 2 }

local TASKS, JOBS = { "tasks" }, { "jobs" }
local needs = {
  complete = TASKS, task_error = TASKS, task_escalation = TASKS,
  claim = { "tasks", { unassigned = true } },
  message = { "subscriptions", { type = "message" } },
  correlate = { "subscriptions", { type = "message" } },
  signal = { "subscriptions", { type = "signal" } },
  advance = JOBS, run_jobs = JOBS, execute = JOBS, suspend_job = JOBS,
  next_due = { "jobs", { suspended = false } },
  retries = { "jobs", { no_retries = true } }, due = { "jobs", { type = "timer" } },
  external = { "external_tasks" }, external_retries = { "external_tasks", { no_retries = true } },
  activate = { "instances", { suspended = true } },
}

-- What is refused while an instance is suspended depends on where a transaction ends, and more than
-- one job may come to be due: a calm world does little else than to activate it.
local resting = { activate = true, claim = true, set = true }

local kinds = { cancel = 4, start_before = 4, start_after = 1, transition = 1, start_body = 1,
  cancel_instance = 2 }

local function possible(world)
  local engine = world.engine
  local rests = world.calm and engine:count("instances", { suspended = true }) > 0
  local out = {}
  for name, weight in pairs(world.calm and calm or wild) do
    local need = needs[name]
    local there = not need or engine:count(need[1], need[2] or {}) > 0
    if there and (resting[name] or not rests) then out[name] = weight end
  end
  return out
end

local function picked(random, list) return #list > 0 and random:pick(list) or nil end

function choice.next(random, world, model)
  local action = { name = random:weighted(possible(world)), n = random:integer(1, 1000),
    x = random:integer(0, 3), m = random:integer(0, 3), id = random:pick(model.ids),
    flow = picked(random, model.flows), body = picked(random, model.bodies) }
  if action.name == "modify" then
    action.kinds = {}
    for i = 1, random:integer(1, 3) do action.kinds[i] = random:weighted(kinds) end
  end
  return action
end

--- As a line that tells it.
function choice.text(action)
  local parts = { action.name, table.concat(action.kinds or {}, "+") }
  for _, key in ipairs { "n", "x", "m", "id", "flow", "body" } do
    parts[#parts + 1] = key .. "=" .. tostring(action[key])
  end
  return table.concat(parts, " ")
end

return choice
