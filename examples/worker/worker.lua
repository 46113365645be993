--- A worker: another process on the same store, which takes external tasks and works on them until no parcel is on its way.
---   orrery lua worker.lua STORE NAME
local orrery = require "orrery"

local store, name = assert(arg[1], "which store?"), arg[2] or "worker"

local LOCK = 30    -- seconds; if this dies, another worker gets its tasks after that
local PAUSE = 0.02 -- seconds without tasks until it looks again
local MAX = 5      -- tasks at once

local tries = {} -- of this worker, by task

--- What there is to do, by topic. A result is variables; a problem is raised: a code for the model, a text for another try.
local work = {}

function work.label(task)
  if not task.variables.address then error { code = "NO_SUCH_ADDRESS", message = "the address is missing" } end
  return { label = ("%s, %s"):format(task.business_key, task.variables.address) }
end

--- The carrier's line is busy at every first call.
function work.pickup(task)
  tries[task.id] = (tries[task.id] or 0) + 1
  if tries[task.id] == 1 then error("the line is busy", 0) end
  return { pickup = "tomorrow" }
end

local function perform(task)
  local ok, result = pcall(work[task.topic], task)
  if ok then task:complete(name, result)
  elseif type(result) == "table" then task:bpmn_error(name, result.code, result.message)
  else task:fail(name, { message = result, retries = (task.retries or 3) - 1, retry_timeout = PAUSE }) end
end

local engine <close> = orrery.open(store)
local done = 0
while engine:count("instances", { key = "parcel" }) > 0 do
  local topics = { { name = "label", lock = LOCK, variables = { "address" } }, { name = "pickup", lock = LOCK } }
  local tasks = engine:fetch_and_lock { worker = name, max = MAX, use_priority = true, topics = topics }
  for _, task in ipairs(tasks) do
    perform(task)
    done = done + 1
  end
  if #tasks == 0 then orrery.sleep(PAUSE) end
end
print(("%s: %d tasks"):format(name, done))
