--- Parts of Orrery that most programs do not use are loaded when something of them is first asked for: opening an engine, and each
--- worker's Lua state, then cost no more for them.
local lazy = {}

local folder = debug.getinfo(1, "S").source:match "^@(.*)orrery[/\\]lazy%.lua$" or ""

--- require, which finds Orrery's own files: by the time of the call the program may have set package.path otherwise, and a worker's is
--- the delegates'.
function lazy.load(name)
  if package.loaded[name] ~= nil then return package.loaded[name] end
  local path = package.path
  package.path = folder .. "?.lua;" .. folder .. "?/init.lua;" .. path
  local ok, module = pcall(require, name)
  package.path = path
  if not ok then error(module, 0) end
  return module
end

--- Stands for a module that is a table of functions.
function lazy.module(name)
  return setmetatable({}, { __index = function(self, key)
    local value = lazy.load(name)[key]
    rawset(self, key, value)
    return value
  end })
end

return lazy
