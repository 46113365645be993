--- Completion at the prompt: fields and methods of the value before the cursor; within quotes, ids of the store and files; within the
--- braces of a call, its options.
local core = require "orrery.core"
local options = require "orrery.repl.options"
local records = require "orrery.record"

local complete = {}

local CANDIDATES_MAX = 200

--- Keys of a value that are names, with those of its metatables' __index.
local function names_of(value, out)
  local depth = 0
  while value ~= nil and depth < 8 do
    if type(value) == "table" then
      for key in next, value do
        if type(key) == "string" and key:find "^[%a_][%w_]*$" then out[key] = true end
      end
    end
    local meta = debug.getmetatable(value)
    local index = type(meta) == "table" and rawget(meta, "__index")
    if type(index) ~= "table" then return out end
    value, depth = index, depth + 1
  end
  return out
end

--- The value of `a.b:c` read without calling anything: a completion must not act.
local function value_of(env, path)
  local value = env
  for name in path:gmatch "[%a_][%w_]*" do
    local found
    for _ = 1, 8 do
      if type(value) == "table" then found = rawget(value, name) end
      if found ~= nil then break end
      local meta = debug.getmetatable(value)
      value = type(meta) == "table" and rawget(meta, "__index")
      if type(value) ~= "table" then return nil end
    end
    value = found
    if value == nil then return nil end
  end
  return value
end

local function matching(names, prefix, head)
  local out = {}
  for name in pairs(names) do
    if name:sub(1, #prefix) == prefix then out[#out + 1] = head .. name end
  end
  table.sort(out)
  return table.move(out, 1, math.min(#out, CANDIDATES_MAX), 1, {})
end

--- Names that stand for things in the store: definitions' keys, and what instances wait at.
local function store_ids(engine)
  local ids = {}
  for _, d in ipairs(engine:definitions { latest = true, limit = CANDIDATES_MAX }) do ids[d.key] = true end
  for _, verb in ipairs { "tasks", "jobs", "subscriptions" } do
    for _, row in ipairs(engine[verb](engine, { limit = CANDIDATES_MAX })) do
      if row.key then ids[row.key] = true end
      if row.activity_id then ids[row.activity_id] = true end
      if verb == "subscriptions" and row.name then ids[row.name] = true end
    end
  end
  return ids
end

--- Adds the files of the folder that a path begins with; a folder ends with a slash.
local function add_files(names, path)
  local folder = path:match "^(.*/)" or ""
  local ok, files = pcall(core.folder, folder == "" and "." or folder)
  for _, name in ipairs(ok and files or {}) do
    if name:sub(1, 1) ~= "." then
      names[folder .. name .. (core.file_type(folder .. name) == "directory" and "/" or "")] = true
    end
  end
end

--- What a text in quotes may become, without what stands before `word`: the line editor cuts words at more than blanks.
local function quoted(engine, text, word)
  local names = store_ids(engine)
  if #matching(names, text, "") == 0 then add_files(names, text) end
  local out = matching(names, text, "")
  for i, name in ipairs(out) do out[i] = name:sub(#text - #word + 1) end
  return out
end

--- The text in quotes that is open at the end of a line; nil: none is.
local function open_quotes(text)
  local quote, from
  for at = 1, #text do
    local c = text:sub(at, at)
    if quote then
      if c == quote and text:sub(at - 1, at - 1) ~= "\\" then quote = nil end
    elseif c == '"' or c == "'" then
      quote, from = c, at + 1
    end
  end
  return quote and text:sub(from)
end

local function list_of(names)
  local out = {}
  for name in pairs(names) do out[#out + 1] = name end
  table.sort(out)
  return out
end

--- What can be named at the prompt.
function complete.names(env) return list_of(names_of(_G, names_of(env, {}))) end

--- The methods of the engine and of records, and the functions of orrery.
function complete.methods(engine)
  local names = names_of(require "orrery", names_of(engine, {}))
  for _, class in pairs(records.classes()) do names_of(class, names) end
  return list_of(names)
end

--- The kind of object that has a method, given as a function, and the method's name; nil: it is none of ours.
function complete.name_of(engine, f)
  local classes = records.classes()
  classes.engine = getmetatable(engine)
  for kind, class in pairs(classes) do
    for name, method in pairs(class) do
      if method == f then return kind, name end
    end
  end
end

--- What `path` (a.b.c) may have meant where its last name is nil: "; did you mean 'x'?", or nil.
function complete.near(env, path)
  local head, last = path:match "^([%w_.]+)%.([%w_]+)$"
  local value = head and value_of(env, head)
  if type(value) ~= "table" then return nil end
  return core.nearest(last, list_of(names_of(value, {})))
end

--- Whole words for the place of `word`, which ends at `cursor` of `line`.
function complete.candidates(env, engine, word, line, cursor)
  local before = line:sub(1, cursor)
  local text = open_quotes(before)
  if text then return quoted(engine, text, word) end
  local keys = options.at(before)
  local found = keys and matching(keys, word, "") or {}
  if #found > 1 then return found end
  if #found == 1 then return { found[1] .. " = " } end
  local head, last = word:match "^(.*[.:])([%w_]*)$"
  if not head then
    local names = names_of(_G, names_of(env, {}))
    return matching(names, word, "")
  end
  local value = value_of(env, head)
  if value == nil then return {} end
  if type(value) == "string" then value = string end
  return matching(names_of(value, {}), last, head)
end

return complete
