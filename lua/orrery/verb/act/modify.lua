--- orrery modify: tokens of running instances are moved, canceled and made.
local args = require "orrery.cli.args"
local bulk = require "orrery.cli.bulk"
local list = require "orrery.cli.list"
local conflicts = require "orrery.cli.conflicts"
local store = require "orrery.cli.store"
local waits = require "orrery.cli.waits"
local lookup = require "orrery.cli.lookup"

--- What one option asks for: an array of instructions.
local words = {
  ["--move"] = function(text)
    local from, to = text:match "^(.-):(.+)$"
    if not from or from == "" then args.usage('--move needs FROM:TO, got "%s"', text) end
    return { { start_before = to }, { cancel = from } }
  end,
  ["--cancel"] = function(text) return { { cancel = text } } end,
  ["--cancel-instance"] = function(text) return { { cancel_instance = text } } end,
  ["--before"] = function(text) return { { start_before = text } } end,
  ["--after"] = function(text) return { { start_after = text } } end,
  ["--flow"] = function(text) return { { transition = text } } end,
}

--- What begins comes before what is canceled, so that the instance does not end in between.
local function instructions_of(options)
  local out, cancels = {}, {}
  local variables = args.assignments(options.set)
  for _, name in ipairs { "--before", "--after", "--flow", "--move", "--cancel", "--cancel-instance" } do
    for _, text in ipairs(options[name:sub(3):gsub("-", "_")] or {}) do
      for _, instruction in ipairs(words[name](text)) do
        local cancels_only = instruction.cancel or instruction.cancel_instance
        if not cancels_only and next(variables) then instruction.variables = variables end
        table.insert(cancels_only and cancels or out, instruction)
      end
    end
  end
  table.move(cancels, 1, #cancels, #out + 1, out)
  if #out == 0 then args.usage "what is to be done? --move, --cancel, --before, --after or --flow says it" end
  return out
end

local function modify_one(engine, options, instructions, settings, out)
  local instance = lookup.instance(engine, options[2])
  conflicts.retry(instance.modify, instance, instructions, settings)
  out:event({ event = "modified", instance = instance.id }, ("modified %s"):format(instance.id))
  local now = engine:instance(instance.id)
  if not now then out:event({ event = "ended", instance = instance.id }, "it has ended by that") end
  for _, wait in ipairs(now and waits.of(engine, now) or {}) do
    wait.event = "waits"
    out:event(wait, ("waits %s: %s"):format(wait.activity or "", wait.text))
  end
  return 0
end

local function modify_all(engine, options, instructions, settings, out)
  if not (options.where or options.variable) then args.usage "all needs --where or --variable" end
  local ids = list.ids(engine, "instances", options)
  return bulk.run({ engine = engine, one = "instance", plural = "instances", verb = "modify", ids = ids, alone = true,
    action = function(instance)
      instance:modify(instructions, settings)
      return "modified"
    end }, options, out)
end

local function run(options, out)
  local instructions = instructions_of(options)
  local settings = { skip_listeners = options.skip_listeners, skip_io_mappings = options.skip_io_mappings }
  local engine <close> = store.open(options[1], options)
  local f = options[2] == "all" and modify_all or modify_one
  return f(engine, options, instructions, settings, out)
end

local spec = {
  name = "modify", summary = "Moves, cancels and starts tokens of running instances.",
  arguments = { { "STORE", "the store's folder" }, { "INSTANCE",
    "its id or business key; all: those that --where and --variable name" } },
  options = {
    { "--move", "from one activity to before another", value = "FROM:TO", many = true },
    { "--cancel", "cancel an activity, wherever it is active", value = "ACTIVITY", many = true },
    { "--cancel-instance", "cancel one activity instance; 'orrery instances --show' prints their ids", value = "ID", many = true },
    { "--before", "start before an activity", value = "ACTIVITY", many = true },
    { "--after", "start after an activity", value = "ACTIVITY", many = true },
    { "--flow", "start on a sequence flow", value = "FLOW", many = true },
    { "--set", "a variable for what is started", value = "NAME=VALUE", many = true },
    { "--skip-listeners", "run no listeners of what is canceled and started" },
    { "--skip-io-mappings", "run no input and output mappings" },
    list.where, list.variable, { "--limit", "with all: at most so many", value = "N",
      as = "count" },
    { "--lua", "a Lua file that registers the delegates that run next", value = "FILE" },
    { "--json", "one JSON object a line" },
  },
  notes = "What is started comes first, then what is canceled. With all each instance has a transaction of its own; engine:modify in Lua\n"
    .. "does many in one, or by jobs.",
}
table.move(bulk.options, 1, #bulk.options, #spec.options + 1, spec.options)

return { spec = spec, run = run }
