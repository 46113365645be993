--- What the command prints: lines for people, in color on a terminal alone, or JSON objects for programs. It is the one way out for
--- text of others, which gives a terminal no orders and begins no line here.
local core = require "orrery.core"
local paint = require "orrery.cli.paint"

local Out = {}
Out.__index = Out

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
  self.paint, self.show = paint.new(not self.json and wants_color(self.stdout))
  self.shows_progress = is_terminal(self.stderr) and (self.json or not is_terminal(self.stdout))
  return self
end

function Out:clear_progress()
  if self.busy then self.stderr:write "\r\27[K" end
  self.busy = false
end

local function write(self, text)
  self:clear_progress()
  self.stdout:write(text, "\n")
  self.stdout:flush()
end

--- One line, whatever texts are in it: of all control characters only the colors of `self.paint` come out as such.
function Out:line(format, ...) write(self, self.show(select("#", ...) > 0 and format:format(...) or format)) end

--- Several lines, each made of texts that are shown already (core.shown, or what inspect gives).
function Out:block(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = self.show(line) end
  write(self, table.concat(lines, "\n"))
end

--- One event: an object for programs, a line for people, or several as a table (none when `text` is nil). With `lines` the text keeps
--- its own, indented.
function Out:event(object, text, lines)
  if self.json then write(self, core.json_encode(object, true))
  elseif type(text) == "table" then
    for _, line in ipairs(text) do self:line("%s", line) end
  elseif text then write(self, self.show(text, lines)) end
end

--- A message keeps its lines, for it may be a traceback; all but the first are indented.
function Out:problem(text)
  self:clear_progress()
  self.stderr:write(core.shown(text, true), "\n")
end

--- How far long work has come; only where it would not mix with what is printed.
function Out:progress(format, ...)
  if not self.shows_progress then return end
  self.stderr:write("\r\27[K", core.shown(format:format(...)))
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
    self.stderr:write("\r\27[K", core.shown(text))
    self.stderr:flush()
    self.busy = true
  end
end

return Out
