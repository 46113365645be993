--- What instances, tasks, jobs and incidents have in common: list with filters, act on one by its id or on all listed.
local args = require "orrery.cli.args"
local inspect = require "orrery.inspect"
local orrery = require "orrery"
local store = require "orrery.cli.store"

local list = {}

list.options = {
  { "--where", "only those with this field, such as definition_key=order or activity=pay; names as in docs/api.md", value = "FIELD=VALUE",
    many = true },
  { "--limit", "at most so many (100)", value = "N" },
  { "--lua", "a Lua file that registers the delegates an action may run", value = "FILE" },
  { "--json", "one JSON object a line" },
}

--- A list command's options behind its own ones.
function list.spec(spec)
  table.move(list.options, 1, #list.options, #spec.options + 1, spec.options)
  spec.arguments = { { "STORE", "the store's folder" } }
  return spec
end

function list.time(field)
  return function(row) return row[field] and orrery.format_time(row[field]) end
end

local function filter_of(options)
  local filter = args.assignments(options.where)
  filter.limit = math.tointeger(tonumber(options.limit or 100)) or args.usage("--limit needs an integer")
  return filter
end
list.filter_of = filter_of

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

--- Lists, or applies the one action that was asked for. `command` has verb, columns, empty, and actions: option name ->
--- f(engine, record, options), which returns what it did in words.
function list.run(command, options, out)
  local engine <close> = store.open(options[1], options)
  local action, which
  for name in pairs(command.actions) do
    if options[name] then
      if action then args.usage("--%s and --%s exclude each other", action, name) end
      action, which = name, options[name]
    end
  end
  if not action then
    list.print(engine[command.verb](engine, filter_of(options)), command.columns, out, command.empty)
    return 0
  end
  local rows = which == "all" and engine[command.verb](engine, filter_of(options)) or engine[command.verb](engine, { id = args.id(which) })
  if #rows == 0 and which ~= "all" then
    out:problem(("orrery: none of the %s has the id %s"):format(command.verb, which))
    return 1
  end
  return list.apply(command.actions[action], engine, rows, options, out)
end

--- Applies an action to each record; one that fails does not keep the others from being tried.
function list.apply(action, engine, rows, options, out)
  local failed = 0
  for i, row in ipairs(rows) do
    out:progress("%d of %d", i, #rows)
    local ok, said = pcall(action, engine, row, options)
    if not ok and args.is_usage(said) then error(said, 0) end
    if ok then out:event({ event = "done", id = row.id, text = said }, ("%s: %s"):format(row.id, said))
    else
      failed = failed + 1
      out:problem(("%s: %s"):format(row.id, tostring(said)))
    end
  end
  return failed > 0 and 1 or 0
end

return list
