-- orrery upgrade STORE.
-- Marks: commands
local command = require "spec.cli.command"

describe("orrery upgrade", function()
  it("brings an older store to this version, says so, and has nothing to do then", function()
    local dir <close> = command.folder()
    local path = dir.path .. "/store"
    assert(os.execute(("mkdir '%s' && gunzip -c spec/engine/stores/format2.mdb.gz > '%s/data.mdb'"):format(path, path)))
    local code, _, err = command.run { "instances", path }
    assert.equal(1, code)
    assert.matches('"orrery upgrade" brings it there', err)
    local out
    code, out = command.run { "upgrade", path, "--keep" }
    assert.equal(0, code)
    assert.matches("format 2 to 3, %d+ records; the old file is data.mdb.old", out)
    assert.equal(0, (command.run { "verify", path }))
    local events
    code, events = command.events { "upgrade", path, "--json" }
    assert.same({ 0, 3, 3 }, { code, events[1].from, events[1].to })
    assert.equal(2, (command.run { "upgrade", dir.path .. "/nowhere" }))
  end)
end)
