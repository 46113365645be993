--- String functions. Positions and lengths count characters.
local core = require "orrery.core"
local regex = require "orrery.feel.regex"

local feel = core.feel

return function(f, define)
  local N, nothing = f.numbers, f.nothing

  local function length(text) return utf8.len(text) or #text end

  -- The characters from the i-th to the k-th.
  local function characters(text, i, k)
    if not utf8.len(text) then return text:sub(i, k) end
    return text:sub(utf8.offset(text, i), utf8.offset(text, k + 1) - 1)
  end

  local function truncated(number) return number and N.integer(N.round(number, 0, "down")) end

  define("substring", "string: string; start position: number; length: number?", function(text, start, count)
    local size, from = length(text), truncated(start)
    if not from or from == 0 or from > size or from < -size then
      return nothing("substring: there is no position %s", tostring(start))
    end
    if from < 0 then from = size + from + 1 end
    if count == nil then return characters(text, from, size) end
    local n = truncated(count)
    if not n or n < 1 or n > size - from + 1 then
      return nothing("substring: from %d on there are no %s characters", from, tostring(count))
    end
    return characters(text, from, from + n - 1)
  end)

  define("string length", "string: string", length)
  define("upper case", "string: string", feel.upper)
  define("lower case", "string: string", feel.lower)

  define("substring before", "string: string; match: string", function(text, match)
    local at = text:find(match, 1, true)
    return at and text:sub(1, at - 1) or ""
  end)

  define("substring after", "string: string; match: string", function(text, match)
    local _, last = text:find(match, 1, true)
    return last and text:sub(last + 1) or ""
  end)

  define("contains", "string: string; match: string", function(text, match) return text:find(match, 1, true) ~= nil end)
  define("starts with", "string: string; match: string", function(text, match) return text:sub(1, #match) == match end)
  define("ends with", "string: string; match: string", function(text, match) return match == "" or text:sub(-#match) == match end)

  -- ---- Regular expressions ----------------------------------------------------------------------

  -- nil after a diagnostic.
  local function compile(name, pattern, flags)
    local made, message = regex.compile(pattern, flags)
    return made or nothing("%s: %s", name, message)
  end

  -- nil when there is none. A limit is raised.
  local function find(made, text, from)
    local spans, message, limit = regex.find(made, text, from)
    if limit then f.limit("%s", message) end
    return spans
  end

  define("matches", "input: string; pattern: string; flags: any?", function(input, pattern, flags)
    if flags ~= nil and type(flags) ~= "string" then return nothing "matches: the flags are no string" end
    local made = compile("matches", pattern, flags)
    if not made then return nil end
    return find(made, input, 1) ~= nil
  end)

  local function groups_of(made)
    local spans = { feel.find(made, "", 1) }
    return spans[1] and #spans // 2 - 1 or nil
  end

  local function replace_all(made, input, template, literal)
    local out, at, parts, size = {}, 1, nil, 0
    local spans = find(made, input, 1)
    while spans do
      parts = parts or (literal and { template } or regex.template(template, #spans // 2 - 1))
      if not parts then return nothing("replace: \"%s\" is no replacement", template) end
      out[#out + 1] = input:sub(at, spans[1] - 1)
      regex.expand(out, parts, input, spans)
      at = spans[2] + 1
      size = size + #template
      f.check_text(size)
      spans = at <= #input and find(made, input, at) or nil
    end
    out[#out + 1] = input:sub(at)
    local text = table.concat(out)
    f.check_text(#text)
    return text
  end

  define("replace", "input: string; pattern: string; replacement: string; flags: string?", function(input, pattern, replacement, flags)
    local made = compile("replace", pattern, flags)
    if not made then return nil end
    if groups_of(made) then return nothing("replace: \"%s\" matches nothing at all", pattern) end
    return replace_all(made, input, replacement, flags and flags:find "q")
  end)

  define("split", "string: string; delimiter: string", function(text, delimiter)
    local made = compile("split", delimiter)
    if not made then return nil end
    local out, n, at, from = {}, 0, 1, 1
    while from <= #text do
      local spans = find(made, text, from)
      if not spans then break end
      if spans[2] < spans[1] then -- nothing matched: between two characters
        local following = regex.following(text, spans[1])
        if following > #text then break end
        n, out[n + 1] = n + 1, text:sub(at, following - 1)
        at, from = following, following
      else
        n, out[n + 1] = n + 1, text:sub(at, spans[1] - 1)
        at, from = spans[2] + 1, spans[2] + 1
      end
    end
    out[n + 1] = text:sub(at)
    out.n = n + 1
    f.check_length(out.n)
    return f.list(out)
  end)

  -- ---- Joining ----------------------------------------------------------------------------------

  define("string join", "list: list; delimiter: any?", function(list, delimiter)
    if delimiter ~= nil and type(delimiter) ~= "string" then return nothing "string join: the delimiter is no string" end
    local parts, size = {}, 0
    for i = 1, list.n do
      local item = list[i]
      if item ~= nil and type(item) ~= "string" then return nothing("string join: %s is no string", f.describe(item)) end
      if item then
        parts[#parts + 1] = item
        size = size + #item + #(delimiter or "")
      end
    end
    f.check_text(size)
    return table.concat(parts, delimiter or "")
  end)
end
