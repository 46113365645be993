--- What an instance and those it called wait for, one entry each: { kind, activity, text, instance, ... }.
local clock = require "orrery.cli.clock"

local waits = {}

local function task_wait(engine, task)
  local who = {}
  if task.assignee then who[1] = task.assignee
  else
    for _, link in ipairs(task:links()) do
      if link.type == "candidate" then who[#who + 1] = link.user or "group " .. link.group end
    end
  end
  local text = #who > 0 and "a user task of " .. table.concat(who, ", ") or "a user task of nobody yet"
  return { kind = "task", id = task.id, activity = task.key, name = task.name, text = ("%s (task %s)"):format(text, task.id) }
end

--- A job that may run now, and does not: the engine knows why.
local function why_not(job)
  local why = not job.error and (not job.due or job.due <= clock.now()) and job:why()
  return why and why.reason == "delegate_missing" and why
end

local function job_wait(job)
  local wait = { kind = job.type == "timer" and "timer" or "job", id = job.id, activity = job.activity_id, due = job.due,
    error = job.error }
  local missing = job.retries > 0 and not job.suspended and not job.lock_owner and why_not(job)
  if job.retries <= 0 then
    wait.kind, wait.text = "incident", ("job %s failed and has no retries left: %s"):format(job.id, job.error or "")
  elseif job.suspended or job.error or job.lock_owner then
    wait.text = ("job %s: %s"):format(job.id, job:why().text)
  elseif missing then
    wait.reason, wait.text = missing.reason, ("job %s: %s"):format(job.id, missing.text)
  else
    wait.text = ("%s due %s (job %s)"):format(wait.kind == "timer" and "a timer" or "a job", job.due and clock.format(job.due)
      or "now", job.id)
  end
  return wait
end

local function subscription_wait(s)
  return { kind = s.type, id = s.id, activity = s.activity_id, name = s.name, execution = s.execution_id,
    text = ("%s %s"):format(s.type, s.name and '"' .. s.name .. '"' or "") }
end

local function external_wait(task)
  if task.retries and task.retries <= 0 then
    return { kind = "incident", id = task.id, activity = task.activity_id,
      text = ("external task %s has no retries left: %s"):format(task.id, task.error or "") }
  end
  return { kind = "external", id = task.id, activity = task.activity_id,
    text = ("a worker for topic %q (external task %s)"):format(task.topic, task.id) }
end

local function collect(engine, instance, out)
  local known = {}
  local function add(wait)
    wait.instance = instance.id
    out[#out + 1] = wait
    known[wait.activity or ""] = true
  end
  for _, task in ipairs(engine:tasks { instance = instance.id }) do add(task_wait(engine, task)) end
  for _, job in ipairs(engine:jobs { instance = instance.id }) do add(job_wait(job)) end
  for _, task in ipairs(engine:external_tasks { instance = instance.id }) do add(external_wait(task)) end
  for _, s in ipairs(engine:subscriptions { instance = instance.id }) do
    if s.type ~= "compensation" then add(subscription_wait(s)) end
  end
  local called = {}
  for _, child in ipairs(engine:instances { super = instance.id }) do called[#called + 1] = child end
  for _, activity in ipairs(instance:active()) do
    if not known[activity] and #called == 0 then
      add { kind = "token", activity = activity, text = "a token that waits to be triggered or joined" }
    end
  end
  for _, child in ipairs(called) do collect(engine, child, out) end
end

function waits.of(engine, instance)
  local out = {}
  local now = engine:instance(instance.id)
  if now then collect(engine, now, out) end
  return out
end

return waits
