--- The rules of the game, which may change while it is played: the game loads this file anew whenever it was changed.
local REWARD = 10

return {
  wake = function(execution) execution:set("strength", 3) end,
  reward = function(execution) execution:set("gold", REWARD) end,
}
