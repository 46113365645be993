-- The manual's examples by curl, one after the other as they stand there: each succeeds.
local support = require "spec.server.support"

describe("the manual's examples", function()
  it("run by curl, in their order", function()
    local server <close> = support.serve { files = { conf = 'return { options = { history = "full" } }' },
      arguments = "--config %f/conf" }
    local blocks, commands = {}, 0
    local manual = assert(io.open "docs/rest-by-curl.md"):read "a"
    for block in manual:gmatch "```sh\n(.-)```" do
      blocks[#blocks + 1] = block
      commands = commands + select(2, ("\n" .. block):gsub("\n[^\n]-[^\n]*%f[%w]get [/'\"]", "%0")) + select(2, block:gsub("send %u", ""))
    end
    assert.is_true(commands > 75, commands .. " requests")
    server:file("walk.sh", "set -euo pipefail\ncd " .. server.folder .. "\n" .. table.concat(blocks, "\n") .. "\necho walked >&2\n")
    local ok = os.execute(("BASE=%s/engine-rest bash %s/walk.sh > %s/answers 2> %s/trouble"):format(server.url, server.folder,
      server.folder, server.folder))
    local function text(name)
      local f = assert(io.open(server.folder .. "/" .. name))
      local all = f:read "a"
      f:close()
      return all
    end
    assert(ok, text("answers"):sub(-600) .. text "trouble")
    assert.equal("walked\n", text "trouble")
  end)
end)
