--- reload() at the prompt: the program's own modules are read again when they are next needed.
local core = require "orrery.core"

--- The templates of a path without those of Lua's own folders, where what is installed lies.
local function own_templates(path)
  local installed, out = {}, {}
  for template in core.installed_path:gmatch "[^;]+" do installed[template] = template:sub(1, 1) == "/" end
  for template in path:gmatch "[^;]+" do
    if not installed[template] then out[#out + 1] = template end
  end
  return table.concat(out, ";")
end

--- Forgets the modules that lie on `path` or beside the program; Orrery's own stay. Returns their names.
return function(path)
  local templates, names = own_templates(path .. ";" .. package.path), {}
  for name in pairs(package.loaded) do
    local own = name == "orrery" or name:find "^orrery%."
    if not own and package.searchpath(name, templates) then names[#names + 1] = name end
  end
  for _, name in ipairs(names) do package.loaded[name] = nil end
  table.sort(names)
  return names
end
