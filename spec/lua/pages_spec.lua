-- The pages of the manual show what happens: their blocks are played as a reader would.
local command = require "spec.cli.command"
local page = require "spec.support.page"

for _, path in ipairs { "docs/lua.md", "docs/recipes.md", "docs/forms.md", "docs/tutorial.md", "docs/operating.md" } do
  describe(path, function()
    local dir = command.folder()
    teardown(function() getmetatable(dir).__close(dir) end)
    for _, chapter in ipairs(page.chapters(path)) do
      it(('shows what happens in "%s"'):format(chapter.title), function() page.play(path, dir, chapter.blocks) end)
    end
  end)
end
