--- Context functions.
return function(f, define)
  local nothing = f.nothing

  define("get value", "m: context; key: string", function(context, key)
    if not f.has(context, key) then return nothing("get value: there is no \"%s\"", key) end
    return context[key]
  end)

  define("get entries", "m: context", function(context)
    local out = { n = #context }
    for i, key in ipairs(context) do out[i] = f.ctx { "key", "value", key = key, value = context[key] } end
    return f.list(out)
  end)

  define("context", "entries: list", function(entries)
    local out = {}
    for i = 1, entries.n do
      local entry = entries[i]
      if not f.is_context(entry) or type(entry.key) ~= "string" or not f.has(entry, "value") then
        return nothing "context: an entry has a key, which is a string, and a value"
      end
      if f.has(out, entry.key) then return nothing("context: the key \"%s\" comes twice", entry.key) end
      out[#out + 1] = entry.key
      out[entry.key] = entry.value
    end
    return f.ctx(out)
  end)

  define("context put", "context: context; key: string; value: any", f.put)

  local function put_at(context, keys, i, value)
    local key = keys[i]
    if type(key) ~= "string" then return nothing("context put: %s is no key", f.describe(key)) end
    if i == keys.n then return f.put(context, key, value) end
    if not f.is_context(context[key]) then return nothing("context put: there is no context \"%s\"", key) end
    local inner = put_at(context[key], keys, i + 1, value)
    return inner and f.put(context, key, inner)
  end

  define("context put", "context: context; keys: list; value: any", function(context, keys, value)
    if keys.n == 0 then return nothing "context put: no key is given" end
    return put_at(context, keys, 1, value)
  end)

  define("context merge", "contexts: list", function(contexts)
    local out = f.ctx {}
    for i = 1, contexts.n do
      if not f.is_context(contexts[i]) then return nothing("context merge: %s is no context", f.describe(contexts[i])) end
      for _, key in ipairs(contexts[i]) do
        if not f.has(out, key) then out[#out + 1] = key end
        out[key] = contexts[i][key]
      end
    end
    return out
  end)
end
