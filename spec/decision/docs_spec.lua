-- The examples of docs/decisions.md give what the page says.
local models = require "spec.decision.models"

local function page()
  local file <close> = assert(io.open "docs/decisions.md")
  return file:read "a"
end

--- Runs a block line by line: `expression --> value` is compared.
local function run(block, env)
  for line in block:gmatch "[^\n]+" do
    local expression, expected = line:match "^(.-)%s*%-%->%s*(.-)$"
    if expression then
      local value = assert(load("return " .. expected, "=page", "t", env))()
      local got = load("return " .. expression, "=page", "t", env)
      assert.equal(value, assert(got, expression)(), line)
    else
      assert(load(line, "=page", "t", env))()
    end
  end
end

describe("docs/decisions.md", function()
  it("has examples that run", function()
    local engine <close> = models.engine()
    local resources, blocks = {}, 0
    for language, block in page():gmatch "```(%l+)\n(.-)```" do
      if language == "xml" then
        resources[block:match "^<!%-%- (%S+) %-%->"] = block
      else
        blocks = blocks + 1
        run(block, setmetatable({ engine = engine, resources = resources }, { __index = _G }))
      end
    end
    assert.equal(3, blocks)
  end)

  it("names the limits that there are", function()
    local limits = {}
    for line in io.lines "base/limits.h" do
      local name, value = line:match "^#define ORR_DECISION_(%w+)_MAX (%d+)"
      if name then limits[name] = value end
    end
    local text = page():gsub(",", ""):match "\n## Limits\n(.-)\n## "
    for _, name in ipairs { "REQUIREMENTS", "PARAMETERS", "DEPTH", "IMPORTS", "COLUMNS", "RULES", "NAMES" } do
      assert.matches("%f[%d]" .. limits[name] .. "%f[%D]", text, name)
    end
  end)
end)
