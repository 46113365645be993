-- What the engines behind the server tell on the standard error.
-- Marks: commands
local command = require "spec.cli.command"
local support = require "spec.server.support"

--- What a server said from its begin to its end.
local function said(options)
  local server <close> = support.serve(options)
  server:stop()
  return server:log()
end

describe("orrery serve --log", function()
  it("tells as much as the level says, warnings unless it is given", function()
    assert.matches("info: executor started", said { arguments = "--log info" })
    assert.is_nil(said {}:find("executor started", 1, true))
  end)

  it("may stand in the file of settings, which the command line goes before", function()
    local files = { conf = 'return { log = "debug", options = { log = "none" } }' }
    assert.matches("executor started", said { files = files, arguments = "--config %f/conf" })
    local quiet = said { files = files, arguments = "--config %f/conf --log error" }
    assert.is_nil(quiet:find("executor started", 1, true))
  end)

  it("is one of the levels", function()
    local dir <close> = command.folder()
    local code, _, err = command.run { "serve", dir.path .. "/store", "--log", "chatty" }
    assert.same({ 2, true }, { code,
      err:find("--log needs one of none, error, warning, info, debug", 1, true) ~= nil })
    local conf = dir.file("conf", 'return { log = "chatty" }')
    code, _, err = command.run { "serve", dir.path .. "/store", "--config", conf }
    assert.same({ 2, true }, { code,
      err:find("log must be one of none, error, warning, info, debug", 1, true) ~= nil })
  end)
end)
