--- What orrery.testing finds and asserts beside instances: tasks, jobs, incidents, external tasks; and what it does to them.
local fail = require "orrery.testing.fail"
local given = require "orrery.testing.given"
local inspect = require "orrery.inspect"

local M = {}

--- The one record of a list that fits, with its facts checked. `by`: the field that a text means; `named`: what to call each found.
local function one(self, verb, words, which, facts, by, special)
  local filter = type(which) == "string" and { [by] = which } or which
  local found = self.engine[verb](self.engine, filter)
  if #found ~= 1 then
    local there = {}
    for i, record in ipairs(self.engine[verb](self.engine, {})) do there[i] = tostring(record[by] or record.id) end
    local hint = verb ~= "jobs" and #found == 0 and fail.hint(self.engine, {}) or ""
    fail.fail("one %s %s expected, found %d; open %ss: %s%s", words, inspect.value(filter), #found, words, fail.list(there, "none"), hint)
  end
  fail.facts(("%s %s"):format(words, found[1][by] or found[1].id), found[1], facts, special)
  return found[1]
end

--- The links of a task as a sorted list of the users or groups that it is offered to, and whether the wanted ones are among them.
local function candidates(who)
  return function(task, wanted)
    local found, set = {}, {}
    for _, link in ipairs(task:links()) do
      if link.type == "candidate" and link[who] then
        found[#found + 1] = link[who]
        set[link[who]] = true
      end
    end
    table.sort(found)
    for _, name in ipairs(type(wanted) == "table" and wanted or { wanted }) do
      if not set[name] then return found, false end
    end
    return found, true
  end
end

local task_facts = {
  candidate_user = candidates "user", candidate_users = candidates "user",
  candidate_group = candidates "group", candidate_groups = candidates "group",
  variables = function(task, wanted)
    local found = task:variables()
    for name, value in pairs(wanted) do
      if inspect.value(found[name]) ~= inspect.value(value) then return found, false end
    end
    return found, true
  end,
}

--- The one open task of this key, or of this filter, with these facts.
function M:task(which, facts)
  return one(self, "tasks", "task", given.which("task", which), facts, "key", task_facts)
end

--- The one job of this activity, or of this filter.
function M:job(which, facts)
  return one(self, "jobs", "job", given.which("job", which), facts, "activity_id")
end

--- The one open incident of this activity, or of this filter.
function M:incident(which, facts)
  return one(self, "incidents", "incident", given.which("incident", which), facts, "activity_id")
end

--- The one open external task of this topic, or of this filter.
function M:external_task(which, facts)
  return one(self, "external_tasks", "external task", given.which("external_task", which), facts,
    "topic")
end

--- The list holds so many.
function M:count(verb, filter, wanted)
  given.a("count", 1, "verb", verb, "string")
  given.a("count", 2, "filter", filter, "table")
  given.a("count", 3, "wanted", wanted, "number")
  local found = self.engine:count(verb, filter)
  if found ~= wanted then fail.fail("%d %s %s expected, found %d", wanted, verb, inspect.value(filter), found) end
end

--- There is no open incident, of an instance when one is given.
function M:no_incidents(...)
  local instance = select("#", ...) > 0 and given.instance(self.engine, "no_incidents", (...))
  local found = self.engine:incidents { instance = instance and instance.id or nil }
  local lines = {}
  for i, incident in ipairs(found) do lines[i] = ("%s: %s"):format(incident.activity_id or incident.type, incident.message or "") end
  if #found > 0 then fail.fail("no incidents expected, found %d: %s", #found, table.concat(lines, "; ")) end
end

-- Acting ------------------------------------------------------------------------------------------------------------------------------

--- Completes the one open task of this key or filter, and runs what that makes due.
function M:complete(which, variables)
  which = given.which("complete", which)
  local task = self:task(which)
  task:complete(variables)
  self:run()
  return task
end

--- Runs the one job of this activity or filter now, whatever its due date, and raises what it raises.
function M:execute(which)
  self:job(given.which("execute", which)):execute()
  self:run()
end

--- Delivers a message, and runs what that makes due.
function M:message(name, options)
  given.a("message", 1, "name", name, "string", "nil")
  local delivery = self.engine:message(name, options)
  self:run()
  return delivery
end

--- Throws a signal, and runs what that makes due.
function M:signal(name, options)
  given.a("signal", 1, "name", name, "string")
  self.engine:signal(name, options)
  self:run()
end

local WORKER <const> = "orrery.testing"
local LOCK <const> = 300 -- seconds

--- The one external task, locked for us.
local function locked(self, which)
  local task = self:external_task(which)
  task:lock(WORKER, LOCK)
  return task
end

--- Completes the one open external task of this topic or filter, as its worker would.
function M:complete_external(which, variables)
  locked(self, given.which("complete_external", which)):complete(WORKER, variables)
  self:run()
end

--- Has it fail: { message =, retries =, … } as for external_task:fail.
function M:fail_external(which, failure)
  which = given.which("fail_external", which)
  given.a("fail_external", 2, "failure", failure, "table")
  locked(self, which):fail(WORKER, failure)
  self:run()
end

--- Raises a BPMN error where it stands.
function M:throw_external(which, code, message, variables)
  which = given.which("throw_external", which)
  given.a("throw_external", 2, "code", code, "string", "number")
  locked(self, which):bpmn_error(WORKER, code, message, variables)
  self:run()
end

return M
