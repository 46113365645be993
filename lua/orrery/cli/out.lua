--- What the command prints: lines for people, in color on a terminal alone, or JSON objects for programs.
local core = require "orrery.core"

local Out = {}
Out.__index = Out

local colors = { title = "1", key = "36", string = "32", number = "33", constant = "35", other = "2", good = "32", bad = "31",
  wait = "33" }

local LEFT_AFTER = 2 -- seconds of work, before which nothing is said of how long it takes

--- Is a stream a terminal? Only the command's own binary can tell; a plain Lua takes it for a file.
local function is_terminal(stream)
  local ok, terminal = pcall(require, "orrery.terminal")
  return ok and terminal.is_terminal(stream)
end
Out.is_terminal = is_terminal

local function wants_color(stream)
  if os.getenv "NO_COLOR" or os.getenv "TERM" == "dumb" then return false end
  return is_terminal(stream)
end

function Out.new(options)
  local self = setmetatable({ json = options.json, stdout = io.stdout, stderr = io.stderr, busy = false }, Out)
  local color = not self.json and wants_color(self.stdout)
  function self.paint(kind, text)
    if not color or not colors[kind] then return text end
    return ("\27[%sm%s\27[0m"):format(colors[kind], text)
  end
  self.shows_progress = is_terminal(self.stderr) and (self.json or not is_terminal(self.stdout))
  return self
end

function Out:clear_progress()
  if self.busy then self.stderr:write "\r\27[K" end
  self.busy = false
end

function Out:line(format, ...)
  self:clear_progress()
  self.stdout:write(select("#", ...) > 0 and format:format(...) or format, "\n")
  self.stdout:flush()
end

--- One event: an object for programs, a line for people (none when `text` is nil).
function Out:event(object, text)
  if self.json then self:line("%s", core.json_encode(object, true))
  elseif text then self:line("%s", text) end
end

function Out:problem(text)
  self:clear_progress()
  self.stderr:write(text, "\n")
end

--- How far long work has come; only where it would not mix with what is printed.
function Out:progress(format, ...)
  if not self.shows_progress then return end
  self.stderr:write("\r\27[K", format:format(...))
  self.stderr:flush()
  self.busy = true
end

--- Three parts at most: "2 h 5 min", "40 s".
local function duration(seconds)
  seconds = math.ceil(seconds)
  if seconds >= 3600 then return ("%d h %d min"):format(seconds // 3600, seconds % 3600 // 60) end
  if seconds >= 60 then return ("%d min %d s"):format(seconds // 60, seconds % 60) end
  return ("%d s"):format(seconds)
end

--- What work calls as (done, total) to show how far it is and how long it still takes; nil where there is no terminal. Such work
--- prints little, so it shows on a terminal to which both streams go, too. `now` (may be nil: the system's) is a clock in seconds.
function Out:meter(doing, now)
  if not is_terminal(self.stderr) then return nil end
  now = now or os.time
  local begun, shown
  return function(done, total)
    begun = begun or now()
    local share = total > 0 and done / total or 1
    local text = ("%s: %d %%"):format(doing, math.floor(share * 100))
    local passed = now() - begun
    if passed >= LEFT_AFTER and share > 0 and share < 1 then
      text = ("%s, %s left"):format(text, duration(passed * (1 - share) / share))
    end
    if text == shown then return end
    shown = text
    self.stderr:write("\r\27[K", text)
    self.stderr:flush()
    self.busy = true
  end
end

return Out
