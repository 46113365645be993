-- Errors: message, place, context and details travel together.
local base = require("orrery_inside").base

local NOT_FOUND = -2

describe("errors", function()
  it("have a text and a kind for every code", function()
    local kinds = {}
    for code = -14, -1 do
      local text, kind = base.strerror(code)
      assert.is_true(#text > 5)
      assert.matches("^[a-z_]+$", kind)
      assert.is_nil(kinds[kind])
      kinds[kind] = true
    end
    assert.same({ "there is no such thing", "not_found" }, { base.strerror(NOT_FOUND) })
    assert.same({ "no error", "none" }, { base.strerror(0) })
    assert.same({ "unknown error", "unknown" }, { base.strerror(-999) })
  end)

  it("put context before the message and keep the code", function()
    local err = base.error { NOT_FOUND, "no task 7", wrap = "completing", traceback = "stack" }
    assert.same({ code = NOT_FOUND, kind = "not_found", message = "completing: no task 7", traceback = "stack" }, err)
  end)

  it("carry details: any order, the last of equal names stays", function()
    local err = base.error { -3, "bad", details = { { "line", 3 }, { "element", "task" }, { "zone", true }, { "line", 4 } } }
    assert.same({ line = 4, element = "task", zone = true }, err.details)
    assert.equal(0, err.validity)
  end)

  it("cut a long message between characters", function()
    for shift = 0, 3 do
      local message = base.error { -1, ("a"):rep(shift) .. ("\u{20AC}"):rep(1000) }.message
      assert.is_true(#message <= 1000 and #message > 990)
      assert.is_truthy(utf8.len(message))
    end
  end)
end)
