--- The jobs of one store, done by eight processes and by one: 100,000 instances of start -> 3 asynchronous no-op Lua service tasks -> end,
--- durable, two threads a process. From the word to start until all processes have found nothing left to do.
local support = require "support"
local cluster = require "cluster_nodes"

local PROCESSES, INSTANCES, TASKS = 8, 100000, 3

local function deploy(engine) support.deploy(engine, support.chain("cluster", TASKS, support.service 'o:asyncBefore="true"')) end

--- Jobs a second of so many processes, and the smallest share that one of them had.
local function rate(processes)
  local store = support.directory "cluster"
  do
    local engine <close> = support.open(store, { durability = "none" })
    deploy(engine)
    support.populate(engine, "cluster", INSTANCES)
  end
  local done = cluster.work(cluster.start(store, processes, store))
  assert(done.jobs == INSTANCES * TASKS, "only " .. done.jobs .. " jobs were done")
  local engine <close> = support.open(store)
  assert(engine:count "instances" == 0)
  return done.jobs / done.seconds, done.least * processes / done.jobs
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
