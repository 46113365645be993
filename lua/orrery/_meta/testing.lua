---@meta orrery.testing
-- `require "orrery.testing"`; see orrery.lua beside this file.
error "this file is for editors"

-- # Testing

---@class orrery.testing
local testing = {}

return testing
