--- An incident.
local errors = require "orrery.errors"
local records = require "orrery.record"

local Incident = records.class "incidents"

function Incident:resolve() self.engine.core:incident_resolve(self.id) end

--- nil clears the annotation.
function Incident:annotate(text)
  errors.check_type("annotate", 1, text, "string", "nil")
  self.engine.core:incident_annotate(self.id, text)
end

return Incident
