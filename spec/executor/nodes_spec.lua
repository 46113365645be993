-- engine:nodes(): who works on a store, of all processes on all machines, and those that fell silent or died. Each on a store on disk, and
-- where PostgreSQL is installed, on one in a database, where no file beside the store helps.
-- Marks: threads
local orrery = require "orrery"
local process = require "spec.support.process"

local lua = os.getenv "ORRERY_LUA" or "lua5.4"
local START = 1000000000

local stores = require "spec.support.stores"(it, pending)

--- Another process, and what it prints. A shell is its parent, which buries it when it dies, as a machine's first process does.
local function elsewhere(path, script)
  local name = os.tmpname()
  local file = assert(io.open(name, "w"))
  file:write(('local orrery = require "orrery"\nlocal path, START = %q, %d\n'):format(path, START), script)
  file:close()
  local pipe = assert(io.popen(("%s '%s' & echo $!; wait"):format(lua, name)))
  local self = { pid = tonumber(pipe:read "l") }
  function self.read() return pipe:read "l" end
  return setmetatable(self, { __close = function()
    os.execute(("kill -9 %d 2>/dev/null"):format(self.pid))
    pipe:close()
    os.remove(name)
  end })
end

for _, kind in ipairs(stores) do
  local where, it, make = table.unpack(kind)

  describe("the nodes of a store " .. where, function()
    local path, remove
    local function open(options)
      options = options or {}
      options.log = "none"
      return orrery.open(path, options)
    end
    after_each(function() remove() end)

    it("are none, then the executors that run, with what they hold, and none again", function()
      path, remove = make()
      local engine <close> = open()
      process.async(engine)
      assert.same({}, engine:nodes())
      engine:register("work", function() error "out of order" end)
      engine:start_executor { threads = 3, queue_size = 70, owner = "night", priority_min = -5, deployment_aware = true }
      local node = engine:nodes()[1]
      assert.same({ 1, "night", orrery.version, "at work", true, true, 3, -5, true, false, {} }, { #engine:nodes(), node.name, node.build,
        node.state, node.alive, node.executor, node.threads, node.priority_min, node.deployment_aware, node.stopping, node.jobs })
      assert.truthy(node.host and node.pid > 1)
      assert.truthy(node.seen >= node.started and node.lag >= 0 and node.expires > node.seen)
      engine:stop_executor()
      assert.same({}, engine:nodes())
    end)

    it("of other processes say what they hold, and are found gone when they died", function()
      path, remove = make()
      local engine <close> = open { clock = "manual", now = START }
      process.async(engine)
      for _ = 1, 3 do engine:start "p" end
      local other <close> = elsewhere(path, [[
        local engine = orrery.open(path, { log = "none", clock = "manual", now = START })
        engine:register("work", "spec.executor.nodes_wait")
        engine:start_executor { threads = 1, lock_time = 60 }
        repeat until engine:count("jobs", { locked = true }) == 3
        print "holds" io.flush()
        while true do orrery.sleep(3600) end]])
      assert.equal("holds", other.read())
      local node = engine:nodes()[1]
      assert.same({ 3, other.pid, "at work" }, { node.held, node.pid, node.state })
      local job = engine:job { locked = true, limit = 1 }
      assert.matches(("process %d on "):format(other.pid), job:why().text)
      assert.same({ 1, node.name }, { #engine:executors(), engine:executors()[1].owner })
      os.execute("kill -9 " .. other.pid)
      repeat node = engine:nodes()[1] until node.state == "gone"
      assert.same({ false, 3 }, { node.alive, node.held })
      assert.same({}, engine:executors())
      assert.matches(('orrery_node_alive{engine="default",host="%s",pid="%d",node="[^"]+"} 0.000'):format(node.host:gsub("%p", "%%%0"),
        other.pid), engine:metrics_text())
      assert.matches('orrery_node_jobs_locked{[^}]+} 3.000', engine:metrics_text())
    end)

    it("that say nothing any more are silent, then expired, then given up", function()
      path, remove = make()
      local engine <close> = open { clock = "manual", now = START }
      process.async(engine)
      engine:start "p"
      local other <close> = elsewhere(path, [[
        local engine = orrery.open(path, { log = "none", clock = "manual", now = START })
        engine:register("work", "spec.executor.nodes_wait")
        engine:start_executor { threads = 1, lock_time = 60, owner = "day" }
        repeat until engine:count("jobs", { locked = true }) == 1
        print "holds" io.flush()
        while true do orrery.sleep(3600) end]])
      assert.equal("holds", other.read())
      local function state() return engine:nodes()[1].state end
      engine:set_time(START + 39)
      assert.equal("at work", state())
      engine:set_time(START + 41) -- its own clock stays, so it never prolongs
      assert.same({ "silent", true, 41 }, { state(), engine:nodes()[1].alive, math.floor(engine:nodes()[1].lag) })
      engine:set_time(START + 60)
      assert.same({ "expired", false }, { state(), engine:nodes()[1].alive })
      assert.matches("locked by day %(process %d+ on %S+%); its lock expired at ", engine:job({}):why().text)
      engine:register("work", function() end)
      assert.equal(1, engine:run_jobs())
      for _, node in ipairs(engine:nodes()) do assert.not_equal("day", node.name) end
    end)

    if where == "in PostgreSQL" then
      it("that were all out of touch for longer than their leases take nothing from each other before another lease is over", function()
        path, remove = make()
        local engine <close> = open { clock = "manual", now = START }
        process.async(engine)
        engine:start "p"
        local other <close> = elsewhere(path, [[
          local engine = orrery.open(path, { log = "none", clock = "manual", now = START })
          engine:register("work", "spec.executor.nodes_wait")
          engine:start_executor { threads = 1 }
          repeat until engine:count("jobs", { locked = true }) == 1
          print "holds" io.flush()
          while true do orrery.sleep(3600) end]])
        assert.equal("holds", other.read())
        assert.equal(START + 20, engine:nodes()[1].expires) -- the lease of a store that machines share
        engine:register("work", function() return "ran" end)
        engine:start_executor { threads = 1 }
        local function at(seconds)
          engine:set_time(START + seconds)
          assert.is_true(engine:wait_idle(60))
          return engine:count "jobs"
        end
        assert.same({ 1, 1, 1 }, { at(30), at(40), at(49) }) -- its own lease was over, too, when it came at 30
        for _, node in ipairs(engine:nodes()) do
          assert.equal(node.pid == other.pid and "expired" or "at work", node.state)
        end
        assert.equal(0, at(51))
      end)
    end
  end)
end
