--- The prompt at a terminal of its own: what Control-C does, and what the prompt says to names that are nearly right.
local command = require "spec.cli.command"
local folder = require "spec.support.folder"

local SECONDS_MAX = 60 -- for all of it, under whatever load

--- A prompt that is typed to and read: script(1) gives it a terminal.
local function prompt()
  local dir = folder.make()
  os.execute(("mkfifo '%s/in'"):format(dir))
  local program = command.program or (os.getenv "ORRERY_BUILD" or "build/release") .. "/orrery"
  local process = io.popen(("HOME='%s' TERM=xterm timeout -k 1 %d script -qfec '%s repl' '%s/out' < '%s/in' > '%s/shown'; echo $?"):format(
    dir, SECONDS_MAX, program, dir, dir, dir), "r")
  local input = assert(io.open(dir .. "/in", "w"))
  input:setvbuf "no"
  local self, at = {}, 1
  local function output()
    local file <close> = io.open(dir .. "/out", "rb")
    return file and file:read "a" or ""
  end
  --- Waits until the text was shown, behind what was waited for before.
  function self.sees(text)
    local till = os.time() + SECONDS_MAX
    repeat
      local _, stop = output():find(text, at, true)
      if stop then
        at = stop + 1
        return
      end
    until os.time() > till
    error(("the prompt did not show %q: %s"):format(text, output():sub(at)))
  end
  function self.types(text) input:write(text) end
  --- Its exit code.
  function self.ends()
    input:write "\4"
    local code = process:read "a"
    input:close()
    process:close()
    folder.remove(dir)
    return tonumber(code)
  end
  return self
end

describe("the prompt", function()
  it("goes back to itself on Control-C, and on with what comes next", function()
    if not os.execute "command -v script > /dev/null" then return pending "script(1) is not here" end
    local p = prompt()
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
    assert.equal(0, p.ends())
  end)
end)
