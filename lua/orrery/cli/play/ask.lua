--- Asks a person at a terminal which move is next, and what it brings.
local answers = require "orrery.cli.play.answers"
local args = require "orrery.cli.args"
local orrery = require "orrery"

local ask = {}

local PROMPT = "play> "
local help = [[
An empty line makes the first move; a number chooses another. Behind it may come what the move brings:
  approved=true note="all fine" list=[1,2]   variables, as with --set
  $user=kermit $error=CODE $fail=MESSAGE     who does it, or that it goes wrong; see orrery run --help
q ends the play, ? shows this.]]

--- Where a value ends that begins at `at`: quotes and brackets may hold blanks.
local function value_end(line, at)
  local depth, quoted = 0, false
  local position = at
  while position <= #line do
    local c = line:sub(position, position)
    if quoted then
      if c == "\\" then position = position + 1
      elseif c == '"' then quoted = false end
    elseif c == '"' then quoted = true
    elseif c:find "[%[{]" then depth = depth + 1
    elseif c:find "[%]}]" then depth = depth - 1
    elseif depth <= 0 and c:find "%s" then return position - 1 end
    position = position + 1
  end
  return #line
end

--- The words of a line: a leading number, and NAME=VALUE pairs. Raises a usage error for anything else.
function ask.parse(line)
  local chosen, rest = line:match "^%s*(%d+)%s*(.*)$"
  if rest and rest:find "^=" then chosen = nil end
  line = chosen and rest or line
  local given, at = {}, line:find "%S"
  while at do
    local name, from = line:match("^([^%s=]+)=()", at)
    if not name then args.usage('NAME=VALUE is expected at "%s"; ? helps', line:sub(at)) end
    local stop = value_end(line, from)
    given[name] = args.value(name, line:sub(from, stop))
    at = line:find("%S", stop + 1)
  end
  return chosen and math.tointeger(tonumber(chosen)), answers.split(given, "the answer")
end

local function show(moves, out)
  for i, move in ipairs(moves) do
    local what = move.due and ("the clock goes on to %s, when %s is due"):format(
      orrery.format_time(move.due), move.activity or "a delegate's sleep")
      or ("%s%s: %s"):format(move.activity or "", move.kind == "task" and move.name and ("  %s"):format(move.name) or "", move.text)
    out:line("%s", ("%6d  %s"):format(i, what))
  end
end

local function understand(moves, line, out)
  local ok, chosen, answer = pcall(ask.parse, line)
  if not ok then
    if not args.is_usage(chosen) then error(chosen, 0) end
    out:line("%s", tostring(chosen))
    return nil
  end
  local move = moves[chosen or 1]
  if not move then out:line("there are moves 1 to %d", #moves) end
  return move, answer
end

--- The move and its answer; nil when the person ends the play. `read(prompt)` gives a line, or nil at the end of the input.
function ask.choose(moves, out, read)
  show(moves, out)
  while true do
    local line = read(PROMPT)
    if not line or line:find "^%s*q%s*$" then return nil end
    if line:find "^%s*%?" then
      for told in help:gmatch "[^\n]+" do out:line("%s", told) end
    else
      local move, answer = understand(moves, line, out)
      if move then return move, answer end
    end
  end
end

--- Reads lines at a terminal; nil where there is none to ask at.
function ask.reader()
  local ok, terminal = pcall(require, "orrery.terminal")
  if not (ok and terminal.is_terminal(io.stdin) and terminal.is_terminal(io.stdout)) then return nil end
  local function nothing() return {} end
  return function(prompt) return terminal.read_line(prompt, nothing) or nil end
end

return ask
