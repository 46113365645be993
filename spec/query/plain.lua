-- What the operators of a filter mean, written plainly: what specs hold the engine's filters against.
local orrery = require "orrery"

local capitals = { ["Ö"] = "ö" }
local function small(text) return (text:lower():gsub("\xC3\x96", capitals["Ö"])) end

local function like(text, pattern)
  local out, i = {}, 1
  while i <= #pattern do
    local c = pattern:sub(i, i)
    if c == "\\" then
      i = i + 1
      c = pattern:sub(i, i)
      out[#out + 1] = c:gsub("%p", "%%%0")
    elseif c == "%" then
      out[#out + 1] = ".*"
    elseif c == "_" then
      out[#out + 1] = "."
    else
      out[#out + 1] = c:gsub("%p", "%%%0")
    end
    i = i + 1
  end
  return text:find("^" .. table.concat(out) .. "$") ~= nil
end

local function null(v) return v == nil or v == orrery.null end
local function one_of(have, list)
  for _, v in ipairs(list) do
    if have == v or (null(have) and null(v)) then return true end
  end
  return false
end
local function comparable(a, b) return type(a) == type(b) and type(a) ~= "boolean" end

local operators = {
  eq = function(a, b) if null(b) then return null(a) end return a == b end,
  ne = function(a, b) if null(b) then return not null(a) end return not null(a) and a ~= b end,
  ["in"] = one_of,
  not_in = function(a, b) return not null(a) and not one_of(a, b) end,
  like = function(a, b) return type(a) == "string" and like(a, b) end,
  not_like = function(a, b) return type(a) == "string" and not like(a, b) end,
  ilike = function(a, b) return type(a) == "string" and like(small(a), small(b)) end,
  not_ilike = function(a, b) return type(a) == "string" and not like(small(a), small(b)) end,
  ieq = function(a, b) return type(a) == "string" and small(a) == small(b) end,
  ine = function(a, b) return not null(a) and not (type(a) == "string" and small(a) == small(b)) end,
  gt = function(a, b) return comparable(a, b) and a > b end,
  ge = function(a, b) return comparable(a, b) and a >= b end,
  lt = function(a, b) return comparable(a, b) and a < b end,
  le = function(a, b) return comparable(a, b) and a <= b end,
}
operators.before, operators.after = operators.lt, operators.gt

local for_texts = { "eq", "ne", "in", "not_in", "like", "not_like", "ilike", "not_ilike", "ieq", "ine", "gt", "le" }
local for_numbers = { "eq", "ne", "in", "not_in", "gt", "ge", "lt", "le" }
local for_others = { "eq", "ne", "in", "not_in" }

local function kind_of(value)
  if type(value) == "string" then return for_texts end
  return type(value) == "number" and for_numbers or for_others
end

--- The values that records have in a field.
local function values(rows, name)
  local out = {}
  for _, row in ipairs(rows) do out[#out + 1] = row[name] end
  return out
end

return { values = values, operators = operators, null = null, one_of = one_of, small = small, kind_of = kind_of }
