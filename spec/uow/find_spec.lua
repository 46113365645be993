local uow = require("orrery_inside").uow

-- Random operations against a plain table. What a unit finds must be what a look at every record of the table finds, at every moment:
-- before and after its changes, after a commit, after a lost one, and after the source was opened anew.

local ROOT = 8388609
local LONG = ("a beginning that is longer than what a row keeps of a text; "):rep(3)

local function copy(record)
  local out = {}
  for k, v in pairs(record) do out[k] = v end
  return out
end

local function pick(list) return list[math.random(#list)] end

-- What each kind looks like: random fields, and the key the model keeps it under.
local kinds = {
  task = {
    key = function() return pick { ROOT, ROOT + (1 << 23), ROOT + (2 << 23) } + math.random(0, 9) end,
    fields = function() return { assignee = pick { "", "ann", "bob", "a\0b", LONG .. "1", LONG .. "2" }, priority = math.random(3) } end,
  },
  external_task = {
    key = function() return ROOT + math.random(0, 19) end,
    fields = function() return { topic = pick { "mail", "mai", LONG .. "1", LONG .. "2" }, priority = math.random(-2, 2) } end,
  },
  job = {
    key = function() return ROOT + math.random(0, 19) end,
    fields = function()
      return { kind = pick { 1, 4 }, state = math.random(1, 3), due = math.random(0, 4), execution_id = pick { 0, 7, 8 } }
    end,
  },
  link = {
    key = function() return { ROOT + math.random(0, 2), "candidate", pick { "", "ann", "an", LONG }, pick { "", "sales" } } end,
    fields = function() return {} end,
  },
  variable = {
    key = function() return { ROOT + math.random(0, 2), pick { "x", "xy", "y", "\0", "" } } end,
    fields = function() return { value = math.random(100) } end,
  },
}
local kind_names = { "external_task", "job", "link", "task", "variable" }
local key_fields = { link = { "task_id", "type", "user", "group" }, variable = { "scope", "name" } }

local function key_text(key) return type(key) == "table" and table.concat(key, "|") or key end

local function with_key(kind, key, fields)
  local record = copy(fields)
  if key_fields[kind] then
    for i, name in ipairs(key_fields[kind]) do record[name] = key[i] end
  else
    record.id = key
  end
  return record
end

-- The finds: what to ask, and which records of the model answer, in which order.
local function by(...)
  local names = { ... }
  return function(a, b)
    for _, name in ipairs(names) do
      local sign = 1
      if name:sub(1, 1) == "-" then name, sign = name:sub(2), -1 end
      if a[name] ~= b[name] then
        if sign == 1 then return a[name] < b[name] end
        return a[name] > b[name]
      end
    end
    return false
  end
end

local function find_assignee()
  local who = pick { "ann", "bob", "a\0b", LONG .. "1" }
  return "task", function(unit, limit) return unit:find_index("task_assignee", { who }, limit) end,
    function(r) return r.assignee == who end, by("id")
end

local function find_topic()
  local topic = pick { "mail", "mai", LONG .. "2" }
  return "external_task", function(unit, limit) return unit:find_index("external_topic", { topic }, limit) end,
    function(r) return r.topic == topic end, by("-priority", "id")
end

local function find_due()
  return "job", function(unit, limit) return unit:find_index("job_due", {}, limit) end, function(r) return r.state == 1 end, by("due", "id")
end

local function find_execution_jobs()
  return "job", function(unit, limit) return unit:find_index("job_execution", { 7 }, limit) end,
    function(r) return r.execution_id == 7 and r.kind ~= 1 end, by("id")
end

local function find_links()
  local user = pick { "ann", "an", LONG }
  return "link", function(unit, limit) return unit:find_index("link_user", { user }, limit) end, function(r) return r.user == user end,
    by("task_id", "type", "user", "group")
end

local function find_variables()
  local scope = ROOT + math.random(0, 2)
  return "variable", function(unit) return unit:find_keys("variable", { scope }) end, function(r) return r.scope == scope end, by("name")
end

local function find_group()
  local group = math.random(1, 3)
  return "task", function(unit) return unit:find_group("task", group) end, function(r) return r.id >> 23 == group end, by("id")
end

local function find_all()
  return "job", function(unit) return unit:find_all("job") end, function() return true end, by("id")
end

local finds = { find_assignee, find_topic, find_due, find_execution_jobs, find_links, find_variables, find_group, find_all }
local unlimited = { [find_variables] = true, [find_group] = true, [find_all] = true }

local function check_find(unit, model)
  local make = pick(finds)
  local kind, find, matches, order = make()
  local limit = unlimited[make] and 0 or math.random(0, 4)
  local expected = {}
  for _, record in pairs(model[kind]) do
    if matches(record) then table.insert(expected, record) end
  end
  table.sort(expected, order)
  if limit > 0 then
    for i = #expected, limit + 1, -1 do expected[i] = nil end
  end
  local found = assert(find(unit, limit))
  assert.equal(#expected, #found, kind)
  for i, record in ipairs(expected) do
    for name, value in pairs(record) do assert.equal(value, found[i][name], kind .. "." .. name) end
  end
end

local function change(unit, model)
  local kind = pick(kind_names)
  local key = kinds[kind].key()
  local text = key_text(key)
  if not model[kind][text] then
    local fields = kinds[kind].fields()
    assert(unit:new(kind, key, fields))
    model[kind][text] = with_key(kind, key, fields)
  elseif math.random(3) == 1 then
    assert(unit:delete(kind, key))
    model[kind][text] = nil
  else
    local fields = kinds[kind].fields()
    assert(unit:set(kind, key, fields))
    model[kind][text] = with_key(kind, key, fields)
  end
end

local function copy_model(model)
  local out = {}
  for _, kind in ipairs(kind_names) do
    out[kind] = {}
    for key, record in pairs(model[kind]) do out[kind][key] = copy(record) end
  end
  return out
end

-- One unit with random changes and finds; returns the model as it is after it, or as it was when it was given up.
local function run_unit(source, model)
  local unit, after = source:begin(), copy_model(model)
  for _ = 1, math.random(12) do
    if math.random(8) == 1 then unit:pause() end
    if math.random(2) == 1 then change(unit, after) else check_find(unit, after) end
  end
  if math.random(5) == 1 then
    unit:close()
    return model
  end
  assert(unit:commit())
  return after
end

describe("finds", function()
  for seed = 1, 8 do
    it("agree with a look at every record, seed " .. seed, function()
      math.randomseed(seed)
      local source, model = uow.open(), copy_model {
        task = {}, external_task = {}, job = {}, link = {}, variable = {},
      }
      for round = 1, 150 do
        model = run_unit(source, model)
        if round % 25 == 0 then
          source:reopen()
          local problems = source:verify()
          for _, problem in ipairs(problems) do assert.matches("is not there$", problem) end -- random ids refer to nothing
          for _, problem in ipairs(problems) do assert.not_matches("index", problem, 1, true) end
        end
      end
      source:close()
    end)
  end

  it("tell texts apart that begin alike and are longer than an index row", function()
    local source = uow.open()
    local unit = source:begin()
    for i = 1, 20 do unit:new("task", ROOT + i, { assignee = LONG .. i }) end
    assert(unit:commit())
    unit = source:begin()
    for i = 1, 20 do assert.equal(ROOT + i, unit:find_index("task_assignee", { LONG .. i })[1].id) end
    unit:close()
    source:close()
  end)

  it("of the loser of a race see what the winner wrote, once it is run again", function()
    local source = uow.open()
    local unit = source:begin()
    unit:new("task", ROOT, { assignee = "ann" })
    assert(unit:commit())
    local loser, winner = source:begin(), source:begin()
    for _, racer in ipairs { loser, winner } do assert(racer:get("task", ROOT)) end
    winner:set("task", ROOT, { assignee = "bob" })
    loser:set("task", ROOT, { assignee = "eve" })
    assert(winner:commit())
    assert.is_nil((loser:commit()))
    unit = source:begin()
    assert.equal(1, #unit:find_index("task_assignee", { "bob" }))
    assert.equal(0, #unit:find_index("task_assignee", { "ann" }))
    assert.equal(0, #unit:find_index("task_assignee", { "eve" }))
    unit:close()
    assert.same({}, (source:verify()))
    source:close()
  end)
end)
