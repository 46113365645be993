-- Runs of real engines over random models, played here: all agree but for those that are known.
-- Marks: load
local known = require "spec.differential.known"

local FOLDER <const> = os.getenv "ORRERY_DIFFERENTIAL"

local function manual()
  local file <close> = assert(io.open "docs/bpmn.md")
  return (file:read("a"):gsub("%s+", " "))
end

describe("what differs by intent", function()
  it("stands in the manual", function()
    local text, missing = manual(), {}
    for _, seeds in pairs(known) do
      for _, sentence in pairs(seeds) do
        if not text:find(sentence, 1, true) then missing[sentence] = true end
      end
    end
    assert.same({}, missing)
  end)
end)

describe("what a real engine did", function()
  if not FOLDER then
    pending("is compared with what this one does: needs ORRERY_DIFFERENTIAL")
    return
  end
  local play = require "spec.differential.play"
  local records = require "spec.differential.records"

  for name, seeds in pairs(known) do
    it("is what this one does: " .. name, function()
      local wrong, differing, played = {}, {}, 0
      for record in records.of(("%s/%s.jsonl"):format(FOLDER, name)) do
        local difference = play.differs(record)
        played = played + 1
        if difference then differing[record.seed] = true end
        if difference and not seeds[record.seed] then
          wrong[#wrong + 1] = ("seed %d %s"):format(record.seed, difference)
        end
      end
      assert.same({}, wrong)
      for seed in pairs(seeds) do
        assert(differing[seed], seed .. " agrees: known.lua need not name it")
      end
      assert(played > 0, "no record was there")
    end)
  end
end)
