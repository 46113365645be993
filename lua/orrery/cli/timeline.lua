--- What happened to an instance and those it called, as events in the order of their times: { time, event, text, activity, ... }.
local clock = require "orrery.cli.clock"
local inspect = require "orrery.inspect"

local timeline = {}

local DEPTH_MAX <const> = 20 -- called instances of called instances

local function label(row)
  if not row.name or row.name == "" or row.name == row.activity_id then return row.activity_id end
  return ("%s  %s"):format(row.activity_id, row.name)
end

local function took(from, to) return to and to - from >= 1 and ", " .. clock.length(to - from) or "" end

--- Waits begin and end; what takes no time is one line.
local function activities(engine, id, add, called)
  for _, row in ipairs(engine:history_activities { instance = id, order_by = "sequence" }) do
    local detail = ("(%s%s)"):format(row.type, row.assignee and ", " .. row.assignee or "")
    local base = { activity = row.activity_id, name = row.name, type = row.type, assignee = row.assignee, sequence = row.sequence }
    local brief = row.ended_at and row.ended_at - row.started_at < 0.001 and not row.called_instance_id
    local entered = not brief and add("enter", row.started_at, ("%s  %s"):format(label(row), detail), base)
    if row.called_instance_id then called(entered, row.called_instance_id) end
    if row.ended_at then
      add(row.canceled and "cancel" or "done", row.ended_at, ("%s  %s%s"):format(label(row), detail, took(row.started_at, row.ended_at)),
        base)
    end
  end
end

local job_words = { failed = "failed", deleted = "deleted" }

--- A row has the retries that the job had when it failed: one of them is spent by that.
local function jobs(engine, id, add)
  for _, row in ipairs(engine:history_jobs { instance = id, state_in = { "failed", "deleted" } }) do
    local n = math.max(0, row.retries - 1)
    local left = row.state == "failed" and ("; %d %s left"):format(n, n == 1 and "try" or "tries") or ""
    add(job_words[row.state], row.time, ("%s  %s%s"):format(row.activity_id or row.handler or "a job",
      (row.error or "its job"):match "[^\n]*", left), { activity = row.activity_id, job = row.job_id, error = row.error,
        retries = n })
  end
end

--- Those of the history, and where it keeps none, those that are open.
local function incident_rows(engine, id)
  local rows, known = engine:history_incidents { instance = id }, {}
  for _, row in ipairs(rows) do known[row.id] = true end
  for _, row in ipairs(engine:incidents { instance = id }) do
    if not known[row.id] then rows[#rows + 1] = row end
  end
  return rows
end

local function incidents(engine, id, add)
  for _, row in ipairs(incident_rows(engine, id)) do
    local note = row.annotation and (" [%s]"):format(row.annotation) or ""
    local base = { activity = row.activity_id, incident = row.id, message = row.message, annotation = row.annotation }
    add("incident", row.time, ("%s  %s%s"):format(row.activity_id or "-", (row.message or row.type):match "[^\n]*", note), base)
    if row.ended_at then
      add("resolved", row.ended_at, ("%s  the incident is %s%s"):format(row.activity_id or "-", row.state, took(row.time, row.ended_at)),
        base)
    end
  end
end

local function externals(engine, id, add)
  for _, row in ipairs(engine:history_externals { instance = id, state_in = { "failed", "deleted", "success", "successful" } }) do
    add(row.state == "failed" and "failed" or "worker", row.time, ("%s  %s by %s%s"):format(row.activity_id or row.topic, row.state,
      row.worker or "nobody", row.error and ": " .. row.error:match "[^\n]*" or ""),
      { activity = row.activity_id, topic = row.topic, worker = row.worker, error = row.error })
  end
end

local function decisions(engine, id, add)
  for _, row in ipairs(engine:history_decisions { instance = id }) do
    add("decided", row.time, ("%s  %s = %s"):format(row.activity_id or "-", row.decision_key, inspect.value(row.result)),
      { activity = row.activity_id, decision = row.decision_key, result = row.result })
  end
end

local function change_of(row)
  if not row.property then return nil end
  local old, new = row.old_value, row.new_value
  if old and new then return ("%s: %s -> %s"):format(row.property, old, new) end
  return ("%s: %s"):format(row.property, new or (old or "") .. " -> nothing")
end

--- What people did, one event for each command.
local function operations(engine, id, add)
  local by_id = {}
  for _, row in ipairs(engine:history_operations { instance_id = id, order_by = "id" }) do
    local e = by_id[row.operation_id]
    if not e then
      e = add("operation", row.time, "", { user = row.user, type = row.type, entity = row.entity, annotation = row.annotation,
        changes = {} })
      by_id[row.operation_id] = e
    end
    e.changes[#e.changes + 1] = change_of(row)
  end
  for _, e in pairs(by_id) do
    e.text = ("%s: %s of %s%s%s"):format(e.user, e.type, e.entity, #e.changes > 0 and ", " .. table.concat(e.changes, ", ") or "",
      e.annotation and (" [%s]"):format(e.annotation) or "")
  end
end

--- Each value that was written, where the history keeps them all.
local function written(engine, id, add)
  local rows = engine:history_details { instance_id = id, order_by = "sequence" }
  for _, row in ipairs(rows) do
    add("variable", row.time, ("%s = %s%s"):format(row.name, inspect.value(row.value), row.user and ", by " .. row.user or ""),
      { name = row.name, value = row.value, user = row.user, activity = row.activity_id })
  end
  return #rows > 0
end

--- Else only the last value is known, and when the variable came.
local function variables(engine, id, add)
  if written(engine, id, add) then return end
  for _, row in ipairs(engine:history_variables { instance = id }) do
    local n = (row.revision or 1) - 1
    local changed = n > 0 and (" (changed %s since)"):format(n == 1 and "once" or n .. " times")
      or ""
    add("variable", row.created, ("%s = %s%s"):format(row.name, inspect.value(row.value), changed),
      { name = row.name, value = row.value, revision = row.revision })
  end
end

--- What comes first of things of one time.
local ranks = { started = 0, variable = 1, operation = 1, resolved = 2, incident = 4, completed = 5, terminated = 5 }

local function sort(events)
  for i, e in ipairs(events) do e.order = i end
  table.sort(events, function(a, b)
    if a.time ~= b.time then return a.time < b.time end
    local x, y = ranks[a.event] or 3, ranks[b.event] or 3
    if x ~= y then return x < y end
    return a.order < b.order
  end)
  for _, e in ipairs(events) do e.order = nil end
end

--- `inner` goes among what comes behind the call: of things of one time it comes first, for the call waited for it.
local function merge(outer, call, inner)
  local out, i = {}, 1
  local after = false
  for _, e in ipairs(outer) do
    while after and inner[i] and inner[i].time <= e.time do
      out[#out + 1], i = inner[i], i + 1
    end
    out[#out + 1] = e
    after = after or e == call
  end
  return table.move(inner, i, #inner, #out + 1, out)
end

local function begin_and_end(row, add)
  local words = { row.definition_key }
  if row.business_key then words[#words + 1] = ("business key %q"):format(row.business_key) end
  if row.initiator then words[#words + 1] = "by " .. row.initiator end
  add("started", row.started_at, ("instance %s of %s"):format(row.id, table.concat(words, ", ")), { business_key = row.business_key })
  if row.ended_at then
    local how = row.delete_reason and (": %s"):format(row.delete_reason) or row.end_activity and " at " .. row.end_activity or ""
    add(row.state, row.ended_at, ("instance %s%s%s"):format(row.id, how, took(row.started_at, row.ended_at)),
      { end_activity = row.end_activity, reason = row.delete_reason })
  end
end

--- The events of a history instance and those it called. options: variables, theirs too.
local function collect(engine, row, options, depth)
  local events, calls = {}, {}
  local function add(event, time, text, more)
    local e = { event = event, time = time, instance = row.id, depth = depth, text = text }
    for key, value in pairs(more or {}) do e[key] = value end
    events[#events + 1] = e
    return e
  end
  begin_and_end(row, add)
  activities(engine, row.id, add, function(call, id) calls[#calls + 1] = { event = call, id = id } end)
  jobs(engine, row.id, add)
  incidents(engine, row.id, add)
  externals(engine, row.id, add)
  decisions(engine, row.id, add)
  operations(engine, row.id, add)
  if options.variables then variables(engine, row.id, add) end
  sort(events)
  for _, call in ipairs(depth < DEPTH_MAX and calls or {}) do
    local child = engine:history_instance(call.id)
    if child then events = merge(events, call.event, collect(engine, child, options, depth + 1)) end
  end
  return events
end

--- The begin and the end of a history instance alone.
function timeline.ends(row)
  local events = {}
  begin_and_end(row, function(event, time, text, more)
    local e = { event = event, time = time, instance = row.id, depth = 0, text = text }
    for key, value in pairs(more) do e[key] = value end
    events[#events + 1] = e
  end)
  return events
end

function timeline.of(engine, row, options) return collect(engine, row, options or {}, 0) end

return timeline
