-- A mutex that is waited for with a bound.
-- Marks: threads
local base = require("orrery_inside").base

describe("a lock with a bound", function()
  it("is late where another thread holds the mutex, and comes where it is free", function()
    assert.same({ "late", "locked" }, { base.timed_lock() })
  end)
end)
