--- A process instance.
local ids = require "orrery.ids"
local errors = require "orrery.errors"
local records = require "orrery.records"

local Instance = records.class("instances", "history_instances")
records.variables(Instance)

function Instance:active() return self.engine.core:active(self.id) end
function Instance:tree() return ids.fields(self.engine.core:tree(self.id)) end
function Instance:suspend() self.engine.core:suspend_instances({ id = self.id }, true) end
function Instance:activate() self.engine.core:suspend_instances({ id = self.id }, false) end

function Instance:delete(reason)
  errors.check_type("delete", 1, reason, "string", "nil")
  self.engine.core:delete_instance(self.id, reason)
end

function Instance:modify(instructions, options)
  errors.check_type("modify", 1, instructions, "table")
  self.engine.core:modify(self.id, instructions, options)
end

return Instance
