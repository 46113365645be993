--- Durable jobs of a store in PostgreSQL: instances of start -> 3 asynchronous no-op Lua service tasks -> end, two worker threads, every
--- commit on the server's disk, the default history; a private server on this machine, by its unix socket. The processor time is what a
--- job costs the server's sessions, and the engine: the rate depends on what the two share.
local support = require "support"
package.path = "./?.lua;" .. package.path
local core = require "orrery.core"
local postgres = require "spec.support.postgres"

local INSTANCES, TASKS, THREADS = 20000, 3, 2
local TICKS = 100 -- a second, of /proc

--- Processor time of the server's processes in seconds.
local function used(server)
  local ticks, pipe <close> = 0, assert(io.popen("cat $(pgrep -P " .. server.pid .. " | sed 's|.*|/proc/&/stat|')"))
  for line in pipe:lines() do
    local field = {}
    for word in line:match "%) (.*)":gmatch "%S+" do field[#field + 1] = word end
    ticks = ticks + field[12] + field[13]
  end
  return ticks / TICKS
end

return function()
  if not postgres.is_installed() then
    io.stderr:write "postgresql: skipped, it is not installed\n"
    return {}
  end
  local server <close> = postgres.start { durable = true }
  local url = server:schema()
  core.store_make_schema(url)
  local engine <close> = support.open(url, {})
  support.deploy(engine, support.chain("jobs", TASKS, support.service 'o:asyncBefore="true"'))
  support.populate(engine, "jobs", INSTANCES)
  local function questions() return support.measure.questions(core.address(engine.core)) end
  local before, own, asked = used(server), support.measure.used(), questions()
  local seconds = support.time(function()
    engine:start_executor { threads = THREADS }
    assert(engine:wait_idle(600))
  end)
  local jobs = engine:metrics()["job-successful"]
  assert(jobs == INSTANCES * TASKS, "only " .. jobs .. " jobs were done")
  return {
    { name = "postgresql", value = jobs / seconds, unit = "jobs/s" },
    { name = "postgresql.server", value = (used(server) - before) / jobs * 1e6, unit = "us of the server's processor time a job" },
    { name = "postgresql.questions", value = (questions() - asked) / jobs, unit = "questions a job" },
    { name = "postgresql.engine", value = (support.measure.used() - own) / jobs * 1e6, unit = "us of the engine's" },
  }
end
