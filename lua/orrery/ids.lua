--- Ids are texts in Lua and integers in the core's values: what comes as a built value is turned here (records are turned in C).
local errors = require "orrery.errors"

local ids = {}

--- Whether something could be an id. Look-ups answer nil to what could not, commands raise.
function ids.possible(id)
  local n = math.tointeger(tonumber(id))
  return n ~= nil and n > 0
end

--- Refuses what no id looks like, as the core does.
function ids.check(name, n, id)
  if ids.possible(errors.check_type(name, n, id, "number", "string")) then return id end
  errors.raise("not_found", ('bad argument #%d to \'%s\' ("%s" is no id)'):format(n, name, id))
end

--- An array of ids.
function ids.list(list)
  for i, id in ipairs(list) do list[i] = tostring(id) end
  return list
end

--- The id fields of a map, of an array of maps, and of a tree's children. A map's `variables` are the user's own.
function ids.fields(value)
  if type(value) ~= "table" then return value end
  for key, field in pairs(value) do
    if key == "children" or math.type(key) == "integer" then ids.fields(field)
    elseif math.type(field) == "integer" and (key == "id" or key:sub(-3) == "_id") then value[key] = tostring(field) end
  end
  return value
end

return ids
