-- Views of a store that are held long, in this process and in others: who, and how long.
local inside = require("orrery_inside").store
local folder = require "spec.support.folder"

--- Another process that holds a view until it is told to let go, or killed.
local function holder(path)
  local lua = os.getenv "ORRERY_LUA" or "lua5.4"
  local script = ([[local store = assert(require("orrery_inside").store.open { path = %q })
    local view = store:snapshot() io.write("open\n") io.flush() io.read()
    view:release() io.write("free\n") io.flush() io.read()]]):format(path)
  local name = os.tmpname()
  local file <close> = assert(io.open(name, "w"))
  file:write(script)
  file:flush()
  local fifo = name .. ".in"
  assert(os.execute(("mkfifo '%s'"):format(fifo)))
  local pipe = assert(io.popen(("echo $$; exec %s '%s' <'%s'"):format(lua, name, fifo)))
  local self = { pid = math.tointeger(tonumber(pipe:read "l")) }
  local input = assert(io.open(fifo, "w"))
  input:setvbuf "no"
  assert.equal("open", pipe:read "l")
  function self.let_go()
    input:write "\n"
    assert.equal("free", pipe:read "l")
  end
  return setmetatable(self, { __close = function()
    os.execute(("kill -9 %d 2>/dev/null"):format(self.pid))
    input:close()
    pipe:close()
    os.remove(name)
    os.remove(fifo)
  end })
end

describe("a view that is held long", function()
  local room, store, look, held

  before_each(function()
    room = folder.make()
    store = assert(inside.open { path = room .. "/store" })
    look, held = inside.watch_readers()
  end)

  after_each(function()
    store:close()
    folder.remove(room)
  end)

  local function commit(n)
    for i = 1, n do assert(store:commit { { { "put", "k", ("x"):rep(i) } } }) end
  end

  it("is told of with its process after ten seconds, whenever the time has doubled, and when it is over", function()
    commit(1)
    local other <close> = holder(room .. "/store")
    assert.same({}, look(store, 0))
    assert.same({}, look(store, 100)) -- at the latest commit it keeps nothing
    commit(3)
    assert.same({}, look(store, 101))
    assert.same({}, look(store, 110))
    assert.same({ 0, 9 }, { held() }) -- since it was seen behind
    assert.same({ { process = other.pid, held = 10, behind = 3, ended = false } }, look(store, 111))
    assert.same({ 1, 10 }, { held() })
    assert.same({}, look(store, 120))
    assert.same({ 1, 19 }, { held() })
    commit(1)
    assert.same({ { process = other.pid, held = 20, behind = 4, ended = false } }, look(store, 121))
    other.let_go()
    assert.same({ { process = other.pid, held = 25, behind = 4, ended = true } }, look(store, 126))
    assert.same({}, look(store, 200))
    assert.same({ 0, 0 }, { held() })
  end)

  it("goes with a process that was killed, and is told of in this one, too", function()
    commit(1)
    local view <close> = setmetatable({ assert(store:snapshot()) }, { __close = function(self) self[1]:close() end })
    do
      local other <close> = holder(room .. "/store")
      commit(1)
      assert.same({}, look(store, 0))
      assert.equal(2, #look(store, 10))
    end
    local ended = look(store, 12)
    assert.same({ 1, true }, { #ended, ended[1].ended })
    assert.equal(1, #look(store, 20)) -- ours is there still
    view[1]:renew()
    assert.is_true(look(store, 25)[1].ended)
  end)

  it("is looked for once a second at most", function()
    commit(1)
    local view = assert(store:snapshot())
    commit(1)
    look(store, 0)
    assert.same({}, look(store, 0.9))
    assert.equal(1, #look(store, 1000))
    assert.same({}, look(store, 1000.5))
    view:close()
  end)
end)
