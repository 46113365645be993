-- The cases of the DMN compatibility kit that are given, where their folder is: all must pass but those of external Java functions.
local core = require "orrery.core"

local root = os.getenv "ORRERY_CONFORMANCE"
local folder = root and root .. "/dmn"

local command = require "spec.cli.command"

local function tck(path)
  local pipe = assert(io.popen(("%s tck %s 2>&1"):format(command.path, path)))
  local output = pipe:read "a"
  pipe:close()
  return output
end

describe("the compatibility kit", function()
  for _, level in ipairs { "level-2", "level-3" } do
    local path = folder and folder .. "/" .. level
    if path and core.folder(path) then
      it("passes " .. level, function()
        local output = tck(path)
        local passed, failed = output:match "(%d+) passed, (%d+) failed\n$"
        assert.equal("0", failed, output)
        assert.is_true(tonumber(passed) > 100)
      end)
    else
      pending(level .. ": set ORRERY_CONFORMANCE to the folder of the cases")
    end
  end

  it("is read as every XML file is: what is malformed is named by its line", function()
    local dir <close> = command.folder()
    dir.file("broken.xml", "<testCases>\n<modelName>a.dmn</modelName>\n<testCase>")
    local output = tck(dir.path)
    assert.matches("broken%.xml: case %?: line 3, column %d+: the XML is not well%-formed", output)
    assert.matches("\n0 passed, 1 failed\n$", output)
  end)
end)
