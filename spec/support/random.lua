--- Numbers that look random and are the same in every run, and the seed of what is drawn with math.random.
local random = {}

--- n(k): 1 to k.
function random.seeded(seed)
  local state = seed
  return function(k)
    state = (state * 1103515245 + 12345) % 2147483648
    return (state >> 16) % k + 1
  end
end

--- The first seed of what is drawn at random: the same in every run, so that a run says something of a change. ORRERY_SEED gives
-- another one; `make explore` takes a new one each time.
function random.seed() return tonumber(os.getenv "ORRERY_SEED") or 20261122 end

return random
