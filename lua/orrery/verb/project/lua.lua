--- orrery lua: a script in the interpreter that the command carries.
local args = require "orrery.cli.args"
local core = require "orrery.core"

--- The script loads Orrery's modules itself, as under plain Lua. A test framework drops between two files what a file has loaded: were
--- some of them here before, those that come back would be others than those that stayed.
local function leave_modules()
  for name in pairs(package.loaded) do
    if name == "orrery" or name:find "^orrery%." then package.loaded[name] = nil end
  end
end

local function is_own(line) return line:find("lua/orrery/[%w_/]+%.lua:") ~= nil end

--- A traceback up to the script's main chunk, without the lines of Orrery's own; whole where the
--- fault lies there.
local function of_script(trace)
  local message, lines = trace:match "^(.*)\nstack traceback:\n(.*)$"
  if not message or is_own(message:match "^[^\n]*") then return trace end
  local kept, skipped = {}, true -- skipped: the line before was Orrery's, or raised it
  for line in lines:gmatch "[^\n]+" do
    local passing = line:find("(...tail calls...)", 1, true)
      or line:find "%[C%]: in function 'error'"
    if not is_own(line) and not (skipped and passing) then
      kept[#kept + 1], skipped = line, false
    else
      skipped = true
    end
    if line:find "in main chunk$" then break end
  end
  return ("%s\nstack traceback:\n%s"):format(message, table.concat(kept, "\n"))
end

--- Runs as `lua FILE ARGUMENTS` does, with Orrery's modules in the interpreter: nothing to install or set, and all in one program when
--- that was built with a sanitizer.
local function run(options)
  local chunk, problem = loadfile(options[1])
  if not chunk then args.usage("%s", problem) end
  local arg = { [-1] = "orrery", [0] = options[1] }
  table.move(options, 2, #options, 1, arg)
  _G.arg = arg
  core.signals_interrupt()
  leave_modules()
  local ok, failure = xpcall(chunk, function(e)
    return of_script(debug.traceback(tostring(e), 2))
  end, table.unpack(arg))
  if ok then return 0 end
  local signal, number = core.signals_caught()
  io.stderr:write("orrery lua: ", signal and "interrupted by " .. signal or core.shown(failure, true), "\n")
  return signal and 128 + number or 1
end

return {
  spec = {
    name = "lua", summary = "Runs a Lua script with Orrery in it.", rest = 1,
    arguments = { { "FILE", "the script" }, { "ARGUMENT", "what it finds in `arg` and `...`", optional = true, many = true } },
  },
  run = run,
}
