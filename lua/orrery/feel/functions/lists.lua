--- List functions.
return function(f, define)
  local N, nothing, list = f.numbers, f.nothing, f.list

  local function copy(from) return table.move(from, 1, from.n, 1, { n = from.n }) end

  local function position(name, of, number)
    local i = N.integer(N.round(number, 0, "down"))
    if not i or i == 0 or i > of.n or i < -of.n then
      return nothing("%s: a list of %d has no position %s", name, of.n, tostring(number))
    end
    return i > 0 and i or of.n + i + 1
  end

  -- Appends with a bound.
  local function push(out, value)
    out.n = out.n + 1
    f.check_length(out.n)
    out[out.n] = value
  end

  define("list contains", "list: list; element: any", function(of, element)
    for i = 1, of.n do
      if f.same(of[i], element) then return true end
    end
    return false
  end)

  define("count", "list: list", function(of) return of.n end)

  -- The least or the greatest of values that have one order; null when there are none, or they
  -- have none.
  local function extreme(name, of, sign)
    if of.n == 0 then return nothing("%s: the list is empty", name) end
    local best = of[1]
    if not f.is_ordered(f.kind(best)) then return nothing("%s: %s has no order", name, f.describe(best)) end
    for i = 2, of.n do
      local order = f.compare(of[i], best)
      if not order then return nil end
      if order * sign > 0 then best = of[i] end
    end
    return best
  end

  define("min", "list: items", function(of) return extreme("min", of, -1) end)
  define("max", "list: items", function(of) return extreme("max", of, 1) end)

  -- All or any: what decides; else null when an item is no boolean.
  local function quantified(of, deciding)
    local result = not deciding
    for i = 1, of.n do
      if of[i] == deciding then return deciding end
      if type(of[i]) ~= "boolean" then result = nil end
    end
    if result == nil then return nothing "an item is no boolean" end
    return result
  end

  define("all", "list: items", function(of) return quantified(of, false) end)
  define("any", "list: items", function(of) return quantified(of, true) end)

  define("sublist", "list: list; start position: number; length: number?", function(of, start, length)
    local from = position("sublist", of, start)
    if not from then return nil end
    local n = of.n - from + 1
    if length then n = N.integer(N.round(length, 0, "down")) end
    if not n or n < 1 or n > of.n - from + 1 then
      return nothing("sublist: from %d on there are no %s items", from, tostring(length))
    end
    return list(table.move(of, from, from + n - 1, 1, { n = n }))
  end)

  define("append", "list: list; item: rest", function(of, items)
    local out = copy(of)
    for i = 1, items.n do push(out, items[i]) end
    return list(out)
  end)

  define("concatenate", "list: rest", function(lists)
    local out = { n = 0 }
    for i = 1, lists.n do
      local part = f.as_list(lists[i])
      if part == nil then return nothing "concatenate: null is no list" end
      f.work(part.n)
      for k = 1, part.n do push(out, part[k]) end
    end
    return list(out)
  end)

  define("insert before", "list: list; position: number; newItem: any", function(of, number, item)
    local at = position("insert before", of, number)
    if not at then return nil end
    local out = table.move(of, at, of.n, at + 1, table.move(of, 1, at - 1, 1, { n = of.n + 1 }))
    out[at] = item
    return list(out)
  end)

  define("remove", "list: list; position: number", function(of, number)
    local at = position("remove", of, number)
    if not at then return nil end
    return list(table.move(of, at + 1, of.n, at, table.move(of, 1, at - 1, 1, { n = of.n - 1 })))
  end)

  define("list replace", "list: list; position: number; newItem: any", function(of, number, item)
    local at = position("list replace", of, number)
    if not at then return nil end
    local out = copy(of)
    out[at] = item
    return list(out)
  end)

  define("list replace", "list: list; match: function; newItem: any", function(of, match, item)
    if match.n ~= 2 then return nothing "list replace: a match has two parameters, the item and the new item" end
    local out = copy(of)
    for i = 1, of.n do
      local answer = f.apply(match, 2, of[i], item)
      if type(answer) ~= "boolean" then return nothing("list replace: the match gives %s", f.describe(answer)) end
      if answer then out[i] = item end
    end
    return list(out)
  end)

  define("reverse", "list: list", function(of)
    local out = { n = of.n }
    for i = 1, of.n do out[i] = of[of.n - i + 1] end
    return list(out)
  end)

  define("index of", "list: list; match: any", function(of, match)
    local out = { n = 0 }
    for i = 1, of.n do
      if f.same(of[i], match) then push(out, i) end
    end
    return list(out)
  end)

  -- Items that occurred: by themselves where Lua tells equals, else one by one.
  local function collector()
    local out, seen, others, null = { n = 0 }, {}, {}, false
    local function is_new(value)
      if value == nil then
        local first = not null
        null = true
        return first
      end
      if type(value) == "string" or type(value) == "boolean" or math.type(value) then
        local first = not seen[value]
        seen[value] = true
        return first
      end
      f.work(#others)
      for _, other in ipairs(others) do
        if f.same(other, value) then return false end
      end
      others[#others + 1] = value
      return true
    end
    return out, function(value) if is_new(value) then push(out, value) end end
  end

  define("distinct values", "list: list", function(of)
    local out, add = collector()
    f.enter()
    for i = 1, of.n do add(of[i]) end
    f.leave()
    return list(out)
  end)

  define("union", "list: rest", function(lists)
    local out, add = collector()
    for i = 1, lists.n do
      if lists[i] == nil then return nothing "union: null is no list" end
    end
    f.enter()
    for i = 1, lists.n do
      local part = f.as_list(lists[i])
      f.work(part.n)
      for k = 1, part.n do add(part[k]) end
    end
    f.leave()
    return list(out)
  end)

  local function flatten(of, out)
    f.enter()
    f.work(of.n)
    for i = 1, of.n do
      if f.is_list(of[i]) then flatten(of[i], out) else push(out, of[i]) end
    end
    f.leave()
    return out
  end

  define("flatten", "list: list", function(of) return list(flatten(of, { n = 0 })) end)

  -- ---- Sorting ----------------------------------------------------------------------------------

  -- Merges two sorted stretches of `from` into `to`; equals keep their order. False when the order
  -- gave no boolean.
  local function merge(from, to, low, middle, high, precedes)
    local i, k = low, middle
    for at = low, high - 1 do
      local right = i >= middle
      if not right and k < high then
        right = f.apply(precedes, 2, from[k], from[i])
        if type(right) ~= "boolean" then return false end
      end
      if right then to[at], k = from[k], k + 1 else to[at], i = from[i], i + 1 end
    end
    return true
  end

  define("sort", "list: list; precedes: function", function(of, precedes)
    if precedes.n ~= 2 and not precedes.builtin then return nothing "sort: an order has two parameters" end
    local from, to, width = copy(of), { n = of.n }, 1
    while width < of.n do
      for low = 1, of.n, 2 * width do
        local middle, high = math.min(low + width, of.n + 1), math.min(low + 2 * width, of.n + 1)
        if not merge(from, to, low, middle, high, precedes) then return nothing "sort: the order gives no boolean" end
      end
      from, to, width = to, from, 2 * width
    end
    return list(from)
  end)
end
