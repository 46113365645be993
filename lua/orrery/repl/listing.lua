--- Lists of records at the prompt, as tables of what tells them apart.
local core = require "orrery.core"
local inspect = require "orrery.inspect"
local stubs = require "orrery.repl.stubs"

local listing = {}

local COLUMNS_MAX <const> = 9
local CELL_MAX <const> = 32 -- letters; one record alone shows all of them

-- What a column may be, the most telling first.
local fields = {}
for name in ([[id key version name type handler definition_key activity_id instance_id business_key state assignee value
  worker topic message error retries due created time started_at ended_at duration]]):gmatch "%S+" do
  fields[#fields + 1] = name
end

--- Whether a value is a list of several records of one kind.
function listing.is_list(value)
  if type(value) ~= "table" or getmetatable(value) ~= nil or #value < 2 then return false end
  local class = stubs.class_of(value[1])
  for key, row in next, value do
    if math.type(key) ~= "integer" or not class or type(row) ~= "table" or stubs.class_of(row) ~= class then return false end
  end
  return true
end

local function text_of(field, value)
  if value == nil then return nil end
  if inspect.times[field] and math.type(value) then return core.time_format(value) end
  local text = type(value) == "string" and value:gsub("%c", " ") or inspect.value(value)
  local cut = utf8.offset(text, CELL_MAX + 1)
  return cut and cut <= #text and text:sub(1, cut - 1) .. "…" or text
end

local function is_used(rows, field)
  for _, row in ipairs(rows) do
    if rawget(row, field) ~= nil then return true end
  end
  return false
end

--- The list as lines: a column for each of the fields that some row has.
function listing.text(rows, paint)
  local layout = {}
  for _, field in ipairs(fields) do
    if #layout < COLUMNS_MAX and is_used(rows, field) then
      layout[#layout + 1] = { field, function(row) return text_of(field, rawget(row, field)) end }
    end
  end
  return inspect.rows(rows, layout, paint)
end

return listing
