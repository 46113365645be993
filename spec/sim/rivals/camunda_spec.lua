-- Random models with random clients in Camunda's dialect: two worlds that must look the same do, and
-- each is whole (play.lua).
local models = require "spec.sim.rivals.models"

local first <const> = require("spec.support.random").seed()
local RIVALS <const> = { reopened = 2, killed = 1, cut = 2 }

describe("random models of Camunda's dialect", function()
  for _, run in ipairs(models(first, "camunda", RIVALS, 10000)) do it(run.name, run.play) end
end)
