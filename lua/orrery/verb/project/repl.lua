--- orrery repl: the prompt, at a terminal or fed from a file.
local core = require "orrery.core"
local files = require "orrery.files"
local orrery = require "orrery"
local repl = require "orrery.repl"
local scenario = require "orrery.cli.scenario"
local store = require "orrery.cli.store"

local HISTORY_LINES = 1000

local function history_path()
  local state = os.getenv "XDG_STATE_HOME" or os.getenv "HOME"
  return state and state .. "/.orrery_history"
end

--- Lines from a terminal, edited, with history and completion.
local function terminal_reader(prompt_repl)
  local terminal = require "orrery.terminal"
  local path = history_path()
  if path then terminal.read_history(path) end
  local function complete(word, line, cursor) return prompt_repl:complete(word, line, cursor) end
  return {
    read = function(prompt) return terminal.read_line(prompt, complete) end,
    remember = function(text)
      terminal.add_history(text)
      if path then terminal.write_history(path, HISTORY_LINES) end
    end,
  }
end

--- Has the user's editor change a text.
local function edit(text)
  local path = os.tmpname()
  local copy <close> = setmetatable({}, { __close = function() os.remove(path) end })
  files.write(path, text .. "\n")
  local editor = os.getenv "VISUAL" or os.getenv "EDITOR" or "vi"
  if not os.execute(("%s '%s'"):format(editor, path)) then error(("the editor \"%s\" failed"):format(editor), 0) end
  local _, bytes = next(files.read(path))
  return (bytes:gsub("%s+$", ""))
end

--- After an input: Control-C ended that, and no more; a signal to terminate ends the prompt.
local function interrupted()
  local signal = core.signals_caught()
  core.signals_forget()
  return signal == "SIGTERM"
end

local function interactive()
  local ok, terminal = pcall(require, "orrery.terminal")
  return ok and terminal.is_terminal(io.stdin) and terminal.is_terminal(io.stdout)
end

local function run(options, out)
  local s = scenario.load(options.lua)
  local settings = { package_path = scenario.module_path(scenario.folder(options.lua) or "."), clock = options.manual_clock and "manual"
    or nil }
  for key, value in pairs(s.options or {}) do settings[key] = value end
  local made = store.made(options[1])
  local engine <close> = orrery.open(options[1], settings)
  if made then out:problem("orrery repl: " .. made) end
  if s.setup then s.setup(engine) end
  local function setup()
    local again = scenario.load(options.lua)
    if again.setup then again.setup(engine) end
  end
  local prompt = repl.new { engine = engine, paint = out.paint, path = settings.package_path, setup = setup,
    print = function(text) out:block(text) end }
  if not interactive() then
    local fine = repl.run { repl = prompt, read = function() return io.read "l" end }
    return fine and 0 or 1
  end
  local reader = terminal_reader(prompt)
  core.signals_interrupt() -- Control-C interrupts what runs; at the prompt the line editor gives it back
  out:line("orrery %s, %s. help() tells what is at hand; Control-D ends.", orrery.version,
    options[1] and "store " .. store.shown(options[1]) or "a store that goes at the end")
  repl.run { repl = prompt, read = reader.read, remember = reader.remember, edit = edit,
    ended = interrupted }
  out:line ""
  return 0
end

return {
  spec = {
    name = "repl", summary = "A Lua prompt with an engine at hand. Without a terminal it runs its standard input line by line.",
    arguments = { { "STORE", "the store's folder, made if absent; none: one that goes at the end", optional = true } },
    options = {
      { "--lua", "a Lua file that registers delegates", value = "FILE" },
      { "--manual-clock", "time stands until engine:advance or engine:set_time" },
    },
    notes = "help() lists what the prompt knows. Tab completes names, methods, options of the function that is called, and within\n"
      .. "quotes keys of the store and files. A list of several records is shown as a table. reload() reads the program's modules\n"
      .. "again, and \\e opens the last input in the editor that VISUAL or EDITOR names.",
  },
  run = run,
}
