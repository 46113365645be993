--- A deployment.
local records = require "orrery.records"

local Deployment = records.class "deployments"

--- The bytes of one of its resources.
function Deployment:resource(name) return self.engine:resource(self.id, name) end

return Deployment
