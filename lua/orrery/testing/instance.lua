--- What orrery.testing asserts of an instance.
local fail = require "orrery.testing.fail"
local given = require "orrery.testing.given"
local inspect = require "orrery.inspect"
local orrery = require "orrery"

local M = {}

--- What went wrong in it: failed jobs and open incidents, a line each.
local function troubles(engine, instance)
  local lines = {}
  for _, job in ipairs(engine:jobs { root_id = instance.root_id, with_error = true }) do
    lines[#lines + 1] = ("\njob of %s failed, %s left: %s"):format(job.activity_id or job.handler,
      job.retries == 1 and "1 try" or job.retries .. " tries", job.error)
  end
  return table.concat(lines)
end

--- How an instance stands, as the end of a message.
local function where(engine, instance)
  local now = instance:reload()
  if not now then return "it is gone" end
  if now.ended then return "it has ended" .. (now.end_activity and " at " .. now.end_activity or "") end
  return "its tokens stand at\n" .. inspect.tree(now:tree()) .. troubles(engine, now) .. fail.hint(engine, { instance = now.id })
end

local function active(engine, instance)
  local running = engine:instance(instance.id)
  return running and running:active() or {}
end

local function set_of(names)
  local set = {}
  for _, name in ipairs(names) do set[name] = true end
  return set
end

--- The instance's tokens stand exactly at these activities: one name for each token.
function M:at(instance, ...)
  instance = given.instance(self.engine, "at", instance)
  local wanted, found = given.names("at", ...), active(self.engine, instance)
  table.sort(wanted)
  if table.concat(found, ", ") ~= table.concat(wanted, ", ") then
    fail.fail("instance %s should be at %s, but %s", instance.id, fail.list(wanted, "nothing"), where(self.engine, instance))
  end
end

--- Tokens stand at each of these, and maybe elsewhere.
function M:waiting_at(instance, ...)
  instance = given.instance(self.engine, "waiting_at", instance)
  local found = set_of(active(self.engine, instance))
  for _, name in ipairs(given.names("waiting_at", ...)) do
    if not found[name] then fail.fail("instance %s should wait at %s, but %s", instance.id, name, where(self.engine, instance)) end
  end
end

--- No token stands at any of these.
function M:not_waiting_at(instance, ...)
  instance = given.instance(self.engine, "not_waiting_at", instance)
  local found = set_of(active(self.engine, instance))
  for _, name in ipairs(given.names("not_waiting_at", ...)) do
    if found[name] then fail.fail("instance %s should not wait at %s, but %s", instance.id, name, where(self.engine, instance)) end
  end
end

--- The instance has ended, and with `at` at that end event.
function M:ended(instance, at)
  instance = given.instance(self.engine, "ended", instance)
  given.a("ended", 2, "at", at, "string", "nil")
  local row = self.engine:history_instance(instance.id)
  if not row or not row.ended_at then
    fail.fail("instance %s should have ended, but %s", instance.id, where(self.engine, instance))
  end
  if at and row.end_activity ~= at then
    fail.fail("instance %s should have ended at %s, but ended at %s", instance.id, at, tostring(row.end_activity))
  end
end

--- It runs, or is suspended.
function M:not_ended(instance)
  instance = given.instance(self.engine, "not_ended", instance)
  if not self.engine:instance(instance.id) then
    fail.fail("instance %s should not have ended, but %s", instance.id, where(self.engine, instance))
  end
end

--- It is suspended.
function M:suspended(instance)
  instance = given.instance(self.engine, "suspended", instance)
  local now = self.engine:instance(instance.id)
  if not now then fail.fail("instance %s should be suspended, but %s", instance.id, where(self.engine, instance)) end
  if not now.suspended then fail.fail("instance %s should be suspended, but it is active", instance.id) end
end

-- History ---------------------------------------------------------------------------------------------------------------------------

--- The activities that were completed, in the order in which they began.
local function completed(engine, instance)
  local names = {}
  for _, row in ipairs(engine:history_activities { instance = instance.id, order_by = "sequence" }) do
    if row.ended_at and not row.canceled then names[#names + 1] = row.activity_id end
  end
  return names
end

--- Each of these was completed at least once.
function M:passed(instance, ...)
  instance = given.instance(self.engine, "passed", instance)
  local found = completed(self.engine, instance)
  local set = set_of(found)
  for _, name in ipairs(given.names("passed", ...)) do
    if not set[name] then
      fail.fail("instance %s should have passed %s, but it passed %s", instance.id, name, fail.list(found, "nothing"))
    end
  end
end

--- None of these was completed.
function M:not_passed(instance, ...)
  instance = given.instance(self.engine, "not_passed", instance)
  local found = completed(self.engine, instance)
  local set = set_of(found)
  for _, name in ipairs(given.names("not_passed", ...)) do
    if set[name] then
      fail.fail("instance %s should not have passed %s, but it passed %s", instance.id, name, table.concat(found, ", "))
    end
  end
end

--- These were completed in this order, whatever came between.
function M:passed_in_order(instance, ...)
  instance = given.instance(self.engine, "passed_in_order", instance)
  local found, wanted, at = completed(self.engine, instance), given.names("passed_in_order", ...), 1
  for _, name in ipairs(found) do
    if name == wanted[at] then at = at + 1 end
  end
  if at <= #wanted then
    local before = at > 1 and " after " .. table.concat(wanted, ", ", 1, at - 1) or ""
    fail.fail("instance %s should have passed %s%s, but it passed %s", instance.id, wanted[at], before, fail.list(found, "nothing"))
  end
end

-- Variables and messages --------------------------------------------------------------------------------------------------------------

--- Those of the instance's own scope, after its end as history has them.
local function variables_of(engine, instance)
  local running = engine:instance(instance.id)
  if running then return running:local_variables() end
  local out = {}
  for _, row in ipairs(engine:history_variables { instance = instance.id, scope = instance.id }) do
    out[row.name] = row.value
    if row.value == nil then out[row.name] = orrery.null end
  end
  return out
end

--- The instance has these variables with these values, and maybe others; a running one or one that has ended.
function M:variables(instance, wanted)
  instance = given.instance(self.engine, "variables", instance)
  given.a("variables", 2, "wanted", wanted, "table")
  local found = variables_of(self.engine, instance)
  local names = {}
  for name in pairs(wanted) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    if inspect.value(found[name]) ~= inspect.value(wanted[name]) then
      fail.fail("variable %s of instance %s should be %s, but is %s; all are %s", name, instance.id, inspect.value(wanted[name]),
        inspect.value(found[name]), inspect.value(found))
    end
  end
end

--- The instance has none of these variables.
function M:no_variables(instance, ...)
  instance = given.instance(self.engine, "no_variables", instance)
  local found = variables_of(self.engine, instance)
  for _, name in ipairs(given.names("no_variables", ...)) do
    if found[name] ~= nil then
      fail.fail("instance %s should have no variable %s, but it is %s", instance.id, name, inspect.value(found[name]))
    end
  end
end

--- The names of messages and signals that the instance waits for.
local function awaited(engine, instance)
  local names = {}
  for _, row in ipairs(engine:subscriptions { instance = instance.id, type_in = { "message", "signal" }, order_by = "name" }) do
    names[#names + 1] = row.name
  end
  return names
end

--- It waits for each of these messages or signals.
function M:waiting_for(instance, ...)
  instance = given.instance(self.engine, "waiting_for", instance)
  local found = awaited(self.engine, instance)
  local set = set_of(found)
  for _, name in ipairs(given.names("waiting_for", ...)) do
    if not set[name] then
      fail.fail("instance %s should wait for %s, but it waits for %s", instance.id, name, fail.list(found, "no message or signal"))
    end
  end
end

--- It waits for none of these.
function M:not_waiting_for(instance, ...)
  instance = given.instance(self.engine, "not_waiting_for", instance)
  local set = set_of(awaited(self.engine, instance))
  for _, name in ipairs(given.names("not_waiting_for", ...)) do
    if set[name] then fail.fail("instance %s should not wait for %s, but it does", instance.id, name) end
  end
end

--- The one instance that it called, of this process when a key is given; running, or as history has it.
function M:called(instance, key)
  instance = given.instance(self.engine, "called", instance)
  given.a("called", 2, "key", key, "string", "nil")
  local found = self.engine:history_instances { parent_id = instance.id, definition_key = key }
  if #found ~= 1 then
    local keys = {}
    for i, row in ipairs(self.engine:history_instances { parent_id = instance.id }) do keys[i] = row.definition_key end
    fail.fail("instance %s should have called one instance%s, but it called %s", instance.id, key and " of " .. key or "",
      fail.list(keys, "none"))
  end
  return self.engine:instance(found[1].id) or found[1]
end

return M
