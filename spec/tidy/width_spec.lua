-- One width for all that is written: 100 columns. Lines of before may be longer until they are changed.
-- Marks: load
local sources = require "spec.tidy.sources"

local WIDTH = 100

-- How many longer lines each room has left. A number only ever goes down.
local left = {
  base = 166, runtime = 4700, store = 593, bindings = 549, server = 1507, lua = 2024, spec = 7257,
  examples = 65,
}

local function too_long()
  local count = {}
  for _, source in ipairs(sources.all) do
    local room = source.path:match "^[^/]+"
    for _, line in ipairs(source.lines) do
      if #line > WIDTH and (utf8.len(line) or #line) > WIDTH then count[room] = (count[room] or 0) + 1 end
    end
  end
  return count
end

describe("a new line", function()
  it("is within 100 columns", function()
    local out = {}
    for room, count in pairs(too_long()) do
      if count > (left[room] or 0) then
        out[#out + 1] = ("%s/ has %d lines beyond %d columns, and had %d"):format(room, count, WIDTH,
          left[room] or 0)
      end
    end
    assert.same({}, out)
  end)
end)
