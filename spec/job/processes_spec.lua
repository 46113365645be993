-- Several processes on one store: what kills its process stops being tried, and limits hold for all of them together.
package.path = "spec/job/?.lua;spec/support/?.lua;" .. package.path
local orrery = require "orrery"
local folder = require "folder"
local model = require "model"

describe("processes on one store", function()
  local store
  before_each(function() store = folder.make() end)
  after_each(function() folder.remove(store) end)

  local lua = os.getenv "ORRERY_LUA" or "lua5.4"
  local function process(threads)
    return assert(io.popen(("exec %s spec/job/process.lua '%s' %d 2>/dev/null"):format(lua, store, threads)))
  end
  local function open() return orrery.open(store, { log = "none", package_path = "spec/job/?.lua;" .. package.path }) end

  it("give up a job that took down three of them, with an incident, and leave its neighbours alone", function()
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
    local engine <close> = open()
    engine:start_executor { threads = 1 } -- looks after the dead first
    assert.is_true(engine:wait_idle(20))
    local job = engine:jobs {}[1]
    assert.equal(0, job.retries)
    assert.equal("t", engine:incidents {}[1].activity_id)
    assert.matches("the process that ran the job was lost", engine:incidents {}[1].message)
    assert.equal("no_retries", job:why().reason)
    io.open(lives, "w"):close()
    job:set_retries(1)
    assert.is_true(engine:wait_idle(20))
    assert.equal(0, engine:count("instances", {}))
    assert.same({}, engine:verify())
  end)

  it("find each other's jobs while they rest, however long their pauses are", function()
    local pipe = store .. "/pipe"
    assert(os.execute(("mkfifo '%s'"):format(pipe)))
    local engine <close> = open()
    engine:deploy(model.task 'camunda:asyncBefore="true" camunda:class="delegates.tell"')
    engine:start_executor { threads = 1, wait_time = 3600, max_wait = 3600 }
    assert.is_true(engine:wait_idle(20))
    for _ = 1, 2 do -- again after a round that found something
      local told = assert(io.popen(("timeout 20 cat '%s'"):format(pipe)))
      assert(os.execute(("%s spec/job/starter.lua '%s' '%s'"):format(lua, store, pipe)))
      assert.equal("done", told:read "l")
      told:close()
    end
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
    assert.is_true(engine:wait_idle(20))
    assert.equal(40, engine:count("history_instances", { state = "completed" }))
    local most = 0
    for _, row in ipairs(engine:history_variables { name = "overlap" }) do most = math.max(most, row.value) end
    assert.is_true(most >= 1 and most <= 2, "at once: " .. most)
    assert.same({}, engine:verify())
  end)
end)
