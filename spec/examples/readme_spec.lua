-- What the README shows works as it is printed.
-- Marks: commands
local command = require "spec.cli.command"
local page = require "spec.support.page"

local function readme()
  local file <close> = assert(io.open "README.md")
  return file:read "a"
end

describe("README.md", function()
  it("shows a run as it comes", function()
    local dir <close> = command.folder()
    for _, chapter in ipairs(page.chapters "README.md") do
      if chapter.title == "See it run" then
        page.play("README.md", dir, chapter.blocks)
        return
      end
    end
    error "the README has no first run"
  end)

  it("links to what there is", function()
    for target in readme():gmatch "%]%(([^)#]+)[^)]*%)" do
      if not target:find "^http" then assert.is_truthy(io.open(target), target .. " is not there") end
    end
  end)

  it("has an example that runs", function()
    local dir <close> = command.folder()
    local code, out, err = command.run { "lua", dir.file("example.lua", readme():match "```lua\n(.-)```") }
    assert.same({ 0, "Hello kermit\ncompleted\n", "" }, { code, out, err })
  end)

  it("says of nothing that it works without a spec that shows it", function()
    local file <close> = assert(io.open "docs/features.md")
    local shown, wanted = {}, {}
    for id, specs in file:read "a":gmatch "\n| (%u%d+) |[^|\n]*|([^|\n]*)|" do
      for path in specs:gmatch "`([^`]+)`" do
        assert.is_true(os.execute(("test -e '%s'"):format(path)), path .. " is not there")
        shown[id] = true
      end
    end
    for ids in readme():gmatch "\n| (%u%d[^|\n]*) |" do -- "S8–S10, A22"
      for letter, from, to in ids:gmatch "(%u)(%d+)[^%d,]*%u?(%d*)" do
        for n = tonumber(from), tonumber(to) or tonumber(from) do wanted[letter .. n] = true end
      end
    end
    assert.same(wanted, shown)
  end)

  it("names commands that there are", function()
    local known = select(2, command.run { "--help" })
    for names in readme():gmatch "\norrery ([%l|]+)" do
      for name in names:gmatch "%l+" do assert.matches("\n  " .. name .. " ", known) end
    end
  end)

  it("lists the packages that are made", function()
    local file <close> = assert(io.open "debian/control")
    local listed, made = {}, {}
    local rows = readme():match "\n| package | [^\n]*\n|[-|]+\n(.-)\n\n"
    for name in ("\n" .. rows):gmatch "\n| `([^`]+)` |" do listed[#listed + 1] = name end
    for name in file:read "a":gmatch "\nPackage: (%S+)" do made[#made + 1] = name end
    table.sort(listed)
    table.sort(made)
    assert.same(made, listed)
  end)

  it("names files that there are", function()
    for path in readme():gmatch "`([%w_/]+/[%w_/%.]*)`" do
      if not path:find "^/" and not path:find "^build/" then
        assert.is_truthy(os.execute(("test -e '%s'"):format(path)), path .. " is not there")
      end
    end
  end)
end)
