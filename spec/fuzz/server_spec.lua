-- Requests with bytes changed, against the server in one process with what throws them, under a sanitizer: `make fuzz`, of which
-- ORRERY_FUZZ_SECONDS says how long, and ORRERY_SEED what is drawn.
local seed = require("spec.support.random").seed()

describe("the server's parsers", function()
  it("take whatever comes", function()
    local seconds = tonumber(os.getenv "ORRERY_FUZZ_SECONDS") or 30
    assert.is_true(os.execute(("%s/orrery_fuzz_server %d %d"):format(os.getenv "ORRERY_BUILD", seconds, seed)))
  end)
end)
