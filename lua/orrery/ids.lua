--- Ids are texts in Lua and integers in the core's values: what comes as a built value is turned here (records are turned in C).
local ids = {}

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
