--- The shared part of `orrery suspend` and `orrery activate`.
local args = require "orrery.cli.args"
local bulk = require "orrery.cli.bulk"
local list = require "orrery.cli.list"
local store = require "orrery.cli.store"
local lookup = require "orrery.cli.lookup"

local suspension = {}

local states = { suspend = "suspended", activate = "active" }

--- A definition: of a key all versions, as their next instances concern.
local function of_definition(engine, verb, options, out)
  local text = options.definition
  local target = text:find ":%d+$" and lookup.definition(engine, text).id or engine:definition { key = text } and { key = text }
    or lookup.definition(engine, text).id
  engine[verb .. "_definition"](engine, target, { instances = options.instances, at = options.at })
  local when = options.at and " from then on" or ""
  out:event({ event = "done", definition = text, state = states[verb], instances = options.instances or false },
    ("%s is %s%s%s"):format(text, states[verb], options.instances and " with its instances" or "", when))
  return 0
end

local function of_many(engine, verb, kind, ids, options, out)
  return bulk.run({ engine = engine, one = list.one(kind), plural = kind, verb = verb, ids = ids, action = function(record)
    record[verb](record)
    return states[verb]
  end }, options, out)
end

--- Those that are named need no --yes.
local function of_named(engine, verb, options, out)
  local ids = {}
  for i = 2, #options do ids[i - 1] = lookup.instance(engine, options[i]).id end
  for _, id in ipairs(ids) do
    local instance = engine:instance(id)
    instance[verb](instance)
    out:event({ event = "done", instance = id, state = states[verb] }, ("%s: %s"):format(id, states[verb]))
  end
  return 0
end

local function run(verb, options, out)
  local named = #options > 1
  local asked = (named and 1 or 0) + (options.definition and 1 or 0) + ((options.where
    or options.variable) and 1 or 0)
  if asked ~= 1 then
    args.usage("%s what? One of instances' ids or business keys, --definition, --where or --variable",
      verb)
  end
  local engine <close> = store.open(options[1], options)
  if named then return of_named(engine, verb, options, out) end
  if options.definition then return of_definition(engine, verb, options, out) end
  local kind = options.jobs and "jobs" or "instances"
  return of_many(engine, verb, kind, list.ids(engine, kind, options), options, out)
end

--- The command of one of the two verbs.
function suspension.command(verb, summary)
  local spec = {
    name = verb, summary = summary,
    arguments = { { "STORE", "the store's folder" }, { "INSTANCE", "its id or business key", many = true, optional = true } },
    options = {
      { "--definition", "a process: KEY for all its versions, KEY:VERSION, or a definition's id", value = "KEY[:VERSION]" },
      { "--instances", "with --definition: its running instances, too", with = { "--definition" } },
      { "--at", "with --definition: then, by a job, instead of now", value = "TIME", as = "time", with = { "--definition" } },
      list.where, list.variable,
      { "--jobs", "--where is about jobs instead of instances", with = { "--where" } },
      { "--limit", "with --where or --variable: at most so many", value = "N",
        as = "count", with = { "--where",
        "--variable" } },
      { "--json", "one JSON object a line" },
    },
  }
  table.move(bulk.options, 1, #bulk.options, #spec.options + 1, spec.options)
  return { spec = spec, run = function(options, out) return run(verb, options, out) end }
end

return suspension
