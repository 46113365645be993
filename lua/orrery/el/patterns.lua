--- The methods of Java's texts that take regular expressions. Theirs are those of XPath here, which are Java's but for what looks around,
--- \b and flags within a pattern.
local regex = require "orrery.feel.regex"

return function(el)
  local fail, str = el.fail, el.str

  local function compile(pattern)
    local made, message = regex.compile(pattern)
    return made or fail("%s", message)
  end

  local function find(made, s, from)
    local spans, message = regex.find(made, s, from)
    if message then return fail("%s", message) end
    return spans
  end

  local patterns = {}

  function patterns.matches(s, pattern) return find(compile("^(?:" .. str(pattern) .. ")$"), s, 1) ~= nil end

  --- Each match from the first on, at most `most` of them: calls each(spans).
  local function each_match(s, pattern, most, each)
    local made, from = compile(str(pattern)), 1
    while from <= #s + 1 and most > 0 do
      local spans = find(made, s, from)
      if not spans then return end
      each(spans)
      most = most - 1
      from = spans[2] < spans[1] and regex.following(s, spans[1]) or spans[2] + 1
    end
  end

  --- A group that the pattern has not is an error, as in Java; elsewhere it stands for nothing.
  local function template_of(replacement, groups)
    local parts = regex.template(str(replacement), groups)
    for _, part in ipairs(parts or {}) do
      if math.type(part) and part > groups then parts = nil end
    end
    return parts or fail("%s is no replacement for a pattern with %d groups", el.describe(replacement), groups)
  end

  local function replace(s, pattern, replacement, most)
    local out, at, parts = {}, 1, nil
    each_match(s, pattern, most, function(spans)
      parts = parts or template_of(replacement, #spans // 2 - 1)
      out[#out + 1] = s:sub(at, spans[1] - 1)
      regex.expand(out, parts, s, spans)
      at = spans[2] + 1
    end)
    out[#out + 1] = s:sub(at)
    return table.concat(out)
  end

  function patterns.replace_all(s, pattern, replacement) return replace(s, pattern, replacement, math.huge) end
  function patterns.replace_first(s, pattern, replacement) return replace(s, pattern, replacement, 1) end

  --- split(regex), or split(regex, limit): above 0 so many parts at most; at 0 empty ones at the end are left out.
  function patterns.split(s, pattern, limit)
    limit = limit == nil and 0 or math.tointeger(el.num(limit)) or fail("%s is no limit", str(limit))
    local parts, at = {}, 1
    each_match(s, pattern, limit > 0 and limit - 1 or math.huge, function(spans)
      local empty = spans[2] < spans[1]
      if empty and (spans[1] == 1 or spans[1] > #s) then return end
      parts[#parts + 1] = s:sub(at, spans[1] - 1)
      at = spans[2] + 1
    end)
    local whole = at == 1 and #parts == 0
    parts[#parts + 1] = s:sub(at)
    if limit == 0 and not whole then
      while parts[#parts] == "" do parts[#parts] = nil end
    end
    return parts
  end

  return patterns
end
