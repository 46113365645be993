--- Members, filters and iterations.
return function(f)
  local T, N = f.temporal, f.numbers
  local nothing, kind = f.nothing, f.kind
  local List, Context, Range = f.List, f.Context, f.Range

  -- ---- Names and members ------------------------------------------------------------------------

  --- A name without a declaration.
  function f.unknown(name) return nothing("there is no \"%s\" here", name) end

  --- A name that the host is asked for: scope.get(name) gives found, value.
  function f.name(scope, name)
    local found, value = scope.get(name)
    if not found then return nothing("there is no variable \"%s\"", name) end
    return f.from_lua(value)
  end

  --- A name in a filter: the item's member, if it has one of that name.
  function f.field(item, name, otherwise)
    if type(item) == "table" and getmetatable(item) == Context and f.has(item, name) then return item[name] end
    return otherwise
  end

  -- Whether one of the items has such a member, and its value; the first that has it counts.
  local function member_of(name, ...)
    for i = 1, select("#", ...) do
      local item = select(i, ...)
      if type(item) == "table" and getmetatable(item) == Context and f.has(item, name) then return true, item[name] end
    end
    return false
  end

  --- The same for a name without a declaration: a member of the first item that has it, else the
  -- host's.
  function f.asked(scope, name, ...)
    local found, value = member_of(name, ...)
    if found then return value end
    return f.name(scope, name)
  end

  --- The same for a name that a built-in function has, too, which it is when nothing else has it.
  function f.asked_or(builtin, scope, name, ...)
    local found, value = member_of(name, ...)
    if found then return value end
    found, value = scope.get(name)
    if found then return f.from_lua(value) end
    return builtin
  end

  local range_properties = { start = "low", ["end"] = "high", ["start included"] = "low_included", ["end included"] = "high_included" }

  --- `object.name`; of a list the members of its items.
  function f.get(object, name)
    if type(object) ~= "table" then
      return nothing("%s has no member \"%s\"", f.describe(object), name)
    end
    local meta = getmetatable(object)
    if meta == Context then
      if object[name] == nil and not f.has(object, name) then return nothing("the context has no member \"%s\"", name) end
      return object[name]
    end
    if meta == List then
      local out = { n = object.n }
      f.enter()
      f.work(object.n)
      for i = 1, object.n do out[i] = f.get(object[i], name) end
      f.leave()
      return f.list(out)
    end
    if meta == Range and range_properties[name] then return object[range_properties[name]] end
    local found, value = T.property(object, name)
    if not found then return nothing("%s has no member \"%s\"", f.describe(object), name) end
    return value
  end

  -- ---- Filters ----------------------------------------------------------------------------------

  --- `list[n]`, from the end for negative ones.
  function f.index(list, n)
    list = f.as_list(list)
    if list == nil then return nothing "an index into null" end
    local i = N.integer(n)
    if i and i < 0 then i = list.n + i + 1 end
    if not i or i < 1 or i > list.n then return nothing("a list of %d has no item %s", list.n, f.describe(n)) end
    return list[i]
  end

  --- The items for which the condition is true.
  function f.filter(list, condition)
    list = f.as_list(list)
    if list == nil then return nothing "a filter on null" end
    f.work(list.n)
    local out, n = {}, 0
    for i = 1, list.n do
      local item = list[i]
      if condition(item) == true then
        n = n + 1
        out[n] = item
      end
    end
    out.n = n
    return f.list(out)
  end

  -- What the condition is for the items; true, false or null each, or false and what else it was.
  local function keep(list, condition)
    local out, n = {}, 0
    for i = 1, list.n do
      local answer = condition(list[i])
      if answer == true then
        n = n + 1
        out[n] = list[i]
      elseif answer ~= nil and answer ~= false then
        return nil, answer
      end
    end
    out.n = n
    return f.list(out)
  end

  --- `list[x]` where only running tells whether x is a condition or an index.
  function f.select(list, condition)
    list = f.as_list(list)
    if list == nil then return nothing "a filter on null" end
    f.work(list.n)
    local first
    if list.n == 0 then first = condition(nil) else first = condition(list[1]) end
    if f.is_number(first) then return f.index(list, first) end
    local out, wrong = keep(list, condition)
    if out == nil then return nothing("a filter's condition is %s", f.describe(wrong)) end
    return out
  end

  -- ---- Iterations -------------------------------------------------------------------------------

  local step, enter, leave = f.step, f.enter, f.leave

  -- A stretch of whole numbers or days, up or down: { from =, to =, by = 1 or -1, at = function(i)
  -- }.
  local Span = { kind = "span" }

  local function whole(n) return n end
  local function day(n) return T.add(T.date(1970, 1, 1), T.days(n * 86400)) end

  local function span(from, to, at)
    return setmetatable({ from = from, to = to, by = from <= to and 1 or -1, at = at }, Span)
  end

  --- `low..high` of an iteration; it may go down.
  function f.span(low, high)
    if math.type(low) == "integer" and math.type(high) == "integer" then return span(low, high, whole) end
    if kind(low) == "date" and kind(high) == "date" then return span(T.day_of(low), T.day_of(high), day) end
    return nothing("no iteration goes from %s to %s", f.describe(low), f.describe(high))
  end

  -- The numbers or days of a range; open ends are left out.
  local function range_span(range)
    local out = range.low ~= nil and range.high ~= nil and f.span(range.low, range.high)
    if not out or out.by < 0 then return nothing "an iteration over a range that goes nowhere" end
    local ends = (range.low_included and 0 or 1) + (range.high_included and 0 or 1)
    out.empty = math.ult(out.to - out.from, ends)
    if not range.low_included then out.from = out.from + out.by end
    if not range.high_included then out.to = out.to - out.by end
    return out
  end

  -- What is iterated over: a span or a list; nil: it cannot be.
  local function domain_of(value)
    local meta = type(value) == "table" and getmetatable(value) or nil
    if meta == Span or meta == List then return value end
    if meta == Range then return range_span(value) end
    if value == nil then return nothing "an iteration over null" end
    return f.list { n = 1, value }
  end

  -- Calls visit(item) for each; ends with what it gives when that is not nil.
  local function each(domain, visit)
    if getmetatable(domain) == Span then
      if domain.empty then return nil end
      for i = domain.from, domain.to, domain.by do
        step()
        local stop = visit(domain.at(i))
        if stop ~= nil then return stop end
      end
      return nil
    end
    for i = 1, domain.n do
      step()
      local stop = visit(domain[i])
      if stop ~= nil then return stop end
    end
    return nil
  end

  -- Calls visit with an item of each domain, the last one changing fastest. Domains behind the
  -- first are functions of the items before them. "none" when one cannot be iterated over.
  local function walk(domains, level, items, visit)
    local domain = domains[level]
    if level > 1 then domain = domain(table.unpack(items, 1, level - 1)) end
    domain = domain_of(domain)
    if domain == nil then return "none" end
    return each(domain, function(item)
      items[level] = item
      if level < domains.n then return walk(domains, level + 1, items, visit) end
      return visit(items)
    end)
  end

  local function run(domains, visit)
    enter()
    local stop = walk(domains, 1, {}, visit)
    leave()
    return stop
  end

  -- A value that may hold the list of results, which is still growing: what it holds of it is as
  -- the list is now. `seen` are values that were looked through, earlier results among them.
  local function detached(value, growing, seen)
    local meta = type(value) == "table" and getmetatable(value) or nil
    if (meta ~= List and meta ~= Context) or seen[value] then return value end
    if value == growing then
      f.work(growing.n)
      return f.list(table.move(growing, 1, growing.n, 1, { n = growing.n }))
    end
    local out = meta == List and { n = value.n } or {}
    local changed = false
    for i = 1, value.n or #value do
      local key = meta == List and i or value[i]
      if meta == Context then out[i] = key end
      out[key] = detached(value[key], growing, seen)
      changed = changed or out[key] ~= value[key]
    end
    f.work(value.n or #value)
    local result = changed and setmetatable(out, meta) or value
    seen[result] = true
    return result
  end

  --- `for`: body(item, …, partial) for each combination, partial being the results so far.
  function f.loop(body, ...)
    local domains = { n = select("#", ...), ... }
    local results, n = f.list { n = 0 }, domains.n
    local stop = run(domains, function(items)
      items[n + 1] = results
      local value = body(table.unpack(items, 1, n + 1))
      results.n = results.n + 1
      results[results.n] = value
    end)
    if stop == "none" then return nil end
    return results
  end

  --- The same for a body that reads `partial`.
  function f.partial_loop(body, ...)
    local seen = {}
    return f.loop(function(...)
      return detached(body(...), select(select("#", ...), ...), seen)
    end, ...)
  end

  -- The answer that decides ends it; else null when one was neither true nor false.
  local function quantified(body, deciding, ...)
    local domains = { n = select("#", ...), ... }
    local n, answer = domains.n, not deciding
    local stop = run(domains, function(items)
      local r = body(table.unpack(items, 1, n))
      if r == deciding then return "decided" end
      if type(r) ~= "boolean" then answer = nil end
    end)
    if stop == "decided" then return deciding end
    if stop == "none" then return nil end
    return answer
  end

  function f.some(body, ...) return quantified(body, true, ...) end
  function f.every(body, ...) return quantified(body, false, ...) end
end
