-- Writes the lists of what is stable anew, of what a build has: lua5.4 spec/stability/freeze.lua
-- [build/release/orrery]
-- Before a release it adds what has come. What it takes away needs a new major version, so it says
-- that.
local surfaces = dofile "spec/stability/surfaces.lua"
local orrery = arg[1] or "build/release/orrery"

local function exists(path)
  local file <close> = io.open(path)
  return file ~= nil
end

for _, name in ipairs(surfaces.names) do
  local today, path = surfaces.today(name, orrery), surfaces.path(name)
  local gone = exists(path) and surfaces.broken(surfaces.frozen(name), today) or {}
  for _, line in ipairs(gone) do print(("%s: no longer: %s"):format(name, line)) end
  local file <close> = assert(io.open(path, "w"))
  file:write(table.concat(today, "\n"), "\n")
  print(("%s: %d lines, %d gone"):format(name, #today, #gone))
end
