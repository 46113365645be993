--- orrery restart: ended instances start again, as new ones with what the old ones knew.
local args = require "orrery.cli.args"
local bulk = require "orrery.cli.bulk"
local errors = require "orrery.errors"
local list = require "orrery.cli.list"
local conflicts = require "orrery.cli.conflicts"
local store = require "orrery.cli.store"
local waits = require "orrery.cli.waits"
local lookup = require "orrery.cli.lookup"

local places = { { "before", "start_before" }, { "after", "start_after" }, { "flow",
  "transition" } }

--- Where the new instances begin; nil: at the start event.
local function instructions_of(options)
  local out, variables = {}, args.assignments(options.set)
  for _, place in ipairs(places) do
    for _, word in ipairs(options[place[1]] or {}) do
      out[#out + 1] = { [place[2]] = word, variables = next(variables) and variables or nil }
    end
  end
  return out[1] and out or nil
end

local function restart_one(engine, row, options, instructions)
  return engine:restart(row.definition_id, { instances = { row.id }, instructions = instructions,
    initial_variables = options.initial_variables,
      without_business_key = options.without_business_key,
    skip_listeners = options.skip_listeners, skip_io_mappings = options.skip_io_mappings })[1]
end

--- The one ended instance of an id or a business key.
local function ended(engine, word)
  local rows, ids = lookup.past_instances(engine, word), {}
  for i = #rows, 1, -1 do
    if not rows[i].ended_at then table.remove(rows, i) end
  end
  for i, row in ipairs(rows) do ids[i] = row.id end
  if #rows > 1 then args.usage('"%s" is the business key of several ended instances: %s', word,
    table.concat(ids, ", ")) end
  return rows[1] or errors.raise("state",
    ("instance %s still runs: 'orrery modify' moves its tokens"):format(word))
end

local function restart_named(engine, options, instructions, out)
  local rows = {}
  for i = 2, #options do rows[i - 1] = ended(engine, options[i]) end
  for _, row in ipairs(rows) do
    local new = conflicts.retry(restart_one, engine, row, options, instructions)
    out:event({ event = "restarted", instance = new.id, of = row.id },
      ("restarted %s as instance %s"):format(row.id, new.id))
    for _, wait in ipairs(waits.of(engine, new)) do
      wait.event = "waits"
      out:event(wait, ("waits %s: %s"):format(wait.activity or "", wait.text))
    end
  end
  return 0
end

local function restart_all(engine, options, instructions, out)
  local ids = list.ids(engine, "history_instances", options, { finished = true })
  return bulk.run({ engine = engine, one = "history_instance", plural = "instances",
    verb = "restart", ids = ids, alone = true,
    action = function(row)
      return ("restarted as %s"):format(restart_one(engine, row, options, instructions).id)
    end }, options, out)
end

local function run(options, out)
  local named, asked = #options > 1, (options.where or options.variable) ~= nil
  if named == asked then
    args.usage "restart what? Ended instances' ids or business keys, or --where and --variable"
  end
  if named and (options.dry_run or options.yes) then
    args.usage "--dry-run and --yes go with --where or --variable"
  end
  local instructions = instructions_of(options)
  if options.set
    and not instructions then args.usage "--set goes with --before, --after or --flow" end
  local engine <close> = store.open(options[1], options)
  local code = (named and restart_named or restart_all)(engine, options, instructions, out)
  if code == 0 and not options.dry_run and engine:count("jobs", { executable = true }) > 0 then
    store.hint_at_work(engine, options[1], out)
  end
  return code
end

local spec = {
  name = "restart",
    summary = "Starts ended instances again, as new ones with the variables of the old.",
  arguments = { { "STORE", "the store's folder" },
    { "INSTANCE", "the id or business key of one that has ended", many = true, optional = true } },
  options = {
    { "--before", "begin before this activity instead of at the start event", value = "ACTIVITY",
      many = true },
    { "--after", "begin after an activity", value = "ACTIVITY", many = true },
    { "--flow", "begin on a sequence flow", value = "FLOW", many = true },
    { "--set", "a variable for what begins there", value = "NAME=VALUE", many = true },
    { "--initial-variables",
      "the variables that it began with instead of those that it ended with; "
      .. "kept only at history level full" },
    { "--without-business-key", "without the business key of the old one" },
    { "--skip-listeners", "run no listeners of where it begins" },
    { "--skip-io-mappings", "run no input and output mappings of where it begins" },
    list.where, list.variable,
    { "--limit", "with --where or --variable: at most so many", value = "N",
      as = "count", with = { "--where",
      "--variable" } },
    { "--lua", "a Lua file that registers the delegates that run up to the first wait",
      value = "FILE" },
    { "--json", "one JSON object a line" },
  },
  notes = "A new instance runs by the definition of the old one, which has to be there still. --where\n"
    .. "is about the history, such as --where definition_key=order --where state=terminated. Each has\n"
    .. "a transaction of its own; engine:restart in Lua does many in one, or by jobs.\n"
    .. "docs/migration.md says more.",
}
table.move(bulk.options, 1, #bulk.options, #spec.options + 1, spec.options)

return { spec = spec, run = run }
