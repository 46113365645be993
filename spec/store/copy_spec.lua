-- Copies of a store that goes on working: whole, on their own, and in their place whole or not at all.
local inside = require("orrery_inside").store
local folder = require "spec.support.folder"

local STATE, STORE, UNSUPPORTED, MEMORY = -10, -13, -12, -14

local function names(path)
  local pipe = assert(io.popen(("ls -A '%s'"):format(path)))
  local out = {}
  for name in pipe:lines() do out[#out + 1] = name end
  pipe:close()
  return out
end

local function size(path)
  local file <close> = assert(io.open(path .. "/data.mdb", "rb"))
  return file:seek "end"
end

local function digest(store)
  local view = assert(store:snapshot())
  local sum = assert(view:digest())
  view:close()
  return sum
end

describe("a copy of a store", function()
  local room, store

  before_each(function()
    room = folder.make()
    store = assert(inside.open { path = room .. "/store" })
    local rows = {}
    for i = 1, 300 do
      rows[2 * i - 1] = { "put", ("k%03d"):format(i), ("x"):rep(i * 7), expected = 0, revision = 1 }
      rows[2 * i] = { "put", ("row%03d"):format(i), "" }
    end
    assert(store:commit { rows })
  end)

  after_each(function()
    assert.equal(0, store:close())
    folder.remove(room)
  end)

  local function digest_of(path)
    local copy = assert(inside.open { path = path })
    local sum = digest(copy)
    assert(copy:commit { { { "put", "more", "" } } }) -- it can be worked on
    assert.equal(0, copy:close())
    return sum
  end

  for _, compact in ipairs { false, true } do
    local kind = compact and "compact" or "plain"

    it(kind .. ": has every row, and is a store of its own", function()
      local before = digest(store)
      assert.is_true(store:copy(room .. "/copy//", compact))
      assert.same({ "copy", "store" }, names(room))
      assert.same({ "data.mdb" }, names(room .. "/copy"))
      assert(store:commit { { { "delete", "k001" } } })
      assert.equal(before, digest_of(room .. "/copy"))
      assert.not_equal(before, digest(store))
    end)

    it(kind .. ": never takes a place that is taken", function()
      assert(os.execute(("mkdir '%s/folder'; touch '%s/file'; ln -s nowhere '%s/link'"):format(room, room, room)))
      for _, name in ipairs { "folder", "file", "link", "store" } do
        local _, message, code = store:copy(room .. "/" .. name, compact)
        assert.equal(STATE, code)
        assert.matches(name .. " is there already", message)
      end
      assert.same({ "file", "folder", "link", "store" }, names(room))
      assert.same({}, names(room .. "/folder"))
    end)

    it(kind .. ": leaves nothing behind when it fails", function()
      local _, message, code = store:copy(room .. "/none/copy", compact)
      assert.same({ STORE, { "store" } }, { code, names(room) })
      assert.matches("none/copy.*No such file", message)
      inside.file_limit(128 * 1024)
      finally(function() inside.file_limit() end)
      _, message, code = store:copy(room .. "/copy", compact)
      inside.file_limit()
      assert.same({ true, { "store" } }, { code == STORE, names(room) }, message)
      assert.is_true(store:copy(room .. "/copy", compact))
    end)

    it(kind .. ": stands an allocation that fails anywhere", function()
      for n = 1, 100 do
        store:fail_memory(n)
        local done, message, code = store:copy(room .. "/copy", compact)
        store:fail_memory(0)
        if done then return assert.is_true(n < 100) end
        assert.same({ MEMORY, { "store" } }, { code, names(room) }, message)
      end
      error "it never succeeded"
    end)

    it(kind .. ": may be larger than the map that a store begins with", function()
      for i = 1, 24 do assert(store:commit { { { "put", "big" .. i, ("y"):rep(1024 * 1024) } } }) end
      local before = digest(store)
      assert.is_true(store:copy(room .. "/copy", compact))
      assert.equal(before, digest_of(room .. "/copy"))
    end)
  end

  it("leaves out unused pages when it is compact", function()
    for i = 1, 4 do assert(store:commit { { { "put", "big" .. i, ("y"):rep(1024 * 1024) } } }) end
    for i = 1, 4 do assert(store:commit { { { "delete", "big" .. i } } }) end
    assert.is_true(store:copy(room .. "/plain"))
    assert.is_true(store:copy(room .. "/compact", true))
    assert.is_true(size(room .. "/plain") > 4 * 1024 * 1024)
    assert.is_true(size(room .. "/compact") < 2 * 1024 * 1024)
    assert.equal(digest_of(room .. "/plain"), digest_of(room .. "/compact"))
  end)

  it("of an empty store is one", function()
    local empty = assert(inside.open { path = room .. "/empty" })
    assert.is_true(empty:copy(room .. "/plain"))
    assert.is_true(empty:copy(room .. "/compact", true))
    assert.equal(0, empty:close())
    assert.equal(digest_of(room .. "/plain"), digest_of(room .. "/compact"))
  end)

  it("is made of stores on disk alone", function()
    local memory = assert(inside.open { memory = true })
    assert.equal(UNSUPPORTED, select(3, memory:copy(room .. "/copy")))
    assert.equal(0, memory:close())
  end)
end)
