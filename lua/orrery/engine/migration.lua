--- A migration plan: a plain table (source_definition_id, target_definition_id, instructions, variables, arm_event_subprocesses) with what
--- can be asked of it.
local errors = require "orrery.errors"

local migration = {}

--- `plan`, with its methods for one engine.
function migration.plan(engine, plan)
  local methods = {}

  --- Everything that stands against the plan and, with `instances` or a `filter`, against moving these: an array, empty when all is well.
  function methods:validate(options)
    options = errors.check_options("validate", 1, options, { "instances", "filter" })
    return engine.core:check_migration(self, options)
  end

  --- Moves them.
  function methods:execute(options) return engine:migrate(self, options) end

  return setmetatable(plan, { __index = methods, __name = "orrery.migration_plan" })
end

return migration
