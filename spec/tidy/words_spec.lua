-- The house rules about words.
local sources = require "spec.tidy.sources"

describe("one spelling", function()
  -- American, as most names were; what others fix (elements of BPMN, properties of CSS) is spelled so anyway.
  local british = { "colour", "behaviour", "neighbour", "honour", "favour", "cancell[ei]", "signall[ei]",
    "labell[ei][dnr]%f[%A]", "modell[ei]", "travell[ei]", "[aei][lmnr]isation", "nalys[ei][^s]", "centre[^d]", "catalogue",
    "licence", "defence", "artefact", "%f[%a]ageing" }

  local function british_in(line)
    for _, word in ipairs(british) do
      local found = line:lower():match(word)
      if found then return found end
    end
  end

  it("is kept by names and comments", function()
    local out = sources.findings(nil, function(path, line)
      local found = path ~= "spec/tidy/words_spec.lua" and british_in(line)
      return found and ('"%s" is not how we spell it'):format(found)
    end)
    assert.same({}, out)
  end)

  it("is kept by the manuals and the page", function()
    local out = {}
    for _, path in ipairs(sources.lines_of_command "ls README.md CHANGELOG.md docs/*.md examples/*/README.md; find ui/src -type f") do
      local number = 0
      for line in io.lines(path) do
        number = number + 1
        local found = british_in(line)
        if found then out[#out + 1] = ('%s:%d: "%s" is not how we spell it'):format(path, number, found) end
      end
    end
    assert.same({}, out)
  end)
end)
