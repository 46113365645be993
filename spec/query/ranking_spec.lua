-- A page in an order is what the whole list, sorted, has there; spec/query/filter_spec.lua holds it for records of every kind.
local orrery = require "orrery"

local HEAD = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="spec">]]
local model = HEAD .. [[<process id="p" isExecutable="true"><startEvent id="s"/><userTask id="t"/>
  <sequenceFlow id="f" sourceRef="s" targetRef="t"/></process></definitions>]]

describe("a page in an order", function()
  local engine
  before_each(function()
    engine = orrery.open(nil, { clock = "manual", log = "none" })
    engine:deploy { ["p.bpmn"] = model }
  end)
  after_each(function() engine:close() end)

  local function ids(rows)
    local out = {}
    for i, row in ipairs(rows) do out[i] = row.id end
    return out
  end

  local function same_as_whole(verb, filter)
    local whole = ids(engine[verb](engine, filter))
    for _, page in ipairs { { 0, 1 }, { 0, 7 }, { 3, 5 }, { #whole - 2, 5 }, { #whole, 3 }, { 0, #whole + 5 }, { 0, 0 }, { 2, 0 } } do
      filter.offset, filter.limit = page[1], page[2]
      assert.same(table.move(whole, page[1] + 1, math.min(page[1] + page[2], #whole), 1, {}), ids(engine[verb](engine, filter)))
    end
    filter.offset, filter.limit = nil, nil
  end

  it("by a variable has what is null where what is missing is, as they came", function()
    local expected = {}
    for i, note in ipairs { orrery.null, false, orrery.null, false } do
      expected[i] = engine:start("p", { variables = { note = note or nil } }).id
    end
    for _, down in ipairs { "asc", "desc" } do
      assert.same(expected, ids(engine:instances { order_by = { { "variables.note", down } } }))
      same_as_whole("instances", { order_by = { { "variables.note", down } } })
    end
  end)

  it("has what is not set last, upwards and downwards", function()
    for i, key in ipairs { false, "b", false, "a" } do
      engine:start("p", { business_key = key or nil, variables = { n = i % 2 == 0 and i or nil } })
    end
    local function keys(order, field)
      local out = {}
      for i, row in ipairs(engine:instances { order_by = order, limit = 10 }) do
        out[i] = (field and row:variables()[field] or not field and row.business_key) or "-"
      end
      return table.concat(out, " ")
    end
    assert.equal("a b - -", keys { { "business_key", "asc" } })
    assert.equal("b a - -", keys { { "business_key", "desc" } })
    assert.equal("2 4 - -", keys({ { "variables.n", "asc" } }, "n"))
    assert.equal("4 2 - -", keys({ { "variables.n", "desc" } }, "n"))
  end)

  -- Each better than all before it, so that every one is kept for a while: more bytes than are kept of rows that were dropped.
  it("of long texts that come best last", function()
    for i = 1, 300 do
      engine:start("p", { business_key = ("%04d"):format(i) .. ("x"):rep(240), variables = { note = ("y"):rep(3000) .. i } })
    end
    for _, down in ipairs { "asc", "desc" } do
      same_as_whole("instances", { order_by = { { "business_key", down } } })
      same_as_whole("instances", { order_by = { { "variables.note", down } } })
      same_as_whole("tasks", { order_by = { { "process_variables.note", down }, "id" } })
    end
  end)

  it("of equals is in the order in which they were made", function()
    for i = 1, 30 do engine:start("p", { business_key = "k" .. i % 3 }) end
    same_as_whole("instances", { order_by = "business_key" })
    same_as_whole("instances", { order_by = { { "business_key", "desc" } } })
    same_as_whole("instances", { order_by = "definition_id" })
  end)

  it("has what the transaction that asks has made, changed and deleted", function()
    for i = 1, 20 do engine:start("p", { business_key = ("k%02d"):format(i) }) end
    engine:transaction(function()
      local all = engine:tasks {}
      for i = 1, 5 do all[i]:update { priority = 100 - i } end
      for i = 6, 9 do engine:instance(all[i].instance_id):delete() end
      for i = 1, 4 do engine:start("p", { business_key = "new" .. i }) end
      same_as_whole("tasks", { order_by = { { "priority", "desc" } } })
      same_as_whole("instances", { order_by = { { "business_key", "desc" } } })
    end)
  end)
end)

describe("variables in history", function()
  it("of a definition are those of the instances that run, or ran, by it now", function()
    local engine <close> = orrery.open(nil, { clock = "manual", log = "none" })
    local first = engine:deploy({ ["p.bpmn"] = model }).definitions[1]
    local moved = engine:start("p", { variables = { n = 1 } })
    engine:start("p", { variables = { n = 2, m = 3 } })
    local second = engine:deploy({ ["p.bpmn"] = (model:gsub('id="t"', 'id="t" name="T"')) }).definitions[1]
    engine:start("p", { variables = { n = 4 } }):delete()
    engine:migrate(engine:migration_plan(first.id, second.id), { instances = { moved.id } })
    local function values(filter)
      local out = {}
      for i, row in ipairs(engine:history_variables(filter)) do out[i] = row.value end
      table.sort(out)
      return out
    end
    assert.same({ 2, 3 }, values { definition = first.id })
    assert.same({ 1, 4 }, values { definition = second.id })
    assert.same({ 2 }, values { definition = first.id, name = "n" })
    assert.same({}, values { definition = "999999999" })
  end)
end)
