-- engine:copy_to and engine:executors.
-- Marks: threads
local folder = require "spec.support.folder"
local orrery = require "orrery"
local support = require "spec.support.process"

describe("engine:copy_to", function()
  local room
  before_each(function() room = folder.make() end)
  after_each(function() folder.remove(room) end)

  it("makes a store of its own, of a private store, too", function()
    local engine <close> = support.engine()
    support.user_task(engine)
    local instance = engine:start("p", { variables = { n = 1 } })
    engine:copy_to(room .. "/copy")
    engine:copy_to(room .. "/compact", { compact = true })
    instance:set("n", 2)
    for _, name in ipairs { "copy", "compact" } do
      local copy <close> = orrery.open(room .. "/" .. name, { log = "none" })
      assert.equal(1, copy:instance(instance.id):get "n")
      copy:task({}):complete()
      assert.equal(0, copy:count "instances")
      assert.same({}, copy:verify())
    end
    assert.equal(1, engine:count "instances")
  end)

  it("takes no path that is taken, no other options and no path that is none", function()
    local engine <close> = support.engine()
    assert.matches("is there already", support.refused("state", engine.copy_to, engine, room).message)
    assert.matches('did you mean "compact"', support.refused("argument", engine.copy_to, engine, room .. "/c", { compat = true }).message)
    support.refused("argument", engine.copy_to, engine, "")
    support.refused("argument", engine.copy_to, engine, nil)
    support.refused("store", engine.copy_to, engine, room .. "/no/copy")
  end)

  it("copies what is committed, also for a delegate and in a transaction", function()
    local engine <close> = support.engine()
    support.async(engine)
    engine:register("work", function(execution)
      execution:set("n", 1)
      execution.engine:copy_to(room .. "/within")
    end)
    engine:start("p")
    assert.equal(1, engine:run_jobs())
    engine:transaction(function()
      engine:start("p")
      engine:copy_to(room .. "/begun")
    end)
    local within <close> = orrery.open(room .. "/within", { log = "none" })
    assert.same({ 1, 0 }, { within:count "jobs", within:count "history_variables" })
    local begun <close> = orrery.open(room .. "/begun", { log = "none" })
    assert.same({ 0, 1 }, { begun:count "jobs", begun:count "history_instances" })
  end)
end)

describe("engine:executors", function()
  it("tells none that works on the store that this one is a copy of", function()
    local path <close> = setmetatable({ folder.make() },
      { __close = function(self) folder.remove(self[1]) end })
    local engine <close> = orrery.open(path[1] .. "/store", { log = "none" })
    engine:start_executor { threads = 1 }
    repeat until #engine:nodes() == 1
    engine:copy_to(path[1] .. "/copy")
    local copy <close> = orrery.open(path[1] .. "/copy", { log = "none" })
    assert.same({ 1, 0 }, { #engine:executors(), #copy:executors() })
    assert.same({ "at work", "gone" }, { engine:nodes()[1].state, copy:nodes()[1].state })
    copy:start_executor { threads = 1 }
    repeat until #copy:executors() == 1
  end)

  it("tells those that run on the store, and what their threads are at", function()
    local path <close> = setmetatable({ folder.make() },
      { __close = function(self) folder.remove(self[1]) end })
    local engine <close> = orrery.open(path[1], { log = "none", history = "full" })
    support.async(engine)
    assert.same({}, engine:executors())
    local seen
    engine:register("work", function(execution) -- on the worker's thread, which tells it by a variable
      local list = execution.engine:executors()
      execution:set("seen", { count = #list, job = list[1].jobs[1] or "none" })
    end)
    engine:start_executor { threads = 1, priority_min = -5 }
    engine:start "p"
    assert.is_true(engine:wait_idle(120))
    seen = engine:history_variable({ name = "seen" }).value
    assert.equal(1, seen.count)
    assert.equal(engine:history_jobs({ state = "succeeded" })[1].job_id, seen.job)
    local one = engine:executors()[1]
    assert.same({ -5, nil, false, false }, { one.priority_min, one.priority_max, one.deployment_aware, one.stopping })
    assert.equal("number", math.type(one.pid) and "number")
    engine:stop_executor()
    assert.same({}, engine:executors())
  end)
end)

describe("orrery.format_time", function()
  it("writes a time by the clocks of a zone", function()
    local t = orrery.parse_time "2026-03-29T00:59:59.5Z"
    assert.equal("2026-03-29T00:59:59.500Z", orrery.format_time(t))
    assert.equal("2026-03-29T01:59:59.500+01:00", orrery.format_time(t, "Europe/Berlin"))
    assert.equal("2026-03-29T03:00:00+02:00", orrery.format_time(t + 0.5, "Europe/Berlin"))
    assert.equal("2026-03-28T21:30:00-03:30", orrery.format_time(orrery.parse_time "2026-03-29T01:00:00Z", "-0330"))
    assert.equal("2026-03-29T01:00:00+00:00", orrery.format_time(t + 0.5, "UTC"))
    local local_mean = orrery.format_time("1890-01-01T00:00:00Z", "Europe/Berlin") -- 53 minutes and 28 seconds ahead
    assert.same({ "1890-01-01T00:53:00+00:53", orrery.parse_time "1890-01-01T00:00:00Z" }, { local_mean, orrery.parse_time(local_mean) })
    support.refused("argument", orrery.format_time, t, "Mars/North")
  end)
end)
