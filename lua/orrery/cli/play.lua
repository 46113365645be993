--- Plays a model through: answers what waits, and moves the clock to what is due next. Answers come from a file or a person at a
--- terminal; otherwise everything is completed with nothing said.
local answers = require "orrery.cli.play.answers"
local ask = require "orrery.cli.play.ask"
local errors = require "orrery.errors"
local moves = require "orrery.cli.play.moves"

local Player = {}
Player.__index = Player

local play = {}

local MOVES_MAX = 1000 -- a model that asks for ever is a finding, not a reason to play on

--- options: those of the command; say(move, answer, text) prints a move. The instance is the caller's to set, once it is started.
function play.new(engine, options, out, say)
  return setmetatable({ engine = engine, out = out, say = say, moves = moves.new(engine), made = 0, seen = {},
    answers = answers.load(options.answers), read = not out.json and ask.reader() or nil }, Player)
end

local nothing = { variables = {}, orders = {} }

local function seen_key(move) return move.kind .. " " .. move.id end

--- When a move may be made: a person or worker takes as long as the answer's $after says, from the moment it was first asked for.
local function ready_at(self, move)
  local answer = self.answers:peek(move)
  local key = seen_key(move)
  self.seen[key] = self.seen[key] or self.engine:now()
  return self.seen[key] + (answer and answer.orders.after or 0)
end

--- What is made without being asked: the first that can be; else the next thing in time; else what merely may happen.
local function default(self, list)
  local now, later, side = self.engine:now(), nil, nil
  for _, move in ipairs(list) do
    local at = move.due or ready_at(self, move)
    local answer = self.answers:peek(move)
    local idle = move.kind == "conditional" and not answer
    if move.side and not answer then side = side or move
    elseif not idle and not move.due and at <= now then return move
    elseif not idle and (not later or at < later.at) then later = { at = at, move = move } end
  end
  if not later then return side end
  if later.move.due then return later.move end
  return { kind = "clock", due = later.at, id = "", play = function() self.engine:set_time(later.at) end }
end

local function make(self, move, answer)
  move.play(answer.variables, answer.orders)
  self.say(move, answer, moves.text(move, answer.variables, answer.orders))
  self.made = self.made + 1
  self.seen[seen_key(move)] = nil -- a loop may come to the same place again
end

--- A person chooses, and may correct what was refused. False when the person ends the play.
local function make_asked(self, list)
  while true do
    local move, answer = ask.choose(list, self.out, self.read)
    if not move then return false end
    local ok, problem = pcall(make, self, move, answer)
    if ok then return true end
    if type(problem) ~= "table" then error(problem, 0) end
    self.out:line("%s", problem.message)
  end
end

local function make_default(self, move)
  local answer = self.answers:peek(move)
  local ok, problem = pcall(make, self, move, answer or nothing)
  if not ok then
    if type(problem) ~= "table" or not problem.kind then error(problem, 0) end
    errors.raise(problem.kind, ("%s cannot be played: %s%s"):format(move.activity or move.name or "the clock", problem.message,
      answer and "" or "; it was answered with nothing: --answers FILE says what else it is answered with"))
  end
  self.answers:take(move)
  return true
end

--- Makes the next move; false when there is none, or the person at the terminal ends the play. Raises what a move raises when no person
--- can correct it, and `limit` when the process goes on for ever.
function Player:step()
  if self.made >= MOVES_MAX then
    errors.raise("limit", ("the play ends after %d moves: the process goes round in circles"):format(MOVES_MAX))
  end
  local list = self.moves:of(self.instance)
  if #list == 0 then return false end
  local move = default(self, list)
  if self.read and not (move and self.answers:peek(move)) then return make_asked(self, list) end
  return move ~= nil and make_default(self, move)
end

--- Tells which answers nothing asked for: a wrong name would go unnoticed.
function Player:conclude()
  local unused = self.answers:unused()
  if unused[1] then self.out:problem("orrery run: nothing asked for the answers to " .. table.concat(unused, ", ")) end
end

return play
