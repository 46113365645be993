-- docs/command.md is what the command's declarations say today.
-- Marks: load
local cli = require "orrery.cli"
local manual = require "orrery.verb.project.manual"

describe("docs/command.md", function()
  it("is what `make generate` writes", function()
    local file <close> = assert(io.open "docs/command.md")
    assert.is_true(file:read "a" == manual.markdown(cli.commands()), "docs/command.md is out of date: run make generate")
  end)
end)
