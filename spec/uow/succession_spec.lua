-- Records of jobs that lie where the job before them lay: by which ids they are found, and when they leave.
local uow = require("orrery_inside").uow

local CONFLICT <const> = -7
local ROOT <const> = 8388609 -- group 1, local 1
local FIRST <const> = ROOT + 9
local WAITING <const>, READY <const>, LOCKED <const>, SUSPENDED <const> = 1, 2, 3, 5

local function key(id) return "W" .. string.pack(">I8", id) end

describe("a job that follows another", function()
  local source
  before_each(function() source = uow.open() end)
  after_each(function() source:close() end)

  local function commit(fill)
    local unit <close> = setmetatable({ unit = source:begin() }, { __close = function(self) self.unit:close() end })
    fill(unit.unit)
    return unit.unit:commit()
  end

  local function get(id)
    local unit = source:begin()
    local job = unit:get("job", id)
    unit:close()
    return job
  end

  --- The keys of all jobs, as local numbers.
  local function places()
    local out = {}
    for name in pairs(source:dump()) do
      if name:sub(1, 1) == "W" then out[#out + 1] = (string.unpack(">I8", name, 2)) - ROOT end
    end
    table.sort(out)
    return out
  end

  local function locked(fields)
    local out = { kind = 1, state = LOCKED, owner = 7, retries = 3 }
    for name, value in pairs(fields or {}) do out[name] = value end
    return out
  end

  local function follow(id, fields)
    return commit(function(unit)
      unit:new("job", id + 1, locked(fields))
      unit:succeed(id, id + 1)
    end)
  end

  --- A chain that lies at FIRST; the id that it has come to.
  local function chain(steps)
    assert(commit(function(unit) unit:new("job", FIRST, locked { priority = 0 }) end))
    for i = 1, steps do assert(follow(FIRST + i - 1, { priority = i })) end
    return FIRST + steps
  end

  it("lies where that lay, and is found by its own id alone", function()
    local id = chain(3)
    assert.same({ 9 }, places())
    for other = FIRST - 1, id + 2 do
      local job = get(other)
      assert.same(other == id and { id, 3 } or {}, job and { job.id, job.priority } or {}, other)
    end
    assert.same({}, (source:verify()))
  end)

  it("is found beside others of its group, and by no id of another group", function()
    local id = chain(2)
    assert(commit(function(unit)
      for _, other in ipairs { FIRST - 1, id + 1, id + 5 } do unit:new("job", other, locked()) end
    end))
    assert.same({ 8, 9, 12, 16 }, places())
    for other = FIRST - 2, id + 6 do
      local there = other == FIRST - 1 or other == id or other == id + 1 or other == id + 5
      assert.equal(there and other, (get(other) or { id = false }).id, other)
    end
    assert.is_nil(get(id + (1 << 23)))
    assert.is_nil(get(id - (1 << 23)))
    local unit = source:begin()
    local ids = {}
    for i, job in ipairs(unit:find_group("job", 1)) do ids[i] = job.id - ROOT end
    unit:close()
    assert.same({ 8, 11, 12, 16 }, ids)
  end)

  it("is found in a unit that has it already, and not in one that has deleted it", function()
    local id = chain(1)
    local unit = source:begin()
    assert.equal(id, unit:find_group("job", 1)[1].id)
    assert.equal(id, unit:get("job", id).id)
    assert.is_nil(unit:get("job", FIRST))
    unit:delete("job", id)
    assert.is_nil(unit:get("job", id))
    assert(unit:commit())
    unit:close()
    assert.same({}, places())
  end)

  it("does not take the place of one whose id is not the one before, nor when it is not locked", function()
    chain(0)
    assert(commit(function(unit)
      unit:new("job", FIRST + 2, locked())
      unit:succeed(FIRST, FIRST + 2)
    end))
    assert.same({ 11 }, places())
    assert(follow(FIRST + 2, { state = READY, owner = 0 }))
    assert.same({ 12 }, places())
    assert.same({}, (source:verify()))
  end)

  it("loses to whoever has changed the one before, and makes whoever has read that lose", function()
    local id = chain(1)
    local reader, writer, follower = source:begin(), source:begin(), source:begin()
    reader:rely("job", id)
    reader:new("task", ROOT + 1, {})
    writer:set("job", id, { priority = 9 })
    follower:new("job", id + 1, locked())
    follower:succeed(id, id + 1)
    assert(follower:commit())
    for _, unit in ipairs { reader, writer } do
      local done, code, message = unit:commit()
      assert.is_nil(done)
      local text = type(code) == "string" and code or message
      assert.matches("job " .. FIRST .. " or one that followed it was changed meanwhile", text)
      assert.equal(CONFLICT, type(code) == "number" and code or message)
    end
    for _, unit in ipairs { reader, writer, follower } do unit:close() end
    assert.equal(id + 1, get(id + 1).id)
  end)

  for name, change in pairs {
    ["ready"] = { state = READY, owner = 0 }, ["waiting"] = { state = WAITING, owner = 0, due = 5 },
    ["suspended, though it is locked"] = { state = SUSPENDED, suspended = true },
  } do
    it("moves to its own key, with its rows, when it comes to be " .. name, function()
      local id = chain(3)
      assert(commit(function(unit) unit:set("job", id, change) end))
      assert.same({ 12 }, places())
      assert.equal(id, get(id).id)
      for name in pairs(source:dump()) do assert.is_nil(name:find(key(FIRST), 1, true)) end
      assert.same({}, (source:verify()))
      assert(commit(function(unit) unit:set("job", id, { state = LOCKED, owner = 7 }) end))
      assert(follow(id))
      assert.same({ 12 }, places())
      assert.equal(id + 1, get(id + 1).id)
      assert.same({}, (source:verify()))
    end)
  end

  it("stays where it is as long as it is locked, whatever else is changed", function()
    local id = chain(2)
    assert(commit(function(unit) unit:set("job", id, { priority = 8 }) end))
    assert.same({ 9 }, places())
    assert.equal(8, get(id).priority)
  end)

  it("costs no row of an index that the one before has had", function()
    chain(0)
    local rows = {}
    for name in pairs(source:dump()) do rows[name:sub(1, 1) == "i" and name or nil or ""] = true end
    assert(follow(FIRST))
    for name in pairs(source:dump()) do
      if name:sub(1, 1) == "i" then assert.is_true(rows[name]) end
    end
  end)

  it("is what the checker knows by its id, and no other", function()
    local function problems(job_id)
      assert(commit(function(unit)
        unit:new("execution", ROOT + 2 + job_id, { parent = ROOT, job_id = job_id })
      end))
      return (source:verify())
    end
    assert(commit(function(unit)
      unit:new("deployment", 1, {})
      unit:new("definition", 2, { deployment_id = 1 })
      unit:new("instance", ROOT, { definition_id = 2, root_id = ROOT })
    end))
    local id = chain(2)
    assert.same({}, problems(id))
    for _, gone in ipairs { FIRST, id - 1, id + 1 } do
      local found = table.concat(problems(gone), "\n")
      assert.matches(("job_id %d is not there"):format(gone), found)
    end
  end)

  it("is damage where it names no later id, or nobody has it locked", function()
    chain(1)
    local value = source:dump()[key(FIRST)]
    local body = value:sub(9)
    assert.equal(string.char(2 * 11), body:sub(-1)) -- `local`, the last field
    for _, wrong in ipairs { 10, 9, 3 } do
      source:plant(key(FIRST), uow.seal(body:sub(1, -2) .. string.char(2 * wrong)))
      assert.matches("its fields cannot be read", (source:verify())[1])
    end
    source:plant(key(FIRST), value)
    assert.same({}, (source:verify()))
    assert(commit(function(unit) unit:new("job", FIRST + 5, locked { state = SUSPENDED }) end))
    source:plant(key(FIRST), uow.seal((body:gsub("^(....-)" .. string.char(LOCKED), "%1" .. string.char(SUSPENDED), 1))))
    assert.matches("has been followed by job", table.concat((source:verify()), "\n"))
  end)
end)
