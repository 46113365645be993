--- orrery set: variables of what runs, and a new try for what failed on them.
local args = require "orrery.cli.args"
local bulk = require "orrery.cli.bulk"
local inspect = require "orrery.inspect"
local store = require "orrery.cli.store"
local which = require "orrery.cli.which"

--- Before and after, so that a slip can be taken back.
local function change(scope, values, options, out)
  local old = scope:variables()
  if next(values) then scope[options.here and "set_all_local" or "set_all"](scope, values) end
  for _, name in ipairs(options.remove or {}) do scope[options.here and "remove_local" or "remove"](scope, name) end
  local names = table.move(options.remove or {}, 1, #(options.remove or {}), 1, {})
  for name in pairs(values) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local before = old[name] == nil and "not set" or inspect.value(old[name])
    out:event({ event = "set", name = name, value = values[name], before = old[name], scope = scope.id },
      ("%s = %s (was %s)"):format(name, values[name] == nil and "not set" or inspect.value(values[name]), before))
  end
end

local function retry(engine, instance, out)
  local jobs = engine:jobs { instance = instance, no_retries = true }
  for _, job in ipairs(jobs) do job:set_retries(1) end
  out:event({ event = "retried", jobs = #jobs, instance = instance },
    #jobs > 0 and ("%s may be tried again"):format(bulk.count(#jobs, "jobs")) or "no job of it has failed for good")
end

local function run(options, out)
  local values = args.assignments(table.move(options, 3, #options, 1, {}), '"%s" is no NAME=VALUE')
  if not next(values) and not options.remove then args.usage "NAME=VALUE is missing" end
  local engine <close> = store.open(options[1], options)
  local scope = which.scope(engine, options[2])
  engine:transaction(function() -- the new value and the new try at one time
    change(scope, values, options, out)
    if options.retry then retry(engine, scope.instance_id or scope.id, out) end
  end)
  if options.retry then store.hint_at_work(engine, options[1], out) end
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
      { "--retry", "give the instance's failed jobs another try, in the same transaction" },
      { "--lua", "a Lua file that registers what conditions and listeners call", value = "FILE" },
      { "--json", "one JSON object a line" },
    },
    notes = "Values are as for 'orrery run --set'.",
  },
  run = run,
}
