-- What the command does where there is a terminal: it asks before it acts on many, and draws how things stand.
local command = require "spec.cli.command"
local orrery = require "orrery"
local terminal = require "spec.cli.terminal"

local function store_of(dir, count)
  local path = dir.path .. "/store"
  local engine <close> = orrery.open(path, { log = "none" })
  engine:deploy { ["p.bpmn"] = command.one_node '<userTask id="wait"/>' }
  engine:transaction(function()
    for i = 1, count do engine:start("p", { variables = { n = i } }) end
  end)
  return path
end

local function suspended(path)
  local engine <close> = orrery.open(path, { log = "none" })
  return engine:count("instances", { suspended = true })
end

describe("an action on all at a terminal", function()
  it("asks, and does what it is told", function()
    if not terminal.there() then return pending "script(1) is not here" end
    local dir <close> = command.folder()
    local path = store_of(dir, 3)
    for _, answer in ipairs { { "\n", 1, 0 }, { "n\n", 1, 0 }, { "\4", 1, 0 }, { "y\n", 0, 3 } } do
      local t <close> = terminal.open(("instances %s --suspend all"):format(path))
      t.sees "Suspend 3 instances? [y/N] "
      t.types(answer[1])
      if answer[2] == 1 then t.sees "nothing was done" else t.sees "3 instances: 3 suspended" end
      assert.equal(answer[2], t.ends())
      assert.equal(answer[3], suspended(path))
    end
  end)
end)

describe("orrery top at a terminal", function()
  it("draws in place until q, and leaves the terminal as it was", function()
    if not terminal.there() then return pending "script(1) is not here" end
    local dir <close> = command.folder()
    local path = store_of(dir, 2)
    local t <close> = terminal.open(("top %s --interval 3600"):format(path))
    t.sees "\27[?1049h"
    t.sees "\27[H"
    t.sees "2 running"
    t.sees "q ends"
    do
      local engine <close> = orrery.open(path, { log = "none" })
      engine:instance({}):delete "enough"
    end
    t.types " " -- any key looks at once
    t.sees "\27[H"
    t.sees "1 running, 1 ended in the last hour"
    t.sees "q ends"
    t.types "q"
    t.sees "\27[?1049l"
    assert.equal(0, t.ends())
  end)

  it("ends at Control-C in good order, too", function()
    if not terminal.there() then return pending "script(1) is not here" end
    local dir <close> = command.folder()
    local t <close> = terminal.open(("top %s"):format(store_of(dir, 1)))
    t.sees "q ends"
    t.types "\3"
    t.sees "\27[?1049l"
    assert.equal(0, t.ends())
  end)
end)
