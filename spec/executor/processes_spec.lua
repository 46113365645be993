-- Several processes on one store: what kills its process stops being tried, and limits hold for all of them together.
-- Marks: load
package.path = "spec/job/?.lua;spec/support/?.lua;" .. package.path
local orrery = require "orrery"
local folder = require "folder"
local model = require "model"

describe("processes on one store", function()
  local store
  before_each(function()
    store = folder.make()
    orrery.open(store, { log = "none" }):close() -- before other files lie there
  end)
  after_each(function() folder.remove(store) end)

  local lua = os.getenv "ORRERY_LUA" or "lua5.4"
  local function process(threads)
    return assert(io.popen(("exec %s spec/executor/process.lua '%s' %d 2>/dev/null"):format(lua, store, threads)))
  end
  local function open(log)
    local path = "spec/job/?.lua;" .. package.path
    return orrery.open(store, { log = log or "none", package_path = path })
  end

  it("give up a job that took down three of them, with an incident, and leave its neighbors alone", function()
    local lives = store .. "/lives"
    do
      local engine <close> = open()
      engine:deploy(model.task 'camunda:asyncBefore="true" camunda:class="delegates.deadly"')
      engine:start("p", { variables = { lives = lives } })
    end
    for crash = 1, 3 do
      local said = process(1)
      assert.is_nil(said:read "l")
      said:close()
      local engine <close> = open()
      assert.equal(0, engine:count("incidents", {}), "after crash " .. crash)
    end
    local told = {}
    local engine <close> = open(function(level, _, fields)
      if level == "warning" then told[#told + 1] = fields end
    end)
    engine:start_executor { threads = 1 } -- looks after the dead first
    assert.is_true(engine:wait_idle(120))
    local job = engine:jobs {}[1]
    assert.equal(0, job.retries)
    local row = engine:history_job { job_id = job.id, state = "failed" }
    assert.equal(1, row.retries) -- before it failed: the history tells none is left
    assert.matches("was lost three times; it is not tried again", row.error)
    for i, event in ipairs { "job failed", "job incident" } do
      local line = told[i]
      assert.same({ event, job.id, "t" }, { line.event, tostring(line.job), line.activity })
    end
    assert.equal("t", engine:incidents {}[1].activity_id)
    assert.matches("the process that ran the job was lost", engine:incidents {}[1].message)
    assert.equal("no_retries", job:why().reason)
    io.open(lives, "w"):close()
    job:set_retries(1)
    assert.is_true(engine:wait_idle(120))
    assert.equal(0, engine:count("instances", {}))
    assert.same({}, engine:verify())
  end)

  it("find each other's jobs while they rest, however long their pauses are", function()
    local pipe = store .. "/pipe"
    assert(os.execute(("mkfifo '%s'"):format(pipe)))
    local engine <close> = open()
    engine:deploy(model.task 'camunda:asyncBefore="true" camunda:class="delegates.tell"')
    engine:start_executor { threads = 1, wait_time = 3600, max_wait = 3600 }
    assert.is_true(engine:wait_idle(120))
    for _ = 1, 2 do -- again after a round that found something
      local told = assert(io.popen(("timeout 120 cat '%s'"):format(pipe)))
      assert(os.execute(("%s spec/executor/starter.lua '%s' '%s'"):format(lua, store, pipe)))
      assert.equal("done", told:read "l")
      told:close()
    end
  end)

  it("leave each other's jobs alone while they run: a job of several lock times runs once, its lock renewed again and again", function()
    local gate = store .. "/gate"
    io.open(gate, "w"):close()
    local engine <close> = open()
    engine:deploy(model.task 'camunda:asyncBefore="true" camunda:class="delegates.counted"')
    engine:start("p", { variables = { path = gate } })
    engine:start_executor { threads = 1, lock_time = 0.3 }
    local other_gate = store .. "/other"
    io.open(other_gate, "w"):close()
    local function locked() return engine:job({}).lock_expires end
    local function count_runs()
      local file = io.open(gate .. ".runs")
      local runs = file and #file:read "a" or 0
      if file then file:close() end
      return runs
    end
    repeat engine:wait_idle(0.002) until count_runs() > 0
    local first, seen, renewals = locked(), locked(), 0
    local said = assert(io.popen(("exec %s spec/executor/node.lua '%s' '%s' '%s'"):format(lua, store, other_gate,
      "{ threads = 1, lock_time = 0.3, wait_time = 0.01, max_wait = 0.01 }")))
    assert.equal("ready", said:read "l") -- it has looked, and took nothing
    local patience = os.time() + 60
    repeat -- on a loaded machine one look may be several renewals late
      local now = locked()
      if now > seen then seen, renewals = now, renewals + 1 end
      engine:wait_idle(0.002)
    until seen >= first + 3 * 0.3 and renewals >= 2 or os.time() > patience
    assert.is_true(renewals >= 2, renewals)
    os.remove(gate)
    assert.is_true(engine:wait_idle(60))
    os.remove(other_gate)
    said:close()
    assert.equal(1, count_runs())
    assert.equal(1, engine:count("history_instances", { state = "completed" }))
    assert.same({}, engine:verify())
  end)

  -- Seed: "Diagnosing Job Acquisition": a job is available, but not acquired.
  describe("are asked why a job does not run, wherever its executor is:", function()
    local gate, engine
    before_each(function()
      gate = store .. "/gate"
      io.open(gate, "w"):close()
      engine = open()
    end)
    after_each(function() engine:close() end)

    --- An executor in another process, until its end.
    local function node(options)
      local said = assert(io.popen(("exec %s spec/executor/node.lua '%s' '%s' '%s'"):format(lua, store, gate, options)))
      assert.equal("ready", said:read "l")
      return setmetatable({}, { __close = function()
        os.remove(gate)
        said:close()
      end })
    end

    local function start(how)
      engine:deploy(model.task 'camunda:asyncBefore="true" camunda:class="delegates.slow"')
      return engine:start("p", { variables = { path = gate, how = how } })
    end

    local function is(reason, pattern)
      local why = engine:jobs({ order_by = "id" })[engine:count "jobs"]:why()
      assert.equal(reason, why.reason, why.text)
      assert.matches(pattern, why.text)
    end

    it("none runs on this store", function()
      start()
      is("no_executor", "no executor runs on this store")
      do local _ <close> = node "{ threads = 1, priority_min = 1 }" end
      is("no_executor", "no executor runs on this store")
    end)

    it("its priority is outside the range of each", function()
      start()
      local _ <close> = node "{ threads = 1, priority_min = 5, priority_max = 9 }"
      is("priority", "^priority 0: the executor of process %d+ on .+ takes 5 to 9$")
    end)

    it("its deployment is not registered with them", function()
      start()
      local _ <close> = node "{ threads = 1, deployment_aware = true }"
      is("deployment", "is not registered with the executor of process %d+ on ")
    end)

    local on_disk = folder.only(it, pending, "what an executor is at now is told by its file beside the store")

    on_disk("their queues are full", function()
      start "awaits"
      start "awaits"
      local _ <close> = node "{ threads = 1, queue_size = 1 }"
      is("queue_full", "the queue of every executor")
    end)

    on_disk("it is there, on a thread", function()
      start "computes"
      local _ <close> = node "{ threads = 1 }"
      is("locked", "^on a thread of process %d+ on .+, which has it locked until ")
    end)
  end)

  it("share one limit: never more at once than it allows", function()
    do
      local engine <close> = open()
      engine:deploy(model.task 'camunda:asyncBefore="true" camunda:class="delegates.overlap"')
      engine:set_limit({ job_definition = engine:job_definition { activity_id = "t" }.id }, { max = 2 })
      for _ = 1, 40 do engine:start "p" end
    end
    local said = {}
    for i = 1, 3 do said[i] = process(2) end
    for i = 1, 3 do
      assert.equal("idle", said[i]:read "l")
      said[i]:close()
    end
    local engine <close> = open()
    engine:start_executor { threads = 1 } -- the last lease may have come back when its process had stopped looking
    assert.is_true(engine:wait_idle(120))
    assert.equal(40, engine:count("history_instances", { state = "completed" }))
    local most = 0
    for _, row in ipairs(engine:history_variables { name = "overlap" }) do most = math.max(most, row.value) end
    assert.is_true(most >= 1 and most <= 2, "at once: " .. most)
    assert.same({}, engine:verify())
  end)
end)
