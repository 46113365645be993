--- Durable jobs: 100,000 instances of start -> 3 asynchronous no-op Lua service tasks -> end, two worker threads, every commit on disk, the
--- default history. Timed from the executor's start to its last job: each instance is three jobs, one acquired, the others handed over.
--- The bare store then writes what the engine wrote: the same bytes in the same batches, recorded from a run of its own.
local support = require "support"

local INSTANCES, RECORDED, TASKS = 100000, 30000, 3
local executor = { threads = 2 }

local function deploy(engine)
  support.deploy(engine, support.chain("jobs", TASKS, support.service 'o:asyncBefore="true"'))
end

--- A store with instances that wait for their first job.
local function prepare(name, count, history)
  local path = support.directory(name)
  do
    local engine <close> = support.open(path, { durability = "none", history = history })
    deploy(engine)
    support.populate(engine, "jobs", count)
  end
  return path
end

--- Seconds that the executor takes for everything there is to do, and for what `meanwhile` adds.
local function drain(engine, count, meanwhile)
  local seconds = support.time(function()
    engine:start_executor(executor)
    if meanwhile then meanwhile() end
    assert(engine:wait_idle(600))
  end)
  local done = engine:metrics()["job-successful"]
  assert(done == count * TASKS, "only " .. done .. " jobs were done")
  assert(engine:count("instances") == 0)
  return seconds
end

--- Jobs a second, and the processor time a job takes on all cores.
local function engine_rate(history)
  local path = prepare("jobs", INSTANCES, history)
  local engine <close> = support.open(path, { history = history })
  local used = support.measure.used()
  local seconds = drain(engine, INSTANCES)
  local jobs = INSTANCES * TASKS
  return jobs / seconds, (support.measure.used() - used) / jobs
end

--- Jobs a second from the first start on: the instances are started while the executor runs, 1,000 to a transaction.
local function whole_rate()
  local engine <close> = support.open(support.directory "jobs", {})
  deploy(engine)
  local seconds = drain(engine, INSTANCES, function() support.populate(engine, "jobs", INSTANCES) end)
  return INSTANCES * TASKS / seconds
end

--- Jobs a second of the bare store, and what one job writes.
local function bare_rate()
  local path = prepare("recorded", RECORDED)
  local before = support.copy(path, path .. "-before")
  local commits, batches, ops, bytes
  do
    local engine <close> = support.open(path, {})
    support.measure.record(require "orrery.core".address(engine.core))
    drain(engine, RECORDED)
    engine:stop_executor()
    commits, batches, ops, bytes = support.measure.recorded()
  end
  local seconds = support.measure.replay(before)
  support.remove(path)
  support.remove(before)
  return RECORDED * TASKS / seconds, { commits = commits, batches = batches, ops = ops, bytes = bytes }
end

--- Jobs a second of the skeleton, and the processor time that one takes.
local function skeleton_rate()
  local path = support.directory "skeleton"
  local used = support.measure.used()
  local seconds = support.measure.skeleton(path, INSTANCES, TASKS, executor.threads)
  support.remove(path)
  return INSTANCES * TASKS / seconds, (support.measure.used() - used) / (INSTANCES * TASKS)
end

return function()
  local rate, used = engine_rate()
  local plain, plain_used = engine_rate "none"
  local skeleton, skeleton_used = skeleton_rate()
  local whole = whole_rate()
  local bare, wrote = bare_rate()
  local jobs = RECORDED * TASKS
  return {
    { name = "jobs", value = rate, unit = "jobs/s", ratio = rate / bare, bar = 100000, ratio_bar = 0.40 },
    { name = "jobs.processor", value = used * 1e6, unit = "us/job" },
    { name = "jobs.no_history", value = plain, unit = "jobs/s" },
    { name = "jobs.skeleton", value = skeleton, unit = "jobs/s" },
    { name = "jobs.of_skeleton", value = rate / skeleton, unit = "of the skeleton", bar = 0.45 },
    { name = "jobs.no_history.of_skeleton", value = plain / skeleton, unit = "of the skeleton", bar = 0.60 },
    { name = "jobs.no_history.processor", value = plain_used * 1e6, unit = "us/job" },
    { name = "jobs.skeleton.processor", value = skeleton_used * 1e6, unit = "us/job" },
    { name = "jobs.with_starts", value = whole, unit = "jobs/s" },
    { name = "jobs.bare", value = bare, unit = "jobs/s" },
    { name = "jobs.operations", value = wrote.ops / jobs, unit = "store operations/job", bar = 5, most = true },
    { name = "jobs.bytes", value = wrote.bytes / jobs, unit = "bytes/job" },
    { name = "jobs.group", value = wrote.batches / wrote.commits, unit = "batches/commit" },
  }
end
