--- Functions that expressions may call by name: now(), dateTime(), JSON(x), and Flowable's variables:, date:, task: families.
-- Each gets the scope first.
local core = require "orrery.core"
local datetime = require "orrery.el.datetime"

return function(el)
  local node = require "orrery.el.json"(el)
  local fail = el.fail

  local function now(scope)
    if not scope.now then return fail "there is no clock in this expression" end
    return scope.now()
  end

  --- `n` arguments were given to what takes none: they would be lost without a word.
  local function none(name, n)
    if n > 0 then fail("%s() takes no argument; it gives the present", name) end
  end

  local function present(scope) return datetime.of(el, now(scope), scope.zone, scope.now) end

  local plain = {
    now = function(scope, ...)
      none("now", select("#", ...))
      return datetime.date(now(scope))
    end,
    dateTime = function(scope, ...)
      none("dateTime", select("#", ...))
      return present(scope)
    end,
    JSON = function(_, value) return node(value) end,
    currentUser = function(scope) return scope.user end,
    currentUserGroups = function(scope) return scope.groups or {} end,
  }
  plain.S = plain.JSON

  -- ---- Variables: the first argument is a name -----------------------------------------------------------------------------

  local function find(scope, name)
    local found, value = scope.get(name)
    if not found or value == el.null then return nil, found end
    return value, found
  end

  --- As `==`, but what cannot be compared is unequal.
  local function same(a, b)
    local ok, equal = pcall(el.eq, a, b)
    return ok and equal
  end

  local function holds(value, wanted)
    if type(value) == "string" then return value:find(el.str(wanted), 1, true) ~= nil end
    if type(value) ~= "table" then return false end
    if not el.is_array(value) then return value[wanted] ~= nil end
    for _, item in ipairs(value) do
      if same(item, wanted) then return true end
    end
    return false
  end

  local function compare(operator)
    return function(scope, name, other) return operator(find(scope, name), other) end
  end

  local function is_empty(scope, name) return el.empty((find(scope, name))) end

  local variables = {
    get = function(scope, name) return (find(scope, name)) end,
    getOrDefault = function(scope, name, default)
      local value = find(scope, name)
      if value == nil then return default end
      return value
    end,
    exists = function(scope, name) return find(scope, name) ~= nil end,
    isEmpty = is_empty,
    isNotEmpty = function(scope, name) return not is_empty(scope, name) end,
    contains = function(scope, name, ...)
      local value = find(scope, name)
      for _, wanted in ipairs { ... } do
        if not holds(value, wanted) then return false end
      end
      return true
    end,
    containsAny = function(scope, name, ...)
      local value = find(scope, name)
      for _, wanted in ipairs { ... } do
        if holds(value, wanted) then return true end
      end
      return false
    end,
    equals = compare(same),
    notEquals = compare(function(a, b) return a ~= nil and not same(a, b) end),
    lowerThan = compare(el.lt),
    lowerThanOrEquals = compare(el.le),
    greaterThan = compare(el.gt),
    greaterThanOrEquals = compare(el.ge),
    base64 = function(scope, name)
      local value = find(scope, name)
      if value == nil then return nil end
      return core.base64_encode(el.str(value))
    end,
  }
  local same_as = {
    eq = "equals", ne = "notEquals", exist = "exists", empty = "isEmpty", notEmpty = "isNotEmpty",
    lessThan = "lowerThan", lt = "lowerThan", lessThanOrEquals = "lowerThanOrEquals", lte = "lowerThanOrEquals",
    gt = "greaterThan", gte = "greaterThanOrEquals",
  }
  for alias, name in pairs(same_as) do variables[alias] = variables[name] end

  -- ---- Others --------------------------------------------------------------------------------------------------------------

  local date = {
    --- Seconds or a date object by a pattern, else as ISO 8601; a text stays as it is.
    format = function(scope, value, pattern)
      if math.type(value) then value = datetime.of(el, value, scope.zone) end
      if value == nil or type(value) == "string" then return value end
      if pattern and datetime.is(value) then return value:format(el.str(pattern)) end
      return el.str(value)
    end,
  }

  --- A date of a text, of seconds, or a date as it is.
  local function to_date(scope, value)
    if value == nil or datetime.is(value) then return value end
    if math.type(value) then return datetime.of(el, value, scope.zone, scope.now) end
    return datetime.parse(el, el.str(value), scope.zone, scope.now)
  end

  local function moved(sign)
    return function(scope, value, years, months, days)
      if value == nil then return nil end
      return to_date(scope, value):plusYears(sign * el.num(years)):plusMonths(sign * el.num(months)):plusDays(sign * el.num(days))
    end
  end

  date.toDate = to_date
  function date.now(scope, ...)
    none("date:now", select("#", ...))
    return present(scope)
  end
  date.addDate, date.subtractDate = moved(1), moved(-1)

  --- Flowable's collection: functions. A text names several values with commas between them, maybe as a JSON array.
  local function items_of(value)
    if type(value) == "table" and el.is_array(value) then return value end
    if type(value) ~= "string" then return { value } end
    local items = {}
    for item in (value:match "^%s*%[(.*)%]%s*$" or value):gmatch "[^,]+" do
      item = item:match "^%s*(.-)%s*$"
      items[#items + 1] = item:match '^"(.*)"$' or item:match "^'(.*)'$" or item
    end
    return items
  end

  local function count_held(collection, value)
    local held, wanted = 0, items_of(value)
    local all = items_of(collection)
    for _, one in ipairs(wanted) do
      if holds(all, one) then held = held + 1 end
    end
    return held, #wanted
  end

  local collection = {
    allOf = function(_, list, value)
      local held, wanted = count_held(list, value)
      return held == wanted
    end,
    anyOf = function(_, list, value) return count_held(list, value) > 0 end,
  }
  function collection.notAllOf(...) return not collection.allOf(...) end
  function collection.noneOf(...) return not collection.anyOf(...) end
  collection.contains, collection.containsAny = collection.allOf, collection.anyOf
  collection.notContains, collection.notContainsAny = collection.notAllOf, collection.noneOf

  local task = {
    get = function(scope, id)
      if not scope.task then return fail "there are no tasks in this expression" end
      return scope.task(id)
    end,
  }

  return { plain = plain, prefixed = { variables = variables, vars = variables, var = variables, date = date, task = task,
    collection = collection } }
end
