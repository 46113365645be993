-- Stakes: hints between the processes that have a store on disk open. Another process is a child, whose
-- stakes are written down here.
local inside = require("orrery_inside").store
local folder = require "spec.support.folder"
local store_child = require "spec.support.store_child"

local HIGHEST = math.maxinteger - 1

describe("stakes", function()
  local room, path, store
  before_each(function()
    room = folder.make()
    path = room .. "/store"
    store = assert(inside.open { path = path })
  end)
  after_each(function()
    store:close()
    folder.remove(room)
  end)

  local function process() return store_child(room, path) end

  it("are there for stores on disk", function()
    assert.is_true(store:has_stakes())
    local memory = assert(inside.open { memory = true })
    assert.is_false(memory:has_stakes())
    assert.same({ true, 9 }, { memory:stake(1, 9) })
    memory:unstake(1, 9)
    memory:close()
  end)

  it("are refused to another process, up to where they end, and given from there", function()
    local other <close> = process()
    assert.same({ true, 20 }, { store:stake(10, 20) })
    assert.equal("false 20", other:tell "return store:stake(10, 30)")
    assert.equal("false 20", other:tell "return store:stake(20, 30)")
    assert.equal("true 30", other:tell "return store:stake(21, 30)")
    assert.same({ false, 30 }, { store:stake(25, 26) })
  end)

  it("are cut where another's begin", function()
    local other <close> = process()
    assert.same({ true, 20 }, { store:stake(10, 20) })
    assert.equal("true 9", other:tell "return store:stake(1, 100)")
    assert.same({ false, 9 }, { store:stake(5, 8) })
  end)

  it("that lie side by side are one to others", function()
    local other <close> = process()
    assert(store:stake(10, 20))
    assert(store:stake(21, 40))
    assert.equal("false 40", other:tell "return store:stake(12, 12)")
  end)

  it("may be given back in part", function()
    local other <close> = process()
    assert(store:stake(10, 40))
    store:unstake(20, 29)
    assert.equal("true 29", other:tell "return store:stake(20, 35)")
    assert.equal("false 19", other:tell "return store:stake(15, 35)")
    store:unstake(1, 40)
    assert.equal("true 40", other:tell "return store:stake(1, 40)")
  end)

  it("end with their process, however that ends, and with its store", function()
    local other <close> = process()
    assert.equal("true 40", other:tell "return store:stake(10, 40)")
    assert.same({ false, 40 }, { store:stake(10, 10) })
    other:kill()
    assert.same({ true, 10 }, { store:stake(10, 10) })
    local third <close> = process()
    assert.equal("true 60", third:tell "return store:stake(50, 60)")
    assert.equal("0", third:tell "return store:close()")
    assert.same({ true, 60 }, { store:stake(50, 60) })
  end)

  it("reach as far as ids do", function()
    local other <close> = process()
    assert.same({ true, HIGHEST }, { store:stake(1, math.maxinteger) })
    assert.equal(("false %d"):format(HIGHEST), other:tell(("return store:stake(%d, %d)"):format(HIGHEST, HIGHEST)))
    assert.same({ true, math.maxinteger }, { store:stake(math.maxinteger, math.maxinteger) }) -- there are none: anybody's
    store:unstake(0, math.maxinteger)
    assert.equal("true 7", other:tell "return store:stake(0, 7)")
  end)

  it("guard nothing, and are no business of what is committed", function()
    local other <close> = process()
    assert(store:stake(1, HIGHEST))
    assert.equal("0", other:tell "return store:commit { { { 'put', 'k', 'v' } } }[1].status")
    assert.equal(1, store:stats().entries)
  end)
end)
