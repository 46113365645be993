-- Boolean expressions as cells of decision tables: what Camunda's FEEL makes of them, and what the standard does.
local models = require "spec.decision.models"

local CAMUNDA = 'xmlns:camunda="http://camunda.org/schema/1.0/dmn" exporter="Camunda Modeler"'

describe("a boolean expression as a cell", function()
  local function fits(cell, vars, type, attributes)
    local options = { policy = "FIRST", inputs = { { "x", type } }, rules = { { cell, '"yes"' }, { "-", '"no"' } } }
    return (models.decide(models.file(models.decision("d", models.table(options)), { version = "1.3", attributes = attributes or CAMUNDA }),
      "d", vars))
  end

  it("holds when it is true, whatever the input is", function()
    assert.equal("yes", fits("a > b", { x = "other", a = 2, b = 1 }))
    assert.equal("yes", fits("a > b", { x = false, a = 2, b = 1 }))
    assert.equal("yes", fits("a > b", { x = false, a = 2, b = 1 }, "boolean"))
    assert.equal("no", fits("a > b", { x = "other", a = 1, b = 2 }))
    assert.equal("yes", fits("a > b", { x = false, a = 1, b = 2 })) -- false is what the input is
  end)

  it("that is negated holds when it is false", function()
    assert.equal("yes", fits("not(a > b)", { x = "other", a = 1, b = 2 }))
    assert.equal("yes", fits("not(a > b)", { x = "other", a = 1, b = 2 }, "string"))
    assert.equal("yes", fits("not(flag)", { x = 5, flag = false }))
    assert.equal("no", fits("not(flag)", { x = 5, flag = true }))
    assert.equal("no", fits("not(a > b)", { x = "other", a = 2, b = 1 }))
    assert.equal("yes", fits('not(contains(?, "a"))', { x = "other" }))
    assert.equal("no", fits('not(contains(?, "o"))', { x = "other" }))
    assert.equal("yes", fits("not(flag, 7)", { x = 5, flag = false }))
  end)

  it("that is a literal is compared with the input", function()
    assert.equal("no", fits("true", { x = false }))
    assert.equal("yes", fits("not(true)", { x = false }))
    assert.equal("yes", fits("false", { x = false }))
  end)

  it("that asks for the input is a condition", function()
    assert.equal("no", fits("? = true", { x = false }))
    assert.equal("no", fits("? * 1", { x = 5 }))
    assert.equal("yes", fits("? > 1 and ? < a", { x = 5, a = 9 }))
    assert.equal("yes", fits("? * 1", { x = 5 }, nil, "")) -- in the standard a value to compare with
  end)

  it("means what the standard has in other dialects", function()
    assert.equal("no", fits("a > b", { x = false, a = 2, b = 1 }, nil, ""))
    assert.equal("no", fits("not(flag)", { x = "other", flag = false }, nil, ""))
  end)
end)
