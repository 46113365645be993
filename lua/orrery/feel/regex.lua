--- Regular expressions of FEEL's functions and of the Java methods that models call: found with the core's (those of XPath, within
--- bounds of steps), kept compiled, and what stands in a replacement for their groups.
local feel = require("orrery.core").feel

local regex = {}

local COMPILED_MAX = 200
local compiled, n_compiled = {}, 0

--- The compiled pattern, or nil and what is wrong with it.
function regex.compile(pattern, flags)
  local key = (flags or "") .. "/" .. pattern
  if compiled[key] then return compiled[key] end
  local made, message = feel.regex(pattern, flags)
  if not made then return nil, message end
  if n_compiled >= COMPILED_MAX then compiled, n_compiled = {}, 0 end
  compiled[key], n_compiled = made, n_compiled + 1
  return made
end

--- First and last byte of the match and of each group, as an array; nil when there is none, or with what kept it from being looked
--- for, and whether that was a limit.
function regex.find(made, text, from)
  local spans = { feel.find(made, text, from) }
  if spans[1] then return spans end
  return nil, spans[2], spans[3]
end

--- The group that "$12" means: as many digits as there are groups for. Its number and the place behind it.
local function group_at(template, at, groups)
  local number, digits = 0, 0
  while true do
    local digit = template:match("^%d", at + digits)
    if not digit or (digits > 0 and number * 10 + tonumber(digit) > groups) then return digits > 0 and number or nil, at + digits end
    number, digits = number * 10 + tonumber(digit), digits + 1
  end
end

--- A replacement as texts and numbers of groups; nil when it is wrong.
function regex.template(text, groups)
  local parts, at = {}, 1
  while at <= #text do
    local plain = text:match("^[^\\$]+", at)
    if plain then
      parts[#parts + 1], at = plain, at + #plain
    elseif text:sub(at, at) == "$" then
      local group, behind = group_at(text, at + 1, groups)
      if not group then return nil end
      parts[#parts + 1], at = group, behind
    else
      local escaped = text:match("^\\([\\$])", at)
      if not escaped then return nil end
      parts[#parts + 1], at = escaped, at + 2
    end
  end
  return parts
end

--- Adds a template's parts to `out`, for a match in `text`.
function regex.expand(out, parts, text, spans)
  for _, part in ipairs(parts) do
    local first = type(part) == "string" or spans[part * 2 + 1]
    if type(part) == "string" then
      out[#out + 1] = part
    elseif first then
      out[#out + 1] = text:sub(first, spans[part * 2 + 2])
    end
  end
end

--- Behind the character at this byte: where the next one begins.
function regex.following(text, at) return utf8.offset(text, 2, at) or at + 1 end

return regex
