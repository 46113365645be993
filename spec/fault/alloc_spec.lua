-- Memory is out at any allocation: the call says so and has done nothing, and once there is memory again everything goes on.
local driver = require "spec.fault.driver"

describe("the n-th allocation fails", function()
  for name, scenario in driver.each(require "spec.fault.scenarios") do
    it("once, for every n of scenario " .. name, function() assert.is_true(driver.every(scenario, "memory", false) > 100) end)
    it("and all behind it, for every n of scenario " .. name, function()
      assert.is_true(driver.every(scenario, "memory", true) > 100)
    end)
  end
end)
