--- Durable jobs of a store in PostgreSQL: instances of start -> 3 asynchronous no-op Lua service tasks -> end, two worker threads, every
--- commit on the server's disk, the default history; a private server on this machine, by its unix socket. The processor time is what a
--- job costs the server's sessions, and the engine: the rate depends on what the two share. Of the log, a checkpoint adds images of blocks.
local support = require "support"
local core = require "orrery.core"

local INSTANCES, TASKS, THREADS = 20000, 3, 2

return function()
  local server <close>, url = support.postgresql "postgresql"
  if not server then return {} end
  local engine <close> = support.open(url, {})
  support.deploy(engine, support.chain("jobs", TASKS, support.service 'o:asyncBefore="true"'))
  support.populate(engine, "jobs", INSTANCES)
  local function questions() return support.measure.questions(core.address(engine.core)) end
  local function logged() return tonumber(server:query "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')") end
  local written, before, own, asked = logged(), server:processor_seconds(), support.measure.used(), questions()
  local seconds = support.time(function()
    engine:start_executor { threads = THREADS }
    assert(engine:wait_idle(600))
  end)
  local jobs = engine:metrics()["job-successful"]
  assert(jobs == INSTANCES * TASKS, "only " .. jobs .. " jobs were done")
  return {
    { name = "postgresql", value = jobs / seconds, unit = "jobs/s", bar = 20000 },
    { name = "postgresql.server", value = (server:processor_seconds() - before) / jobs * 1e6,
      unit = "us of the server's processor time a job",
      bar = 20, most = true },
    { name = "postgresql.questions", value = (questions() - asked) / jobs, unit = "questions a job", bar = 0.1, most = true },
    { name = "postgresql.log", value = (logged() - written) / jobs, unit = "bytes of the server's log a job", bar = 1000, most = true },
    { name = "postgresql.engine", value = (support.measure.used() - own) / jobs * 1e6, unit = "us of the engine's" },
  }
end
