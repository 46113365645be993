-- run_jobs takes the next job in the commit that ends the last, and never another than would have come next without that.
-- Marks: threads
local folder = require "spec.support.folder"
local orrery = require "orrery"
local support = require "spec.support.process"

local META_TXNID = 16 + 24 + 2 * 48 + 8 -- in each of LMDB's two first pages: behind its head, the mapping, two trees, the last page

--- Transactions that a store has had, as the heads of its file count them.
local function transactions(path)
  local file = assert(io.open(path .. "/data.mdb", "rb"))
  local most = 0
  for page = 0, 1 do
    file:seek("set", page * 4096 + META_TXNID)
    most = math.max(most, (("<I8"):unpack(file:read(8))))
  end
  file:close()
  return most
end

describe("run_jobs", function()
  local path, engine

  local function open(options)
    path = folder.make()
    local given = { log = "none", durability = "none", history = "none", clock = "manual", now = 1000 }
    for key, value in pairs(options or {}) do given[key] = value end
    engine = orrery.open(path, given)
  end

  after_each(function()
    engine:close()
    folder.remove(path)
  end)

  local function start(n) for i = 1, n do engine:start("p", { business_key = tostring(i) }) end end

  local on_disk = folder.only(it, pending, "transactions are counted in the file of a store on disk")

  on_disk("makes one commit a job", function()
    open()
    support.single(engine)
    local notes = support.record(engine)
    assert.equal(0, engine:run_jobs()) -- this thread is known as an owner of locks from here on
    start(20)
    local before = transactions(path)
    assert.equal(20, engine:run_jobs())
    assert.equal(20, #notes)
    local made = transactions(path) - before
    assert.is_true(made >= 20 and made <= 21, made) -- the first is taken alone
  end)

  it("takes none that it is not to run", function()
    open()
    support.single(engine)
    support.record(engine)
    start(5)
    assert.equal(3, engine:run_jobs(3))
    assert.equal(2, #engine:jobs { locked = false })
    assert.equal(0, #engine:jobs { locked = true })
    assert.equal(2, engine:run_jobs())
  end)

  it("does not begin what the job before has deleted or suspended", function()
    open()
    support.single(engine)
    local notes = {}
    engine:register("work", function(execution)
      notes[#notes + 1] = execution.business_key
      if execution.business_key ~= "1" then return end
      execution.engine:instance { business_key = "2" }:delete()
      execution.engine:instance { business_key = "3" }:suspend()
    end)
    start(4)
    engine:run_jobs()
    assert.same({ "1", "4" }, notes)
  end)

  it("begins what the job before has made the first", function()
    open { acquisition = { acquire_by_priority = true } }
    support.single(engine, 'camunda:jobPriority="${rank}"')
    local notes = {}
    engine:register("work", function(execution)
      notes[#notes + 1] = execution.business_key
      if execution.business_key == "first" then
        execution.engine:start("p", { business_key = "urgent", variables = { rank = 9 } })
        local job = execution.engine:job { instance_id = execution.engine:instance { business_key = "raised" }.id }
        job:set_priority(8)
      end
    end)
    engine:start("p", { business_key = "first", variables = { rank = 5 } })
    engine:start("p", { business_key = "second", variables = { rank = 4 } })
    engine:start("p", { business_key = "raised", variables = { rank = 1 } })
    engine:run_jobs()
    assert.same({ "first", "urgent", "raised", "second" }, notes)
  end)

  it("begins what the job before has freed: the next exclusive job of its instance", function()
    open()
    support.deploy(engine, '<startEvent id="s"/><parallelGateway id="g"/>' .. support.task "a" .. support.task "b" .. '<endEvent id="e"/>',
      "s -> g g -> a g -> b a -> e b -> e")
    local notes = {}
    engine:register("work", function(execution) notes[#notes + 1] = execution.business_key end)
    start(2)
    engine:run_jobs()
    assert.same({ "1", "1", "2", "2" }, notes)
  end)

  it("begins a timer that came due meanwhile, and is older", function()
    open()
    support.deploy(engine, '<startEvent id="s"/><intermediateCatchEvent id="t">' .. support.timer("Duration", "PT10S")
      .. '</intermediateCatchEvent><endEvent id="e"/>', "s -> t t -> e", { key = "timed" })
    support.single(engine)
    local timed = engine:start "timed"
    local open_at_second
    engine:register("work", function(execution)
      if execution.business_key == "1" then execution.engine:advance(20) end
      if execution.business_key == "2" then open_at_second = execution.engine:instance(timed.id) ~= nil end
    end)
    start(2)
    engine:run_jobs()
    assert.is_false(open_at_second)
  end)

  it("goes on after a job that fails, and leaves none locked", function()
    open()
    support.single(engine)
    local notes = {}
    engine:register("work", function(execution)
      notes[#notes + 1] = execution.business_key
      if execution.business_key == "2" then error("no luck", 0) end
    end)
    start(4)
    engine:run_jobs()
    assert.same({ "1", "2", "3", "4" }, { notes[1], notes[2], notes[#notes - 1], notes[#notes] })
    assert.equal(0, #engine:jobs { locked = true })
  end)

  on_disk("takes none while others wait for their delegates: poll ends them with one commit each", function()
    open()
    support.single(engine)
    engine:register("work", function() orrery.sleep(1) end)
    start(12)
    for _ = 1, 6 do assert.equal(0, engine:poll(0)) end
    engine:advance(2)
    local before = transactions(path)
    assert.equal(6, engine:poll(60))
    local made = transactions(path) - before
    assert.equal(6 + 5, made) -- the others are begun, the first of them locked with the last end
  end)
end)
