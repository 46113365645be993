-- Reads the public header into a plain table. Knows the small C that it is written in, and refuses every line it cannot parse: what it
-- skipped silently would be missing from the bindings silently.
local reader = {}

local function trim(s) return (s:gsub("^%s+", ""):gsub("%s+$", "")) end

--- `place` is "orrery/jobs.h:12".
local function refuse(place, format, ...)
  error(("%s: " .. format):format(place, ...), 0)
end

--- Splits at commas outside parentheses.
local function split(text)
  local parts, depth, from = {}, 0, 1
  for i = 1, #text do
    local ch = text:sub(i, i)
    if ch == "(" then depth = depth + 1
    elseif ch == ")" then depth = depth - 1
    elseif ch == "," and depth == 0 then
      parts[#parts + 1] = trim(text:sub(from, i - 1))
      from = i + 1
    end
  end
  local last = trim(text:sub(from))
  if last ~= "" then parts[#parts + 1] = last end
  return parts
end

--- Takes ORR_WORD and ORR_WORD(...) out of a text: returns the rest and the words with their arguments ("" without).
local function annotations(text)
  local found = {}
  text = text:gsub("(ORR_[A-Z]+)(%b())", function(word, args)
    found[word] = args:sub(2, -2)
    return " "
  end)
  text = text:gsub("%f[%w_](ORR_[A-Z]+)%f[^%w_]", function(word)
    found[word] = found[word] or ""
    return " "
  end)
  return trim((text:gsub("%s+", " "))), found
end

--- "const orr_value *vars" -> type "const orr_value *", name "vars".
local function declarator(text)
  local type, stars, name = text:match("^(.-)%s*(%**)%s*([%a_][%w_]*)$")
  if not type or type == "" then return nil end
  return type .. (stars ~= "" and " " .. stars or ""), name
end

local function parse_parameter(text, place)
  if text == "..." then return { type = "...", name = "" } end
  local rest, words = annotations(text)
  local type, name = declarator(rest)
  if not type then refuse(place, "cannot parse the parameter '%s'", text) end
  return {
    type = type, name = name,
    optional = words.ORR_OPT ~= nil, out = words.ORR_OUT ~= nil, consumed = words.ORR_CONSUMES ~= nil,
  }
end

local function parse_function(statement)
  local text, words = annotations(statement.text)
  local head, name, params = text:match("^(.-)([%a_][%w_]*)%s*(%b())$")
  if not head then refuse(statement.place, "cannot parse '%s'", statement.text) end
  local fn = {
    name = name, result = trim(head), level = tonumber(words.ORR_API), codes = words.ORR_ERR and split(words.ORR_ERR) or {},
    doc = statement.doc, place = statement.place, order = statement.order, section = statement.section, params = {},
  }
  params = trim(params:sub(2, -2))
  if params ~= "void" then
    -- Annotations of parameters went with those of the function: read them from the original text.
    local original = statement.text:match(name .. "%s*(%b())")
    for i, part in ipairs(split(original:sub(2, -2))) do fn.params[i] = parse_parameter(part, statement.place) end
  end
  return fn
end

--- The members of a struct with their comments; `text` still has both.
local function parse_members(text, place)
  local members = {}
  for part in text:gmatch "[^\n]+" do
    local code, comment = part:match "^(.-)/%*%s*(.-)%s*%*/%s*$"
    code = trim(code or part)
    for declaration in code:gmatch "([^;]+);" do
      declaration = annotations(declaration)
      local type, first = nil, true
      for _, one in ipairs(split(declaration)) do
        local t, name
        if first then
          t, name = declarator(one)
          if not t then refuse(place, "cannot parse the member '%s'", one) end
          type, first = t:gsub("%s*%*+$", ""), false
        else
          local stars
          stars, name = one:match "^(%**)%s*([%a_][%w_]*)$"
          if not name then refuse(place, "cannot parse the member '%s'", one) end
          t = type .. (stars ~= "" and " " .. stars or "")
        end
        members[#members + 1] = { type = t, name = name, doc = comment }
      end
    end
  end
  return members
end

local function parse_enum(text, place)
  local values = {}
  for _, part in ipairs(split((text:gsub("/%*.-%*/", "")))) do
    local name = part:match "^([%u_]+)"
    if not name then refuse(place, "cannot parse the enumerator '%s'", part) end
    values[#values + 1] = name
  end
  return values
end

local function parse_typedef(statement, api)
  local raw = statement.raw
  local kind, body, tail = raw:match "^typedef%s+(%a+)%s+[%w_]+%s*(%b{})%s*(.-)$"
  if kind then
    local name, words = annotations(tail)
    local entry = { name = name, place = statement.place, order = statement.order, doc = statement.doc, section = statement.section }
    if kind == "enum" then
      entry.values, entry.raw = parse_enum(body:sub(2, -2), statement.place), raw
      api.enums[#api.enums + 1] = entry
    else
      -- The public value and error structs are C's; only option structs become tables.
      if words.ORR_OPTIONS then
        entry.members = parse_members(body:sub(2, -2), statement.place)
        api.options[#api.options + 1] = entry
      end
    end
    return
  end
  local text, words = annotations(statement.text)
  local tag, name = text:match "^typedef%s+struct%s+([%w_]+)%s+([%w_]+)$"
  if tag then
    api.handles[#api.handles + 1] = { name = name, class = words.ORR_CLASS, doc = statement.doc, place = statement.place,
      order = statement.order, section = statement.section }
    return
  end
  local callback = words.ORR_CALLBACK and text:match "^typedef%s+.-%(%*([%w_]+)%)%s*%b()$"
  if callback then
    api.callbacks[#api.callbacks + 1] = { name = callback, text = text, doc = statement.doc, place = statement.place,
      order = statement.order, section = statement.section }
  elseif not text:match "^typedef%s+u?int64_t%s+[%w_]+$" then
    refuse(statement.place, "cannot parse '%s'", statement.text)
  end
end

--- Cuts a part of the header into statements behind those of `list`: { text (no comments), raw (with them), doc, place,
--- section, order }.
local function add_statements(list, part)
  local doc, section = {}, nil
  local raw, start, depth, in_comment, continued = nil, 0, 0, false, false
  local number = 0
  for line in (part.text .. "\n"):gmatch "(.-)\n" do
    number = number + 1
    local code = line:gsub("/%*.-%*/", "")
    if continued or (not raw and line:match "^#") then
      continued = line:match "\\$" ~= nil
    elseif in_comment then
      in_comment = not line:find("*/", 1, true)
    elseif line:match "^///" then
      doc[#doc + 1] = line:match "^///%s?(.*)$"
    elseif not raw and code:match "^%s*/%*" then
      in_comment = true
    elseif not raw and code:match "^%s*$" then
      section = line:match "^/%* %-%-%-%- (.-) %-+ %*/$" or section
      if line == "" then doc = {} end
    elseif code:match '^extern "C" {$' or (not raw and code == "}") then
      -- for C++ alone
    else
      if line:match "^#" then goto continue end -- macros inside an enum
      if not raw then raw, start, depth = "", number, 0 end
      raw = raw .. line .. "\n"
      for brace in code:gmatch "[{}]" do depth = depth + (brace == "{" and 1 or -1) end
      if depth == 0 and code:match ";%s*$" then
        local bare = trim((raw:gsub("/%*.-%*/", " "):gsub("%s+", " ")))
        -- Declarations that share a line share its doc comment's absence.
        list[#list + 1] = {
          raw = trim(raw):gsub("%s*/%*[^\n]*%*/$", ""):gsub(";$", ""), text = bare:gsub(";$", ""), doc = doc, section = section,
          place = part.name .. ":" .. start, order = #list,
        }
        raw, doc = nil, {}
      end
    end
    ::continue::
  end
  if raw then refuse(part.name .. ":" .. start, "the statement has no end") end
end

local function add_errors(errors, text_of_part)
  for name, number, kind, text in text_of_part:gmatch 'X%(([%u_]+),%s*(%-%d+),%s*"([%w_]+)",%s*"([^"]*)"%)' do
    errors[#errors + 1] = { name = name, number = tonumber(number), kind = kind, text = text }
  end
end

--- The comment at the head of the header, in its paragraphs: { title, items }, of those that are lists.
local function head_lists(text)
  local lists, list = {}, nil
  for line in (text:match "^/%*(.-)%*/" or ""):gmatch "[^\n]+" do
    local said = trim(line:gsub("^ %*", ""))
    local item = said:match "^%- (.*)"
    if item then
      if #list.items == 0 then lists[#lists + 1] = list end
      list.items[#list.items + 1] = item
    elseif said == "" or not list then list = { title = said, items = {} }
    elseif list.title == "" then list.title = said
    elseif #list.items > 0 then list.items[#list.items] = list.items[#list.items] .. " " .. said
    end
  end
  return lists
end

--- @param parts table  an array of { name, text }, as header.parts gives it
--- @return table  { functions, handles, options, enums, callbacks, errors }, each in declaration order, and the head's lists
function reader.read(parts)
  local api, list = { functions = {}, handles = {}, options = {}, enums = {}, callbacks = {}, errors = {},
    lists = head_lists(parts[1].text) }, {}
  for _, part in ipairs(parts) do
    add_errors(api.errors, part.text)
    add_statements(list, part)
  end
  for _, statement in ipairs(list) do
    local text = statement.text
    if text:match "^typedef" then parse_typedef(statement, api)
    elseif text:match "^ORR_API" or text:match "%b()$" then api.functions[#api.functions + 1] = parse_function(statement)
    elseif not text:match "^enum%s*{" and not text:match "^struct%s+[%w_]+%s*{" then
      refuse(statement.place, "cannot parse '%s'", text)
    end
  end
  return api
end

return reader
