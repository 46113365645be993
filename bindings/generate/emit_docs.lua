-- Writes docs/api.md: the manual of the C functions, in the header's order. (docs/lua.md is Lua's: emit_manual.lua.)
local emit = {}

local function prototype(fn)
  local params = {}
  for i, p in ipairs(fn.params) do
    local mark = p.optional and " ORR_OPT" or p.out and " ORR_OUT" or ""
    params[i] = (p.type .. (p.name ~= "" and " " or "") .. p.name .. mark):gsub("%* ", "*")
  end
  local result = fn.result:match "%*$" and fn.result or fn.result .. " "
  return ("%s%s(%s)"):format(result, fn.name, #params > 0 and table.concat(params, ", ") or "void")
end

local function emit_errors(fn, api, out)
  if #fn.codes == 0 then return end
  local texts = {}
  for i, code in ipairs(fn.codes) do
    local known = api.errors_by_name[code]
    texts[i] = ("`ORR_E_%s`: %s"):format(known.name, fn.described.errors[code] or known.text)
  end
  out("Fails with " .. table.concat(texts, "; ") .. ".\n")
end

local function emit_function(fn, api, out)
  out("### %s\n", fn.name)
  if #fn.described.text > 0 then out(table.concat(fn.described.text, "\n") .. "\n") end
  out("```c\n%s\n```\n", prototype(fn))
  for _, p in ipairs(fn.params) do
    if fn.described.params[p.name] then out("- `%s`: %s", p.name, fn.described.params[p.name]) end
  end
  if fn.described.result then out("Gives %s\n", fn.described.result) end
  emit_errors(fn, api, out)
end

local function emit_options(options, out)
  out("### %s\n\n| member | type | meaning |\n|---|---|---|", options.name)
  for i, member in ipairs(options.members) do
    if i > 1 then out("| `%s` | `%s` | %s |", member.name, member.type, (member.doc or ""):gsub("|", "\\|")) end
  end
  out ""
end

--- What has no table of its own stands as it is declared: what a host gives to be called, and words of many calls.
local function emit_declared(entry, declaration, out)
  out("### %s\n", entry.name)
  if #entry.doc > 0 then out(table.concat(entry.doc, "\n") .. "\n") end
  out("```c\n%s;\n```\n", declaration)
end

--- The rules at the head of the header.
local function emit_lists(lists, out)
  for _, list in ipairs(lists) do
    out("## %s\n", list.title)
    for i, item in ipairs(list.items) do out("- %s%s", item, i == #list.items and "\n" or "") end
  end
end

--- Everything declared, in the order of the header.
local function entries(api)
  local list = {}
  for _, kind in ipairs { "functions", "options", "handles", "callbacks", "enums" } do
    for _, entry in ipairs(api[kind]) do
      if kind ~= "handles" or entry.class then list[#list + 1] = { kind = kind, entry = entry } end
    end
  end
  table.sort(list, function(a, b)
    if a.entry.order ~= b.entry.order then return a.entry.order < b.entry.order end
    return a.entry.name < b.entry.name
  end)
  return list
end

--- @param head string  the introduction, where @PROGRAM@ stands for the first program
--- @return string
function emit.source(api, head, program)
  local lines = {}
  local function out(format, ...) lines[#lines + 1] = select("#", ...) > 0 and format:format(...) or format end
  out((head:gsub("@PROGRAM@", function() return program end):gsub("\n+$", "\n")))
  emit_lists(api.lists, out)
  out "## Error kinds\n\n| code | number | kind | meaning |\n|---|---|---|---|"
  for _, err in ipairs(api.errors) do out("| `ORR_E_%s` | %d | `%s` | %s |", err.name, err.number, err.kind, err.text) end
  local section
  for _, item in ipairs(entries(api)) do
    local entry = item.entry
    if entry.section ~= section then
      section = entry.section
      out("\n## %s\n", section)
    end
    if item.kind == "functions" then emit_function(entry, api, out)
    elseif item.kind == "options" then emit_options(entry, out)
    elseif item.kind == "callbacks" then emit_declared(entry, entry.text, out)
    elseif item.kind == "enums" then emit_declared(entry, entry.raw, out)
    else out("### %s\n\n%s\n", entry.name, table.concat(entry.doc, "\n")) end
  end
  return table.concat(lines, "\n") .. "\n"
end

return emit
