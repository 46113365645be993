-- The reference of docs/lua.md, from the stubs of the public layer: what stands between <!-- stubs: Title --> and <!-- end --> is the part
-- of that title. What a command may raise comes from the header, by the core function that it stands on (---@core, or its own name).
local glue = require "emit_glue"
local stubs = require "orrery.repl.stubs"

local emit = {}

local WIDTH <const> = 120

local function short(kind) return (kind:gsub("orrery%.(%u)", "%1"):gsub("|", "\\|")) end
local function code(kind) return "`" .. short(kind):gsub("\\|", "|") .. "`" end

--- Words, which end at blanks outside of backticks.
local function words_of(text)
  local words, from, quoted = {}, 1, false
  for at = 1, #text + 1 do
    local c = text:sub(at, at)
    if c == "`" then quoted = not quoted end
    if (c == " " and not quoted) or c == "" then
      if at > from then words[#words + 1] = text:sub(from, at - 1) end
      from = at + 1
    end
  end
  return words
end

--- Words in lines of at most WIDTH columns.
local function wrap(text, indent)
  local lines, line = {}, ""
  for _, word in ipairs(words_of(text)) do
    local longer = line == "" and word or line .. " " .. word
    if utf8.len(longer) > WIDTH and line ~= "" then
      lines[#lines + 1], line = line, indent .. word
    else
      line = longer
    end
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

--- The name of another page of the manual leads there.
local function linked(text) return (text:gsub("`(docs/[%w-]+%.md)`", "%1"):gsub("docs/([%w-]+%.md)", "[%1](%1)")) end

--- The kinds that a function raises beside `argument`, `store`, `memory` and `state` of a closed engine, which all may.
local function kinds_of(f, api)
  local fn = f.core and api.by_name[f.core] or (not f.core and f.class == "orrery.Engine" and api.methods[f.name])
  if f.core and not fn then error(("%s:%d: there is no %s in orrery.h"):format(f.file, f.line, f.core), 0) end
  local kinds = {}
  for _, c in ipairs(fn and fn.codes or {}) do
    local kind = api.errors_by_name[c].kind
    if kind ~= "argument" and kind ~= "store" and kind ~= "memory" then kinds[#kinds + 1] = "`" .. kind .. "`" end
  end
  return kinds
end

--- The parameters about which there is more to say than their name: a meaning, or a table with keys.
local function parameters_text(f, public)
  local parts = {}
  for _, p in ipairs(f.params) do
    local class = public.classes[p.type]
    local told = p.text or p.type:find "{" or class and #class.functions == 0
    if told then parts[#parts + 1] = ("`%s`: %s%s"):format(p.name, code(p.type), p.text and ", " .. p.text or "") end
  end
  return #parts > 0 and " " .. table.concat(parts, "; ") .. "." or ""
end

local function emit_function(f, api, public, out)
  local results, texts = {}, {}
  for i, r in ipairs(f.returns) do
    results[i] = code(r.type)
    texts[#texts + 1] = r.text
  end
  local head = ("- **`%s`**"):format(stubs.form(f))
  if #results > 0 then head = head .. " → " .. table.concat(results, ", ") end
  if #texts > 0 then head = head .. ", " .. table.concat(texts, "; ") end
  local kinds = kinds_of(f, api)
  local raises = #kinds > 0 and " Raises " .. table.concat(kinds, ", ") .. "." or ""
  local text = head .. ". " .. table.concat(f.doc, " ") .. parameters_text(f, public) .. raises
  out(linked(wrap(text, "  ")))
end

local function emit_fields(class, out)
  if #class.fields == 0 then return end
  out("| %s | type | |\n|---|---|---|", class.functions and #class.functions > 0 and "field" or "key")
  for _, field in ipairs(class.fields) do
    if not field.pattern then
      out("| `%s%s` | `%s` | %s |", field.name, field.optional and "?" or "", short(field.type),
        linked((field.text or ""):gsub("|", "\\|")))
    end
  end
  out ""
end

local function emit_class(class, out)
  if #class.doc == 0 and #class.fields == 0 then return end
  local words = class.name:match "[^.]+$"
  if class.name ~= "orrery" then out("**%s**%s", words, class.parent and (", a %s"):format(class.parent:match "[^.]+$") or "") end
  out ""
  if #class.doc > 0 then out(linked(wrap(table.concat(class.doc, " "), "")) .. "\n") end
  emit_fields(class, out)
end

local function section_text(section, api, public)
  local lines = {}
  local function out(format, ...) lines[#lines + 1] = select("#", ...) > 0 and format:format(...) or format end
  local before
  for _, item in ipairs(section.items) do
    if before == "function" and item.kind ~= "function" then out "" end
    if item.kind == "function" then emit_function(item, api, public, out) else emit_class(item, out) end
    before = item.kind
  end
  return (table.concat(lines, "\n"):gsub("\n\n\n+", "\n\n"):gsub("^\n+", ""):gsub("\n+$", ""))
end

--- The list verbs as a table: each list beside the look-up of one of it.
local function verbs_text(section)
  local lines = { "| list | one | record |", "|---|---|---|" }
  for _, f in ipairs(section.items) do
    local record = f.returns[1].type:match "^orrery%.(%w+)%[%]$"
    local one = record and record:gsub("(%l)(%u)", "%1_%2"):lower()
    if record then
      lines[#lines + 1] = ("| `engine:%s(filter?)` | `engine:%s(id or filter)` | `%s`%s |"):format(f.name, one, record,
        f.params[1].type ~= "orrery.Filter" and ", `" .. record .. "Filter`" or "")
    end
  end
  return table.concat(lines, "\n")
end

--- The kinds of errors, as a part of the manual like any other.
local function kinds_text(api)
  local lines = { "| kind | when |", "|---|---|" }
  for _, err in ipairs(api.errors) do lines[#lines + 1] = ("| `%s` | %s |"):format(err.kind, err.text) end
  return table.concat(lines, "\n")
end

--- The manual with its parts made anew.
function emit.source(manual, public, api)
  api.by_name, api.methods = {}, {} -- by the name in C; those of the engine, by the one in Lua
  for _, fn in ipairs(api.functions) do
    api.by_name[fn.name] = fn
    if fn.name:find "^orr_engine_" or fn.receiver and fn.receiver.handle.short == "engine" then
      api.methods[glue.method_name(fn)] = fn
    end
  end
  local parts = { ["Kinds of errors"] = kinds_text(api) }
  for _, section in ipairs(public.sections) do
    parts[section.title] = section.title == "List verbs" and verbs_text(section) or section_text(section, api, public)
  end
  local text = manual:gsub("(<!%-%- stubs: ([^\n]-) %-%->)\n.-(<!%-%- end %-%->)", function(head, title, tail)
    local part = parts[title] or error(("docs/lua.md: the stubs have no part '%s'"):format(title), 0)
    parts[title] = nil
    return head .. "\n\n" .. part .. "\n\n" .. tail
  end)
  for title in pairs(parts) do error(("docs/lua.md: the part '%s' of the stubs is missing"):format(title), 0) end
  return text
end

return emit
