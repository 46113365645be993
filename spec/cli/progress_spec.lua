-- How far long work is, on a terminal.
local command = require "spec.cli.command"
local terminal = require "spec.cli.terminal"

describe("the meter of long work", function()
  local real, written, seconds

  before_each(function()
    real, written, seconds = package.loaded["orrery.terminal"], {}, 0
    package.loaded["orrery.terminal"] = { is_terminal = function(stream) return stream == io.stderr or stream.terminal end }
  end)

  after_each(function() package.loaded["orrery.terminal"] = real end)

  local function meter(is_terminal)
    local out = require("orrery.cli.out").new {}
    out.stderr = { terminal = is_terminal, flush = function() end,
      write = function(_, ...) written[#written + 1] = table.concat({ ... }):gsub("\r\27%[K", "") end }
    return out:meter("checking", function() return seconds end)
  end

  it("says how much is done, and after two seconds how long the rest takes", function()
    local tell = meter(true)
    for _, at in ipairs { { 0, 0 }, { 1, 10 }, { 2, 10 }, { 20, 300 }, { 30, 999 }, { 31, 1000 } } do
      seconds = at[1]
      tell(at[2], 1000)
    end
    assert.same({ "checking: 0 %", "checking: 1 %", "checking: 1 %, 3 min 18 s left", "checking: 30 %, 47 s left",
      "checking: 99 %, 1 s left", "checking: 100 %" }, written)
  end)

  it("tells of hours, and writes nothing twice", function()
    local tell = meter(true)
    tell(0, 1000000)
    seconds = 60
    for _ = 1, 3 do tell(10000, 1000000) end
    tell(0, 0)
    assert.same({ "checking: 0 %", "checking: 1 %, 1 h 39 min left", "checking: 100 %" }, written)
  end)

  it("is none where there is no terminal, so nothing is called", function() assert.is_nil(meter(false)) end)
end)

describe("orrery verify, at a terminal", function()
  it("says how far it is before it says what it found", function()
    if not terminal.there() then return pending "script(1) is not here" end
    local dir <close> = command.folder()
    local path = dir.path .. "/store"
    local model = dir.file("p.bpmn", command.one_node '<userTask id="task"/>')
    assert.equal(0, (command.run { "deploy", path, model, "--create" }))
    local t <close> = terminal.open(("verify '%s'"):format(path))
    t.sees "checking: 100 %"
    t.sees "the store is sound"
  end)
end)
