--- A worker for external tasks of an engine on another machine: it speaks to `orrery serve` by HTTP. docs/server.md.
local errors = require "orrery.errors"
local core = require "orrery.core"
local future = require "orrery.future"
local time = require "orrery.time"

local net = require "orrery.outside.net"

local json = { encode = core.json_encode, decode = core.json_decode }

local RETRIES, LOCK_SECONDS, MAX_TASKS, WAIT_SECONDS, PAUSE_FIRST, PAUSE_MAX = 3, 60, 1, 20, 0.5, 30
local UNLOCK_SECONDS = 2
local INT32 = 1 << 31

-- Values ------------------------------------------------------------------------------------------------------------------------------

local readers = {
  Json = function(value) return type(value) == "string" and json.decode(value) or value end,
  Date = function(value) return time.parse(value) end,
}

--- Variables as Lua has them: Json is decoded, a date is a number of seconds.
local function read_variables(given)
  local out = {}
  for name, v in pairs(given) do
    local value = v.value
    if value == core.null then value = nil end
    if value ~= nil and readers[v.type] then value = readers[v.type](value) end
    out[name] = value
  end
  return out
end

local function written(name, value)
  local kind = math.type(value) or type(value)
  if value == core.null then return { type = "Null", value = value } end
  if kind == "integer" then return { type = (value >= -INT32 and value < INT32) and "Integer" or "Long", value = value } end
  if kind == "float" then return { type = "Double", value = value } end
  if kind == "boolean" then return { type = "Boolean", value = value } end
  if kind == "string" then return { type = "String", value = value } end
  if kind == "table" then return { type = "Json", value = json.encode(value) } end
  errors.argument("complete", 1, ("variable %s: a %s cannot be sent"):format(name, kind))
end

local function write_variables(given)
  local out = {}
  for name, value in pairs(given or {}) do out[name] = written(name, value) end
  return next(out) and out or nil
end

-- Asking ------------------------------------------------------------------------------------------------------------------------------

local Worker = {}
Worker.__index = Worker
Worker.__name = "orrery.Worker"

--- A call below the engine's address; what it answers, decoded, and the status. A failure of the way there raises.
function Worker:ask(method, path, body, timeout)
  local headers = { ["Content-Type"] = "application/json" }
  if self.token then headers.Authorization = "Bearer " .. self.token end
  local answer = future.await(net.http { url = self.url .. path, method = method, headers = headers, body = body and json.encode(body),
    user = self.user, password = self.password, timeout = timeout })
  local text = answer.body ~= "" and answer.body or nil
  local ok, decoded = pcall(json.decode, text or "null")
  return answer.status, ok and decoded or nil, text
end

-- A task ------------------------------------------------------------------------------------------------------------------------------

local Task = {}
Task.__index = Task
Task.__name = "orrery.WorkerTask"

--- What the worker says of its task. Gone, or another's by now: then its work is not counted, and `false` says so.
local function say(self, verb, body)
  body.workerId = self.worker.worker
  local status, answer = self.worker:ask("POST", ("/external-task/%s/%s"):format(self.id, verb), body)
  if status == 204 then return true end
  if status == 404 or status == 400 then return false, type(answer) == "table" and answer.message end
  error(("%s: %d %s"):format(verb, status, type(answer) == "table" and answer.message or ""), 0)
end

function Task:complete(variables, local_variables)
  self.settled = true
  return say(self, "complete", { variables = write_variables(variables), localVariables = write_variables(local_variables) })
end

--- failure: message, details, retries (left; default one fewer), retry_timeout (seconds).
function Task:fail(failure)
  self.settled = true
  failure = errors.check_options("fail", 1, failure, { "message", "details", "retries", "retry_timeout" })
  return say(self, "failure", { errorMessage = failure.message, errorDetails = failure.details,
    retries = failure.retries or math.max((self.retries or self.worker.retries) - 1, 0),
    retryTimeout = failure.retry_timeout and math.floor(failure.retry_timeout * 1000) })
end

function Task:bpmn_error(code, message, variables)
  self.settled = true
  return say(self, "bpmnError", { errorCode = code, errorMessage = message, variables = write_variables(variables) })
end

--- The lock ends so many seconds from now.
function Task:extend_lock(seconds) return say(self, "extendLock", { newDuration = math.floor(seconds * 1000) }) end

local fields = { id = "id", topicName = "topic", activityId = "activity_id", processInstanceId = "instance_id",
  executionId = "execution_id", processDefinitionId = "definition_id", processDefinitionKey = "definition_key",
  businessKey = "business_key", tenantId = "tenant",
  retries = "retries", priority = "priority", workerId = "worker_id" }

local function task_of(worker, given)
  local task = setmetatable({ worker = worker, variables = read_variables(given.variables or {}) }, Task)
  for theirs, ours in pairs(fields) do
    if given[theirs] ~= core.null then task[ours] = given[theirs] end
  end
  return task
end

-- Working -----------------------------------------------------------------------------------------------------------------------------

local function is_bpmn_error(e) return type(e) == "table" and e.kind == "bpmn_error" end

--- A signal ended what ran (the second pattern: under plain Lua): this is no trouble of the
--- server's or the handler's.
local function is_interrupted(problem)
  return core.signals_caught() ~= nil or type(problem) == "string"
    and problem:find "interrupted!$" ~= nil
end

--- Gives back what is not done, as far as the server answers soon, and ends.
local function interrupted(self, tasks, problem)
  for _, given in ipairs(tasks) do
    pcall(self.ask, self, "POST", ("/external-task/%s/unlock"):format(given.id), nil,
      UNLOCK_SECONDS)
  end
  error(problem, 0)
end

--- Runs the handler: what it returns completes the task, what it raises fails it.
local function work(self, task)
  local ok, result = xpcall(self.handler, function(e)
    return is_bpmn_error(e) and { bpmn = e } or { text = tostring(e), trace = debug.traceback(tostring(e), 2) }
  end, task)
  if not ok and not result.bpmn and is_interrupted(result.text) then error(result.text, 0) end
  if task.settled then return end
  if ok then return task:complete(result) end
  local raised = result.bpmn
  if raised then return task:bpmn_error(raised.code, errors.said_with_bpmn_error(raised), raised.variables) end
  return task:fail { message = result.text, details = result.trace, retry_timeout = self.retry_timeout }
end

local function fetch(self)
  local status, answer = self:ask("POST", "/external-task/fetchAndLock", { workerId = self.worker, maxTasks = self.max, usePriority = true,
    asyncResponseTimeout = self.wait * 1000, topics = { { topicName = self.topic, lockDuration = math.floor(self.lock * 1000),
    variables = self.variables } } }, self.wait + 30)
  if status == 200 then return answer end
  error(("fetchAndLock: %d %s"):format(status, type(answer) == "table" and answer.message or ""), 0)
end

--- Works until `limit` tasks are done (none: for ever), or stop() is called by the handler. Where the server does not answer it is
--- asked again, after pauses that grow; a task that could not be reported comes again when its lock is over. Returns how many it did.
function Worker:run(limit)
  local done, pause = 0, PAUSE_FIRST
  self.stopped = false
  while not self.stopped and (not limit or done < limit) do
    local ok, tasks = pcall(fetch, self)
    if not ok and is_interrupted(tasks) then error(tasks, 0) end
    for i, given in ipairs(ok and tasks or {}) do
      local problem
      if ok then ok, problem = pcall(work, self, task_of(self, given)) end
      if not ok and is_interrupted(problem) then
        interrupted(self, table.move(tasks, i, #tasks, 1, {}), problem)
      end
      done = done + (ok and 1 or 0)
      if self.stopped then break end
    end
    if ok then pause = PAUSE_FIRST else
      if self.on_trouble then self.on_trouble(tasks) end
      future.sleep(pause)
      pause = math.min(pause * 2, PAUSE_MAX)
    end
  end
  return done
end

function Worker:stop() self.stopped = true end

local options = { "url", "topic", "worker", "handler", "user", "password", "token", "lock", "max", "wait", "retries", "retry_timeout",
  "variables", "on_trouble" }

return function(o)
  o = errors.check_options("worker", 1, o, options)
  errors.check_type("worker", 1, o.url, "string")
  errors.check_type("worker", 1, o.topic, "string")
  errors.check_type("worker", 1, o.handler, "function")
  local self = { lock = LOCK_SECONDS, max = MAX_TASKS, wait = WAIT_SECONDS, retries = RETRIES,
    worker = ("%s-%08x"):format(o.topic, math.random(0, 0x7FFFFFFF)) }
  for _, name in ipairs(options) do
    if o[name] ~= nil then self[name] = o[name] end
  end
  self.url = self.url:gsub("/+$", "")
  return setmetatable(self, Worker)
end
