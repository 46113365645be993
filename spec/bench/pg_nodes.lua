--- One store in PostgreSQL, worked off by one, two, four and eight nodes: 60,000 instances of start -> 3 asynchronous no-op Lua service
--- tasks -> end, every commit on the server's disk, each node a process with two worker threads; for each number a private
--- server on this machine, by its unix socket. What a job costs the server must not grow with the nodes; their rate depends on what
--- they share.
local support = require "support"
local cluster = require "cluster_nodes"
package.path = "./?.lua;" .. package.path
local core = require "orrery.core"
local postgres = require "spec.support.postgres"

local INSTANCES, TASKS, NODES = 60000, 3, { 1, 2, 4, 8 }
local SAMPLE_SECONDS = 0.02

--- Looks again and again how many sessions commit, and how many of them wait for the lock of all commits; `close` gives both, as sums.
local function watch(server)
  local folder = server.folder
  local sql = [[SELECT count(*), count(*) FILTER (WHERE wait_event = 'advisory') FROM pg_stat_activity
    WHERE state = 'active' AND query LIKE 'SELECT orrery_commit%']]
  local file <close> = assert(io.open(folder .. "/watch.sql", "w"))
  file:write(sql:gsub("%s+", " "), "\n\\watch ", SAMPLE_SECONDS, "\n")
  file:close()
  local session = io.popen(("exec psql -qAtX '%s' -f '%s/watch.sql' >'%s/watched' 2>&1 & echo $!"):format(server:url(), folder, folder))
  local pid = session:read "l"
  session:close()
  return function()
    os.execute("kill " .. pid)
    local active, waiting = 0, 0
    for line in io.lines(folder .. "/watched") do
      local a, w = line:match "^(%d+)|(%d+)$"
      active, waiting = active + (a or 0), waiting + (w or 0)
    end
    return active, waiting
  end
end

local function measure(nodes)
  local server <close> = postgres.start { durable = true }
  local url = server:schema()
  core.store_make_schema(url)
  do
    local engine <close> = support.open(url, { durability = "none" })
    support.deploy(engine, support.chain("jobs", TASKS, support.service 'o:asyncBefore="true"'))
    support.populate(engine, "jobs", INSTANCES)
  end
  local schema = url:match "search_path%%3D(%w+)"
  server:query "CHECKPOINT"
  local function commits() return tonumber(server:query(("SELECT sum(sequence) FROM %s.orrery_lane"):format(schema))) end
  local all = cluster.start(url, nodes, server.folder)
  local committed, before = commits(), server:processor_seconds()
  local stop = watch(server)
  local done = cluster.work(all)
  local active, waiting = stop()
  local used = server:processor_seconds() - before
  assert(done.jobs == INSTANCES * TASKS, "only " .. done.jobs .. " jobs were done")
  return {
    rate = done.jobs / done.seconds, server = used / done.jobs * 1e6, lost = done.lost / (done.acquired + done.lost) * 100,
    commits = (commits() - committed) / done.jobs, waiting = active > 0 and waiting / active * 100 or 0,
    share = done.least * nodes / done.jobs,
  }
end

local function rows_of(nodes, found, one)
  local name = "pg_nodes." .. nodes
  return {
    { name = name, value = found.rate, unit = "jobs/s", ratio = nodes > 1 and found.rate / one.rate or nil },
    { name = name .. ".server", value = found.server, unit = "us of the server's processor time a job",
      ratio = nodes > 1 and found.server / one.server or nil, ratio_bar = nodes > 1 and 1.2 or nil, most = true },
    { name = name .. ".lost", value = found.lost, unit = "% of the candidates lost", bar = nodes > 1 and 1 or nil, most = true },
    { name = name .. ".commits", value = found.commits, unit = "commits a job" },
    { name = name .. ".waiting", value = found.waiting, unit = "% of commits' time for the lock of all" },
    { name = name .. ".share", value = found.share, unit = "least share, 1: even" },
  }
end

return function(only)
  if not postgres.is_installed() then
    io.stderr:write "pg_nodes: skipped, PostgreSQL is not installed\n"
    return {}
  end
  local rows, one = {}, nil
  for _, nodes in ipairs(only and { 1, tonumber(only) } or NODES) do
    local found = measure(nodes)
    one = one or found
    for _, row in ipairs(rows_of(nodes, found, one)) do rows[#rows + 1] = row end
  end
  return rows
end
