--- A user task.
local bean = require "orrery.el.bean"
local errors = require "orrery.errors"
local ids = require "orrery.ids"
local records = require "orrery.record"

local Task = records.class "tasks"
records.variables(Task)
Task.kept = { event_name = true, execution = true, delete_reason = true } -- what a listener's task has beside the record

--- A listener goes on with the task it changed.
local function changed(self)
  if rawget(self, "event_name") then self:reload() end
end

function Task:complete(variables, options)
  options = errors.check_options("complete", 2, options, { "local_variables", "transient" })
  self.engine.core:task_complete(self.id, variables, options.local_variables, options.transient)
end

--- Its form: key, reference, fields with their values.
function Task:form() return ids.fields(self.engine.core:task_form(self.id)) end

function Task:submit_form(values) self.engine.core:task_submit_form(self.id, values) end

function Task:claim(user)
  self.engine.core:task_claim(self.id, user)
  changed(self)
end

function Task:unclaim()
  self.engine.core:task_assign(self.id, nil)
  changed(self)
end

function Task:assign(user)
  self.engine.core:task_assign(self.id, user)
  changed(self)
end

function Task:delegate(user)
  self.engine.core:task_delegate(self.id, user)
  changed(self)
end

function Task:resolve(variables)
  self.engine.core:task_resolve(self.id, variables)
  changed(self)
end

local updatable = { "name", "description", "assignee", "owner", "priority", "due", "follow_up", "category", "delegation", "parent_id" }

--- orrery.null clears a field.
function Task:update(changes)
  self.engine.core:task_update(self.id, errors.check_options("update", 1, changes, updatable))
  changed(self)
end

function Task:links() return self.engine.core:task_links(self.id) end

function Task:add_link(kind, link)
  self.engine.core:task_add_link(self.id, kind, records.link_of("add_link", link))
end

function Task:remove_link(kind, link)
  self.engine.core:task_remove_link(self.id, kind, records.link_of("remove_link", link))
end

--- The tasks that it is divided into, and one more of them.
function Task:subtasks() return self.engine:tasks { parent_id = self.id } end

function Task:add_subtask(fields)
  local own = {}
  errors.check_type("add_subtask", 1, fields, "table")
  for name, value in pairs(errors.check_options("add_subtask", 1, fields, records.new_task)) do own[name] = value end
  own.parent_id = self.id
  return self.engine:create_task(own)
end

function Task:comments() return self.engine:comments { task_id = self.id, order_by = "id" } end
function Task:add_comment(message) return self.engine:add_comment(self.id, message) end
function Task:attachments() return self.engine:attachments { task_id = self.id, order_by = "id" } end
function Task:add_attachment(attachment) return self.engine:add_attachment(self.id, attachment) end

function Task:delete(reason) self.engine.core:task_delete(self.id, reason) end
function Task:bpmn_error(code, message, variables) self.engine.core:task_bpmn_error(self.id, code, message, variables) end
function Task:escalation(code, variables) self.engine.core:task_escalation(self.id, code, variables) end

--- In listeners: an injected field.
function Task:field(name)
  if not self.execution then errors.raise("state", "only a listener's task has fields") end
  return self.execution:field(name)
end

Task.spelling = bean.resolver(bean.task)

return Task
