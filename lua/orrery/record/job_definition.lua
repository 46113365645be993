--- A job definition: what the jobs of one activity have in common.
local errors = require "orrery.errors"
local records = require "orrery.record"

local JobDefinition = records.class "job_definitions"

function JobDefinition:set_priority(priority, options)
  options = errors.check_options("set_priority", 2, options, { "cascade" })
  self.engine.core:job_definition_set_priority(self.id, priority, options.cascade)
end

function JobDefinition:clear_priority() self.engine.core:job_definition_clear_priority(self.id) end

function JobDefinition:set_retries(retries, options)
  self.engine.core:job_definition_set_retries(self.id, retries, errors.check_options("set_retries", 2, options, { "due" }).due)
end

function JobDefinition:suspend(options)
  options = errors.check_options("suspend", 1, options, { "jobs", "at" })
  self.engine.core:job_definition_suspend(self.id, options.jobs, options.at)
end

function JobDefinition:activate(options)
  options = errors.check_options("activate", 1, options, { "jobs", "at" })
  self.engine.core:job_definition_activate(self.id, options.jobs, options.at)
end

return JobDefinition
