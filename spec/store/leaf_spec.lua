-- Damaged leaves of a store that is too large to be checked whole when it is opened: each reading
-- gives everything, or an error.
-- Marks: load
local folder = require "spec.support.folder"
local inside = require("orrery_inside").store

local PAGE <const> = 4096
local ENTRIES <const> = 44000 -- of 900 bytes: 40 MB
local BATCH <const> = 4000
local VALUE <const> = ("v"):rep(900)
local LEAF <const> = 2

local function key_of(i) return ("k%06d"):format(i) end

local function fill(path)
  local store = assert(inside.open { path = path, no_sync = true })
  for first = 1, ENTRIES, BATCH do
    local ops = {}
    for i = first, math.min(first + BATCH, ENTRIES + 1) - 1 do
      ops[#ops + 1] = { "put", key_of(i), VALUE }
    end
    assert(store:commit { ops })
  end
  store:close()
end

describe("a damaged leaf of a large store", function()
  local room, data, leaves

  setup(function()
    room = folder.make()
    fill(room .. "/store")
    data = assert(io.open(room .. "/store/data.mdb", "r+b"))
    leaves = {}
    local number = 0
    for page in function() return data:read(PAGE) end do
      local own, _, flags = ("<I8 I2 I2"):unpack(page)
      if own == number and flags & 0x6f == LEAF then leaves[#leaves + 1] = number end
      number = number + 1
    end
  end)
  teardown(function()
    data:close()
    folder.remove(room)
  end)

  local function page_at(number)
    data:seek("set", number * PAGE)
    return data:read(PAGE)
  end

  local function write(number, page)
    data:seek("set", number * PAGE)
    data:write(page)
    data:flush()
  end

  --- Reads everything in three ways: which of them told an error. The others gave everything.
  local function errors()
    local store, why = inside.open { path = room .. "/store", no_sync = true }
    if not store then return { open = why } end
    local told = {}
    local view = assert(store:snapshot())
    for name, backwards in pairs { forwards = false, backwards = true } do
      local rows, message = view:scan { backwards = backwards }
      if rows then
        assert.equal(ENTRIES, #rows, name)
        for i, row in ipairs(rows) do
          local at = backwards and ENTRIES + 1 - i or i
          assert(row[1] == key_of(at) and row[2] == VALUE, name .. ": the wrong row")
        end
      end
      told[name] = message
    end
    for i = 1, ENTRIES do
      local value, message = view:get(key_of(i))
      if value == nil then
        told.get = message
        break
      end
      assert(value == VALUE, "a record that is there was not found")
    end
    view:close()
    store:close()
    return told
  end

  --- Plays a damage on some leaves; how many readings told of it.
  local function damaged(count, damage)
    local told = 0
    for i = 1, count do
      local number = leaves[#leaves * i // (count + 1)]
      local page = page_at(number)
      local undo = damage(number, page)
      for name, message in pairs(errors()) do
        told = told + 1
        assert.truthy(message:find("damaged", 1, true), name .. ": " .. message)
      end
      write(number, page)
      if undo then undo() end
    end
    assert.same({}, errors())
    return told
  end

  local function patched(page, at, bytes)
    return page:sub(1, at) .. bytes .. page:sub(at + #bytes + 1)
  end
  local function first_node(page) return (("<I2"):unpack(page, 17)) end

  it("whose values are 2 GiB long is an error", function()
    assert.equal(9, damaged(3, function(number, page)
      write(number, patched(page, first_node(page), ("<I2 I2"):pack(0xffff, 0x7fff)))
    end))
  end)

  it("that stands in another's place is an error", function()
    assert.equal(9, damaged(3, function(number, page)
      local other = leaves[#leaves // 7]
      local its = page_at(other)
      write(number, its)
      write(other, page)
      return function() write(other, its) end
    end))
  end)

  it("whose slots end early is an error", function()
    assert.equal(9, damaged(3, function(number, page)
      write(number, patched(page, 12, ("<I2"):pack(("<I2"):unpack(page, 13) - 2)))
    end))
  end)

  it("is an error to who writes there, and the others' records stay", function()
    local number = leaves[#leaves // 2]
    local page = page_at(number)
    local at = first_node(page)
    local key = page:sub(at + 9, at + 15)
    write(number, patched(page, at, ("<I2 I2"):pack(0xffff, 0x7fff)))
    local added = { "put", key .. "x", "new", expected = 0 }
    for _, op in ipairs { { "put", key, "new" }, { "delete", key }, added } do
      local store = assert(inside.open { path = room .. "/store", no_sync = true })
      local done, message = store:commit { { op } }
      assert.is_nil(done)
      assert.truthy(message:find("damaged", 1, true), message)
      store:close()
    end
    write(number, page)
    assert.same({}, errors())
  end)
end)
