--- One version of a process definition.
local records = require "orrery.record"

local Definition = records.class "definitions"

--- Who may start it, as the model and add_link say; none: everyone. Nothing is enforced.
function Definition:links()
  local out = {}
  for _, user in ipairs(self.starter_users) do out[#out + 1] = { type = "candidate", user = user } end
  for _, group in ipairs(self.starter_groups) do out[#out + 1] = { type = "candidate", group = group } end
  return out
end

function Definition:add_link(kind, link)
  self.engine.core:definition_add_link(self.id, kind, records.link_of("add_link", link))
  self:reload()
end

function Definition:remove_link(kind, link)
  self.engine.core:definition_remove_link(self.id, kind, records.link_of("remove_link", link))
  self:reload()
end

return Definition
