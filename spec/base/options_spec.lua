-- Option structs of callers that were built against an older or newer header.
local options = require("orrery_inside").options
local header = dofile "bindings/generate/header.lua"

local ARGUMENT = -1

describe("every option struct of the header", function()
  for _, call in ipairs(options.sizes()) do
    it("may be of another version: " .. call.name, function()
      assert.equal(call.whole, call.shorter, "one that ends behind its size is one with nothing given")
      assert.equal(call.whole, call.longer, "one with unknown fields that are zero is one without them")
      assert.equal(ARGUMENT, call.unknown, "one that sets a field which nobody here knows is refused")
    end)
  end

  -- A struct that is not in the list above would be read without regard to its size.
  it("is among these", function()
    local tried = {}
    for line in io.lines "spec/inside/options.c" do
      for name in line:gmatch "sizeof%((orr_[%w_]+)%)" do tried[name] = true end
    end
    for name in header.text ".":gmatch "\n} (orr_[%w_]+) ORR_OPTIONS;" do
      assert.is_true(tried[name], name .. " is not tried in spec/inside/options.c")
    end
  end)
end)
