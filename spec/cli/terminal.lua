--- The command at a terminal of its own, which script(1) gives it: typed to and read.
local command = require "spec.cli.command"
local folder = require "spec.support.folder"
local orrery = require "orrery"

local terminal = {}

local SECONDS_MAX = 60 -- for all of it, under whatever load

--- Is there a script(1)?
function terminal.there() return os.execute "command -v script > /dev/null" == true end

--- Starts `arguments` (one text) of the command; `local t <close> = terminal.open "repl"`.
function terminal.open(arguments)
  local dir = folder.make()
  os.execute(("mkfifo '%s/in'"):format(dir))
  -- Without exec some shells stay between, and end by the SIGINT that was meant for the command.
  local line = "HOME='%s' TERM=xterm timeout -k 1 %d script -qfec 'exec %s %s' '%s/out' < '%s/in' > '%s/shown'; echo $?"
  local process = io.popen(line:format(dir, SECONDS_MAX, command.path, arguments, dir, dir, dir), "r")
  local input = assert(io.open(dir .. "/in", "w"))
  input:setvbuf "no"
  local self, at, code = { dir = dir }, 1, nil
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
      orrery.sleep(0.01)
    until os.time() > till
    error(("the terminal did not show %q: %s"):format(text, output():sub(at)))
  end
  function self.types(text) input:write(text) end
  --- Its exit code, once it has ended.
  function self.ends()
    code = code or process:read "a"
    return tonumber(code)
  end
  return setmetatable(self, { __close = function()
    input:close()
    process:close()
    folder.remove(dir)
  end })
end

return terminal
