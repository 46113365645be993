-- A store in PostgreSQL whose sessions, server and answers are lost while clients commit: what was answered is there, once.
-- Marks: load
local inside = require("orrery_inside").store
local orrery = require "orrery"
local folder = require "spec.support.folder"
local postgres = require "spec.support.postgres"
local process = require "spec.support.process"

local STORE = -13
local THREADS = 4

--- Another process: a script for Lua, and what it prints, line by line.
local function start(script)
  local name = os.tmpname()
  local file = assert(io.open(name, "w"))
  file:write(script)
  file:close()
  local pipe = assert(io.popen(("echo $$; exec %s '%s'"):format(os.getenv "ORRERY_LUA" or "lua5.4", name)))
  local self = { pid = math.tointeger(tonumber(pipe:read "l")) }
  function self.read() return pipe:read "l" end
  --- A letter as ps shows it: T stopped, Z over.
  function self.state()
    local stat <close> = assert(io.open(("/proc/%d/stat"):format(self.pid)))
    return stat:read("a"):match "%) (%a)"
  end
  return setmetatable(self, { __close = function()
    os.execute(("kill -CONT %d 2>/dev/null; kill -9 %d 2>/dev/null"):format(self.pid, self.pid))
    pipe:close()
    os.remove(name)
  end })
end

--- Threads that each count one up, again and again, with a record beside it that must not be there yet.
local function hammer(url, rounds)
  return start(([[local s = assert(require("orrery_inside").store.open { path = %q })
    print "open" io.stdout:flush()
    print(s:hammer(%d, %d, 300))
    s:close()]]):format(url, THREADS, rounds))
end

describe("commits to PostgreSQL", function()
  local it = postgres.with(it, pending)
  local server, url, name

  before_each(function()
    if not postgres.is_installed() then return end
    server = postgres.shared()
    url, name = server:schema()
    assert(inside.make_schema(url))
  end)

  --- Each round of each thread is there once; and so many outcomes had to be asked for.
  local function holds(rounds)
    local store = assert(inside.open { path = url })
    local view = assert(store:snapshot())
    assert.same({ "", THREADS * rounds }, { view:get "counter" })
    assert.equal(THREADS * rounds + 1, store:stats().entries)
    view:close()
    store:close()
  end

  local terminate = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'orrery'"

  it("are made once, or told of, while their sessions are ended", function()
    local rounds = 600
    local client <close> = hammer(url, rounds)
    assert.equal("open", client.read())
    local ended, tries = 0, 0
    while tries < 40 and client.state() ~= "Z" do ended, tries = ended + tonumber(server:query(terminate)), tries + 1 end
    assert.equal("0", client.read())
    assert.truthy(ended >= 10, ended)
    holds(rounds)
  end)

  it("go on over restarts of the server, as after crashes", function()
    local rounds = 100
    local client <close> = hammer(url, rounds)
    assert.equal("open", client.read())
    for _ = 1, 4 do server:order "restart" end
    assert.equal("0", client.read())
    holds(rounds)
  end)

  --- A proxy before the server: of every `every`-th commit the answer is lost, of the next one the question.
  local function proxy(every)
    local own = folder.make()
    local command = "echo $$; exec python3 spec/support/servers/pgproxy.py '%s/.s.PGSQL.5432' '%s/.s.PGSQL.5432' %d"
    local pipe = assert(io.popen(command:format(server.folder, own, every)))
    local pid = pipe:read "l"
    assert.equal("ready", pipe:read "l")
    return setmetatable({ url = server:url(name, { host = own }), pid = pid }, { __close = function()
      os.execute("kill -CONT " .. pid)
      pipe:close()
      folder.remove(own)
    end })
  end

  local has_python = os.execute "command -v python3 >/dev/null 2>&1" == true
  local with_proxy = has_python and it or function(what) pending(what .. ": skipped, python3 is not installed") end

  with_proxy("are not made again when the answer is lost, and are when the question is", function()
    local rounds = 60
    do
      local between <close> = proxy(7)
      local client <close> = hammer(between.url, rounds)
      assert.equal("open", client.read())
      assert.equal("0", client.read())
    end
    holds(rounds)
  end)

  with_proxy("go to the next host of a URL when the first one takes connections and says nothing", function()
    local between <close> = proxy(1000000)
    os.execute("kill -STOP " .. between.pid)
    local hosts = between.url:gsub("host=([^&]+)", ("host=%%1,%s&connect_timeout=2"):format(server.folder))
    local store = assert(inside.open { path = hosts })
    assert.equal(0, store:commit({ { { "put", "k", "v" } } })[1].status)
    store:close()
    local _, message, code = inside.open { path = (between.url .. "&connect_timeout=2") }
    assert.equal(STORE, code)
    assert.truthy(message:find("cannot be reached", 1, true), message)
  end)

  --- The network between a node and the server is there, and passes nothing on, or in one direction alone: neither side is told.
  local ways = { ["both ways"] = { "STOP", "CONT" }, ["for what it asks"] = { "USR1", "HUP" }, ["for the answers"] = { "USR2", "HUP" } }
  for way, signals in pairs(ways) do
    local what = "of a node that was cut off %s for longer than its lease are refused, and its jobs run elsewhere meanwhile"
    with_proxy(what:format(way), function()
      local between <close> = proxy(1000000)
      local gate = os.tmpname()
      local engine <close> = orrery.open(url, { log = "none" })
      process.deploy(engine, '<startEvent id="s"/>' .. process.task "work" .. '<endEvent id="e"/>', "s -> work work -> e")
      local instance = engine:start("p", { variables = { gate = gate } })
      local node <close> = start(([[local engine = require("orrery").open(%q, { log = "none" })
        engine:register("work", function(execution)
          execution:set("by", "cut off")
          print "begun" io.stdout:flush()
          local gate
          repeat
            gate = io.open(execution:get "gate")
            if gate then gate:close() require("orrery").sleep(0.01) end
          until not gate
        end)
        engine:start_executor { threads = 1, lock_time = 2 }
        print(engine:wait_idle(60))
        engine:close()]]):format(between.url))
      assert.equal("begun", node.read())
      os.execute(("kill -%s %s"):format(signals[1], between.pid))
      local ran = 0
      engine:register("work", function(execution)
        ran = ran + 1
        execution:set("by", "other")
      end)
      repeat engine:run_jobs() until ran > 0
      os.remove(gate)
      os.execute(("kill -%s %s"):format(signals[2], between.pid))
      assert.equal("true", node.read())
      assert.same({ 1, "completed", "other" }, { ran, engine:history_instance(instance.id).state,
        engine:history_variables({ instance_id = instance.id, name = "by" })[1].value })
      assert.same({}, engine:verify())
    end)
  end

  -- The server goes on reading, and makes no commit: so a lease is not prolonged, while everything else looks well.
  it("that are not answered for two thirds of a lease keep a node from beginning what it has locked", function()
    local log, gate = os.tmpname(), os.tmpname()
    finally(function() os.remove(log) end)
    local function note(what)
      local file <close> = assert(io.open(log, "a"))
      file:write(what, "\n")
    end
    local function noted()
      local file <close> = assert(io.open(log))
      return file:read "a"
    end
    local engine <close> = orrery.open(url, { log = "none" })
    process.deploy(engine, '<startEvent id="s"/>' .. process.task "work" .. '<endEvent id="e"/>', "s -> work work -> e")
    for _ = 1, 3 do engine:start("p", { variables = { gate = gate, log = log } }) end
    local node <close> = start(([[local engine = require("orrery").open(%q, { log = "none" })
      engine:register("work", "spec.fault.lease_work")
      engine:start_executor { threads = 1, lock_time = 6 }
      print(engine:wait_idle(60))
      engine:close()]]):format(url))
    repeat until noted() == "begin\n" and engine:nodes()[1].held == 3
    local holder <close> = server:session(name)
    holder:say "BEGIN; SELECT pg_advisory_xact_lock((1330795077::bigint << 32) | 'orrery_entry'::regclass::oid::bigint);"
    repeat until engine:nodes()[1].state ~= "at work"
    os.remove(gate)
    repeat until noted():find "end"
    for _ = 1, 50 do engine:nodes() end -- it has had time enough
    note "answered"
    holder:say "ROLLBACK;"
    assert.equal("true", node.read())
    assert.equal("begin\nend\nanswered\nbegin\nend\nbegin\nend\n", noted())
    assert.same({ 0, {} }, { engine:count "instances", engine:verify() })
  end)

  it("of a process that was stopped for longer than its lock lives are refused", function()
    local now = 1000000000
    local engine <close> = orrery.open(url, { clock = "manual", now = now, log = "none" })
    process.deploy(engine, '<startEvent id="s"/>' .. process.task "work" .. '<endEvent id="e"/>', "s -> work work -> e")
    local instance = engine:start("p", {})
    -- it stops itself within the job, and tells what becomes of it afterwards
    local stopped <close> = start(([[local engine = require("orrery").open(%q, { clock = "manual", now = %d, log = "none" })
      local runs = 0
      engine:register("work", function(execution)
        runs = runs + 1
        execution:set("by", "stopped")
        if runs == 1 then print "begun" io.stdout:flush() os.execute "kill -STOP $PPID" end
      end)
      engine:run_jobs()
      print("ran", runs)
      engine:close()]]):format(url, now))
    assert.equal("begun", stopped.read())
    while stopped.state() ~= "T" do end
    engine:register("work", function(execution) execution:set("by", "other") end)
    engine:set_time(now + 3600)
    assert.equal(1, engine:run_jobs())
    os.execute("kill -CONT " .. stopped.pid)
    assert.equal("ran\t1", stopped.read())
    assert.same({ "completed", "other" }, { engine:history_instance(instance.id).state,
      engine:history_variables({ instance_id = instance.id, name = "by" })[1].value })
    assert.same({}, engine:verify())
  end)
end)
