-- The store fails at any call: the command says so and has done nothing, and once the store is well again everything goes on.
local driver = require "spec.fault.driver"

describe("the n-th call of the store fails", function()
  for name, scenario in driver.each(require "spec.fault.scenarios") do
    it("once, for every n of scenario " .. name, function() assert.is_true(driver.every(scenario, "store", false) > 100) end)
    it("and all behind it, for every n of scenario " .. name, function()
      assert.is_true(driver.every(scenario, "store", true) > 100)
    end)
  end
end)
