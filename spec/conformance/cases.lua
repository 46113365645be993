--- The conformance cases in the folder that ORRERY_CONFORMANCE names, and those of them that are known not to pass.
local cases = {}

local here = debug.getinfo(1, "S").source:match "^@(.*)/" or "."

local function lines_of(command)
  local out = {}
  local pipe = assert(io.popen(command))
  for line in pipe:lines() do out[#out + 1] = line end
  pipe:close()
  return out
end

--- An array of { path, name, peer, group }, by name; CASES keeps those whose path holds a word.
function cases.all(folder)
  local out, wanted = {}, os.getenv "CASES"
  for _, path in ipairs(lines_of(("find -L '%s/cases' -name '*.lua' | LC_ALL=C sort"):format(folder))) do
    local name = path:match "/cases/(.+)%.lua$"
    if not wanted or name:find(wanted, 1, true) then
      out[#out + 1] = { path = path, name = name, peer = name:match "^[^/]+", group = name:match "^(.*)/" }
    end
  end
  return out
end

--- The reasons by case name. A line of pending.txt is a name, blanks, and the reason; # begins a comment.
function cases.pending()
  local out = {}
  for line in io.lines(here .. "/pending.txt") do
    local name, reason = line:match "^([^#%s]%S*)%s+(.+)$"
    if name then out[name] = reason elseif line:find "^[^#%s]" then error("pending.txt: no reason in: " .. line) end
  end
  return out
end

--- Runs one case; raises what it raises.
function cases.run(folder, case)
  if not package.path:find(folder, 1, true) then package.path = folder .. "/?.lua;" .. package.path end
  local env = setmetatable({ assert = require "luassert" }, { __index = _G })
  local body = assert(loadfile(case.path, "t", env))()
  local t = require("peer").new(folder, case.peer)
  local ok, failure = xpcall(body, function(e)
    return type(e) == "table" and e.kind and debug.traceback(tostring(e), 2) or e
  end, t)
  t:close()
  if not ok then error(failure, 0) end
end

return cases
