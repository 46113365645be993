--- What Camunda's FEEL (feel-scala) adds to DMN's functions, and where it differs from them.
local core = require "orrery.core"
local regex = require "orrery.feel.regex"

return function(f, define)
  local N, T, nothing, list = f.numbers, f.temporal, f.nothing, f.list

  local function truncated(number) return number and N.integer(N.round(number, 0, "down")) end

  -- ---- Booleans ---------------------------------------------------------------------------------

  define("is defined", "value: any", function(value) return value ~= nil end)

  define("get or else", "value: any; default: any", function(value, default)
    if value == nil then return default end
    return value
  end)

  local function assert_that(value, condition, cause)
    if condition == true then return value end
    f.fail(cause or "The condition is not fulfilled")
  end

  define("assert", "value: any; condition: any", assert_that)
  define("assert", "value: any; condition: any; cause: string", assert_that)

  for name, same in pairs { ["and"] = "all", ["or"] = "any" } do
    define(name, "list: items", function(items) return f.standard[same](1, items) end)
  end

  -- ---- Numbers ----------------------------------------------------------------------------------

  define("number", "from: string", function(from)
    return f.number(from:match "^%s*(.-)%s*$") or nothing("number: \"%s\" is no number", from)
  end)
  define("number", "from: string; grouping separator: string", function(from, group)
    return f.standard.number(3, from, group, nil)
  end)

  local modes = { up = "up", down = "down", ceiling = "ceiling", floor = "floor", half_up = "half up", half_down = "half down",
    half_even = "half even" }

  define("decimal", "n: number; scale: number; mode: string", function(n, scale, name)
    local digits, mode = truncated(scale), name:lower()
    if not digits or digits > 6000 or digits < -6000 then return nothing "decimal: the scale is too large" end
    if mode == "unnecessary" then
      local same = N.round(n, digits, "down")
      return same == n and n or nothing "decimal: rounding would be necessary"
    end
    if not modes[mode] then return nothing("decimal: \"%s\" is no mode of rounding", name) end
    return N.round(n, digits, modes[mode]) or nothing "decimal: the result is too large"
  end)

  for _, mode in ipairs { "up", "down", "half up", "half down" } do
    local name = "round " .. mode
    define(name, "n: number", function(n) return f.standard[name](2, n, 0) end)
  end

  define("abs", "number: number or duration", function(n) return f.standard.abs(1, n) end)

  -- From 0 on, below 1; 15 digits.
  define("random number", "", function()
    local digits = core.feel.random() % 1000000000000000
    return f.number(("0.%015d"):format(digits))
  end)

  -- ---- Strings ----------------------------------------------------------------------------------

  define("trim", "string: string", function(text) return text:match "^[\0- ]*(.-)[\0- ]*$" end)

  -- What Java calls white space beyond ASCII.
  local function is_white(code)
    return (code >= 9 and code <= 13) or (code >= 28 and code <= 32) or code == 0x1680 or (code >= 0x2000 and code <= 0x200A
      and code ~= 0x2007) or code == 0x2028 or code == 0x2029 or code == 0x205F or code == 0x3000
  end

  define("is blank", "string: string", function(text)
    if not utf8.len(text) then return text:find "%S" == nil end
    for _, code in utf8.codes(text) do
      if not is_white(code) then return false end
    end
    return true
  end)

  define("to base64", "value: string", function(text)
    f.check_text(#text * 4 // 3)
    return core.base64_encode(text)
  end)

  define("uuid", "", function()
    local high, low = core.feel.random(), core.feel.random()
    high, low = high & ~0xF000 | 0x4000, low & 0x3FFFFFFFFFFFFFFF | 1 << 63
    local digits = ("%016x%016x"):format(high, low)
    return (digits:gsub("^(%x%x%x%x%x%x%x%x)(%x%x%x%x)(%x%x%x%x)(%x%x%x%x)", "%1-%2-%3-%4-"))
  end)

  -- To the end when the text has no more characters.
  define("substring", "string: string; start position: number; length: number", function(text, start, length)
    local size, from, count = utf8.len(text) or #text, truncated(start), truncated(length)
    if not from or not count then return nothing "substring: the position or the length is too large" end
    local first = from > 0 and from or size + from + 1
    count = math.min(count, size - first + 1)
    if count == 0 and first >= 1 then return "" end
    return f.standard.substring(3, text, first, count)
  end)

  local function find(made, text, from)
    local spans, message, limit = regex.find(made, text, from)
    if limit then f.limit("%s", message) end
    return spans
  end

  define("extract", "input: string; pattern: string", function(text, pattern)
    local made, message = regex.compile(pattern)
    if not made then return nothing("extract: %s", message) end
    local out, from = { n = 0 }, 1
    local spans = find(made, text, from)
    while spans do
      out.n = out.n + 1
      f.check_length(out.n)
      out[out.n] = text:sub(spans[1], spans[2])
      from = spans[2] < spans[1] and regex.following(text, spans[1]) or spans[2] + 1
      spans = from <= #text and find(made, text, from) or nil
    end
    return list(out)
  end)

  local function text_or_null(value) return value == nil or type(value) == "string" end

  define("string join", "list: list; delimiter: any; prefix: any; suffix: any", function(of, delimiter, prefix, suffix)
    if not text_or_null(prefix) or not text_or_null(suffix) then return nothing "string join: prefix and suffix are strings" end
    local joined = f.standard["string join"](2, of, delimiter)
    if joined == nil then return nil end
    f.check_text(#joined + #(prefix or "") + #(suffix or ""))
    return (prefix or "") .. joined .. (suffix or "")
  end)

  -- ---- Lists ------------------------------------------------------------------------------------

  define("is empty", "list: list", function(of) return of.n == 0 end)

  define("duplicate values", "list: list", function(of)
    local out, taken = { n = 0 }, {}
    f.enter()
    for i = 1, of.n do
      f.work(of.n - i)
      for k = i + 1, taken[i] and i or of.n do
        if not taken[k] and f.same(of[i], of[k]) then
          if not taken[i] then out.n, out[out.n + 1] = out.n + 1, of[i] end
          taken[i], taken[k] = true, true
        end
      end
    end
    f.leave()
    return list(out)
  end)

  define("partition", "list: list; size: number", function(of, size)
    local n = truncated(size)
    if not n or n < 1 then return nothing "partition: the size must be greater than zero" end
    local out = { n = 0 }
    for from = 1, of.n, n do
      local part = table.move(of, from, math.min(from + n - 1, of.n), 1, {})
      part.n = math.min(n, of.n - from + 1)
      out.n = out.n + 1
      out[out.n] = list(part)
    end
    return list(out)
  end)

  local FAR <const> = 1 << 62 -- beyond every list, and a sum of two does not wrap

  local function bounded(number)
    local i = truncated(number)
    return i and math.max(math.min(i, FAR - 1), -FAR)
  end

  -- How many items stand before the position; from the end for 0 and below. It may lie outside.
  local function before(of, position)
    local i = bounded(position)
    if not i then return nil end
    return i > 0 and i - 1 or of.n + i
  end

  local function slice(of, from, to)
    from, to = math.max(from, 0), math.min(to, of.n)
    local n = math.max(to - from, 0)
    return list(table.move(of, from + 1, from + n, 1, { n = n }))
  end

  define("sublist", "list: list; start position: number", function(of, start)
    local from = before(of, start)
    return from and slice(of, from, of.n)
  end)

  define("sublist", "list: list; start position: number; length: number", function(of, start, length)
    local from, n = before(of, start), bounded(length)
    return from and n and slice(of, from, from + n)
  end)

  define("insert before", "list: list; position: number; newItem: any", function(of, position, item)
    local at = before(of, position)
    if not at then return nil end
    at = math.min(math.max(at, 0), of.n)
    f.check_length(of.n + 1)
    local out = table.move(of, at + 1, of.n, at + 2, table.move(of, 1, at, 1, { n = of.n + 1 }))
    out[at + 1] = item
    return list(out)
  end)

  define("remove", "list: list; position: number", function(of, position)
    local at = before(of, position)
    if not at then return nil end
    if at < 0 or at >= of.n then return of end
    return list(table.move(of, at + 2, of.n, at + 1, table.move(of, 1, at, 1, { n = of.n - 1 })))
  end)

  -- ---- Contexts ---------------------------------------------------------------------------------

  local function value_at(context, keys)
    local value = context
    for i = 1, keys.n do
      if not f.is_context(value) or type(keys[i]) ~= "string" then return nothing "get value: there is no such entry" end
      value = value[keys[i]]
    end
    if keys.n == 0 then return nothing "get value: no key is given" end
    return value
  end

  define("get value", "context: context; key: string", function(context, key) return value_at(context, { n = 1, key }) end)
  define("get value", "context: context; keys: list", value_at)
  define("get entries", "context: context", function(context) return f.standard["get entries"](1, context) end)

  define("put", "context: context; key: string; value: any", f.put)

  local function put_at(context, keys, i, value)
    local key = keys[i]
    if type(key) ~= "string" then return nothing("context put: %s is no key", f.describe(key)) end
    if i == keys.n then return f.put(context, key, value) end
    local inner = put_at(f.is_context(context[key]) and context[key] or f.ctx {}, keys, i + 1, value)
    return inner and f.put(context, key, inner)
  end

  define("context put", "context: context; keys: list; value: any", function(context, keys, value)
    if keys.n == 0 then return nothing "context put: no key is given" end
    return put_at(context, keys, 1, value)
  end)

  define("put all", "contexts: items", function(contexts) return f.standard["context merge"](1, contexts) end)

  -- Of equal keys the last counts.
  define("context", "entries: list", function(entries)
    local out = f.ctx {}
    for i = 1, entries.n do
      local entry = entries[i]
      if not f.is_context(entry) or type(entry.key) ~= "string" or not f.has(entry, "value") then
        return nothing "context: an entry has a key, which is a string, and a value"
      end
      if not f.has(out, entry.key) then out[#out + 1] = entry.key end
      out[entry.key] = entry.value
    end
    return out
  end)

  -- ---- Times ------------------------------------------------------------------------------------

  local C = require "orrery.feel.calendar"

  define("last day of month", "date: temporal", function(date)
    return T.date(date.year, date.month, C.month_length(date.year, date.month))
  end)

  -- The same instant by the clocks of the zone; a time that says no zone is one of them already.
  define("date and time", "date: date and time; timezone: string", function(date, zone)
    local there = T.parse_date_time("2000-01-01T00:00:00" .. (zone:find "^[%a]+/" and "@" or "") .. zone)
    if not there or not there.offset then return nothing("date and time: \"%s\" is no time zone", zone) end
    if not date.offset then
      return T.date_time(date, { hour = date.hour, minute = date.minute, second = date.second, nano = date.nano, zone = there.zone,
        offset = not there.zone and there.offset or nil })
    end
    local seconds, nano = T.instant(date)
    return T.from_instant(seconds, nano, there.offset, there.zone)
  end)
end
