--- What instances, tasks, jobs and incidents have in common: list with filters, act on one by its id or on all listed.
local args = require "orrery.cli.args"
local inspect = require "orrery.inspect"
local orrery = require "orrery"
local store = require "orrery.cli.store"

local list = {}

list.options = {
  { "--where", "only those with this field, such as definition_key=order, retries_lt=2 or business_key='\"17\"'; see docs/api.md",
    value = "FIELD=VALUE", many = true },
  { "--limit", "at most so many (a list: 100; an action on all: no limit)", value = "N", as = "count" },
  { "--offset", "leave out so many first", value = "N", as = "count" },
  { "--lua", "a Lua file that registers the delegates an action may run", value = "FILE" },
  { "--json", "one JSON object a line" },
}

--- The options of every such command behind its own ones.
local function with_common_options(spec)
  table.move(list.options, 1, #list.options, #spec.options + 1, spec.options)
  spec.arguments = { { "STORE", "the store's folder" } }
  return spec
end

function list.time(field)
  return function(row) return row[field] and orrery.format_time(row[field]) end
end

local PAGE = 100

--- What --where asks for. A field that there is not, or a value that it cannot have, is a wrong command line.
local function filter_of(options)
  return args.assignments(options.where, '--where needs FIELD=VALUE, got "%s"')
end

local function records(engine, verb, filter)
  local ok, rows = pcall(engine[verb], engine, filter)
  if ok then return rows end
  if type(rows) == "table" and rows.kind == "argument" then args.usage("--where: %s", rows.message) end
  error(rows, 0)
end

--- One page, and how many there are beyond it.
local function page(engine, verb, options)
  local filter = filter_of(options)
  filter.limit, filter.offset = options.limit or PAGE, options.offset
  local rows = records(engine, verb, filter)
  if #rows < filter.limit then return rows, 0 end
  filter.limit, filter.offset = nil, (filter.offset or 0) + #rows
  return rows, math.max(0, engine:count(verb, filter_of(options)) - filter.offset)
end

--- Iterates over all that --where asks for, whatever their number, in the order of ids; what an action takes away shifts nothing.
--- `more` (may be nil) is asked for besides.
function list.each(engine, verb, options, more)
  local left, skip, last, rows, at = options.limit or math.huge, options.offset, nil, {}, 0
  return function()
    if left == 0 then return nil end
    if at == #rows then
      local filter = filter_of(options)
      for key, value in pairs(more or {}) do filter[key] = value end
      filter.order_by, filter.limit, filter.id_gt, filter.offset = "id", PAGE, last, skip
      rows, at, skip = records(engine, verb, filter), 0, nil
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
    out:line("%s", inspect.rows(rows, columns, out.paint))
  end
end

--- Applies an action to each record that the iterator gives; one that fails does not keep the others from being tried.
local function apply(command, action, engine, each, options, out)
  local failed, tried = 0, 0
  for row in each do
    tried = tried + 1
    out:progress("%d tried, %d failed", tried, failed)
    local ok, said = pcall(command.actions[action], engine, row, options)
    if not ok and args.is_usage(said) then error(said, 0) end
    if ok then out:event({ event = "done", id = row.id, text = said }, ("%s: %s"):format(row.id, said))
    else
      failed = failed + 1
      out:problem(("%s: %s"):format(row.id, type(said) == "table" and said.message or tostring(said)))
    end
  end
  if tried == 0 and not out.json then out:line("%s", command.empty) end
  return failed > 0 and 1 or 0
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

--- Lists, or applies the one action that was asked for. `command` has spec, verb, columns, empty, and actions: option name ->
--- f(engine, record, options), which returns what it did in words; command.all[action] is what `all` asks for besides --where;
--- views: option name -> f(options, out), which prints something else and returns the exit code.
local function run(command, options, out)
  local action, which = asked(command, options)
  if action and not command.actions[action] then return command.views[action](options, out) end
  if action and which == "all" and not takes_all(command, action) then args.usage("--%s takes one ID, not all", action) end
  local engine <close> = store.open(options[1], options)
  if not action then
    local rows, more = page(engine, command.verb, options)
    list.print(rows, command.columns, out, command.empty)
    if more > 0 then out:problem(("%d more; see --offset, --limit and --where"):format(more)) end
    return 0
  end
  if which == "all" then
    local each = list.each(engine, command.verb, options, command.all and command.all[action])
    return apply(command, action, engine, each, options, out)
  end
  local record = engine[command.verb](engine, { id = args.id(which) })[1]
  if not record then
    out:problem(("orrery: none of the %s has the id %s"):format(command.verb, which))
    return 1
  end
  return apply(command, action, engine, function(_, last) return not last and record or nil end, options, out)
end

--- The command as its module returns it: `command` with the arguments that `spec` declares.
function list.command(command, spec)
  command.spec = with_common_options(spec)
  return { spec = command.spec, run = function(options, out) return run(command, options, out) end }
end

return list
