--- The mail task. Its fields are those of Flowable's; docs/integration.md describes them.
local core = require "orrery.core"
local fields = require "orrery.tasks.fields"
local future = require "orrery.future"
local mail = require "orrery.outside.mail"
local outside = require "orrery.outside"

local task_type = {}

--- A text field; or what a variable holds, as it is. In Flowable's models expressions in that are replaced, too, but whoever wrote it may
--- be anyone: they see variables and pure functions alone.
local function body(task, name)
  local text = task:value(name)
  if text ~= nil then return type(text) == "userdata" and text or tostring(text) end
  local variable = task:text(name .. "Var")
  if not variable then return nil end
  local kept = task.execution:get(variable)
  if kept == nil then task:fail("the variable '%s' of the field '%sVar' does not exist", variable, name) end
  if not core.texts_compute(task.execution) then return tostring(kept) end
  local engine = task.execution.engine
  return tostring(core.pure(engine.evaluate, engine, tostring(kept), { execution = task.execution.id }))
end

--- A name stands for a resource of the deployment, or a file below a folder of the option mail.files.
local function read_attachment(task, name)
  local execution = task.execution
  local definition = execution.engine:definition(execution.definition_id)
  local ok, bytes = pcall(execution.engine.resource, execution.engine, definition.deployment_id, name)
  if ok then return bytes end
  local path = core.real_path(name)
  for _, folder in ipairs(outside.of(execution.engine).mail.files or {}) do
    local root = core.real_path(folder)
    if path and root and path:sub(1, #root + 1) == root .. "/" then
      local file = io.open(path, "rb")
      if file then
        bytes = file:read "a"
        file:close()
        if bytes then return bytes end
      end
    end
  end
  task:fail("the attachment \"%s\" is no resource of the deployment and no file below a folder of the option mail.files", name)
end

local function attachments(task)
  local given, out = task:value "attachments", {}
  if given == nil then return nil end
  if type(given) == "string" then given = task:list "attachments" end
  if type(given) == "table" and given.data then given = { given } end
  for i, one in ipairs(given) do
    out[i] = type(one) == "table" and one or { name = tostring(one):match "[^/]+$", data = read_attachment(task, tostring(one)) }
  end
  return out
end

--- The same for every repetition of this visit, so that a mail that came twice shows it.
local function message_id(execution)
  return ("%s.%s.%s@orrery"):format(execution.instance_id, execution.id, execution.activity_id):gsub("[^%w%.@_-]", "_")
end

local function list_or_text(task, name)
  local value = task:value(name)
  return type(value) == "table" and value or task:text(name)
end

local function send(task)
  local execution = task.execution
  future.await(mail.send_for(execution.engine, { to = list_or_text(task, "to"), cc = list_or_text(task, "cc"),
    bcc = list_or_text(task, "bcc"), from = task:text "from", subject = task:text "subject", charset = task:text "charset",
    text = body(task, "text"), html = body(task, "html"), headers = task:lines "headers", attachments = attachments(task),
    tenant = execution.tenant, message_id = message_id(execution) }))
end

function task_type.execute(_, execution)
  local task = fields.of(execution, "mail")
  local ok, problem = pcall(send, task)
  if ok then return end
  if not task:flag "ignoreException" then error(problem, 0) end
  local name = task:text "exceptionVariableName"
  if name then execution:set(name, type(problem) == "table" and problem.message or tostring(problem)) end
end

return task_type
