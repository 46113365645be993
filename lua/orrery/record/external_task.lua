--- A task for an external worker.
local errors = require "orrery.errors"
local records = require "orrery.record"

local ExternalTask = records.class "external_tasks"

function ExternalTask:complete(worker, variables, local_variables)
  self.engine.core:external_complete(self.id, worker, variables, local_variables)
end

function ExternalTask:bpmn_error(worker, code, message, variables)
  self.engine.core:external_bpmn_error(self.id, worker, code, message, variables)
end

local failure_options = { "message", "details", "retries", "retry_timeout", "variables", "local_variables" }

function ExternalTask:fail(worker, failure)
  self.engine.core:external_fail(self.id, worker, errors.check_options("fail", 2, failure, failure_options))
end

function ExternalTask:lock(worker, duration) self.engine.core:external_lock(self.id, worker, duration) end
function ExternalTask:extend_lock(worker, duration)
  errors.check_type("extend_lock", 1, worker, "string")
  errors.check_type("extend_lock", 2, duration, "number", "string")
  self.engine.core:external_extend_lock(self.id, worker, duration)
end
function ExternalTask:unlock() self.engine.core:external_unlock(self.id) end
function ExternalTask:set_retries(retries) self.engine.core:external_set_retries(self.id, retries) end
function ExternalTask:set_priority(priority) self.engine.core:external_set_priority(self.id, priority) end

return ExternalTask
