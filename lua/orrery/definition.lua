--- One version of a process definition.
local records = require "orrery.records"

local Definition = records.class "definitions"

--- Who may start it, as the model says; none: everyone. Nothing is enforced.
function Definition:links()
  local out = {}
  for _, user in ipairs(self.starter_users) do out[#out + 1] = { type = "candidate", user = user } end
  for _, group in ipairs(self.starter_groups) do out[#out + 1] = { type = "candidate", group = group } end
  return out
end

return Definition
