--- The jobs of one store, done by eight processes and by one: 100,000 instances of start -> 3 asynchronous no-op Lua service tasks -> end,
--- durable, two threads a process. From the word to start until all processes have found nothing left to do.
local support = require "support"

local PROCESSES, INSTANCES, TASKS = 8, 100000, 3

local function deploy(engine) support.deploy(engine, support.chain("cluster", TASKS, support.service 'o:asyncBefore="true"')) end

local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

--- A process that waits for the word to start: closing its pipe.
local function process(store, number)
  local pipe = ("%s/pipe%d"):format(store, number)
  assert(os.execute("mkfifo " .. quote(pipe)))
  local script = package.searchpath("cluster_child", package.path)
  local command = ("LUA_PATH=%s LUA_CPATH=%s %s %s %s %s"):format(quote(package.path), quote(package.cpath), quote(arg[-1]), quote(script),
    quote(store), quote(pipe))
  local output = assert(io.popen(command))
  assert(output:read "l" == "ready")
  return { pipe = pipe, output = output }
end

--- Jobs a second of so many processes, and the smallest share that one of them had.
local function rate(processes)
  local store = support.directory "cluster"
  do
    local engine <close> = support.open(store, { durability = "none" })
    deploy(engine)
    support.populate(engine, "cluster", INSTANCES)
  end
  local all = {}
  for i = 1, processes do all[i] = process(store, i) end
  local done, least = 0, math.huge
  local seconds = support.time(function()
    for _, each in ipairs(all) do assert(io.open(each.pipe, "w")):close() end
    for _, each in ipairs(all) do
      local jobs = assert(each.output:read "n", "a process ended early")
      done, least = done + jobs, math.min(least, jobs)
      assert(each.output:close())
    end
  end)
  assert(done == INSTANCES * TASKS, "only " .. done .. " jobs were done")
  local engine <close> = support.open(store)
  assert(engine:count "instances" == 0)
  return done / seconds, least * processes / done
end

return function()
  local one = rate(1)
  local many, least = rate(PROCESSES)
  return {
    { name = "cluster", value = many, unit = "jobs/s", ratio = many / one, ratio_bar = 1 },
    { name = "cluster.one", value = one, unit = "jobs/s" },
    { name = "cluster.share", value = least, unit = "least share, 1: even" },
  }
end
