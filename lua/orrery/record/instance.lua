--- A process instance.
local ids = require "orrery.ids"
local errors = require "orrery.errors"
local records = require "orrery.record"

local Instance = records.class("instances", "history_instances")
records.variables(Instance)

function Instance:active() return self.engine.core:active(self.id) end
function Instance:tree() return ids.fields(self.engine.core:tree(self.id)) end
function Instance:suspend() self.engine.core:suspend_instances { id = self.id } end
function Instance:activate() self.engine.core:activate_instances { id = self.id } end

function Instance:delete(reason, options)
  errors.check_type("delete", 1, reason, "string", "nil")
  self.engine.core:delete_instance(self.id, reason, options)
end

function Instance:modify(instructions, options)
  errors.check_type("modify", 1, instructions, "table")
  self.engine.core:modify(self.id, instructions, options)
end

-- Users by name, in the order in which they came, once each.
local function people()
  local out, known = {}, {}
  return out, function(user)
    if user and user ~= "" and not known[user] then
      known[user] = true
      out[#out + 1] = user
    end
  end
end

--- Who started it, and who takes or took part: the assignees and owners of its tasks, ended ones as far as history tells, and the candidate
--- users of those that are open.
function Instance:links()
  local participants, add = people()
  for _, task in ipairs(self.engine:history_tasks { instance = self.id, order_by = "created" }) do
    add(task.assignee)
    add(task.owner)
  end
  for _, task in ipairs(self.engine:tasks { instance = self.id }) do
    add(task.assignee)
    add(task.owner)
    for _, link in ipairs(task:links()) do add(link.user) end
  end
  local out = {}
  if self.starter then out[1] = { type = "starter", user = self.starter } end
  for _, user in ipairs(participants) do out[#out + 1] = { type = "participant", user = user } end
  return out
end

return Instance
