-- Every filter is held against a plain one: what a list finds is what a look at each row by itself finds, in the same order; the count
-- is its length; its pages, one behind the other, are the whole.
local orrery = require "orrery"
local plain_filter = require "spec.query.plain"
local support = require "spec.support.process"
local world = require "spec.query.world"

local seed = tonumber(os.getenv "SEED") or 20260

local function chooser(start)
  local state = start
  local function next_number(n)
    state = (state * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff
    return (state >> 20) % n + 1
  end
  return function(of)
    if type(of) == "number" then return next_number(of) end
    return of[next_number(#of)]
  end
end

local operators, null, one_of, small, kind_of = plain_filter.operators, plain_filter.null, plain_filter.one_of, plain_filter.small,
  plain_filter.kind_of

-- What is asked for: a value that some record has, changed now and then so that it is nearly one.
local function operand(pick, op, values)
  local value = pick(values)
  if op == "in" or op == "not_in" then
    local list = orrery.array {}
    for i = 1, pick(3) do list[i] = pick(values) end
    return list
  end
  if type(value) ~= "string" then return value end
  if op:find "like" then
    local at = pick(#value + 1) - 1
    local escaped = value:gsub("[%%_\\]", "\\%0")
    return pick { "%" .. escaped, escaped, value:sub(1, at):gsub("[%%_\\]", "\\%0") .. "%", "%" .. pick { "a", "o", "O", "_", "ö" } .. "%" }
  end
  return pick { value, value, value:upper(), value:sub(1, -2) }
end

-- Fields of a verb that a plain look at its rows shows, with the values that they have.
local function fields_of(rows)
  local fields, names = {}, {}
  for _, row in ipairs(rows) do
    for name, value in pairs(row) do
      local plain = type(value) ~= "table"
      if plain and not fields[name] then
        fields[name] = { values = {} }
        names[#names + 1] = name
      end
      if plain then table.insert(fields[name].values, value) end
    end
  end
  table.sort(names)
  return fields, names
end

local function is_id(name) return name == "id" or name == "scope" or name:find "_id$" ~= nil end

local function random_term(pick, seen)
  local name = pick(seen.names)
  if is_id(name) and name ~= "activity_id" and name ~= "failed_activity_id" then
    local op = pick { "eq", "ne", "in", "not_in" }
    local value = operand(pick, op == "eq" and "ne" or op, seen.fields[name].values)
    if type(value) == "string" then value = pick(seen.fields[name].values) end
    if type(value) == "table" then
      for i in ipairs(value) do value[i] = pick(seen.fields[name].values) end
    end
    return name, op, value
  end
  local values = seen.fields[name].values
  if pick(12) == 1 then return name, pick { "eq", "ne" }, orrery.null end
  local value = pick(values)
  local op = pick(kind_of(value))
  return name, op, operand(pick, op, { value, value, op:find "in$" and pick(values) or value })
end

-- A random filter, and what it means to a row.
local function random_filter(pick, verb, seen, depth)
  local map, tests = {}, {}
  for _ = 1, pick(depth == 0 and 3 or 2) do
    local name, op, value = random_term(pick, seen)
    local key = op == "eq" and name or name .. "_" .. op
    if map[key] == nil then
      map[key] = value
      tests[#tests + 1] = function(row) return operators[op](row[name], value) end
    end
  end
  if seen.specials and pick(3) == 1 then
    local key, value, test = pick(seen.specials)(pick)
    if map[key] == nil then
      map[key] = value
      tests[#tests + 1] = test
    end
  end
  local choice = pick { "any", "all", "none" }
  if depth < 2 and map[choice] == nil and pick(3) == 1 then
    local filters, inner = orrery.array {}, {}
    for i = 1, pick(3) - 1 do filters[i], inner[i] = random_filter(pick, verb, seen, depth + 1) end
    map[choice] = filters
    tests[#tests + 1] = function(row)
      local n = 0
      for _, test in ipairs(inner) do n = n + (test(row) and 1 or 0) end
      if choice == "any" then return n > 0 end
      return choice == "all" and n == #inner or choice == "none" and n == 0
    end
  end
  return map, function(row)
    for _, test in ipairs(tests) do
      if not test(row) then return false end
    end
    return true
  end
end

-- Keys of the verbs' own, each with what it means ------------------------------------------------------------------------------------

local function variables_special(engine, key, read)
  local function value_of(pick)
    local name = pick { "n", "who", "Name", "note", "sum", "flag", "mine", "nothing" }
    local values = { n = { 1, 3, 5 }, who = { "ann", "Bob" }, Name = { "bÖb", "50%" }, note = { "Hello", "x" }, sum = { 3.0, 12 },
      flag = { true, false }, mine = { 1, 4 }, nothing = { 1 } }
    local op = pick(kind_of(values[name][1]))
    return name, op, operand(pick, op, values[name])
  end
  return function(pick)
    local name, op, value = value_of(pick)
    return key, { [name] = op == "eq" and value or { [op] = value } }, function(row)
      local have = read(engine, row)[name]
      return have ~= nil and operators[op](have, value)
    end
  end
end

local function switch(key, read)
  return function(pick)
    local on = pick { true, false }
    return key, on, function(row) return read(row) == on end
  end
end

-- Off, it asks for nothing.
local function only(key, read)
  return function(pick)
    local on = pick { true, false }
    return key, on, function(row) return not on or read(row) end
  end
end

local function specials_of(engine)
  local function instance_variables(_, row) return engine:instance(row.instance_id or row.id):variables() end
  local function links(row, what)
    for _, link in ipairs(row:links()) do
      if link.type == "candidate" and link[what] then return true end
    end
    return false
  end
  local function incidents(row) return engine:incidents { instance = row.id } end
  local function stands(row, ids)
    for _, id in ipairs(row:active()) do
      if one_of(id, ids) then return true end
    end
    return false
  end
  return {
    instances = {
      variables_special(engine, "variables", instance_variables),
      variables_special(engine, "process_variables", instance_variables),
      only("root_only", function(row) return row.parent_id == nil end),
      switch("active", function(row) return not row.suspended end),
      switch("incident", function(row) return #incidents(row) > 0 end),
      only("leaf_only", function(row) return #engine:instances { super = row.id } == 0 end),
      function(pick)
        local ids = { pick { "check", "ship", "work", "call" }, pick { "pay", "nowhere" } }
        return "activity_in", ids, function(row) return stands(row, ids) end
      end,
      function(pick)
        local name = pick { "ORDER", "SLOW" }
        return "definition_name", name, function(row) return engine:definition(row.definition_id).name == name end
      end,
      function()
        return "incident_message_like", "%luck%", function(row) return #incidents(row) > 0 end
      end,
    },
    tasks = {
      variables_special(engine, "variables", function(_, row) return row:variables() end),
      variables_special(engine, "process_variables", instance_variables),
      variables_special(engine, "local_variables", function(_, row) return row:local_variables() end),
      switch("assigned", function(row) return row.assignee ~= nil end),
      switch("unassigned", function(row) return row.assignee == nil end),
      switch("with_candidate_groups", function(row) return links(row, "group") end),
      switch("with_candidate_users", function(row) return links(row, "user") end),
      function(pick)
        local op = pick { "eq", "ne", "ilike" }
        local value = op == "ilike" and "k%" or pick { "K1", "K2" }
        return op == "eq" and "business_key" or "business_key_" .. op, value, function(row)
          return operators[op](engine:instance(row.instance_id).business_key, value)
        end
      end,
      function(pick)
        local group, included = pick { "sales", "Ops", "none" }, pick { true, false }
        return "all", { { candidate_group = group, include_assigned = included } }, function(row)
          if row.assignee and not included then return false end
          for _, link in ipairs(row:links()) do
            if link.type == "candidate" and link.group == group then return true end
          end
          return false
        end
      end,
      function(pick)
        local user = pick { "ann", "kermit", "zoe" }
        return "candidate_user", user, function(row)
          if row.assignee then return false end
          for _, link in ipairs(row:links()) do
            if link.type == "candidate" and (link.user == user or user == "kermit" and link.group == "sales") then return true end
          end
          return false
        end
      end,
    },
    history_instances = {
      switch("finished", function(row) return row.ended_at ~= nil end),
      only("root_only", function(row) return row.parent_id == nil end),
      variables_special(engine, "variables", function(_, row)
        local out = {}
        for _, v in ipairs(engine:history_variables { instance = row.id, execution = row.id }) do out[v.name] = v.value end
        return out
      end),
      function(pick)
        local ids = { pick { "check", "ship", "s" } }
        local ended = pick { true, false }
        return ended and "executed_activity_in" or "active_activity_in", ids, function(row)
          for _, a in ipairs(engine:history_activities { instance = row.id }) do
            if (a.ended_at ~= nil) == ended and one_of(a.activity_id, ids) then return true end
          end
          return false
        end
      end,
    },
    history_activities = { switch("finished", function(row) return row.ended_at ~= nil end) },
    history_tasks = {
      switch("finished", function(row) return row.ended_at ~= nil end),
      switch("process_finished", function(row) return engine:history_instance(row.instance_id).ended_at ~= nil end),
    },
    external_tasks = {
      switch("locked", function(row) return row.worker ~= nil end),
      variables_special(engine, "process_variables", instance_variables),
    },
  }
end

-- ------------------------------------------------------------------------------------------------------------------------------------

local VERBS = {}
for verb in pairs(require "orrery.gen.lists") do VERBS[#VERBS + 1] = verb end
table.sort(VERBS)

-- What a row is, for comparison: records with keys of their own have no id.
local function told(row)
  local keys = {}
  for name in pairs(row) do keys[#keys + 1] = name end
  table.sort(keys)
  for i, name in ipairs(keys) do keys[i] = name .. "=" .. (type(row[name]) == "table" and "table" or tostring(row[name])) end
  return table.concat(keys, " ")
end

local function tell(rows)
  local out = {}
  for i, row in ipairs(rows) do out[i] = told(row) end
  return out
end

local function show(map)
  local parts = {}
  for key, value in pairs(map) do
    parts[#parts + 1] = tostring(key) .. "=" .. (type(value) == "table" and show(value) or tostring(value))
  end
  table.sort(parts)
  return "{ " .. table.concat(parts, ", ") .. " }"
end

local function with(map, more)
  local out = {}
  for k, v in pairs(map) do out[k] = v end
  for k, v in pairs(more) do out[k] = v end
  return out
end

describe("a filter", function()
  local engine, specials
  setup(function()
    engine = world.open(chooser(seed))
    specials = specials_of(engine)
  end)
  teardown(function() engine:close() end)

  local function plain(rows, test)
    local out = {}
    for _, row in ipairs(rows) do
      if test(row) then out[#out + 1] = row end
    end
    return out
  end

  local function check(verb, map, expected)
    local what = verb .. " " .. show(map) .. (" SEED=%d"):format(seed)
    assert.same(tell(expected), tell(engine[verb](engine, map)), what)
    assert.equal(#expected, engine:count(verb, map), what)
    local pages, size = {}, #expected // 3 + 1
    for offset = 0, #expected, size do
      local page = tell(engine[verb](engine, with(map, { limit = size, offset = offset })))
      table.move(page, 1, #page, #pages + 1, pages)
    end
    assert.same(tell(expected), pages, what)
  end

  for _, verb in ipairs(VERBS) do
    it("of " .. verb .. " finds what a look at each row finds", function()
      local pick = chooser(seed + #verb)
      local rows = engine[verb](engine)
      local fields, names = fields_of(rows)
      local seen = { fields = fields, names = names, specials = specials[verb] }
      assert.is_true(#rows > 1, verb)
      local found = 0
      for _ = 1, 100 do
        local map, test = random_filter(pick, verb, seen, 0)
        local expected = plain(rows, test)
        found = found + #expected
        check(verb, map, expected)
      end
      assert.is_true(found > 0)
    end)
  end

  local function sorted(rows, keys)
    local order = {}
    for i, row in ipairs(rows) do order[i] = { row = row, at = i } end
    local function rank(v) return type(v) == "boolean" and 1 or type(v) == "number" and 2 or 3 end
    local function compare(a, b)
      if null(a) then return 0 end
      if rank(a) ~= rank(b) then return rank(a) - rank(b) end
      if a == b then return 0 end
      if type(a) == "boolean" then return a and 1 or -1 end
      return a < b and -1 or 1
    end
    table.sort(order, function(x, y)
      for _, key in ipairs(keys) do
        local a, b = key.read(x.row), key.read(y.row)
        if null(a) ~= null(b) then return null(b) end -- last, whichever way it goes
        local d = compare(a, b)
        if d ~= 0 then return key.down and d > 0 or not key.down and d < 0 end
      end
      return x.at < y.at
    end)
    local out = {}
    for i, o in ipairs(order) do out[i] = o.row end
    return out
  end

  it("orders by several fields, and by variables", function()
    local function variable(name) return function(row) return row:variables()[name] end end
    local cases = {
      instances = { { "variables.n", variable "n" }, { "variables.note", variable "note" }, { "business_key" }, { "started_at" } },
      tasks = { { "process_variables.Name", function(row) return engine:instance(row.instance_id):get "Name" end },
        { "variables.mine", variable "mine" }, { "priority" }, { "assignee" }, { "due" } },
      executions = { { "variables.n", variable "n" }, { "activity_id" } },
    }
    local pick = chooser(seed)
    for verb, orders in pairs(cases) do
      local rows = engine[verb](engine)
      for _ = 1, 20 do
        local by, keys = {}, {}
        for i = 1, 2 do
          local order, down = pick(orders), pick { true, false }
          by[i] = { order[1], down and "desc" or "asc" }
          keys[i] = { read = order[2] or function(row) return row[order[1]] end, down = down }
        end
        check(verb, { order_by = by }, sorted(rows, keys))
      end
    end
  end)

  it("finds what branches have for themselves by its name, and by its value besides", function()
    local other <close> = support.engine()
    other:register("work", function(execution) execution:set_local("own", execution.activity_id) end)
    support.deploy(other, [[<startEvent id="s"/><parallelGateway id="f"/><serviceTask id="a" camunda:class="work"/><userTask id="u"/>
      <serviceTask id="b" camunda:class="work"/><userTask id="v"/>]], "s -> f f -> a f -> b a -> u b -> v")
    other:start "p"
    assert.same({ "a", "b" }, support.sorted(support.fields(other:variables { name = "own" }, "value")))
    assert.same({ "b" }, support.fields(other:variables { name = "own", value = "b" }, "value"))
    assert.equal(0, other:count("variables", { name = "own", value = "c" }))
  end)

  it("finds the instances of a multi-instance activity by its id, never their whole, wherever the id stands", function()
    local other <close> = support.engine()
    support.deploy(other, [[<startEvent id="s"/><userTask id="t"><multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality>
      </multiInstanceLoopCharacteristics></userTask>]], "s -> t")
    other:start "p"
    for _, filter in ipairs { { activity_id = "t" }, { any = { { activity_id = "t" }, { activity_id = "u" } } },
      { all = { { none = { { activity_id_ne = "t" } } } } } } do
      assert.equal(3, other:count("executions", filter))
      assert.equal(3, #other:executions(filter))
    end
  end)

  it("compares variables without regard to case, on request", function()
    local function count(verb, filter) return engine:count(verb, filter) end
    local all = count("instances", { variables = { note = { ["in"] = { "Hello", "hello", "HELLO" } } } })
    assert.is_true(all > count("instances", { variables = { note = "HELLO" } }))
    assert.equal(all, count("instances", { variables = { note = "hELLO" }, variable_values_ignore_case = true }))
    assert.equal(all, count("instances", { variables = { NOTE = { like = "hell%" } }, variable_values_ignore_case = true,
      variable_names_ignore_case = true }))
    assert.equal(0, count("instances", { variables = { NOTE = "Hello" } }))
    local instance = engine:instances({ limit = 1 })[1]
    for value, name in ipairs { "ONE", "One", "one" } do instance:set(name, value) end
    for value = 1, 3 do assert.equal(1, count("instances", { variables = { oNE = value }, variable_names_ignore_case = true })) end
    assert.equal(0, count("instances", { variables = { oNE = 4 }, variable_names_ignore_case = true }))
    for _, name in ipairs { "ONE", "One", "one" } do instance:remove(name) end
    assert.equal(count("instances", { variables = { who = "bÖb" } }) + count("instances", { variables = { who = "ann" } }),
      count("instances", { variables = { who = { ["in"] = { "BöB", "ANN" } } }, variable_values_ignore_case = true }))
    assert.equal(all, count("instances", { variables = { note = { ieq = "HELLO" } } }))
    local rows = #plain(engine:instances(), function(row)
      local note = row:get "note"
      return note ~= nil and small(note) ~= "hello"
    end)
    assert.equal(rows, count("instances", { variables = { note = { ne = "HELLO" } }, variable_values_ignore_case = true }))
  end)

  it("brings the variables along", function()
    for _, row in ipairs(engine:instances { with_variables = true }) do assert.same(row:variables(), row.fetched_variables) end
    for _, row in ipairs(engine:tasks { with_variables = { "n", "mine", "nothing" }, with_local_variables = true }) do
      local all = engine:task(row.id)
      assert.same({ n = all:get "n", mine = all:get "mine" }, row.fetched_variables)
      assert.same(all:local_variables(), row.fetched_local_variables)
    end
    for _, row in ipairs(engine:history_instances { with_variables = { "n" } }) do
      local stored = engine:history_variable { instance = row.id, execution = row.id, name = "n" }
      assert.equal(stored and stored.value, row.fetched_variables.n)
    end
    assert.is_nil(engine:tasks({ with_variables = false })[1].fetched_variables)
  end)

  local function refused(message, verb, map)
    local err = support.refused("argument", engine[verb], engine, map)
    assert.matches(message, err.message, 1, true)
  end

  it("refuses what cannot be meant", function()
    refused("any must be an array of filters", "tasks", { any = { name = "x" } })
    refused("a filter is a table of fields", "tasks", { none = { 5 } })
    for _, wrong in ipairs { { gte = 5 }, { gt = 5, lte = 9 }, { gt = 5, width = 3 }, { [">"] = 5 }, { neq = 1 } } do
      refused("is no operator; these are: eq, ne, in", "instances", { variables = { n = wrong } })
    end
    for _, fine in ipairs { { width = 3 }, { max = 5, min = 1 }, {}, { eq = { gte = 5 } }, { gt = 1, lt = 2 } } do
      assert.equal(0, engine:count("instances", { variables = { n = fine } }))
    end
    refused("limit is of the whole list", "tasks", { any = { { limit = 1 } } })
    refused("unknown key \"asignee\"", "tasks", { all = { { asignee = "x" } } })
    refused("priority_like: priority is no text", "tasks", { priority_like = "x" })
    refused("assignee_in must be a text", "tasks", { assignee_in = { 5 } })
    refused("due_in must be a time", "tasks", { due_in = { true } })
    refused("unassigned must be true or false", "tasks", { unassigned = "yes" })
    refused("candidate_groups must be an array", "tasks", { candidate_groups = "sales" })
    refused("variables must be a table of names", "tasks", { variables = "x" })
    refused('variables: in of "n" must be an array', "tasks", { variables = { n = { ["in"] = 4 } } })
    refused('variables: not_like of "n" must be a text', "tasks", { variables = { n = { not_like = 4 } } })
    refused("due_before must be a time, and is no number", "tasks", { due_before = 0 / 0 })
    refused("with_variables must be true, or an array of names", "tasks", { with_variables = "x" })
    refused("unknown key \"with_variables\"", "jobs", { with_variables = true })
    refused("unknown key \"variables.x\"", "jobs", { order_by = "variables.x" })
    refused("unknown key \"variables.\"", "tasks", { order_by = "variables." })
  end)

  it("takes empty lists for what they say, and times however far", function()
    local all, due = engine:count "tasks", engine:count("tasks", { due_ne = orrery.null })
    for _, case in ipairs { { 0, { any = {} } }, { all, { all = {} } }, { all, { none = {} } }, { 0, { id_in = {} } },
      { 0, { candidate_groups = {} } }, { 0, { variables = { n = { ["in"] = {} } } } }, { all, { variables = {} } },
      { due, { due_before = 1e300 } }, { due, { due_after = -1e300 } }, { due, { due_before = math.maxinteger } },
      { 0, { due_after = math.maxinteger } }, { 0, { due_before = math.mininteger } }, { 0, { due_after = math.huge } } } do
      assert.equal(case[1], engine:count("tasks", case[2]), show(case[2]))
    end
  end)

  it("has bounds", function()
    local many = {}
    for i = 1, 300 do many[i] = { name = "x" } end
    assert.equal("limit", support.refused("limit", engine.tasks, engine, { any = many }).kind)
    local deep = { name = "x" }
    for _ = 1, 20 do deep = { any = { deep } } end
    assert.equal("limit", support.refused("limit", engine.tasks, engine, deep).kind)
  end)

  it("finds times by what they are, and ids by arrays", function()
    local tasks = engine:tasks { due = orrery.null, follow_up_ne = orrery.null }
    local due = engine:tasks({ due_ne = orrery.null })[1].due
    assert.is_true(engine:count("tasks", { due_in = { due, 5 } }) > 0)
    assert.is_true(engine:count("tasks", { due_in = { orrery.format_time(due) } }) > 0)
    for _, t in ipairs(tasks) do assert.is_nil(t.due) end
    local a, b = engine:tasks()[2].id, engine:tasks()[1].id
    assert.same({ b, a }, support.fields(engine:tasks { id_in = { a, b, "12345", a } }, "id"))
  end)

  it("finds variables across instances, those of branches and tasks too, but none of the runtime's own", function()
    local found, expected = {}, {}
    for _, v in ipairs(engine:variables { name = "mine" }) do found[v.task_id] = v.value end
    local having = engine:tasks { local_variables = { mine = { ne = orrery.null } } }
    for _, task in ipairs(having) do expected[task.id] = task:get_local "mine" end
    assert.is_true(next(found) ~= nil)
    assert.same(expected, found)
    local one = engine:variables({ name = "mine" })[1]
    assert.equal(one.value, engine:variables({ id = one.id })[1].value)
    assert.same({ one.id }, support.fields(engine:variables { name = "mine", value = one.value }, "id"))
    for _, v in ipairs(engine:variables()) do assert.is_nil(v.name:find "%c") end
    assert.same({}, engine:variables { id = "5" })
    assert.same({}, engine:variables { id = "x:y" })
    engine:instance(engine:variable({ name = "n" }).instance_id):set("big", ("x"):rep(5000) .. "1")
    assert.equal(1, engine:count("instances", { variables = { big = ("x"):rep(5000) .. "1" } }))
    assert.equal(0, engine:count("instances", { variables = { big = ("x"):rep(5000) .. "2" } }))
    assert.equal(0, engine:count("variables", { name = "big", value = ("x"):rep(5000) .. "2" }))
    assert.same({}, engine:verify())
  end)
end)
