-- What a job waits behind while threads are at others: `why` says it in the executor's process and
-- in another, `jobs --stuck` with a cure.
local command = require "spec.cli.command"
local folder = require "spec.support.folder"
local gates = require "spec.executor.gate"
local orrery = require "orrery"
local support = require "spec.support.process"

local on_disk = folder.only(it, pending, "executors there have no files beside the store")

describe("a job waits behind another:", function()
  local gate, engine, path
  before_each(function()
    gate, path = gates.make(), folder.make()
    engine = orrery.open(path, { log = "none" })
    gate:register(engine)
    local tasks = '<parallelGateway id="fork"/>' .. support.task "a" .. support.task "b"
    support.deploy(engine, '<startEvent id="s"/>' .. tasks, "s -> fork fork -> a fork -> b")
  end)
  after_each(function()
    gate:open()
    engine:close()
    getmetatable(gate).__close(gate)
    folder.remove(path)
  end)

  local function is(job, reason, text)
    local why = job:why()
    assert.equal(reason, why.reason, why.text)
    assert.truthy(why.text:find(text, 1, true), why.text)
    return why.cure
  end

  --- Instances of two exclusive jobs each, on so many threads, with the gate full: the jobs that
  --- threads are at, and all others.
  local function fill(threads, instances, how)
    engine:transaction(function()
      for _ = 1, instances do engine:start("p", { variables = gate:variables(how) }) end
    end)
    engine:start_executor { threads = threads }
    gate:fills(how == "awaits" and instances or threads)
    local at, others = {}, {}
    gates.until_true(function()
      at, others = {}, {}
      for _, item in ipairs(engine:running(0.01)) do at[item.job] = item end
      for _, job in ipairs(engine:jobs { order_by = "id" }) do
        if not at[job.id] then others[#others + 1] = job end
      end
      return next(at)
    end)
    return at, others
  end

  for _, how in ipairs { "blocks", "computes" } do
    local verb = how:gsub("s$", "")
    it("an exclusive one of its instance that " .. verb .. "s", function()
      local at, others = fill(2, 2, how)
      assert.equal(2, #others)
      for _, job in ipairs(others) do
        local before
        for _, item in pairs(at) do
          if item.instance_id == job.instance_id then before = item end
        end
        assert.matches("exclusive", is(job, "instance_busy",
          ("waits behind job %s on thread %d: exclusive jobs"):format(before.job, before.thread)))
      end
    end)

    it("one of another instance, since all threads " .. verb, function()
      local at, others = fill(1, 2, how)
      local id, item = next(at)
      local busy = {}
      for _, job in ipairs(others) do
        if job.instance_id ~= item.instance_id then busy[#busy + 1] = job:why() end
      end
      local behind = ("waits behind job %s on thread 1: all threads"):format(id)
      assert.equal("threads_busy", busy[1].reason)
      assert.truthy(busy[1].text:find(behind, 1, true), busy[1].text)
      assert.matches("more threads", busy[1].cure)
    end)
  end

  it("one that blocks its thread, while it awaits", function()
    local at, others = fill(1, 1, "awaits")
    assert.equal(1, #others)
    local waits = engine:job(next(at))
    local function awaits() return waits:why().text:find("awaits something", 1, true) end
    gates.until_true(awaits) -- it looks at the gate now and then
    assert.equal("running", waits:why().reason)
    local later = { gate_a = "later", gate_b = "later" }
    engine:start("p", { variables = gate:variables("blocks", later) })
    gate:fills(2)
    local blocks
    gates.until_true(function()
      for _, item in ipairs(engine:running(0.01)) do
        if item.job ~= waits.id then blocks = item.job end
      end
      return blocks
    end)
    local behind = ("waits behind job %s on thread 1"):format(blocks)
    assert.matches("await instead of block", is(waits, "threads_busy", behind))
    gate:open "later"
  end)

  on_disk("so another process says, and names the cure", function()
    local at = fill(1, 2, "blocks")
    local id = next(at)
    local _, out = command.run { "jobs", path, "--stuck" }
    assert.truthy(out:find(("waits behind job %s on thread 1 of"):format(id), 1, true), out)
    assert.truthy(out:find("give that executor more threads", 1, true), out)
    assert.truthy(out:find("exclusive jobs of an instance run one after another", 1, true), out)
  end)
end)
