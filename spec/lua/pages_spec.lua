-- The pages of the manual show what happens: their blocks are played as a reader would.
local command = require "spec.cli.command"
local page = require "spec.support.page"

describe("docs/lua.md", function()
  local dir, files = command.folder(), 0
  teardown(function() getmetatable(dir).__close(dir) end)
  for _, chapter in ipairs(page.chapters "docs/lua.md") do
    it(("shows what happens in \"%s\""):format(chapter.title), function()
      files = files + page.play("docs/lua.md", dir, chapter.blocks)
    end)
  end
end)
