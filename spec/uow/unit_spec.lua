local uow = require("orrery_inside").uow

local CONFLICT, LIMIT, MEMORY = -7, -11, -14
local ROOT = 8388609 -- group 1, local 1

local source
before_each(function() source = uow.open() end)
after_each(function() source:close() end)

local function commit(fill)
  local unit = source:begin()
  fill(unit)
  return unit:commit()
end

local function look(read)
  local unit = source:begin()
  local result = read(unit)
  unit:close()
  return result
end

describe("a unit of work", function()
  it("sees its own changes and nobody else does before the commit", function()
    local unit = source:begin()
    unit:new("task", ROOT + 1, { name = "pay" })
    assert.equal("pay", unit:get("task", ROOT + 1).name)
    assert.is_nil(look(function(other) return other:get("task", ROOT + 1) end))
    assert(unit:commit())
    assert.equal("pay", look(function(other) return other:get("task", ROOT + 1) end).name)
  end)

  it("leaves nothing behind when it ends without a commit", function()
    local before = source:dump()
    local unit = source:begin()
    unit:new("task", ROOT + 1, { name = "pay" })
    unit:close()
    assert.same(before, source:dump())
  end)

  it("writes nothing for what was made and deleted in it", function()
    local unit = source:begin()
    unit:new("task", ROOT + 1, { assignee = "ann" })
    unit:delete("task", ROOT + 1)
    assert.is_nil(unit:get("task", ROOT + 1))
    assert.same({}, unit:flush())
    unit:close()
  end)

  it("relies on nothing when it leaves nothing", function()
    assert(commit(function(unit) unit:new("task", ROOT + 1, { assignee = "ann" }) end))
    local unit = source:begin()
    unit:rely("task", ROOT + 1)
    unit:new("task", ROOT + 2, {})
    unit:delete("task", ROOT + 2)
    assert.same({}, unit:flush())
    unit:close()
  end)

  it("loses when others have made what it makes, and it has seen that", function()
    local unit = source:begin()
    assert.is_nil(unit:get("task", ROOT + 1))
    assert(commit(function(other) other:new("task", ROOT + 2, { name = "theirs" }) end))
    unit:pause() -- the view that it opens next shows the other's
    assert.equal("theirs", unit:get("task", ROOT + 2).name)
    unit:new("task", ROOT + 2, { name = "mine" })
    local done, _, code = unit:commit()
    assert.same({ nil, CONFLICT }, { done, code })
    assert.equal("theirs", look(function(other) return other:get("task", ROOT + 2) end).name)
  end)

  it("finds by an id what it found last, and not what it has deleted since", function()
    assert(commit(function(unit)
      unit:new("task", ROOT + 1, { name = "pay" })
      unit:new("task", ROOT + 2, { name = "pack" })
    end))
    look(function(unit)
      for _, name in ipairs { "pay", "pay" } do assert.equal(name, unit:get("task", ROOT + 1).name) end
      for _, name in ipairs { "pack", "pack" } do assert.equal(name, unit:get("task", ROOT + 2).name) end
      assert.equal("pay", unit:get("task", ROOT + 1).name)
      unit:set("task", ROOT + 1, { name = "send" })
      assert.equal("send", unit:get("task", ROOT + 1).name)
      unit:delete("task", ROOT + 1)
      assert.is_nil(unit:get("task", ROOT + 1))
      unit:new("task", ROOT + 1, { name = "anew" })
      assert.equal("anew", unit:get("task", ROOT + 1).name)
    end)
  end)

  it("can make anew what it deleted", function()
    assert(commit(function(unit) unit:new("variable", { ROOT, "x" }, { value = 1, created = 5 }) end))
    assert(commit(function(unit)
      unit:delete("variable", { ROOT, "x" })
      assert.is_nil(unit:get("variable", { ROOT, "x" }))
      unit:new("variable", { ROOT, "x" }, { value = 2 })
    end))
    assert.same({ scope = ROOT, name = "x", value = 2, created = 0 }, look(function(unit) return unit:get("variable", { ROOT, "x" }) end))
  end)

  it("flushes in the order of first change", function()
    assert(commit(function(unit)
      for i = 1, 5 do unit:new("external_task", ROOT + i) end
      for i = 1, 5 do unit:new("history_task", ROOT + i) end
    end))
    local unit, order = source:begin(), { 4, 1, 5, 3, 2 }
    for _, i in ipairs(order) do unit:set("history_task", ROOT + i, { name = "n" }) end
    unit:set("history_task", ROOT + 1, { name = "m" })
    for place, op in ipairs(unit:flush()) do
      assert.equal("put c", op:sub(1, 5))
      assert.equal(order[place], op:byte(-1) - 1)
    end
    unit:close()
  end)

  it("writes only the index rows that differ", function()
    assert(commit(function(unit) unit:new("task", ROOT + 1, { assignee = "ann", name = "a" }) end))
    local unit = source:begin()
    unit:set("task", ROOT + 1, { name = "b" })
    assert.equal(1, #unit:flush())
    unit:close()
    unit = source:begin()
    unit:set("task", ROOT + 1, { assignee = "bob" })
    local ops = unit:flush()
    assert.same({ "put T", "delete i", "put i" }, { ops[1]:sub(1, 5), ops[2]:sub(1, 8), ops[3]:sub(1, 5) })
    unit:close()
  end)

  it("goes on after a pause", function()
    assert(commit(function(unit) unit:new("task", ROOT + 1, { name = "a" }) unit:new("task", ROOT + 2, { name = "b" }) end))
    local unit = source:begin()
    assert.equal("a", unit:get("task", ROOT + 1).name)
    unit:pause()
    assert.equal("b", unit:get("task", ROOT + 2).name)
    unit:close()
  end)

  it("keeps to what it read before the pause, and does not find it under what it became", function()
    assert(commit(function(unit) unit:new("task", ROOT + 1, { assignee = "ann" }) end))
    local unit = source:begin()
    assert.equal("ann", unit:get("task", ROOT + 1).assignee)
    unit:pause()
    assert(commit(function(other) other:set("task", ROOT + 1, { assignee = "bob" }) end))
    assert.equal(0, #unit:find_index("task_assignee", { "bob" }))
    assert.equal("ann", unit:get("task", ROOT + 1).assignee)
    unit:set("task", ROOT + 1, { assignee = "eve" })
    assert.equal(CONFLICT, select(3, unit:commit()))
  end)

  it("names a key that it relies on once", function()
    assert(commit(function(unit) unit:new("task", ROOT + 1) end))
    local unit = source:begin()
    for _ = 1, 3 do unit:rely("task", ROOT + 1) end
    unit:new("task", ROOT + 2)
    assert.equal(2, #unit:flush())
    unit:close()
  end)

  it("that runs out of memory at any point changes nothing and says so", function()
    local failures = 0
    for n = 1, 1000 do
      local before = source:dump()
      source:fail_at(n)
      local unit, _, code = source:begin()
      local ok
      if unit then
        for i = 1, 60 do unit:new("task", ROOT + i, { assignee = "ann" }) end
        ok, _, code = unit:commit()
      end
      source:fail_at(0)
      if ok then break end
      failures = failures + 1
      assert.equal(MEMORY, code)
      assert.same(before, source:dump())
    end
    assert.is_true(failures > 3 and failures < 1000)
    assert.equal(60, #look(function(unit) return unit:find_index("task_assignee", { "ann" }) end))
  end)

  it("refuses a key that no store can hold", function()
    local _, _, code = commit(function(unit) unit:new("link", { ROOT, "candidate", ("u"):rep(255), ("g"):rep(255) }) end)
    assert.equal(LIMIT, code)
  end)

  it("holds far more records than its first table", function()
    assert(commit(function(unit)
      for i = 1, 3000 do unit:new("execution", ROOT + i, { node = i }) end
      for i = 1, 3000 do assert.equal(i, unit:get("execution", ROOT + i).node) end
    end))
  end)
end)

describe("two units", function()
  before_each(function()
    assert(commit(function(unit)
      unit:new("task", ROOT + 1, { name = "a" })
      unit:new("task", ROOT + 2, { name = "b" })
    end))
  end)

  local function race(first, second)
    local a, b = source:begin(), source:begin()
    first(a)
    second(b)
    assert(a:commit())
    local ok, message, code = b:commit()
    return ok, code, message
  end

  local function set(unit) unit:set("task", ROOT + 1, { name = "x" }) end
  local function delete(unit) unit:delete("task", ROOT + 1) end

  it("conflict over one record", function()
    local ok, code, message = race(set, set)
    assert.is_nil(ok)
    assert.equal(CONFLICT, code)
    assert.matches("task 8388610", message, 1, true)
    assert.equal(CONFLICT, select(2, race(delete, set)))
  end)

  it("conflict over a new record with the same key", function()
    local function new(unit) unit:new("variable", { ROOT, "x" }, { value = 1 }) end
    assert.equal(CONFLICT, select(2, race(new, new)))
  end)

  it("do not over different records", function()
    assert.is_true((race(set, function(unit) unit:set("task", ROOT + 2, { name = "y" }) end)))
  end)

  it("conflict over what one relied on", function()
    local function rely(unit)
      unit:rely("task", ROOT + 1)
      unit:rely("task", ROOT + 1)
      unit:set("task", ROOT + 2, { name = "y" })
    end
    assert.equal(CONFLICT, select(2, race(set, rely)))
    assert.equal("b", look(function(unit) return unit:get("task", ROOT + 2) end).name)
    assert(commit(rely))
  end)

  it("do not over what one needs to be there, unless it goes", function()
    local function need(unit)
      unit:rely_exists("task", ROOT + 1)
      unit:set("task", ROOT + 2, { name = "y" })
    end
    assert.is_true((race(set, need)))
    assert.equal(CONFLICT, select(2, race(delete, need)))
  end)

  it("rely on a revision where they only needed the record before", function()
    local function both(unit)
      unit:rely_exists("task", ROOT + 1)
      unit:rely("task", ROOT + 1)
      unit:rely_exists("task", ROOT + 1)
      unit:set("task", ROOT + 2, { name = "y" })
    end
    assert.equal(CONFLICT, select(2, race(set, both)))
  end)

  it("conflict over a list of which one found every record", function()
    local function every(unit)
      for _, task in ipairs(unit:find_every("task_assignee", { "ann" })) do unit:set("task", task.id, { name = "of ann" }) end
      unit:set("task", ROOT + 2, { name = "y" })
    end
    local function another(number, assignee)
      return function(unit) unit:new("task", ROOT + number, { assignee = assignee }) end
    end
    assert.equal(CONFLICT, select(2, race(another(3, "ann"), every)))
    assert.is_true((race(another(4, "bob"), every)))
    assert.equal(CONFLICT, select(2, race(function(unit) unit:delete("task", ROOT + 3) end, function(unit)
      unit:find_every("task_assignee", { "ann" })
      unit:set("task", ROOT + 2, { name = "z" })
    end)))
    assert(commit(function(unit) -- its own are none of the store's
      another(5, "ann")(unit)
      assert.equal(1, #unit:find_every("task_assignee", { "ann" }))
    end))
  end)

  it("notice a key that was deleted and made anew in between", function()
    assert(commit(function(unit) unit:new("variable", { ROOT, "x" }, { value = 1 }) end))
    local late = source:begin()
    late:set("variable", { ROOT, "x" }, { value = 9 })
    assert(commit(function(unit) unit:delete("variable", { ROOT, "x" }) end))
    assert(commit(function(unit) unit:new("variable", { ROOT, "x" }, { value = 2 }) end))
    assert.equal(CONFLICT, select(3, late:commit()))
  end)
end)

describe("ids", function()
  it("come from the instance's group in order", function()
    assert(commit(function(unit)
      unit:new("instance", ROOT, {})
      assert.equal(ROOT + 1, unit:next_id(ROOT))
      assert.equal(ROOT + 2, unit:next_id(ROOT))
    end))
    assert(commit(function(unit) assert.equal(ROOT + 3, unit:next_id(ROOT)) end))
  end)

  it("end where the group ends", function()
    local unit = source:begin()
    unit:new("instance", ROOT, { next_local = (1 << 23) - 1 })
    assert.equal((1 << 23) - 1, unit:next_id(ROOT) & 0x7fffff)
    assert.equal(LIMIT, select(3, unit:next_id(ROOT)))
    unit:close()
  end)

  it("take groups in blocks that are never given twice", function()
    local first = source:group()
    for i = 1, 5000 do assert.equal(first + i, source:group()) end
    source:reopen()
    assert.is_true(source:group() > first + 5000)
  end)

  it("are never given twice to several threads", function()
    local seen, groups = {}, source:race()
    for _, group in ipairs(groups) do
      assert.is_true(group > 0)
      assert.is_nil(seen[group])
      seen[group] = true
    end
    assert.equal(20000, #groups)
  end)

  it("end with the last group", function()
    source:group()
    local unit = source:begin()
    unit:set("meta", { "groups" }, { value = 1 << 40 })
    assert(unit:commit())
    source:reopen()
    assert.equal(LIMIT, select(3, source:group()))
  end)
end)

describe("relations", function()
  local function ids(records)
    local out = {}
    for i, record in ipairs(records) do out[i] = record.id - ROOT end
    return out
  end

  local function children(unit, kind, scope) return ids(unit:relation(kind, scope, "children")) end

  before_each(function()
    assert(commit(function(unit)
      unit:new("instance", ROOT, {})
      unit:new("execution", ROOT + 1, { parent = ROOT })
      unit:new("execution", ROOT + 2, { parent = ROOT })
      unit:new("execution", ROOT + 3, { parent = ROOT + 1 })
      unit:new("subscription", ROOT + 4, { execution_id = ROOT + 1 })
      unit:new("job", ROOT + 5, { execution_id = ROOT + 1, kind = 4, state = 1 })
      unit:new("job", ROOT + 6, { execution_id = ROOT + 1, kind = 1, state = 2 })
    end))
  end)

  it("are loaded from the store, with what the unit changed", function()
    local unit = source:begin()
    assert.same({ 1, 2 }, children(unit, "instance", ROOT))
    unit:new("execution", ROOT + 7, { parent = ROOT + 1 })
    unit:set("execution", ROOT + 2, { parent = ROOT + 1 })
    assert.same({ 2, 3, 7 }, children(unit, "execution", ROOT + 1))
    assert.same({ 4 }, ids(unit:relation("execution", ROOT + 1, "subscriptions")))
    assert.same({ 5 }, ids(unit:relation("execution", ROOT + 1, "jobs")))
    unit:close()
  end)

  it("are kept up afterwards", function()
    local unit = source:begin()
    assert.same({ 1, 2 }, children(unit, "instance", ROOT))
    for i = 7, 12 do unit:new("execution", ROOT + i, { parent = ROOT }) end
    assert.same({ 1, 2, 7, 8, 9, 10, 11, 12 }, children(unit, "instance", ROOT))
    for _, i in ipairs { 2, 11, 1, 12, 8 } do unit:delete("execution", ROOT + i) end
    assert.same({ 7, 9, 10 }, children(unit, "instance", ROOT))
    unit:new("execution", ROOT + 13, { parent = ROOT })
    assert.same({ 7, 9, 10, 13 }, children(unit, "instance", ROOT))
    unit:new("execution", ROOT + 14, { parent = ROOT + 13 })
    assert.same({ 14 }, children(unit, "execution", ROOT + 13))
    unit:close()
  end)
end)
