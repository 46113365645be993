--- Plays a scripted session: a hundred heroes, a saved game, rules that change meanwhile, and the saved game once more.
---   orrery lua main.lua FOLDER     where the games are kept; it must be there
local here = arg[0]:match "^(.*)/" or "."
package.path = here .. "/?.lua;" .. package.path
local Game = require "game"

local folder = assert(arg[1], "which folder?")
local HEROES = 100
local FRAMES_MAX = 5000 -- a game that has not ended by then hangs

local function write(path, text)
  local file <close> = assert(io.open(path, "w"))
  file:write(text)
end

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

--- Frames until something holds.
local function frames_until(game, holds)
  while not holds() do
    assert(game.frames < FRAMES_MAX, "the game does not come to its end")
    game:frame()
  end
end

--- Heroes strike as soon as their dragons are awake; their rewards are waited for.
local function strike(game, first, last)
  local goal = game:beaten() + last - first + 1
  for hero = first, last do
    frames_until(game, function() return game:hit("hero-" .. hero) end)
  end
  frames_until(game, function() return game:beaten() == goal end)
end

local function finish(game)
  frames_until(game, function() return game:running() == 0 end) -- the other dragons go at dawn
  print(("%d dragons beaten, %d gold"):format(game:beaten(), game:gold()))
end

local rules = folder .. "/rules.lua"
write(rules, read(here .. "/rules.lua"))

local saved_at
do
  local game <close> = Game.open(folder .. "/game", here .. "/quest.bpmn", rules)
  for i = 1, HEROES do game:accept("hero-" .. i) end
  strike(game, 1, 10)
  saved_at = game:save(folder .. "/saved")
  print(("saved with %d quests running"):format(game:running()))
  strike(game, 11, 50)
  finish(game)
end

local game <close> = Game.open(folder .. "/saved", here .. "/quest.bpmn", rules, saved_at)
print(("loaded with %d quests running"):format(game:running()))
write(rules, (read(rules):gsub("REWARD = 10", "REWARD = 50"))) -- hot: the game looks at it while it runs
frames_until(game, function() return game.reloads > 1 end)
strike(game, 11, 20)
finish(game)
