--- orrery message: to whom waits for it, or to what it starts.
local args = require "orrery.cli.args"
local bulk = require "orrery.cli.bulk"
local store = require "orrery.cli.store"
local lookup = require "orrery.cli.lookup"

local function request_of(engine, options)
  if options.start and options.waiting then args.usage "--start and --waiting exclude each other" end
  local start
  if options.start then start = true elseif options.waiting then start = false end
  return { variables = args.assignments(options.set),
    match = options.match and args.assignments(options.match, '--match needs NAME=VALUE, got "%s"'), business_key = options.business_key,
    instance = options.instance and lookup.instance(engine, options.instance).id, tenant = options.tenant,
    all = options.all, start = start }
end

local function tell(got, out)
  local text = got.type == "definition" and "started instance %s" or "received by instance %s"
  out:event({ event = got.type == "definition" and "started" or "received", instance = got.instance_id, execution = got.execution_id },
    text:format(got.instance_id))
end

local function run(options, out)
  local engine <close> = store.open(options[1], options)
  local got = engine:message(options[2], request_of(engine, options))
  if not options.all then
    tell(got, out)
    return 0
  end
  for _, one in ipairs(got) do tell(one, out) end
  out:event({ event = "summary", received = #got }, bulk.count(#got, "receivers"))
  return 0
end

return {
  spec = {
    name = "message", summary = "Sends a message to the one that waits for it, or starts what it starts.",
    arguments = { { "STORE", "the store's folder" }, { "NAME", "the message's name" } },
    options = {
      { "--set", "a variable that it brings", value = "NAME=VALUE", many = true },
      { "--instance", "to this instance, by id or business key", value = "ID|KEY" },
      { "--business-key", "to an instance with this business key, or for the one that it starts", value = "KEY" },
      { "--match", "to an instance with this variable", value = "NAME=VALUE", many = true },
      { "--all", "to all that wait for it, instead of exactly one" },
      { "--start", "only to start a process" }, { "--waiting", "only to whom waits" },
      { "--tenant", "of this tenant", value = "NAME" },
      { "--lua", "a Lua file that registers the delegates that run next", value = "FILE" },
      { "--json", "one JSON object a line" },
    },
  },
  run = run,
}
