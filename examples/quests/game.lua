--- A game whose quests are process instances. The store is all of its state: saving copies it, loading opens the copy.
local orrery = require "orrery"

local Game = {}
Game.__index = Game

Game.FRAME = 1 / 60       -- seconds of game time that a frame shows
local BUDGET = 0.004      -- seconds of it that the engine may take
local RULES_EVERY = 30    -- frames from one look at the rules' file to the next

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

--- Opens a game in a folder that may hold a saved one. Only frames move the game's clock: a paused game pauses its quests.
--- `model` and `rules` are files; `now` is where a saved game goes on.
function Game.open(store, model, rules, now)
  local self = setmetatable({ rules_path = rules, frames = 0, reloads = 0 }, Game)
  -- A power cut may cost the moments since the last save; waiting for the disk in a frame would cost the frame.
  self.engine = orrery.open(store, { clock = "manual", now = now, durability = "none" })
  self.engine:deploy(model, { name = "quests", filter_duplicates = true })
  self:reload()
  return self
end

--- Takes new rules; running quests go on with them. Rules that do not load leave the old ones in place. True when they changed.
function Game:reload()
  local text = read(self.rules_path)
  if text == self.rules then return false end
  local chunk, problem = load(text, "@" .. self.rules_path, "t")
  self.rules = text
  if not chunk then
    print(problem)
    return false
  end
  for name, delegate in pairs(chunk()) do self.engine:register(name, delegate) end
  self.reloads = self.reloads + 1
  return true
end

function Game:accept(hero) return self.engine:start("quest", { business_key = hero }) end

--- A blow that beats the dragon of a hero, if it is awake.
function Game:hit(hero)
  return #self.engine:message("dragon hit", { business_key = hero, all = true }) > 0
end

--- What a game does sixty times a second: everything that is due, but no longer than the budget.
function Game:frame()
  self.frames = self.frames + 1
  if self.frames % RULES_EVERY == 0 then self:reload() end
  self.engine:advance(Game.FRAME)
  self.engine:poll(BUDGET)
end

function Game:running() return self.engine:count("instances", { key = "quest" }) end
function Game:beaten() return self.engine:count("history_instances", { end_activity = "beaten" }) end

function Game:gold()
  local gold = 0
  for _, variable in ipairs(self.engine:history_variables { name = "gold" }) do gold = gold + variable.value end
  return gold
end

--- Saves while everything runs. Returns what Game.open needs besides.
function Game:save(folder)
  self.engine:copy_to(folder)
  return self.engine:now()
end

function Game:close() self.engine:close() end
Game.__close = Game.close

return Game
