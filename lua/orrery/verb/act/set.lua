--- orrery set: variables of what runs, and a new try for what failed on them.
local args = require "orrery.cli.args"
local bulk = require "orrery.cli.bulk"
local inspect = require "orrery.inspect"
local conflicts = require "orrery.cli.conflicts"
local store = require "orrery.cli.store"
local lookup = require "orrery.cli.lookup"

--- Sets and removes; returns what was there before.
local function change(scope, values, options)
  local old = scope:variables()
  if next(values) then scope[options.here and "set_all_local" or "set_all"](scope, values) end
  for _, name in ipairs(options.remove or {}) do scope[options.here and "remove_local" or "remove"](scope, name) end
  return old
end

--- Gives what has failed for good another try; returns how many jobs and external tasks.
local function retry(engine, instance)
  local jobs = engine:jobs { instance = instance, no_retries = true }
  for _, job in ipairs(jobs) do job:set_retries(1) end
  local tasks = engine:external_tasks { instance = instance, no_retries = true }
  for _, task in ipairs(tasks) do task:set_retries(1) end
  return { jobs = #jobs, external_tasks = #tasks }
end

local function shown(value) return value == nil and "not set" or inspect.value(value) end

--- Before and after, so that a slip can be taken back.
local function tell_changes(scope, values, old, options, out)
  local names = table.move(options.remove or {}, 1, #(options.remove or {}), 1, {})
  for name in pairs(values) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    out:event({ event = "set", name = name, value = values[name], before = old[name], scope = scope.id },
      ("%s = %s (was %s)"):format(name, shown(values[name]), shown(old[name])))
  end
end

local function tell_retried(retried, instance, out)
  local words = {}
  if retried.jobs > 0 then words[1] = bulk.count(retried.jobs, "jobs") end
  if retried.external_tasks > 0 then words[#words + 1] = bulk.count(retried.external_tasks, "external tasks") end
  out:event({ event = "retried", jobs = retried.jobs, external_tasks = retried.external_tasks, instance = instance },
    words[1] and table.concat(words, " and ") .. " may be tried again" or "nothing of it has failed for good")
end

local function run(options, out)
  local values = args.assignments(table.move(options, 3, #options, 1, {}), '"%s" is no NAME=VALUE')
  if not next(values) and not options.remove then args.usage "NAME=VALUE is missing" end
  local engine <close> = store.open(options[1], options)
  local scope = lookup.scope(engine, options[2])
  local instance, old, retried = scope.instance_id or scope.id, nil, nil
  conflicts.retry(engine.transaction, engine, function() -- the new value and the new try at one time
    old = change(scope, values, options)
    retried = options.retry and retry(engine, instance)
  end)
  tell_changes(scope, values, old, options, out)
  if not retried then return 0 end
  tell_retried(retried, instance, out)
  if retried.jobs > 0 then store.hint_at_work(engine, options[1], out) end
  return 0
end

return {
  spec = {
    name = "set", summary = "Sets variables of a running instance, and lets what failed be tried again.",
    arguments = { { "STORE", "the store's folder" }, { "INSTANCE", "its id or business key; or the id of an execution or user task" },
      { "NAME=VALUE", "what to set", many = true, optional = true } },
    options = {
      { "--remove", "a variable to take away", value = "NAME", many = true },
      { "--here", "in this scope itself, not in the nearest one above that has the variable" },
      { "--retry", "give what of the instance has failed for good another try, in the same transaction" },
      { "--lua", "a Lua file that registers what conditions and listeners call", value = "FILE" },
      { "--json", "one JSON object a line" },
    },
    notes = "Values are as for 'orrery run --set'.",
  },
  run = run,
}
