--- Values as JSON, one line each, for `--json`.
local core = require "orrery.core"

local json = {}

local DEPTH_MAX = 64 -- values nest no deeper

local short = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function text_of(s)
  if not utf8.len(s) then s = s:gsub("[\128-\255]", function(c) return utf8.char(c:byte()) end) end -- bytes that are no text: as Latin-1
  return '"' .. s:gsub('[%c"\\\127]', function(c) return short[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
end

local function number(n)
  if n ~= n or n == math.huge or n == -math.huge then return "null" end -- JSON has no word for them
  if math.type(n) == "integer" then return ("%d"):format(n) end
  if n == math.floor(n) and math.abs(n) < 2 ^ 53 then return ("%.1f"):format(n) end
  local brief = ("%.15g"):format(n)
  return tonumber(brief) == n and brief or ("%.17g"):format(n)
end

local encode

local function items(t, depth)
  local parts = {}
  if #t > 0 or getmetatable(t) == core.array or next(t) == nil and getmetatable(t) == nil then
    for i, value in ipairs(t) do parts[i] = encode(value, depth + 1) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  local keys = {}
  for key in next, t do keys[#keys + 1] = tostring(key) end
  table.sort(keys)
  for i, key in ipairs(keys) do parts[i] = text_of(key) .. ":" .. encode(rawget(t, key), depth + 1) end
  return "{" .. table.concat(parts, ",") .. "}"
end

function encode(value, depth)
  if depth > DEPTH_MAX then error("a value nests too deep for JSON", 0) end
  if value == nil or value == core.null then return "null" end
  local kind = type(value)
  if kind == "string" then return text_of(value) end
  if kind == "number" then return number(value) end
  if kind == "boolean" then return tostring(value) end
  if kind == "table" then return items(value, depth) end
  return text_of(tostring(value))
end

function json.encode(value) return encode(value, 0) end

return json
