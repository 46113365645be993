--- Numbers that look random and are the same in every run.
local random = {}

--- n(k): 1 to k.
function random.seeded(seed)
  local state = seed
  return function(k)
    state = (state * 1103515245 + 12345) % 2147483648
    return (state >> 16) % k + 1
  end
end

return random
