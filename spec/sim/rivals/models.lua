--- The specs of random models: so many, from the first seed on, each with one of the rivals.
--- ORRERY_RANDOM: a number of which each of these specs takes its share; without it all are played,
--- 10,000 in each dialect. ORRERY_SEED: the first one's seed, and each is told as it begins. A
--- failure tells its seed, rival and dialect, the models and what was done; what repeats it stands
--- in its first line.
local Random = require "spec.sim.random"
local folder = require "spec.support.folder"
local play = require "spec.sim.rivals.play"

local MODELS_OF_ONE_SPEC <const> = 50
local SHARES <const> = 60000 -- of what ORRERY_RANDOM says, one that plays 10,000 takes 10,000

local function failure(seed, dialect, rival, done, err)
  local text = "ORRERY_SEED=%d ORRERY_RANDOM=1 spec/run release spec/sim/rivals/%s_spec.lua"
    .. "\nseed %d, dialect %s, rival %s: %s\n\n%s\n\n%s\n\n%s"
  return text:format(seed, rival == "threads" and rival or dialect, seed, dialect, rival,
    tostring(err), done.xml, done.other or "", table.concat(done, "\n"))
end

--- What differs is looked for again from step to step: so the first one that it does is told.
local function play_closely(seed, dialect, rival, place, err)
  local done = {}
  local ok, closer = pcall(play, seed, dialect, rival, place .. "-again", done, true)
  error(failure(seed, dialect, rival, done, ok and err or closer), 0)
end

local function play_models(dialect, rivals, from, to)
  local place <close> = setmetatable({ path = folder.make() }, {
    __close = function(self) folder.remove(self.path) end })
  for seed = from, to do
    if os.getenv "ORRERY_SEED" then io.stderr:write(dialect, " ", seed, "\n") end
    local rival = Random.new(seed):weighted(rivals)
    local store = ("%s/%d"):format(place.path, seed)
    local ok, err = pcall(play, seed, dialect, rival, store, {})
    if not ok then play_closely(seed, dialect, rival, store, err) end
  end
end

--- What there is to play: { name =, play = }, … `first`: the first seed; `rivals`: how often each;
--- `most`: how many models without ORRERY_RANDOM.
return function(first, dialect, rivals, most)
  local random = tonumber(os.getenv "ORRERY_RANDOM")
  local count, out = random and math.max(1, random * most // SHARES) or most, {}
  for from = first, first + count - 1, MODELS_OF_ONE_SPEC do
    local to = math.min(from + MODELS_OF_ONE_SPEC, first + count) - 1
    out[#out + 1] = { name = ("of seeds %d to %d"):format(from, to),
      play = function() play_models(dialect, rivals, from, to) end }
  end
  return out
end
