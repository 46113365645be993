-- Random models whose jobs are run by threads, which look as if one ran them after another.
-- Marks: threads
local models = require "spec.sim.rivals.models"

local first <const> = require("spec.support.random").seed()

for _, dialect in ipairs { "camunda", "flowable", "orrery" } do
  describe("random models whose jobs threads run, of dialect " .. dialect, function()
    for _, run in ipairs(models(first, dialect, { threads = 1 }, 2000)) do it(run.name, run.play) end
  end)
end
