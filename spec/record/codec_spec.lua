local uow = require("orrery_inside").uow

local HEADER = 8 -- store_header

local source
before_each(function() source = uow.open() end)
after_each(function() source:close() end)

local function stored(kind, key, fields)
  local unit = source:begin()
  unit:new(kind, key, fields)
  assert(unit:commit())
  unit = source:begin()
  local record = assert(unit:get(kind, key))
  unit:close()
  return record
end

-- The one entry whose key begins with `tag`.
local function entry(tag)
  for key, value in pairs(source:dump()) do
    if key:sub(1, 1) == tag then return key, value end
  end
end

describe("stored records", function()
  it("come back as they were, in every type of field", function()
    local fields = {
      key = "order", version = -7, name = "", category = "a\0b", deployment_id = math.maxinteger, suspended = true,
      history_time_to_live = 30, starter_users = { "ann", "", "x\0y" }, starter_groups = { "sales" },
    }
    local record = stored("definition", 8388609, fields)
    for name, value in pairs(fields) do assert.same(value, record[name], name) end
    assert.equal(8388609, record.id)
    assert.is_nil(record.tenant)
    assert.is_false(record.startable)
  end)

  it("keep the extremes of numbers", function()
    for i, n in ipairs { 0, 1, -1, 127, 128, math.maxinteger, math.mininteger } do
      local job = stored("job", 8388610 + i, { repeat_left = n, due = n, kind = 255, node = 0xffffffff })
      assert.equal(n, job.repeat_left)
      assert.equal(n, job.due)
      assert.equal(255, job.kind)
      assert.equal(0xffffffff, job.node)
    end
  end)

  it("keep lists of ids", function()
    local join = stored("join", { 8388610, -3, 2 }, { waiting = { 1, math.maxinteger, 200 }, distinct = 2 })
    assert.same({ 1, math.maxinteger, 200 }, join.waiting)
    assert.equal(-3, join.node)
  end)

  it("have keys that any name fits into", function()
    for _, name in ipairs { "", "x", "\0", "\0\1", "a\0\255", ("\255"):rep(255), ("n"):rep(255) } do
      assert.equal(name, stored("variable", { 8388610, name }, { value = name }).name)
    end
  end)

  it("take few bytes", function()
    stored("execution", 8388610, { parent = 8388609, node = 3, state = 1 })
    local _, value = entry("E")
    assert.is_true(#value < 24, #value)
  end)
end)

describe("damaged bytes", function()
  local key, value

  before_each(function()
    stored("definition", 8388609, { key = "order", version = 3, starter_users = { "ann", "bob" }, history_time_to_live = "P1D" })
    key, value = entry("P")
  end)

  local function read(bytes)
    source:plant(key, bytes)
    local unit = source:begin()
    local record, message, code = unit:get("definition", 8388609)
    unit:close()
    return record, message, code
  end

  it("are refused with the record's name, whichever bit is wrong", function()
    for place = 1, #value do
      local byte = value:byte(place)
      for bit = 0, 7 do
        local record, message, code = read(value:sub(1, place - 1) .. string.char(byte ~ (1 << bit)) .. value:sub(place + 1))
        assert.is_nil(record)
        assert.equal(-13, code)
        assert.matches("definition 8388609 is damaged", message, 1, true)
      end
    end
  end)

  it("are refused when cut short", function()
    for size = 0, #value - 1 do
      local record, _, code = read(value:sub(1, size))
      assert.is_nil(record)
      assert.equal(-13, code)
    end
  end)

  it("are refused by the decoder, when the checksum fits", function()
    local body = value:sub(HEADER + 1)
    for size = 0, #body - 1 do assert.is_nil((read(uow.seal(body:sub(1, size)))), size) end
    assert.is_nil((read(uow.seal(body .. "\0"))))
    assert.is_nil((read(uow.seal("\3" .. body:sub(2))))) -- a later layout
    assert.truthy((read(uow.seal(body))))
  end)

  it("never get past the bounds, whatever they say", function()
    math.randomseed(20261120)
    local body, refused = value:sub(HEADER + 1), 0
    for _ = 1, 5000 do
      local bytes = { body:byte(1, -1) }
      for _ = 1, math.random(3) do bytes[math.random(#bytes)] = math.random(0, 255) end
      local record, _, code = read(uow.seal(string.char(table.unpack(bytes))))
      if not record then
        assert.equal(-13, code)
        refused = refused + 1
      end
    end
    assert.is_true(refused > 1000)
  end)
end)
