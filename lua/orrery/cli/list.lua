--- What instances, tasks, jobs and incidents have in common: list with filters, act on one by its id or on all listed. Such a command is a
--- table:
---   spec              its declaration
---   verb, plural      the list verb, and what many are called when that differs
---   columns, empty    how records are shown, and what is said when there are none
---   none[action]      what is said instead when there are none that it could be about
---   actions           option name -> f(engine, record, options), which returns what it did in words
---   all[action]       what `all` asks for besides --where
---   alone[action]     each record has a transaction of its own
---   verbs[action]     what it is called, when not by the option's name
---   views             option name -> f(engine, options, out), which prints something else and returns the exit code
---   filtered[view]    the filters that it keeps to, in one text
---   find(engine, word)          the record that an action is about; by id otherwise
---   of_instance, of_variable    it has the filters --instance, --variable
---   shown(engine, row)          completes a record that is shown
---   fields            what records show that they do not show by themselves, as with_fields has it
---   hints             the action that lets jobs run, for which an executor should be there
local args = require "orrery.cli.args"
local bulk = require "orrery.cli.bulk"
local clock = require "orrery.cli.clock"
local core = require "orrery.core"
local errors = require "orrery.errors"
local inspect = require "orrery.inspect"
local conflicts = require "orrery.cli.conflicts"
local store = require "orrery.cli.store"
local lookup = require "orrery.cli.lookup"

local list = {}

list.where = { "--where",
  "only those with this field, such as definition_key=order, retries_lt=2 or business_key='\"17\"'; see docs/lists.md",
  value = "FIELD=VALUE", many = true }

list.options = {
  list.where,
  { "--order-by", "in the order of this field; FIELD:desc for the highest first", value = "FIELD[:desc]", many = true },
  { "--limit", "at most so many (a list: 100; an action on all: no limit)", value = "N", as = "count" },
  { "--offset", "leave out so many first", value = "N", as = "count" },
  { "--lua", "a Lua file that registers the delegates an action may run", value = "FILE" },
  { "--zone", "show times by the clocks of a zone such as Europe/Berlin; UTC otherwise", value = "NAME" },
  { "--json", "one JSON object a line" },
}

local of_instance = { "--instance", "only those of this instance, by id or business key", value = "ID|KEY" }
list.variable = { "--variable",
  "only those whose variable is so: amount=50, amount>=100, region!=north, name~k% (a pattern)",
  value = "NAME=VALUE", many = true }

--- The options of every such command behind its own ones.
local function with_common_options(command, spec)
  if command.of_instance then table.insert(spec.options, of_instance) end
  if command.of_variable then table.insert(spec.options, list.variable) end
  table.move(list.options, 1, #list.options, #spec.options + 1, spec.options)
  table.move(bulk.options, 1, #bulk.options, #spec.options + 1, spec.options)
  spec.arguments = { { "STORE", "the store's folder" } }
  return spec
end

function list.time(field)
  return function(row) return clock.format(row[field]) end
end

--- "once more", "3 more times"
function list.times(n) return n == 1 and "once more" or n .. " more times" end

local PAGE = 100 -- records that a list shows unless --limit says otherwise
list.PAGE = PAGE
local STRIDE = 10000 -- records that are read at once on the way through all: each reading goes past those before it

--- The verb that finds one of what a list verb lists.
function list.one(verb) return verb == "batches" and "batch" or (verb:gsub("s$", "")) end

--- What --order-by asks for; nil: nothing.
local function order_of(options)
  local order = {}
  for i, text in ipairs(options.order_by or {}) do
    local field, direction = text:match "^([^:]+):(%a+)$"
    order[i] = { field or text, direction or "asc" }
  end
  return order[1] and order or nil
end

local operators = { ["!="] = "ne", [">="] = "ge", ["<="] = "le", [">"] = "gt", ["<"] = "lt", ["~"] = "like" }

--- What --variable asks for, as the filter `variables` has it; nil: nothing.
local function variables_of(options)
  local out
  for _, text in ipairs(options.variable or {}) do
    local name, operator, value = text:match "^([^=!<>~]+)([!<>]=)(.*)$"
    if not name then name, operator, value = text:match "^([^=!<>~]+)([=<>~])(.*)$" end
    if not name then args.usage('--variable needs NAME=VALUE, got "%s"', text) end
    value = args.value("--variable", value)
    out = out or {}
    out[name] = operators[operator] and { [operators[operator]] = value } or value
  end
  return out
end

local with_variables = { instances = true, tasks = true, external_tasks = true,
  history_instances = true }

--- A variable is no field: says how it is asked for.
local function refuse_variable(verb, key, value)
  local name = key:match "^variables%.(.+)$"
  if not name then return end
  local asked = ("--variable %s=%s"):format(name, type(value) == "string" and value
    or core.json_encode(value))
  if with_variables[verb] then args.usage("--where %s: a variable is no field; did you mean %s?",
    key, asked) end
  args.usage("--where %s: %s have no variables; 'orrery instances' has %s", key, (verb:gsub("_",
    " ")), asked)
end

--- Of these fields a length of time is meant from now on: due_before=2h is due within two hours.
local to_come = { due = true, follow_up = true, lock_expires = true }

--- Times as --since and --at take them, in fields that are about times.
local function read_times(filter)
  for key, value in pairs(filter) do
    local field = key:match "^(.*)_before$" or key:match "^(.*)_after$"
    local ok, time
    if field and type(value) == "string" then
      ok, time = pcall(args.time, value, to_come[field:gsub("_at$", "")])
    end
    if ok then filter[key] = time end -- else the list says what it needs
  end
end

--- What --where, --order-by, --instance and --variable ask for.
function list.filter(verb, options)
  local filter = args.assignments(options.where, '--where needs FIELD=VALUE, got "%s"')
  for key, value in pairs(filter) do refuse_variable(verb, key, value) end
  read_times(filter)
  filter.order_by, filter.variables = order_of(options), variables_of(options) or filter.variables
  filter.instance_id = options.instance_id or filter.instance_id
  return filter
end

--- A field that there is not, or a value that it cannot have, is a wrong command line.
function list.ask(engine, verb, filter)
  local ok, rows = pcall(engine[verb], engine, filter)
  if ok then return rows end
  if type(rows) == "table" and rows.kind == "argument" then
    args.usage("%s: %s", filter.order_by and "--where or --order-by" or "--where", rows.message)
  end
  error(rows, 0)
end

--- The records that are listed, and how many more there are.
--- `fields`: as with_fields has them; may be nil.
function list.page(engine, verb, options, fields)
  local filter = list.filter(verb, options)
  filter.limit, filter.offset, filter.with_fields = options.limit or PAGE, options.offset, fields
  local rows = list.ask(engine, verb, filter)
  if #rows < filter.limit then return rows, 0 end
  local all = list.filter(verb, options)
  all.order_by = nil
  return rows, math.max(0, engine:count(verb, all) - (options.offset or 0) - #rows)
end

--- The ids of all that --where asks for, in the order that --order-by says, within --limit and --offset. `more` (may be nil) is asked for
--- besides.
function list.ids(engine, verb, options, more)
  local ids = {}
  if order_of(options) then
    local filter = list.filter(verb, options)
    for key, value in pairs(more or {}) do filter[key] = value end
    filter.limit, filter.offset = options.limit, options.offset
    for i, row in ipairs(list.ask(engine, verb, filter)) do ids[i] = row.id end
    return ids
  end
  for row in list.each(engine, verb, options, more) do ids[#ids + 1] = row.id end
  return ids
end

--- Iterates over all that --where asks for, whatever their number, in the order of ids; what an action takes away shifts nothing.
--- `more` (may be nil) is asked for besides.
function list.each(engine, verb, options, more)
  local left, skip, last, rows, at = options.limit or math.huge, options.offset, nil, {}, 0
  return function()
    if left == 0 then return nil end
    if at == #rows then
      local filter = list.filter(verb, options)
      for key, value in pairs(more or {}) do filter[key] = value end
      filter.order_by, filter.limit, filter.id_gt, filter.offset = "id", math.min(STRIDE, left), last, skip
      rows, at, skip = list.ask(engine, verb, filter), 0, nil
      if #rows == 0 then return nil end
      last = rows[#rows].id
    end
    at, left = at + 1, left - 1
    return rows[at]
  end
end

--- Prints records as columns, or whole as JSON.
function list.print(rows, columns, out, empty)
  if out.json then
    for _, row in ipairs(rows) do out:event(row) end
  elseif #rows == 0 then
    out:line("%s", empty)
  else
    out:block(inspect.rows(rows, columns, out.paint))
  end
end

--- Applies an action to one record.
local function apply(command, action, engine, row, options, out)
  local ok, said = pcall(conflicts.retry, command.actions[action], engine, row, options)
  if ok then
    out:event({ event = "done", id = row.id, text = said }, ("%s: %s"):format(row.id, said), true)
    return 0
  end
  if args.is_usage(said) then error(said, 0) end
  out:problem(("%s: %s"):format(row.id, type(said) == "table" and said.message or tostring(said)))
  return 1
end

--- Applies an action to all that are asked for; nil: there is none.
local function apply_to_all(command, action, engine, options, out)
  local more = command.all and command.all[action]
  local ids = list.ids(engine, command.verb, options, more)
  if options.dry_run then
    local rows = {}
    for i = 1, math.min(#ids, options.limit or PAGE) do
      rows[i] = engine[list.one(command.verb)](engine, { id = ids[i],
        with_fields = command.fields })
    end
    if #rows > 0 then list.print(rows, command.columns, out) end
  elseif #ids == 0 and not out.json then
    out:line("%s", command.none and command.none[action] or command.empty)
    return nil
  end
  return bulk.run({ engine = engine, one = list.one(command.verb), plural = command.plural or command.verb, ids = ids,
    verb = (command.verbs or {})[action] or action, alone = command.alone and command.alone[action],
    action = function(row) return command.actions[action](engine, row, options) end }, options, out)
end

--- The one thing that was asked for, an action or a view, and its value; nil: the list.
local function asked(command, options)
  local names, found = {}, nil
  for name in pairs(command.actions) do names[#names + 1] = name end
  for name in pairs(command.views or {}) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    if options[name] ~= nil then
      if found then args.usage("--%s and --%s exclude each other", found, name) end
      found = name
    end
  end
  return found, found and options[found]
end

--- Only where an option's value says "all" may an action be applied to all: deleting every job at a stroke is nobody's wish.
local function takes_all(command, action)
  for _, option in ipairs(command.spec.options) do
    if option[1] == "--" .. action then return option.value:find("all", 1, true) ~= nil end
  end
end

local filters = { "where", "order_by", "limit", "offset", "instance", "variable" }

--- A view that does not keep to a filter refuses it, for what it shows would be taken for what was asked for.
local function check_filters(command, view, options)
  local kept = command.filtered and command.filtered[view] or ""
  for _, name in ipairs(filters) do
    if options[name] ~= nil and not (" " .. kept .. " "):find(" " .. name .. " ", 1, true) then
      args.usage("--%s does not go with --%s", name:gsub("_", "-"), view)
    end
  end
end

--- The record that an action is about.
local function find(command, engine, word)
  if command.find then return command.find(engine, word) end
  local record = engine[list.one(command.verb)](engine, args.id(word))
  return record or errors.raise("not_found", ("none of the %s has the id %s"):format(command.verb:gsub("_", " "), word))
end

local function print_page(command, engine, options, out)
  local rows, more = list.page(engine, command.verb, options, command.fields)
  for _, row in ipairs(command.shown and rows or {}) do command.shown(engine, row) end
  list.print(rows, command.columns, out, command.empty)
  if more > 0 then out:problem(("%d more; see --offset, --limit and --where"):format(more)) end
  return 0
end

--- Lists, or applies the one action that was asked for.
local function run(command, options, out)
  local action, word = asked(command, options)
  local view = action and not command.actions[action]
  if view then check_filters(command, action, options) end
  if action and word == "all" and not takes_all(command, action) then
    args.usage("--%s takes one ID, not all; 'orrery %s' lists them", action, command.spec.name)
  end
  if not view and word ~= "all" and (options.dry_run or options.yes) then args.usage("--dry-run and --yes go with an action on all") end
  local engine <close> = store.open(options[1], options)
  if options.instance then options.instance_id = lookup.instance(engine, options.instance).id end
  if not action then return print_page(command, engine, options, out) end
  if view then return command.views[action](engine, options, out) end
  local code
  if word == "all" then code = apply_to_all(command, action, engine, options, out)
  else code = apply(command, action, engine, find(command, engine, word), options, out) end
  if code == 0 and not options.dry_run and action == command.hints then store.hint_at_work(engine, options[1], out) end
  return code or 0
end

--- The command as its module returns it: `command` with the arguments that `spec` declares.
function list.command(command, spec)
  command.spec = with_common_options(command, spec)
  return { spec = command.spec, run = function(options, out) return run(command, options, out) end }
end

return list
