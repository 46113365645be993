--- Values, records and token trees as text that people read.
local core = require "orrery.core"

local inspect = {}

local DEPTH_MAX = 16 -- deeper tables are shown as {…}
local WIDTH = 100    -- a table that fits into so many columns stays on one line

local function plain(_, text) return text end

local keywords = {}
local reserved = [[and break do else elseif end false for function goto if in local nil not or repeat return then true until while]]
for word in reserved:gmatch "%a+" do
  keywords[word] = true
end

local function text_of(s)
  local escaped = s:gsub('[%c"\\\127]', function(c)
    local short = { ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ['"'] = '\\"', ["\\"] = "\\\\" }
    return short[c] or ("\\%03d"):format(c:byte())
  end)
  if not utf8.len(escaped) then escaped = escaped:gsub("[\128-\255]", function(c) return ("\\%03d"):format(c:byte()) end) end
  return '"' .. core.shown(escaped) .. '"'
end

local function scalar(value, paint)
  local kind = type(value)
  if kind == "string" then return paint("string", text_of(value)) end
  if kind == "number" then
    local text = math.type(value) == "float" and value == math.floor(value) and math.abs(value) < 1e15 and ("%.1f"):format(value)
    return paint("number", text or tostring(value))
  end
  if kind == "boolean" or kind == "nil" then return paint("constant", tostring(value)) end
  if value == core.null then return paint("constant", "null") end
  return paint("other", core.shown(tostring(value)))
end

local function key_order(a, b)
  if type(a) == type(b) and (type(a) == "number" or type(a) == "string") then return a < b end
  return type(a) < type(b) or (type(a) == type(b) and tostring(a) < tostring(b))
end

local function keys_of(t)
  local keys = {}
  for key in next, t do
    if not (math.type(key) == "integer" and key >= 1 and key <= #t) then keys[#keys + 1] = key end
  end
  table.sort(keys, key_order)
  return keys
end

local function key_text(key, paint)
  if type(key) == "string" and key:find "^[%a_][%w_]*$" and not keywords[key] then return paint("key", key) end
  return "[" .. scalar(key, paint) .. "]"
end

--- Columns that a text takes, colors apart.
local function columns(text)
  local bare = text:gsub("\27%[[%d;]*m", "")
  return utf8.len(bare) or #bare
end
inspect.columns = columns

--- Fields of records that are times. A variable of such a name is none.
local times = {}
for name in ("due follow_up created time started_at ended_at lock_expires remove_at"):gmatch "%S+" do times[name] = true end
inspect.times = times

local show

local function show_table(t, paint, depth, path, format_time, is_record)
  if path[t] then return paint("other", "<above>") end
  if depth > DEPTH_MAX then return paint("other", "{…}") end
  path[t] = true
  local parts, width = {}, 0
  for _, value in ipairs(t) do parts[#parts + 1] = show(value, paint, depth + 1, path, format_time) end
  for _, key in ipairs(keys_of(t)) do
    local value = rawget(t, key)
    if format_time and is_record and times[key] and math.type(value) then value = format_time(value) end
    parts[#parts + 1] = key_text(key, paint) .. " = " .. show(value, paint, depth + 1, path, format_time)
  end
  path[t] = nil
  if #parts == 0 then return "{}" end
  local broken = false
  for _, part in ipairs(parts) do
    width = width + columns(part) + 2
    broken = broken or part:find("\n", 1, true) ~= nil
  end
  if not broken and width + 2 * depth <= WIDTH then return "{ " .. table.concat(parts, ", ") .. " }" end
  local indent = ("  "):rep(depth + 1)
  return "{\n" .. indent .. table.concat(parts, ",\n" .. indent) .. "\n" .. ("  "):rep(depth) .. "}"
end

function show(value, paint, depth, path, format_time)
  if type(value) ~= "table" then return scalar(value, paint) end
  local meta = getmetatable(value)
  local name = type(meta) == "table" and rawget(meta, "__name")
  local record = type(name) == "string" and name:match "^orrery%.(%l[%l_]*)$"
  if record then return paint("other", record) .. " " .. show_table(value, paint, depth, path, format_time, true) end
  if type(meta) == "table" and rawget(meta, "__tostring") then return scalar(value, paint) end
  return show_table(value, paint, depth, path, format_time)
end

--- A value as Lua would write it, keys sorted. `paint(kind, text)` may color strings, numbers, constants, keys; `format_time` writes
--- fields of records that are times.
function inspect.value(value, paint, format_time) return show(value, paint or plain, 0, {}, format_time) end

local function node_text(node, paint)
  local words = { paint("key", core.shown(node.activity_id or "?")) }
  if node.name and node.name ~= "" then words[#words + 1] = core.shown(node.name) end
  words[#words + 1] = paint("other", ("%s %s"):format(node.type, node.id))
  return table.concat(words, "  ")
end

local function tree_lines(node, prefix, paint, out)
  for i, child in ipairs(node.children or {}) do
    local last = i == #node.children
    out[#out + 1] = prefix .. (last and "└─ " or "├─ ") .. node_text(child, paint)
    tree_lines(child, prefix .. (last and "   " or "│  "), paint, out)
  end
  return out
end

--- What `instance:tree()` gives, as lines.
function inspect.tree(tree, paint)
  paint = paint or plain
  return table.concat(tree_lines(tree, "", paint, { node_text(tree, paint) }), "\n")
end

local function cell(row, column, paint)
  local value = column[2]
  if type(value) == "function" then value = value(row) else value = row[value] end
  local text = value == nil and "" or core.shown(tostring(value)) -- as it is shown it is measured
  return column[3] and paint(column[3](row), text) or text
end

--- Rows as aligned columns: `layout` is a list of { title, field | function(row), kind }; kind(row) says how a cell is painted.
function inspect.rows(rows, layout, paint)
  paint = paint or plain
  local lines, widths = { {} }, {}
  for c, column in ipairs(layout) do
    lines[1][c] = column[1]
    widths[c] = columns(column[1])
  end
  for _, row in ipairs(rows) do
    local cells = {}
    for c, column in ipairs(layout) do
      cells[c] = cell(row, column, paint)
      widths[c] = math.max(widths[c], columns(cells[c]))
    end
    lines[#lines + 1] = cells
  end
  for i, cells in ipairs(lines) do
    for c = 1, #layout - 1 do cells[c] = cells[c] .. (" "):rep(widths[c] - columns(cells[c])) end
    lines[i] = table.concat(cells, "  "):gsub(" +$", "")
  end
  lines[1] = paint("title", lines[1])
  return table.concat(lines, "\n")
end

return inspect
