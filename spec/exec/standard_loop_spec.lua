-- Standard loops: an activity again and again, at most so often, while a condition holds, tested before or after.
local orrery = require "orrery"
local model = require "spec.bindings.model"

describe("a standard loop", function()
  local engine
  before_each(function()
    engine = orrery.open(nil, { log = "none", clock = "manual", retries = 1 })
    engine:register("step", function(execution) execution:set("n", (execution:get "n" or 0) + 1) end)
  end)
  after_each(function() engine:close() end)

  local function start(loop, variables, attributes)
    engine:deploy(model.around(('<serviceTask id="t" camunda:class="step" %s>%s</serviceTask>'):format(attributes or "", loop)))
    return engine:start("p", { variables = variables })
  end

  local below_five = "<loopCondition>${n &lt; 5}</loopCondition>"

  it("runs as often as its maximum says", function()
    assert.equal(3, start('<standardLoopCharacteristics loopMaximum="3"/>'):get "n")
  end)

  it("goes on while its condition holds, which is asked after each turn", function()
    assert.equal(5, start(("<standardLoopCharacteristics>%s</standardLoopCharacteristics>"):format(below_five)):get "n")
    assert.equal(8, start(("<standardLoopCharacteristics>%s</standardLoopCharacteristics>"):format(below_five), { n = 7 }):get "n")
  end)

  it("may ask before the first turn, too, and then run not at all", function()
    local loop = ('<standardLoopCharacteristics testBefore="true">%s</standardLoopCharacteristics>'):format(below_five)
    local instance = start(loop, { n = 5 })
    assert.equal(5, instance:get "n")
    assert.same({ "wait" }, instance:active())
  end)

  it("ends at its maximum although the condition holds", function()
    local loop = ('<standardLoopCharacteristics loopMaximum="2">%s</standardLoopCharacteristics>'):format(below_five)
    assert.equal(2, start(loop):get "n")
  end)
end)
