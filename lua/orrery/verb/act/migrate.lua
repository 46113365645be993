--- orrery migrate: running instances go on by another definition, mostly a newer version.
local args = require "orrery.cli.args"
local armed = require "orrery.engine.armed"
local bulk = require "orrery.cli.bulk"
local list = require "orrery.cli.list"
local store = require "orrery.cli.store"
local lookup = require "orrery.cli.lookup"
local orrery = require "orrery"

local PAGE = 100 -- instances that a plan is asked about at once

local function plan_of(engine, options, from, to)
  local instructions = {}
  for i, text in ipairs(options.map or {}) do
    local a, b = text:match "^(.-):(.+)$"
    if not a or a == "" then args.usage('--map needs FROM:TO, got "%s"', text) end
    instructions[i] = { from = a, to = b }
  end
  local variables = args.assignments(options.set)
  return engine:migration_plan(from.id, to.id, { instructions = instructions, map_equal = not options.map_none or nil,
    update_event_triggers = options.update_event_triggers, variables = next(variables) and variables or nil })
end

--- The same of many instances is one line.
local function tell_problems(problems, out)
  local order, kinds = {}, {}
  for _, p in ipairs(problems) do
    if out.json then
      out:event { event = "problem", message = p.message, instance = p.instance_id, activity = p.activity_id, target = p.target_id }
    end
    local key = ("%s\0%s\0%s"):format(p.instance_id and "instance" or "plan", p.activity_id or "", p.message)
    if not kinds[key] then
      kinds[key] = { first = p, count = 0 }
      order[#order + 1] = kinds[key]
    end
    kinds[key].count = kinds[key].count + 1
  end
  for _, kind in ipairs(out.json and {} or order) do
    local p = kind.first
    local who = not p.instance_id and "the plan" or kind.count == 1 and "instance " .. p.instance_id
      or ("%d instances, such as %s"):format(kind.count, p.instance_id)
    out:problem(("%s%s: %s"):format(who, p.activity_id and " at " .. p.activity_id or "", p.message))
  end
end

--- Each as "remind (timer at check)".
local function armed_text(events, renewed)
  local texts = {}
  for _, e in ipairs(events) do
    if e.renewed == renewed then
      texts[#texts + 1] = ("%s (%s at %s)"):format(e.activity, e.kind, e.at)
    end
  end
  return #texts > 0 and table.concat(texts, ", ")
end

local function show_plan(engine, plan, from, to, out)
  local pairs_of = {}
  for i, step in ipairs(plan.instructions) do
    pairs_of[i] = step.from == step.to and step.from or ("%s -> %s"):format(step.from, step.to)
  end
  local events = armed.of(engine, plan, from, to)
  local lines = { ("%s version %d -> %s version %d: %s"):format(from.key, from.version, to.key,
    to.version, table.concat(pairs_of, ", ")) }
  for _, kind in ipairs { { "armed where a token stands there", false }, { "armed anew", true } } do
    local text = armed_text(events, kind[2])
    if text then lines[#lines + 1] = ("%s: %s"):format(kind[1], text) end
  end
  out:event({ event = "plan", from = from.id, to = to.id, instructions = plan.instructions,
    armed = orrery.array(events) }, lines)
end

--- The problems of the plan with these instances: an array, and how many instances have any.
local function problems_of(plan, ids)
  local problems = plan:validate()
  if #problems > 0 then return problems, #ids end
  local blocked, n = {}, 0
  for first = 1, #ids, PAGE do
    for _, p in ipairs(plan:validate { instances = table.move(ids, first, math.min(first + PAGE - 1, #ids), 1, {}) }) do
      problems[#problems + 1] = p
      if not blocked[p.instance_id] then n = n + 1 end
      blocked[p.instance_id] = true
    end
  end
  return problems, n
end

local function check(plan, ids, out)
  local problems, blocked = problems_of(plan, ids)
  tell_problems(problems, out)
  local text = blocked == 0 and "all can be migrated" or ("%d can be migrated, %d cannot"):format(#ids - blocked, blocked)
  out:event({ event = "summary", action = "migrate", matched = #ids, blocked = blocked, problems = #problems, dry_run = true },
    ("%s: %s"):format(bulk.count(#ids, "instances"), text))
  return #problems > 0 and 1 or 0
end

local function run(options, out)
  local engine <close> = store.open(options[1], options)
  local from = lookup.definition(engine, options[2])
  local to = lookup.definition(engine, options[3] or from.key)
  if from.id == to.id then args.usage("%s version %d is where they are; name another definition", from.key, from.version) end
  local plan = plan_of(engine, options, from, to)
  show_plan(engine, plan, from, to, out)
  local ids = list.ids(engine, "instances", options, { definition_id = from.id })
  if options.dry_run then return check(plan, ids, out) end
  local problems = plan:validate()
  tell_problems(problems, out)
  if #problems > 0 then return 1 end
  return bulk.run({ engine = engine, one = "instance", plural = "instances", verb = "migrate", ids = ids,
    action = function(instance)
      engine:migrate(plan, { instances = { instance.id }, skip_listeners = options.skip_listeners,
        skip_io_mappings = options.skip_io_mappings })
      return "migrated"
    end }, options, out)
end

local spec = {
  name = "migrate", summary = "Moves running instances from one definition to another, mostly to a newer version.",
  arguments = { { "STORE", "the store's folder" }, { "FROM", "KEY:VERSION or a definition's id" },
    { "TO", "the same; the latest version of FROM's key otherwise", optional = true } },
  options = {
    { "--map", "an activity that goes on as another; those that are equal in both go by themselves", value = "FROM:TO", many = true },
    { "--map-none", "only what --map says goes on" },
    { "--update-event-triggers", "renew the timers, messages and signals of the events that go by themselves" },
    { "--set", "a variable that each gets", value = "NAME=VALUE", many = true },
    { "--skip-listeners", "run no listeners" }, { "--skip-io-mappings", "run no input and output mappings" },
    list.where, list.variable, { "--limit", "at most so many", value = "N", as = "count" },
    { "--lua", "a Lua file that registers the delegates that may run", value = "FILE" },
    { "--json", "one JSON object a line" },
  },
  notes = "Before anything is moved, and with --dry-run, the plan is shown, with the events that\n"
    .. "it arms: those of the target that nothing is mapped to, where a token stands at what has\n"
    .. "them, and those whose triggers are renewed.\n\n"
    .. "--dry-run checks the plan and every instance, and prints what stands against it.\n"
    .. "docs/migration.md says what may.",
}
table.move(bulk.options, 1, #bulk.options, #spec.options + 1, spec.options)

return { spec = spec, run = run }
