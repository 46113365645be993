-- Plays the tutorial with the installed command: ORRERY_INSTALLED=/usr/bin orrery lua tutorial.lua
package.path = "./?.lua;" .. package.path
local command = require "spec.cli.command"
local page = require "spec.support.page"

local dir <close> = command.folder()
local chapters, ran = page.chapters "docs/tutorial.md", 0
for _, chapter in ipairs(chapters) do ran = ran + page.play("docs/tutorial.md", dir,
  chapter.blocks) end
assert(#chapters >= 6 and ran >= 10, ("%d blocks of %d chapters are few"):format(ran, #chapters))
print(("played %d blocks of %d chapters"):format(ran, #chapters))
