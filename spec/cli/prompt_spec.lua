--- The prompt at a terminal of its own: what Control-C does, and what the prompt says to names that are nearly right.
local folder = require "spec.support.folder"
local terminal = require "spec.cli.terminal"

--- No bound ends a loop of a delegate before Control-C does.
local UNBOUND <const> = "return { options = { sandbox = { instructions = 0, seconds = 0 } } }"

describe("the prompt", function()
  it("goes back to itself on Control-C, and on with what comes next", function()
    if not terminal.there() then return pending "script(1) is not here" end
    local dir = folder.make()
    finally(function() folder.remove(dir) end)
    folder.write(dir .. "/unbound.lua", UNBOUND)
    local p <close> = terminal.open(("repl --lua '%s/unbound.lua'"):format(dir))
    p.sees "orrery> "
    p.types 'print("com".."puting") while true do end\n'
    p.sees "computing"
    p.types "\3"
    p.sees "interrupted by SIGINT"
    p.sees "orrery> "
    p.types "if true then\n"
    p.sees ">> "
    p.types "\3"
    p.sees "orrery> " -- of the input that was begun nothing is left
    p.types "half a li"
    p.sees "half a li"
    p.types "\3"
    p.sees "orrery> "
    p.types 'engine:register("x", function() print("loo".."ping") while true do end end) engine:evaluate "${x()}"\n'
    p.sees "looping"
    p.types "\3"
    p.sees "interrupted by SIGINT"
    p.sees "orrery> "
    p.types 'print("still ".."here")\n'
    p.sees "still here"
    p.sees "orrery> "
    p.types "\4"
    assert.equal(0, p.ends())
  end)
end)
