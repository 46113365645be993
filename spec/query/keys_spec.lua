-- Every key of every list, by itself: the tables of the query room say which there are, and each is held against a plain look at all rows.
-- A key without a plain meaning here fails; so does one that finds everything, or nothing, whatever it is asked.
local orrery = require "orrery"
local inside = require "orrery_inside"
local lists = require "orrery.gen.lists"
local plain = require "spec.query.plain"
local world = require "spec.query.world"

local operators, null, one_of = plain.operators, plain.null, plain.one_of

local function chooser()
  local state = 4711
  return function(of)
    state = (state * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff
    return of[(state >> 20) % #of + 1]
  end
end

local by_kind = {
  text = { "eq", "ne", "in", "not_in", "like", "not_like", "ieq", "ine", "ilike", "not_ilike", "gt", "ge", "lt", "le" },
  number = { "eq", "ne", "in", "not_in", "gt", "ge", "lt", "le" },
  time = { "eq", "ne", "in", "not_in", "gt", "ge", "lt", "le", "before", "after" },
  id = { "eq", "ne", "in", "not_in" }, boolean = { "eq", "ne", "in", "not_in" }, value = { "eq", "ne" },
}

local function rows_where(rows, test)
  local out = {}
  for _, row in ipairs(rows) do
    if test(row) then out[#out + 1] = row end
  end
  return out
end

-- Up to n values that rows have, from all over.
local function some(values, n)
  local distinct, seen = {}, {}
  for _, v in ipairs(values) do
    if not seen[v] then seen[v], distinct[#distinct + 1] = true, v end
  end
  local out = {}
  for i = 1, math.min(n, #distinct) do out[i] = distinct[(i - 1) * #distinct // math.min(n, #distinct) + 1] end
  return out
end

local function operand(op, value, others)
  if op == "in" or op == "not_in" then return { value, others[#others] } end
  if not op:find "like" then return value end
  local text = value:gsub("[%%_\\]", "\\%0")
  return #text > 2 and text:sub(-1) ~= "\\" and "%" .. text:sub(2, -1):gsub("^[\128-\191]+", "") or text
end

describe("each key of a list", function()
  local engine
  setup(function() engine = world.open(chooser()) end)
  teardown(function() engine:close() end)

  local function told(rows)
    local out = {}
    for i, row in ipairs(rows) do
      out[i] = row.id and tostring(row.id)
        or ("%s %s %s %s"):format(row.instance_id, row.number or row.sequence or row.flow_id,
          row.job_id or row.task_id or row.scope or "",
          row.name or "")
    end
    return out
  end

  local function check(verb, map, expected, what)
    assert.same(told(expected), told(engine[verb](engine, map)), what)
    assert.equal(#expected, engine:count(verb, map), what)
    local negated = { none = { map } }
    assert.equal(engine:count(verb) - #expected, engine:count(verb, negated), what .. ", negated")
  end

  -- Fields, which every operator of their kind is asked of -----------------------------------------------------------------------------

  local function check_field(verb, rows, name, kind, read)
    local values = {}
    for _, row in ipairs(rows) do
      local v = read(row)
      if not null(v) and type(v) ~= "table" then values[#values + 1] = v end
    end
    local tried = some(values, 3)
    for _, op in ipairs(by_kind[kind]) do
      for _, value in ipairs(tried) do
        if kind ~= "value" or type(value) ~= "table" then
          local want = operand(op, value, tried)
          local key = op == "eq" and name or name .. "_" .. op
          check(verb, { [key] = want }, rows_where(rows, function(row) return operators[op](read(row), want) end),
            ("%s %s %s"):format(verb, key, tostring(value)))
        end
      end
    end
    for _, op in ipairs { "eq", "ne" } do
      local key = op == "eq" and name or name .. "_ne"
      check(verb, { [key] = orrery.null }, rows_where(rows, function(row) return operators[op](read(row), orrery.null) end),
        ("%s %s null"):format(verb, key))
    end
    return #values
  end

  -- What lists call otherwise than their fields say, in history rows of variables and decisions: a stored null is shown as none.
  local function shown_by(name) return function(row) return row[name] end end

  for verb in pairs(lists) do
    it("of " .. verb .. " that is a field", function()
      local rows = engine[verb](engine)
      assert.is_true(#rows > 0, "the world has no " .. verb)
      for name, kind in pairs(inside.query.keys(verb).shown) do check_field(verb, rows, name, kind, shown_by(name)) end
    end)
  end

  -- Fields that follow from other records ----------------------------------------------------------------------------------------------

  local function of(verb, id_field, field)
    return function(row)
      local owner = row[id_field] and engine[verb](engine, row[id_field])
      return owner and owner[field]
    end
  end
  local definition_name, deployment = of("definition", "definition_id", "name"), of("definition", "definition_id", "deployment_id")
  local key_now, root_now = of("instance", "instance_id", "business_key"), of("instance", "instance_id", "root_id")
  local key_then, root_then = of("history_instance", "instance_id", "business_key"), of("history_instance", "instance_id", "root_id")
  local job_definition = of("job", "job_id", "job_definition_id")

  local function has_any(verb)
    return function(row) return #engine[verb](engine, { task_id = row.id, limit = 1 }) > 0 end
  end
  local function about(row) return row.configuration or row.job_id end

  local function model(row) -- the first decision of its resource
    return row and engine:decisions({ deployment_id = row.deployment_id, resource = row.resource, order_by = "id" })[1].id
  end
  local function version(row) -- counted among the models that there are
    return engine:count("decisions", { first_of_model = true, model_id = row.model_id, tenant = row.tenant or orrery.null, id_le = row.id })
  end
  local function decided(row) return row.decision_id and engine:decisions({ id = row.decision_id })[1] end

  local related = {
    decisions = { deployed_at = of("deployment", "deployment_id", "time"), model = model, model_version = version },
    history_decisions = { model = function(row) return model(decided(row)) end, model_id = function(row)
      return (decided(row) or {}).model_id
    end },
    instances = { definition_name = definition_name, deployment_id = deployment },
    tasks = { definition_name = definition_name, root_id = root_now, business_key = key_now,
      commented = has_any "comments", attached = has_any "attachments" },
    external_tasks = { definition_name = definition_name, root_id = root_now },
    variables = { business_key = key_now, root_id = root_now, definition_id = of("instance", "instance_id", "definition_id"),
      definition_key = of("instance", "instance_id", "definition_key") },
    definitions = { deployed_at = of("deployment", "deployment_id", "time") },
    jobs = { business_key = key_now },
    incidents = { business_key = key_now, job_definition_id = job_definition, about = about },
    history_incidents = { business_key = key_then, job_definition_id = job_definition,
      about = about },
    history_instances = { definition_name = definition_name },
    history_tasks = { definition_name = definition_name, business_key = key_then, root_id = root_then },
    history_variables = { definition_id = of("history_instance", "instance_id", "definition_id"),
      definition_key = of("history_instance", "instance_id", "definition_key") },
    history_jobs = { business_key = key_then, deployment_id = deployment,
      job_definition_id = job_definition },
  }

  for verb in pairs(lists) do
    it("of " .. verb .. " that follows from other records", function()
      local rows = engine[verb](engine)
      for name, kind in pairs(inside.query.keys(verb).related) do
        local read = assert(related[verb] and related[verb][name], ("%s %s has no plain meaning here"):format(verb, name))
        assert.is_true(check_field(verb, rows, name, kind, read) > 0, ("%s %s: no row has one"):format(verb, name))
      end
    end)
  end

  it("that follows from other records is shown when a list is asked for it", function()
    for verb, names in pairs { tasks = { "commented", "attached", "root_id" },
      jobs = { "business_key" }, incidents = { "business_key", "job_definition_id" } } do
      for _, row in ipairs(engine[verb](engine, { with_fields = names })) do
        for _, name in ipairs(names) do assert.equal(related[verb][name](row), row[name], name) end
      end
      assert.is_nil(engine[verb](engine)[1][names[1]])
      for _, wrong in ipairs { { "nothing" }, { 1 }, "commented",
        { "a", "b", "c", "d", "e", "f", "g", "h", "i" } } do
        assert.has_error(function() engine[verb](engine, { with_fields = wrong }) end)
      end
    end
  end)

  -- Keys of the verbs' own ---------------------------------------------------------------------------------------------------------------
  -- Each: the values that it is asked for, and what it means to a row.

  local function switch(read)
    return { { true, false }, function(row, on) return read(row) == on end }
  end
  local function only(read) -- off, it asks for nothing
    return { { true, false }, function(row, on) return not on or read(row) end }
  end
  local function any(rows, test)
    for _, row in ipairs(rows) do
      if test(row) then return true end
    end
    return false
  end
  local function like(text, pattern) return operators.like(text, pattern) end

  local active = switch(function(row) return not row.suspended end)
  local assigned, unassigned = switch(function(row) return row.assignee ~= nil end), switch(function(row) return row.assignee == nil end)
  local finished = switch(function(row) return row.ended_at ~= nil end)

  local function links(row) return engine:task(row.id) and engine:task(row.id):links() or {} end
  local function is_candidate(what, test)
    return function(row, value)
      return any(links(row), function(link) return link.type == "candidate" and link[what] ~= nil and test(link[what], value) end)
    end
  end
  local function equal(a, b) return a == b end
  local function open_only(test) return function(row, value) return row.assignee == nil and test(row, value) end end

  local function past_links(row)
    local out = engine:history_links { task_id = row.id }
    for _, link in ipairs(links(row)) do out[#out + 1] = link end
    return out
  end
  local function tied(what, type)
    return function(row, name)
      return any(past_links(row), function(link) return link[what] == name and (not type or link.type == type) end)
    end
  end
  local function involved_in_past_task(row, user) return row.assignee == user or row.owner == user or tied "user" (row, user) end
  local function involved(row, user)
    return row.initiator == user or any(engine:history_tasks { instance = row.id }, function(t) return involved_in_past_task(t, user) end)
  end

  -- Incidents that there are of a record, by the verb and the field that say so.
  local function incident_keys(verb, field)
    local function of_row(row) return engine[verb](engine, { [field] = row.id }) end
    local function asks(test) return function(row, value) return any(of_row(row), function(i) return test(i, value) end) end end
    local function known(name) return some(plain.values(engine:history_incidents(), name), 2) end
    return {
      incident_id = { function() return known "id" end, asks(function(i, id) return i.id == id end) },
      incident_type = { { "failed_job", "other" }, asks(function(i, t) return i.type == t end) },
      incident_message = { { "no luck", "luck" }, asks(function(i, m) return i.message == m end) },
      incident_message_like = { { "%luck", "x%" }, asks(function(i, m) return like(i.message, m) end) },
    }, of_row, known
  end
  local function with(keys, more)
    for name, key in pairs(more) do keys[name] = key end
    return keys
  end

  local function stands(row, ids)
    local there = engine:instance(row.id)
    return there ~= nil and any(there:active(), function(id) return one_of(id, type(ids) == "table" and ids or { ids }) end)
  end
  local function calls(verb) return function(row, id)
    local called = engine[verb](engine, id)
    return called ~= nil and called.parent_id == row.id
  end end
  local function some_ids(verb, filter) return function() return some(plain.values(engine[verb](engine, filter), "id"), 3) end end

  local function activity(test)
    return function(row, value) return any(engine:history_activities { instance = row.id }, function(a) return test(a, value) end) end
  end
  local function ran(test)
    return function(row, value)
      return any(engine:history_jobs { instance = row.id }, function(j)
        return (j.state == "succeeded" or j.state == "failed") and test(j.time, value)
      end)
    end
  end
  local function times(verb, field) return function() return some(plain.values(engine[verb](engine), field), 3) end end

  -- Variables: one condition; that random ones hold is spec/query/filter_spec.lua's matter.
  local function variables(read)
    local asked = { { n = 3 }, { who = "ann" }, { note = { like = "H%" } }, { n = { ge = 2, lt = 5 } }, { mine = { ge = 2 } },
      { spot = { ge = 2 } }, { nothing = 1 } }
    return { asked, function(row, wanted)
      local have = read(row)
      for name, condition in pairs(wanted) do
        for op, value in pairs(type(condition) == "table" and condition or { eq = condition }) do
          if have[name] == nil or not operators[op](have[name], value) then return false end
        end
      end
      return true
    end }
  end
  local function own(row) return row:variables() end
  local function own_local(row) return row:local_variables() end
  local function of_instance(row) return engine:instance(row.instance_id):variables() end
  -- As far out as the scope that the first field names, over which those of the second lie.
  local function past_variables(...)
    local fields = table.pack(...)
    return function(row)
      local out = {}
      for i = 1, fields.n do
        local scope = fields[i] and row[fields[i]]
        for _, v in ipairs(scope and engine:history_variables { instance = row.instance_id or row.id, execution = scope } or {}) do
          out[v.name] = v.value
        end
      end
      return out
    end
  end

  local instance_incidents, incidents_of = incident_keys("incidents", "instance_id")
  local past_incidents, past_of, known = incident_keys("history_incidents", "instance_id")

  local begun = times("history_instances", "started_at")

  local special = {
    instances = with(instance_incidents, {
      active = active, root_only = only(function(row) return row.parent_id == nil end),
      leaf_only = only(function(row) return #engine:instances { super = row.id } == 0 end),
      called = { some_ids("instances", { super_ne = orrery.null }), calls "instance" },
      activity = { { "check", "work", "nowhere" }, stands }, activity_in = { { { "check", "call" }, { "pay" } }, stands },
      involved_user = { { "ann", "zoe", "kermit" }, involved },
      incident = { { true, false, "%luck" }, function(row, v)
        if type(v) == "string" then return any(incidents_of(row), function(i) return like(i.message, v) end) end
        return (#incidents_of(row) > 0) == v
      end },
      variables = variables(own), process_variables = variables(own), local_variables = variables(own),
    }),
    executions = with(incident_keys("incidents", "execution_id"), {
      active = active,
      message = { { "news", "other", true, false }, function(row, v)
        local found = engine:subscriptions { execution = row.id, type = "message" }
        if type(v) == "boolean" then return (#found > 0) == v end
        return any(found, function(s) return s.name == v end)
      end },
      signal = { { "none", true, false }, function(row, v)
        local found = engine:subscriptions { execution = row.id, type = "signal" }
        if type(v) == "boolean" then return (#found > 0) == v end
        return any(found, function(s) return s.name == v end)
      end },
      variables = variables(own), process_variables = variables(of_instance), local_variables = variables(own_local),
    }),
    tasks = {
      active = active, assigned = assigned, unassigned = unassigned, include_assigned = { { true, false }, function() return true end },
      candidate_user = { { "ann", "kermit", "zoe" }, open_only(function(row, user)
        return is_candidate("user", equal)(row, user) or user == "kermit" and is_candidate("group", equal)(row, "sales")
      end) },
      candidate_group = { { "sales", "none" }, open_only(is_candidate("group", equal)) },
      candidate_groups = { { { "none", "Ops" }, { "none" } }, open_only(is_candidate("group", one_of)) },
      candidate_group_like = { { "O%", "x%" }, open_only(is_candidate("group", like)) },
      with_candidate_groups = switch(function(row) return is_candidate("group", function() return true end)(row) end),
      with_candidate_users = switch(function(row) return is_candidate("user", function() return true end)(row) end),
      involved_user = { { "ann", "zoe", "kermit" }, function(row, user)
        return row.assignee == user or row.owner == user or any(links(row), function(link) return link.user == user end)
      end },
      variables = variables(own), process_variables = variables(of_instance), local_variables = variables(own_local),
    },
    jobs = {
      active = active, no_retries = switch(function(row) return row.retries <= 0 end),
      with_error = switch(function(row) return row.error ~= nil end),
      locked = switch(function(row) return row.lock_owner ~= nil end),
      executable = switch(function(row)
        return row.retries > 0 and not row.suspended and (row.due == nil or row.due <= engine:now())
      end),
    },
    job_definitions = { active = active },
    external_tasks = {
      active = active, locked = switch(function(row) return row.worker ~= nil end),
      no_retries = switch(function(row) return row.retries ~= nil and row.retries <= 0 end),
      variables = variables(function(row) return engine:execution(row.execution_id):variables() end),
      process_variables = variables(of_instance), local_variables = variables(function(row)
        return engine:execution(row.execution_id):local_variables()
      end),
    },
    definitions = with(incident_keys("incidents", "definition_id"), {
      active = active, latest = switch(function(row) return #engine:definitions { key = row.key, version_gt = row.version } == 0 end),
      message = { { "begin", "none" }, function(row, name)
        return #engine:subscriptions { definition = row.id, type = "message", name = name, execution = orrery.null } > 0
      end },
      startable_by = { { "ann", "kermit" }, function(row, user)
        local groups = user == "kermit" and { "sales" } or {}
        return #row.starter_users == 0 and #row.starter_groups == 0 or one_of(user, row.starter_users)
          or any(groups, function(g) return one_of(g, row.starter_groups) end)
      end },
      startable_by_groups = { { { "sales" }, { "sales", "none" } }, function(row, groups)
        return any(groups, function(g) return one_of(g, row.starter_groups) end)
      end },
    }),
    decisions = {
      latest = switch(function(row) return #engine:decisions { key = row.key, version_gt = row.version } == 0 end),
      first_of_model = switch(function(row)
        return #engine:decisions { deployment_id = row.deployment_id, resource = row.resource, id_lt = row.id } == 0
      end),
      latest_model = switch(function(row)
        local last = engine:decisions({ model_id = row.model_id, order_by = { { "id", "desc" } }, limit = 1 })[1]
        return last.deployment_id == row.deployment_id and last.resource == row.resource
      end),
    },
    history_instances = with(past_incidents, {
      finished = finished, root_only = only(function(row) return row.parent_id == nil end),
      called = { some_ids("history_instances", { super_ne = orrery.null }), calls "history_instance" },
      involved_user = { { "ann", "zoe", "kermit" }, involved },
      activity_in = { { { "check", "call" }, { "pay" } }, stands },
      executed_activity_in = { { { "ship" }, { "s", "nowhere" } }, activity(function(a, ids)
        return a.ended_at and one_of(a.activity_id, ids)
      end) },
      active_activity_in = { { { "check" }, { "pay", "work" } }, activity(function(a, ids)
        return not a.ended_at and one_of(a.activity_id, ids)
      end) },
      executed_activity_before = { begun, activity(function(a, t) return a.ended_at and a.ended_at <= t end) },
      executed_activity_after = { begun, activity(function(a, t) return a.ended_at and a.ended_at >= t end) },
      executed_job_before = { times("history_jobs", "time"), ran(function(a, b) return a <= b end) },
      executed_job_after = { times("history_jobs", "time"), ran(function(a, b) return a >= b end) },
      jobs_retrying = switch(function(row)
        return any(engine:jobs { instance = row.id }, function(j) return j.retries > 0 and j.error ~= nil end)
      end),
      incident_id_in = { function() return { known "id", { "12345" } } end, function(row, ids)
        return any(past_of(row), function(i) return one_of(i.id, ids) end)
      end },
      incident_status = { { "open", "resolved" }, function(row, state)
        return any(past_of(row), function(i) return i.state == state end)
      end },
      with_incidents = switch(function(row) return #past_of(row) > 0 end),
      with_root_incidents = switch(function(row) return any(past_of(row), function(i) return i.root_cause_id == i.id end) end),
      variables = variables(past_variables "id"), process_variables = variables(past_variables "id"),
      local_variables = variables(past_variables "id"),
    }),
    history_activities = { finished = finished },
    history_decisions = { root_only = only(function(row) return row.root_number == row.number end) },
    history_tasks = {
      finished = finished, assigned = assigned, unassigned = unassigned,
      process_finished = switch(function(row) return engine:history_instance(row.instance_id).ended_at ~= nil end),
      involved_user = { { "ann", "zoe", "kermit" }, involved_in_past_task }, involved_group = { { "sales", "none" }, tied "group" },
      had_candidate_user = { { "ann", "zoe" }, tied("user", "candidate") },
      had_candidate_group = { { "Ops", "none" }, tied("group", "candidate") },
      with_candidate_groups = switch(function(row)
        return any(past_links(row), function(link) return link.type == "candidate" and link.group ~= nil end)
      end),
      variables = variables(past_variables("instance_id", "execution_id")), process_variables = variables(past_variables "instance_id"),
      local_variables = variables(past_variables(nil, "execution_id")),
    },
  }

  -- Beside conditions: they change what these mean.
  local beside = { limit = true, offset = true, order_by = true, any = true, all = true,
    none = true, with_variables = true, with_fields = true,
    with_local_variables = true, variable_names_ignore_case = true, variable_values_ignore_case = true }

  for verb in pairs(lists) do
    it("of " .. verb .. " that is the verb's own", function()
      local rows = engine[verb](engine)
      for _, name in ipairs(inside.query.keys(verb).special) do
        local key = beside[name] or special[verb] and special[verb][name]
        assert(key, ("%s %s has no plain meaning here"):format(verb, name))
        local hits, misses = 0, 0
        for _, value in ipairs(key == true and {} or type(key[1]) == "function" and key[1]() or key[1]) do
          local expected = rows_where(rows, function(row) return key[2](row, value) end)
          check(verb, { [name] = value }, expected, ("%s %s %s"):format(verb, name, tostring(value)))
          hits, misses = hits + #expected, misses + #rows - #expected
        end
        assert(key == true or hits > 0, ("%s %s never finds anything"):format(verb, name))
        assert(key == true or misses > 0 or name == "include_assigned", ("%s %s always finds everything"):format(verb, name))
      end
    end)
  end

  it("has its cost in the manual", function()
    local file <close> = assert(io.open "docs/lists.md")
    local costs, patterns = file:read "a":match "What a condition costs a record:\n(.-)\n\nSo a condition", {}
    for name in costs:gmatch "`([^`]+)`" do patterns[#patterns + 1] = "^" .. name:gsub("\u{2026}", "[%%a_]*") .. "$" end
    local missing = {}
    for verb in pairs(lists) do
      local keys = inside.query.keys(verb)
      for name in pairs(keys.related) do keys.special[#keys.special + 1] = name end
      for _, name in ipairs(keys.special) do
        local told = beside[name] or any(patterns, function(pattern) return name:find(pattern) end)
        if not told then missing[#missing + 1] = verb .. " " .. name end
      end
    end
    table.sort(missing)
    assert.same({}, missing)
  end)
end)
