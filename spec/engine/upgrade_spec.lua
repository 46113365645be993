-- Stores as older versions wrote them (spec/engine/stores/README.md) come to this version's format, or stay as they were.
local folder = require "spec.support.folder"
local orrery = require "orrery"
local file_limit = require("orrery_inside").store.file_limit

local LUA = os.getenv "ORRERY_LUA" or "lua5.4" -- what other processes run in
local HERE = "spec/engine/stores/"

describe("a store of an older format", function()
  local path, data
  before_each(function()
    path = folder.make()
    data = path .. "/data.mdb"
  end)
  after_each(function() folder.remove(path) end)

  local function unpack_store(format) assert(os.execute(("gunzip -c %sformat%d.mdb.gz > '%s'"):format(HERE, format, data))) end

  local function open() return orrery.open(path, { clock = "manual", now = 1700000001, log = "none" }) end

  local function fails(kind, pattern, f, ...)
    local ok, err = pcall(f, ...)
    assert.is_false(ok)
    assert.equal(kind, err.kind, err)
    assert.matches(pattern, err.message)
  end

  local function entries()
    local out = {}
    for name in io.popen(("ls -A '%s'"):format(path)):lines() do out[#out + 1] = name end
    return table.concat(out, " ")
  end

  for _, format in ipairs { 1, 2 } do
    describe(tostring(format), function()
      before_each(function() unpack_store(format) end)

      it("is refused with the word that helps, and then goes on where it was", function()
        local before = folder.read(data)
        fails("store", "store format " .. format .. '.*"orrery upgrade"', open)
        assert.equal(before, folder.read(data))
        local told = {}
        local result = orrery.upgrade(path, { progress = function(done, total) told[#told + 1] = { done, total } end })
        assert.same({ format, 3, 0 }, { result.from, result.to, result.problems })
        assert.is_true(result.records > 100)
        assert.equal(told[#told][1], told[#told][2])
        assert.equal("data.mdb", entries())

        local engine <close> = open()
        assert.same({}, engine:verify())
        assert.same({ 7, 3, 10, 1 }, { engine:count("instances", {}), engine:count("tasks", {}),
          engine:count("jobs", { handler_ne = "batch" }), engine:count("jobs", { handler = "batch" }) })
        assert.equal(0, engine:count("jobs", { locked = true }))
        -- rows of indexes that older stores lack: of variables, of failed jobs, of history by definition
        assert.equal("k2", engine:instance({ variables = { n = 2 }, definition_key = "old" }).business_key)
        assert.equal(3, engine:count("jobs", { no_retries = true, definition = engine:definition({ key = "old" }).id }))
        assert.equal(5, engine:count("history_instances", { definition = engine:definition({ key = "plain" }).id }))
        assert.equal("ann", engine:task({ business_key = "k1" }).assignee)
        assert.equal("w", engine:external_task({ locked = true }).worker)

        local ran = 0
        engine:register("works", function() ran = ran + 1 end)
        engine:register("fails", function() end)
        engine:run_jobs()
        assert.equal(4, ran) -- the one that was locked among them, whose limit has room for three
        local batch = engine:batch { action = "suspend", state = "completed" }
        assert.same({ 3, 3, "job-update-suspension-state" }, { batch.done, batch.total, batch.type })
        assert.equal(3, engine:count("jobs", { type = "timer", suspended = true }))
        for _, job in ipairs(engine:jobs { no_retries = true }) do job:set_retries(1) end
        engine:message("paid", { business_key = "k3" })
        engine:run_jobs()
        assert.equal(0, engine:count("incidents", {}))
        assert.equal("not needed", engine:history_instance({ state = "terminated" }).delete_reason)
        assert.same({}, engine:verify())
      end)

      it("is as it was when the upgrade is killed, wherever that is", function()
        local before = folder.read(data)
        for _, at in ipairs { "first", "last" } do
          folder.write(path .. "/kill.lua", ([[local n = 0
            require("orrery").upgrade(%q, { progress = function(done, total)
              if %q == "first" or done == total then
                local f = io.open "/proc/self/stat"
                os.execute("kill -9 " .. f:read "n")
              end
            end })]]):format(path, at))
          os.execute(("LUA_PATH='%s' LUA_CPATH='%s' %s '%s/kill.lua' 2>/dev/null"):format(package.path, package.cpath, LUA, path))
          assert.matches("upgrading%-", entries())
          assert.equal(before, folder.read(data))
        end
        assert.equal(format, orrery.upgrade(path).from)
        assert.equal("data.mdb kill.lua", entries())
        local engine <close> = open()
        assert.equal(7, engine:count("instances", {}))
      end)
    end)
  end

  it("keeps the old file where that is asked for", function()
    unpack_store(2)
    local before = folder.read(data)
    orrery.upgrade(path, { keep = true })
    assert.equal("data.mdb data.mdb.old", entries())
    assert.equal(before, folder.read(data .. ".old"))
  end)

  it("is as it was when there is no room, a record is damaged, or progress fails", function()
    unpack_store(2)
    local before = folder.read(data)
    file_limit(64 * 1024)
    local ok, err = pcall(orrery.upgrade, path)
    file_limit(nil)
    assert.same({ false, "store" }, { ok, err.kind })
    assert.equal(before, folder.read(data))

    local damaged, n = before:gsub("no connection", "no connectiom")
    assert.is_true(n > 0)
    folder.write(data, damaged)
    fails("store", "", orrery.upgrade, path)
    assert.equal(damaged, folder.read(data))
    fails("store", 'orrery upgrade', open)

    folder.write(data, before)
    ok, err = pcall(orrery.upgrade, path, { progress = function() error "mine" end })
    assert.is_false(ok)
    assert.matches("mine", err)
    assert.equal(3, orrery.upgrade(path).from) -- that was told when it had ended
  end)

  it("is not taken from under another process", function()
    do local engine <close> = open() engine:count("instances", {}) end
    local fifo, ready = path .. "/go", path .. "/ready"
    assert(os.execute(("mkfifo '%s' '%s'"):format(fifo, ready)))
    folder.write(path .. "/hold.lua", ([[local e = require("orrery").open(%q, { log = "none" })
      e:count("instances", {})
      io.open(%q, "w"):close()
      io.open(%q):read "a"
      e:close()]]):format(path, ready, fifo))
    local held = io.popen(("LUA_PATH='%s' LUA_CPATH='%s' %s '%s/hold.lua'"):format(package.path, package.cpath, LUA, path))
    io.open(ready):read "a"
    local bytes = folder.read(data)
    folder.write(data, (bytes:gsub("formatorrery\3", "formatorrery\2")))
    fails("state", "is open in process %d+", orrery.upgrade, path)
    folder.write(data, bytes)
    io.open(fifo, "w"):close()
    held:close()
  end)

  it("is one that this version can read, and a store on disk", function()
    do local engine <close> = open() engine:count("instances", {}) end
    local before = folder.read(data)
    assert.same({ from = 3, to = 3, records = 0, problems = 0 }, orrery.upgrade(path))
    assert.equal(before, folder.read(data))
    folder.write(data, (before:gsub("formatorrery\3", "formatorrery\4")))
    fails("store", "go on with the version that wrote it", orrery.upgrade, path)
    fails("not_found", "no store", orrery.upgrade, path .. "/nowhere")
    fails("argument", "", orrery.upgrade, path, { keeep = true })
  end)
end)
