--- Conflicts of commands: executors and people change the same records at once, and the second commit loses.
local conflicts = {}

local TRIES = 5 -- a command of a person's is over in a moment: it does not lose that often in a row

--- Calls f(...), which does all of its work in transactions: a call that loses a race has done nothing, and is repeated.
function conflicts.retry(f, ...)
  for _ = 2, TRIES do
    local ok, result = pcall(f, ...)
    if ok then return result end
    if type(result) ~= "table" or result.kind ~= "conflict" then error(result, 0) end
  end
  return f(...)
end

return conflicts
