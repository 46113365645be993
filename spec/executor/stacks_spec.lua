-- What each thread of a store's executors is at, asked from another process: `orrery nodes --stacks`
-- and engine:threads(). Each on a store on disk and, where PostgreSQL is installed, in a database.
-- Marks: threads
local folder = require "spec.support.folder"
local gates = require "spec.executor.gate"
local orrery = require "orrery"
local support = require "spec.support.process"

local lua = os.getenv "ORRERY_LUA" or "lua5.4"
local stores = require "spec.support.stores"(it, pending)

--- Another process with an executor on the store, until its standard input ends.
local function worker(path, threads)
  local name = os.tmpname()
  folder.write(name, ([[
    local engine = require("orrery").open(%q, { log = "none" })
    local gate <close> = require("spec.executor.gate").make()
    gate:register(engine)
    engine:start_executor { threads = %d, owner = "far" }
    io.stdout:write "ready\n":flush()
    io.read "a"
    engine:close()]]):format(path, threads))
  local fifo = os.tmpname()
  assert(os.execute(("rm -f '%s' && mkfifo '%s'"):format(fifo, fifo)))
  local pipe = assert(io.popen(("%s '%s' <'%s' & echo $!; wait"):format(lua, name, fifo)))
  local self = { pid = pipe:read "l", input = assert(io.open(fifo, "w")) }
  assert(pipe:read "l" == "ready")
  function self.signal(signal) assert(os.execute(("kill -%s %s"):format(signal, self.pid))) end
  return setmetatable(self, { __close = function()
    os.execute(("kill -CONT %s 2>/dev/null"):format(self.pid))
    self.input:close()
    pipe:close()
    os.remove(name)
    os.remove(fifo)
  end })
end

--- What closes before the worker does: else it would wait for what waits at the gate.
local function opener(gate) return setmetatable({}, { __close = function() gate:open() end }) end

local branches = '<startEvent id="s"/>' .. support.task("a", 'camunda:exclusive="false"') .. support.task("b", 'camunda:exclusive="false"')
  .. support.task("c", 'camunda:exclusive="false"') .. '<userTask id="u"/>'

--- The rows of the executor "far" by their elements, once it answers with so many jobs and `shows`, if
--- given, is content with them: what awaits looks at the gate now and then, and what computes calls C.
local function rows_of(engine, jobs, shows)
  local rows
  gates.until_true(function()
    rows = {}
    local n = 0
    for _, node in ipairs(engine:threads(60)) do
      for _, row in ipairs(node.name == "far" and node.threads or {}) do
        if row.activity_id then n, rows[row.activity_id] = n + 1, row end
        if row.state == "idle" then rows.idle = row end
      end
    end
    return n == jobs and (not shows or shows(rows))
  end)
  return rows
end

for _, kind in ipairs(stores) do
  local where, it, make = table.unpack(kind)

  describe("the threads of a store's executors " .. where, function()
    local path, remove, gate
    before_each(function()
      gate = gates.make()
    end)
    after_each(function()
      gate:open()
      getmetatable(gate).__close(gate)
      remove()
    end)

    local function started(variables)
      path, remove = make()
      local engine = orrery.open(path, { log = "none" })
      support.deploy(engine, branches, "s -> a s -> b s -> c a -> u b -> u c -> u")
      engine:start("p", { variables = gate:variables(nil, variables) })
      return engine
    end

    it("are told by another process: job, element, delegate, since when, and the line", function()
      local engine <close> = started { how_a = "blocks", how_b = "computes", how_c = "awaits" }
      local _ <close> = worker(path, 4)
      local _ <close> = opener(gate)
      gate:fills(3)
      local rows = rows_of(engine, 3, function(seen)
        return seen.a.in_c_since and not seen.b.in_c_since and seen.c.state == "awaiting"
      end)
      for activity, state in pairs { a = "running", b = "running", c = "awaiting" } do
        local row = rows[activity]
        assert.same({ state, "work", "p" }, { row.state, row.delegate, row.definition_key })
        assert.equal(activity, engine:job(row.job).activity_id)
        assert.equal(engine:instances({})[1].id, row.instance_id)
        assert.truthy(row.line:find "gate.lua:%d+$" and row.since > 0 and row.thread >= 1)
      end
      assert.truthy(rows.a.in_c_since >= rows.a.since)
      assert.is_nil(rows.c.in_c_since)
      assert.truthy(rows.idle)
    end)

    it("are listed as not answering when their process is stopped, and answer again", function()
      local engine <close> = started { how_a = "blocks" }
      local far <close> = worker(path, 2)
      local _ <close> = opener(gate)
      gate:fills(1, "a")
      rows_of(engine, 1)
      far.signal "STOP"
      local node = engine:threads(0.05)[1]
      assert.same({ 1, "far", false }, { #engine:threads(0.05), node.name, node.answered })
      assert.is_nil(node.threads)
      far.signal "CONT"
      rows_of(engine, 1)
    end)
  end)
end

describe("engine:threads", function()
  it("tells of the engine's own executor, on a store in memory, too", function()
    local engine <close> = support.engine { clock = "system" }
    local gate <close> = gates.make()
    gate:register(engine)
    support.single(engine)
    assert.same({}, engine:threads())
    engine:start("p", { variables = gate:variables "computes" })
    engine:start_executor { threads = 2 }
    gate:fills(1)
    local node
    gates.until_true(function()
      node = engine:threads()[1]
      return node.threads[1].line or node.threads[2].line
    end)
    gate:open()
    assert.same({ true, 2 }, { node.answered, #node.threads })
    assert.is_true(engine:wait_idle(60))
  end)

  it("does not tell of jobs that are over, though their thread computes in another", function()
    local engine <close> = support.engine { clock = "system" }
    local gate <close> = gates.make()
    gate:register(engine)
    engine:register("fails", function() error "no luck" end)
    local function task(id, class)
      return ('<serviceTask id="%s" camunda:asyncBefore="true" camunda:class="%s"/>')
        :format(id, class)
    end
    support.deploy(engine, '<startEvent id="s"/>' .. task("quick", "work") .. task("broken", "fails")
      .. task("long", "work"), "s -> quick s -> broken s -> long")
    engine:start("p", { variables = gate:variables(nil, { how_long = "computes" }) })
    local function job(id) return engine:jobs { activity_id = id } [1] end
    engine:start_executor { threads = 1 }
    gate:fills(1, "long")
    gates.until_true(function() return not job "quick" and job "broken".retries == 2 end)
    local rows
    gates.until_true(function()
      rows = engine:threads()[1].threads
      return #rows == 1
    end)
    gate:open()
    assert.same({ "long", "running" }, { rows[1].activity_id, rows[1].state })
    engine:stop_executor()
  end)

  it("tells which element's delegate runs, behind others in one job", function()
    local engine <close> = support.engine { clock = "system" }
    local gate <close> = gates.make()
    gate:register(engine)
    engine:register("quick", function() end)
    support.deploy(engine, '<startEvent id="s"/><serviceTask id="first" camunda:asyncBefore="true" camunda:class="quick"/>'
      .. '<serviceTask id="second" camunda:class="work"/><userTask id="u"/>', "s -> first first -> second second -> u")
    engine:start("p", { variables = gate:variables "blocks" })
    engine:start_executor { threads = 1 }
    gate:fills(1)
    local row = engine:threads()[1].threads[1]
    gate:open()
    assert.same({ "second", "work" }, { row.activity_id, row.delegate })
    assert.is_true(engine:wait_idle(60))
  end)
end)

describe("the socket of a store", function()
  local on_disk = folder.only(it, pending, "a store in a database has none")

  local function sockets(path)
    local pipe <close> = assert(io.popen(("find '%s' -name 'asked-*' -printf '%%m %%y\\n'"):format(path)))
    return pipe:read "a"
  end

  on_disk("is its user's alone, and gone with the executor; a dead one's goes with the next", function()
    local path = folder.make()
    local _ <close> = setmetatable({}, { __close = function() folder.remove(path) end })
    local engine <close> = orrery.open(path, { log = "none" })
    engine:start_executor { threads = 1, owner = "one" }
    assert.equal("600 s\n", sockets(path))
    engine:stop_executor()
    assert.equal("", sockets(path))
    do
      local dead <close> = worker(path, 1)
      assert.equal("600 s\n", sockets(path))
      dead.signal "KILL"
    end
    assert.equal("600 s\n", sockets(path))
    engine:start_executor { threads = 1, owner = "two" }
    assert.equal("600 s\n", sockets(path))
    engine:stop_executor()
    assert.equal("", sockets(path))
  end)

  local function names(path, like)
    local found = ("find '%s' -name '%s' -printf '%%f\\n'"):format(path, like)
    local pipe <close> = assert(io.popen(found))
    return pipe:read "a"
  end

  -- Killed between the two steps: the socket and the file have the names that they are made under.
  on_disk("goes with the next executor, also of a process that died while it started", function()
    local path = folder.make()
    local _ <close> = setmetatable({}, { __close = function() folder.remove(path) end })
    do
      local dead <close> = worker(path, 1)
      dead.signal "KILL"
    end
    local socket, file = names(path, "asked-*"):sub(1, -2), names(path, "running-*"):sub(1, -2)
    assert(os.rename(path .. "/" .. socket, path .. "/starting-" .. socket))
    assert(os.rename(path .. "/" .. file, path .. "/starting-abcdef"))
    local engine <close> = orrery.open(path, { log = "none" })
    engine:start_executor { threads = 1 }
    assert.equal("", names(path, "starting-*"))
  end)

  -- A connection that nobody has taken yet is a line of its own in the system's table.
  on_disk("of one that lives stays, and nobody asks it when another starts", function()
    local path = folder.make()
    local _ <close> = setmetatable({}, { __close = function() folder.remove(path) end })
    local engine <close> = orrery.open(path, { log = "none" })
    local alive <close> = worker(path, 1)
    local socket = names(path, "asked-*"):sub(1, -2)
    alive.signal "STOP"
    engine:start_executor { threads = 1 }
    local table_of_sockets <close> = assert(io.open "/proc/net/unix")
    local _, connections = table_of_sockets:read "a":gsub((socket:gsub("%-", "%%-")), "")
    alive.signal "CONT"
    assert.equal(1, connections)
    assert.equal(socket, names(path, socket):sub(1, -2))
  end)

  on_disk("is reached in a folder whose name is longer than a socket's address may be", function()
    local path = folder.make()
    local _ <close> = setmetatable({}, { __close = function() folder.remove(path) end })
    local long = path .. ("/" .. ("d"):rep(90)):rep(2)
    assert(os.execute(("mkdir -p '%s'"):format(long)))
    local engine <close> = orrery.open(long, { log = "none" })
    do
      local far <close> = worker(long, 3)
      assert.equal(3, #engine:threads(60)[1].threads)
      far.signal "CONT"
    end
  end)
end)
