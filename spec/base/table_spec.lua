-- The hash table of ids against a Lua table, over random operations.
local job = require("orrery_inside").job

describe("a table of ids", function()
  it("answers like a plain map", function()
    local seed = require("spec.support.random").seed()
    math.randomseed(seed)
    for round = 1, 20 do
      local operations, expected, model, count = {}, {}, {}, 0
      for i = 1, 2000 do
        local key, roll = math.random(1, 300), math.random(1, 10)
        if roll <= 4 then
          operations[i], expected[i] = { "put", key, i }, 0
          if not model[key] then count = count + 1 end
          model[key] = i
        elseif roll <= 7 then
          operations[i], expected[i] = { "remove", key }, 0
          if model[key] then count = count - 1 end
          model[key] = nil
        elseif roll <= 9 then
          operations[i], expected[i] = { "get", key }, model[key] or 0
        else
          operations[i], expected[i] = { "count" }, count
        end
      end
      assert.same(expected, job.table(operations), "seed " .. seed .. ", round " .. round)
    end
  end)
end)
