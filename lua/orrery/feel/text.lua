--- Values as text: what string() gives, and tostring.
return function(f)
  local T = f.temporal
  local DEPTH_MAX = 64 -- data may nest; this deep it is cut

  local function escaped(text)
    return (text:gsub('[%c"\\]', { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }))
  end

  local inner

  local function list_text(list, depth)
    local parts = {}
    f.work(list.n)
    for i = 1, list.n do parts[i] = inner(list[i], depth) end
    return "[" .. table.concat(parts, ", ") .. "]"
  end

  local function key_text(key)
    if key:find "^[%a_\x80-\xff][%w_ \x80-\xff]*$" then return key end
    return '"' .. escaped(key) .. '"'
  end

  local function context_text(context, depth)
    local parts = {}
    f.work(#context)
    for i, key in ipairs(context) do parts[i] = key_text(key) .. ": " .. inner(context[key], depth) end
    return "{" .. table.concat(parts, ", ") .. "}"
  end

  local function range_text(range, depth)
    if range.unequal then return "!= " .. inner(range.low, depth) end
    if range.no_low then return (range.high_included and "<= " or "< ") .. inner(range.high, depth) end
    if range.no_high then return (range.low_included and ">= " or "> ") .. inner(range.low, depth) end
    local open, close = range.low_included and "[" or "(", range.high_included and "]" or ")"
    return open .. inner(range.low, depth) .. ".." .. inner(range.high, depth) .. close
  end

  local function function_text(fn) return "function(" .. table.concat(fn.names or {}, ", ") .. ")" end

  local writers = { [f.List] = list_text, [f.Context] = context_text, [f.Range] = range_text, [f.Function] = function_text }

  -- Within another value: strings in quotes.
  function inner(value, depth)
    if value == nil then return "null" end
    if type(value) == "string" then return '"' .. escaped(value) .. '"' end
    if type(value) ~= "table" then return tostring(value) end
    if depth > DEPTH_MAX then return "…" end
    local write = writers[getmetatable(value)]
    return write and write(value, depth + 1) or T.text(value) or "?"
  end

  --- FEEL's string(): null stays null, a string itself.
  function f.string(value)
    if value == nil or type(value) == "string" then return value end
    f.enter()
    local text = inner(value, 1)
    f.leave()
    f.check_text(#text)
    return text
  end
end
