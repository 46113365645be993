-- Whose commits a view shows: what was kept of an older view holds as long as nobody else has written meanwhile.
local inside = require("orrery_inside").store
local folder = require "spec.support.folder"

local lua = os.getenv "ORRERY_LUA" or "lua5.4"

local function put(key) return { { "put", key, "" } } end

describe("a store's counts of commits", function()
  local path, store

  before_each(function()
    path = folder.make()
    store = assert(inside.open { path = path })
  end)

  after_each(function()
    store:close()
    folder.remove(path)
  end)

  local function by_another_process()
    local code = ([[local store = assert(require("orrery_inside").store.open { path = %q })
      assert(store:commit { { { "put", "theirs", "" } } })
      store:close()]]):format(path)
    local file = os.tmpname()
    local out = assert(io.open(file, "w"))
    out:write(code)
    out:close()
    assert(os.execute(("%s %s"):format(lua, file)))
    os.remove(file)
  end

  local function seen_now()
    local view = assert(store:snapshot())
    local foreign = view:foreign()
    view:close()
    return foreign
  end

  it("counts the commits of others, and no own ones", function()
    local before = assert(seen_now())
    assert(store:commit { put "mine" })
    assert(store:commit { put "mine, too" })
    assert.equal(before, seen_now())
    by_another_process()
    assert.equal(before + 1, seen_now())
    assert(store:commit { put "mine again" })
    assert.equal(before + 1, seen_now())
  end)

  it("counts no own ones, however many threads commit", function()
    local private = assert(inside.open {}) -- nothing is synced
    local failure = private:hammer(8, 2000, 8)
    private:close()
    assert.equal(0, failure)
  end)

  it("does not say of a view that is older than own commits", function()
    local before = seen_now()
    local view = assert(store:snapshot())
    assert.equal(before, view:foreign())
    assert(store:commit { put "mine" })
    assert.is_nil(view:foreign())
    view:renew()
    assert.equal(before, view:foreign())
    view:close()
  end)

  it("counts no commit that changes nothing, and none that fails", function()
    local before = seen_now()
    assert(store:commit { { { "delete", "none" } } })
    assert(store:commit { { { "put", "k", "", expected = 7 } } }) -- lost
    assert.equal(before, seen_now())
    by_another_process()
    assert.equal(before + 1, seen_now())
  end)
end)
