--- A game's quest line as a process. The loop never blocks: each frame gives the engine a small budget and goes on drawing.
---   orrery lua examples/gameloop/main.lua        (or lua5.4, with the module installed)
local orrery = require "orrery"

local FRAME = 1 / 60   -- seconds of game time that a frame shows
local BUDGET = 0.002   -- seconds of it that the engine may take
local FRAMES_MAX = 600

local folder = arg[0]:match "^(.*)/" or "."

local engine <close> = orrery.open(nil, { clock = "manual" })
local world = { dragon = "asleep", gold = 0 }

engine:register("wake_dragon", function() world.dragon = "awake" end)
engine:register("pay_reward", function(execution)
  world.gold = world.gold + execution:get "reward"
  world.dragon = "beaten"
end)

engine:deploy(folder .. "/quest.bpmn")
local quest = engine:start("quest", { variables = { reward = 100 } })

local frames = 0
while engine:instance(quest.id) and frames < FRAMES_MAX do
  frames = frames + 1
  engine:advance(FRAME)       -- the game's clock, not the wall's: a paused game pauses its quests
  engine:poll(BUDGET)
  if frames == 240 then engine:message("dragon hit", { instance = quest.id }) end -- the player's doing
end

print(("after %d frames the dragon is %s, and there is %d gold"):format(frames, world.dragon, world.gold))
