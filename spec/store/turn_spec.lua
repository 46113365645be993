-- Whose turn it is to write to a store on disk. Another process is a child, which stops in the middle
-- of a commit.
local gates = require "spec.executor.gate"
local inside = require("orrery_inside").store
local folder = require "spec.support.folder"
local store_child = require "spec.support.store_child"

local PUT <const> = { { { "put", "key", "value" } } }

describe("a process that is stopped inside a commit", function()
  local room, path, store
  before_each(function()
    room = folder.make()
    path = room .. "/store"
    store = assert(inside.open { path = path })
  end)
  after_each(function()
    inside.hurry(0)
    store:close()
    folder.remove(room)
  end)

  local function stopped()
    local other = store_child(room, path)
    other:send "return store:commit({ { { 'put', 'other', 'value' } } }, 'stopped')[1].status"
    gates.until_true(function() return other:is_stopped() end)
    return other
  end

  --- Each look at the clock finds seconds gone.
  local function refused(seconds)
    inside.hurry(seconds * 1000)
    local done, message, _, _, mark = store:commit(PUT)
    inside.hurry(0)
    assert.is_nil(done)
    assert.equal("away", mark)
    return message
  end

  it("is named to those that would write, which then may read", function()
    local other <close> = stopped()
    assert.equal(("nothing was written to %s: process %d holds its write lock and is stopped; let it go on, or end it")
      :format(path, other.pid), refused(3))
    assert.same({ "away", 1, 0 }, { store:state() })
    assert.equal(0, store:stats().entries)
  end)

  it("is not waited for a second time", function()
    local other <close> = stopped()
    refused(3)
    assert.truthy(refused(0):find(other.pid, 1, true)) -- the clock stands still
    assert.same({ "away", 1, 0 }, { store:state() })
  end)

  it("holds up nobody once it has gone on", function()
    local other <close> = stopped()
    refused(3)
    other:signal "CONT"
    assert.equal("0", other:answer())
    assert.same({ "well", 1, 1 }, { store:state() })
    assert.equal(0, store:commit(PUT)[1].status)
    assert.equal(2, store:stats().entries)
  end)

  it("holds up nobody once it was killed, and leaves nothing behind", function()
    local other <close> = stopped()
    refused(3)
    other:kill()
    assert.equal(0, store:commit(PUT)[1].status)
    assert.same({ "well", 1, 1 }, { store:state() })
    assert.equal(1, store:stats().entries)
  end)

  it("is noticed by a process that only looks", function()
    local other <close> = stopped()
    inside.hurry(3000)
    assert.equal("well", store:state())
    gates.until_true(function() return store:state() == "away" end)
    inside.hurry(0)
    other:kill()
    assert.same({ "well", 1, 1 }, { store:state() })
  end)

  it("lets those wait that began before it was stopped for long", function()
    local other <close> = stopped()
    local waiting <close> = store_child(room, path)
    waiting:send "return store:commit({ { { 'put', 'third', 'value' } } })[1].status"
    other:signal "CONT"
    assert.same({ "0", "0" }, { other:answer(), waiting:answer() })
    assert.equal(2, store:stats().entries)
  end)

  it("may be of a store whose lock lies there from before the machine crashed", function()
    local other <close> = stopped()
    other:kill()
    store:close()
    local bytes = folder.read(path .. "/writer.lock")
    folder.write(path .. "/writer.lock", bytes:gsub("%z", "\255"))
    store = assert(inside.open { path = path })
    assert.equal(0, store:commit(PUT)[1].status)
  end)
end)

describe("a turn to write", function()
  it("comes without the lock where its file cannot be opened", function()
    local room = folder.make()
    local path = room .. "/store"
    assert(inside.open { path = path }):close()
    os.remove(path .. "/writer.lock")
    assert(os.execute(("mkdir '%s/writer.lock'"):format(path)))
    local store = assert(inside.open { path = path })
    assert.equal(0, store:commit(PUT)[1].status)
    assert.equal("well", (store:state()))
    store:close()
    folder.remove(room)
  end)

  it("waits for nobody in a store of one's own", function()
    local store = assert(inside.open {})
    assert.equal(0, store:commit(PUT)[1].status)
    assert.is_nil(io.open(store:path() .. "/writer.lock"))
    store:close()
  end)
end)
