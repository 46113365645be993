--- Rule indexes: from the value of one input to the numbers of the rules whose cell it passes, in order.
local index = {}

--- cells[i]: the texts that rule i asks for, or false when it asks for nothing.
function index.texts(cells, n)
  local by_text, any = {}, {}
  for i = 1, n do
    for _, text in ipairs(cells[i] or {}) do by_text[text] = by_text[text] or {} end
  end
  for i = 1, n do
    if cells[i] then
      for _, text in ipairs(cells[i]) do
        local list = by_text[text]
        if list[#list] ~= i then list[#list + 1] = i end
      end
    else
      any[#any + 1] = i
      for _, list in pairs(by_text) do list[#list + 1] = i end
    end
  end
  return function(value) return value ~= nil and by_text[value] or any end
end

-- Ranges ----------------------------------------------------------------------------------------------------------------------------

--- The bounds of all ranges, ascending, each once.
local function bounds_of(cells, n)
  local seen, bounds = {}, {}
  local function add(bound)
    if bound == nil or seen[tostring(bound)] then return end
    seen[tostring(bound)] = true
    bounds[#bounds + 1] = bound
  end
  for i = 1, n do
    local cell = cells[i]
    if cell then
      add(cell[1])
      add(cell[3])
    end
  end
  table.sort(bounds, function(a, b) return a < b end)
  return bounds
end

--- The number of bounds that are at most `value`.
local function place(bounds, value)
  local low, high = 0, #bounds
  while low < high do
    local middle = (low + high + 1) // 2
    if bounds[middle] <= value then low = middle else high = middle - 1 end
  end
  return low
end

--- Bounds divide the numbers into sections: 0 below the first, 2k at the k-th, 2k + 1 behind it. A range covers consecutive ones.
local function section(bounds, bound, upper, included)
  if bound == nil then return upper and 2 * #bounds + 1 or 0 end
  local at = 2 * place(bounds, bound)
  if included then return at end
  return upper and at - 1 or at + 1
end

local function is_above(value, bound, included) return bound == nil or value > bound or included and value == bound end
local function is_below(value, bound, included) return bound == nil or value < bound or included and value == bound end

--- Looks at every cell instead.
local function scan(cells, n, any)
  return function(value)
    if value == nil then return any end
    local list = {}
    for i = 1, n do
      local cell = cells[i]
      if not cell or is_above(value, cell[1], cell[2]) and is_below(value, cell[3], cell[4]) then list[#list + 1] = i end
    end
    return list
  end
end

local function rules_without(cells, n)
  local any = {}
  for i = 1, n do
    if not cells[i] then any[#any + 1] = i end
  end
  return any
end

local COPIES_MAX = 32 -- places of a rule, on average: ranges that overlap more make an index that costs more than it saves

--- cells[i]: { low, low included, high, high included }, nil standing for no bound; false: rule i asks for nothing.
function index.numbers(cells, n)
  local bounds = bounds_of(cells, n)
  local sections, any, places = {}, rules_without(cells, n), 0
  for at = 0, 2 * #bounds + 1 do sections[at] = {} end
  for i = 1, n do
    local cell = cells[i]
    local from, to = 0, 2 * #bounds + 1
    if cell then from, to = section(bounds, cell[1], false, cell[2]), section(bounds, cell[3], true, cell[4]) end
    places = places + to - from + 1
    if places > n * COPIES_MAX then return scan(cells, n, any) end
    for at = from, to do sections[at][#sections[at] + 1] = i end
  end
  return function(value)
    if value == nil then return any end
    local at = place(bounds, value)
    if at > 0 and bounds[at] == value then return sections[2 * at] end
    return at == 0 and sections[0] or sections[2 * at + 1]
  end
end

return index
