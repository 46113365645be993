-- What a program in Lua calls and reads: the stubs' functions, options and fields, with what is
-- asked for of a call.
local stubs = dofile "lua/orrery/repl/stubs.lua"

local function add_class(lines, class)
  for _, field in ipairs(class.fields) do
    lines[#lines + 1] = ("%s.%s%s: %s"):format(class.name, field.name, field.optional and "?" or "",
      field.type)
  end
  for _, f in ipairs(class.functions) do
    local parameters, returns = {}, {}
    for i, p in ipairs(f.params) do parameters[i] = ("%s%s: %s"):format(p.name, p.optional and "?"
      or "", p.type) end
    for i, r in ipairs(f.returns) do returns[i] = r.type end
    lines[#lines + 1] = ("%s%s%s(%s) -> %s"):format(class.name, f.separator, f.name,
      table.concat(parameters, ", "),
      #returns > 0 and table.concat(returns, ", ") or "nothing")
  end
end

return function()
  local lines = {}
  for _, class in pairs(stubs.read("lua/orrery/_meta").classes) do add_class(lines, class) end
  return lines
end
