-- Random choices from a seed of their own, the same on every machine: not math.random, which others may use between two draws.
local Random = {}
Random.__index = Random

function Random.new(seed)
  local self = setmetatable({ state = seed * 0x9E3779B97F4A7C15 + 0x2545F4914F6CDD1D }, Random)
  for _ = 1, 4 do self:next() end
  return self
end

-- splitmix64
function Random:next()
  self.state = self.state + 0x9E3779B97F4A7C15
  local z = self.state
  z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
  z = (z ~ (z >> 27)) * 0x94D049BB133111EB
  return z ~ (z >> 31)
end

function Random:integer(from, to) return from + (self:next() >> 1) % (to - from + 1) end
function Random:chance(p) return (self:next() >> 11) * 2.0 ^ -53 < p end
function Random:pick(list) return list[self:integer(1, #list)] end

--- One of the keys of a table of whole weights.
function Random:weighted(weights)
  local keys, total = {}, 0
  for key, weight in pairs(weights) do
    keys[#keys + 1] = key
    total = total + weight
  end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  local at = self:integer(1, total)
  for _, key in ipairs(keys) do
    at = at - weights[key]
    if at <= 0 then return key end
  end
end

return Random
