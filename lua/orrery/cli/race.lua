--- Commands that meet others: executors and people change the same records at the same time, and who commits second has lost.
local race = {}

local TRIES = 5 -- a command of a person's is over in a moment: it does not lose that often in a row

--- Calls f(...), which does all it does in transactions: when it has lost a race nothing was done, and it is called again.
function race.run(f, ...)
  for _ = 2, TRIES do
    local ok, result = pcall(f, ...)
    if ok then return result end
    if type(result) ~= "table" or result.kind ~= "conflict" then error(result, 0) end
  end
  return f(...)
end

return race
