--- Processes that work off one store together, for cluster.lua and pg_nodes.lua: they open it, and begin at the same word.
local support = require "support"

local M = {}

local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

--- A process that waits for the word to start: closing its pipe.
local function process(store, folder, number)
  local pipe = ("%s/pipe%d"):format(folder, number)
  os.remove(pipe)
  assert(os.execute("mkfifo " .. quote(pipe)))
  local script = package.searchpath("cluster_child", package.path)
  local command = ("LUA_PATH=%s LUA_CPATH=%s %s %s %s %s"):format(quote(package.path), quote(package.cpath), quote(arg[-1]), quote(script),
    quote(store), quote(pipe))
  local output = assert(io.popen(command))
  assert(output:read "l" == "ready")
  return { pipe = pipe, output = output }
end

--- So many of them; their pipes lie in `folder`.
function M.start(store, count, folder)
  local all = {}
  for i = 1, count do all[i] = process(store, folder, i) end
  return all
end

--- Gives the word, and waits until all have found nothing left to do. `jobs`, candidates `acquired` and `lost`, `seconds`; `least`:
--- the jobs of who had the fewest.
function M.work(all)
  local sum = { jobs = 0, acquired = 0, lost = 0, least = math.huge }
  sum.seconds = support.time(function()
    for _, each in ipairs(all) do assert(io.open(each.pipe, "w")):close() end
    for _, each in ipairs(all) do
      local jobs, acquired, lost = each.output:read("n", "n", "n")
      assert(lost, "a process ended early")
      sum.jobs, sum.acquired, sum.lost = sum.jobs + jobs, sum.acquired + acquired, sum.lost + lost
      sum.least = math.min(sum.least, jobs)
      assert(each.output:close())
    end
  end)
  return sum
end

return M
