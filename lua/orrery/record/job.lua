--- A job.
local errors = require "orrery.errors"
local records = require "orrery.record"

local Job = records.class "jobs"

function Job:execute() self.engine.core:job_execute(self.id) end

function Job:set_retries(retries, options)
  self.engine.core:job_set_retries(self.id, retries, errors.check_options("set_retries", 2, options, { "due" }).due)
end

--- orrery.null: at once.
function Job:set_due(due, options)
  self.engine.core:job_set_due(self.id, due, errors.check_options("set_due", 2, options, { "cascade" }).cascade)
end

function Job:recalculate_due(options)
  options = errors.check_options("recalculate_due", 1, options, { "from_creation" })
  self.engine.core:job_recalculate_due(self.id, options.from_creation)
end

function Job:set_priority(priority) self.engine.core:job_set_priority(self.id, priority) end
function Job:suspend() self.engine.core:job_suspend(self.id) end
function Job:activate() self.engine.core:job_activate(self.id) end
function Job:delete() self.engine.core:job_delete(self.id) end
function Job:traceback() return records.plain(self.engine.core:job_traceback(self.id)) end

--- Why it does not run: { reason, text, cure }.
function Job:why() return self.engine.core:why(self.id) end

return Job
