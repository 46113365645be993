-- Random models, random clients: an engine that keeps running and one whose store is closed and reopened after every step must look the
-- same to a client after each step, and in the end every token waits for something and the store is sound.
-- ORRERY_RANDOM: how many models (default 1000), ORRERY_SEED: the first one's seed; a failure prints its own, the model and what was done.
local folder = require "spec.support.folder"
local play = require "spec.sim.play"

local count = tonumber(os.getenv "ORRERY_RANDOM" or 1000)
local first = require("spec.support.random").seed()

local MODELS_OF_ONE_SPEC <const> = 50

local function play_models(from, to)
  local base = folder.make()
  finally(function() folder.remove(base) end)
  for seed = from, to do
    if os.getenv "ORRERY_SEED" then io.stderr:write(seed, "\n") end
    local done = {}
    local ok, err = pcall(play, seed, base .. "/" .. seed, done)
    if not ok then
      error(("seed %d, dialect %s: %s\n\n%s\n\n%s"):format(seed, done.dialect, tostring(err), done.xml, table.concat(done, "\n")), 0)
    end
    os.execute(("rm -rf '%s/%d'"):format(base, seed))
  end
end

describe("random models", function()
  for from = first, first + count - 1, MODELS_OF_ONE_SPEC do
    local to = math.min(from + MODELS_OF_ONE_SPEC, first + count) - 1
    it(("of seeds %d to %d"):format(from, to), function() play_models(from, to) end)
  end
end)
