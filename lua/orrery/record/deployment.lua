--- A deployment.
local errors = require "orrery.errors"
local records = require "orrery.record"

local Deployment = records.class "deployments"

--- The bytes of one of its resources.
function Deployment:resource(name) return self.engine:resource(self.id, errors.check_type("resource", 1, name, "string")) end

return Deployment
