--- One version of a process definition.
local records = require "orrery.records"

return records.class "definitions"
