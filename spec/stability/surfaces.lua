-- What is stable within 1.x, as lines of text. A list that is frozen has the lines of a release.
local surfaces = {}

surfaces.names = { "c", "lua", "store", "rest", "command" }

--- The lines of one today, sorted. `orrery`: the command of a build.
function surfaces.today(name, orrery)
  local lines = dofile(("spec/stability/surface/%s.lua"):format(name))(orrery)
  table.sort(lines)
  return lines
end

function surfaces.path(name) return ("spec/stability/frozen/%s.txt"):format(name) end

function surfaces.frozen(name)
  local lines = {}
  for line in io.lines(surfaces.path(name)) do lines[#lines + 1] = line end
  return lines
end

--- The lines of `frozen` that `today` lacks: each is a promise that is not kept.
function surfaces.broken(frozen, today)
  local there, lacking = {}, {}
  for _, line in ipairs(today) do there[line] = true end
  for _, line in ipairs(frozen) do
    if not there[line] then lacking[#lacking + 1] = line end
  end
  return lacking
end

return surfaces
