--- orrery start: a new instance.
local args = require "orrery.cli.args"
local starts = require "orrery.cli.model.starts"
local store = require "orrery.cli.store"
local waits = require "orrery.cli.waits"
local lookup = require "orrery.cli.lookup"

local function request_of(options)
  local request = { variables = args.assignments(options.set), business_key = options.business_key, tenant = options.tenant,
    async = options.async }
  for i, activity in ipairs(options.at or {}) do
    request.instructions = request.instructions or {}
    request.instructions[i] = { start_before = activity }
  end
  return request
end

local function start(engine, options)
  local request = request_of(options)
  if options.message then return engine:start_by_message(options[2], request) end
  return starts.start(engine, lookup.definition(engine, options[2]), request)
end

local function run(options, out)
  local engine <close> = store.open(options[1], options)
  local instance = start(engine, options)
  local now = engine:history_instance(instance.id) or instance
  out:event({ event = "started", instance = instance.id, process = instance.definition_key, business_key = instance.business_key,
    state = now.state, end_activity = now.end_activity },
    ("started %s as instance %s"):format(instance.definition_key, instance.id))
  if not engine:instance(instance.id) then
    out:event({ event = "ended", instance = instance.id, state = now.state, end_activity = now.end_activity },
      ("ended at %s"):format(now.end_activity or now.state or "an end"))
  end
  for _, wait in ipairs(waits.of(engine, instance)) do
    wait.event = "waits"
    out:event(wait, ("waits %s: %s"):format(wait.activity or "", wait.text))
  end
  return 0
end

return {
  spec = {
    name = "start", summary = "Starts a process and runs it to where it waits.",
    arguments = { { "STORE", "the store's folder" }, { "PROCESS", "KEY for its latest version, KEY:VERSION, or a definition's id" } },
    options = {
      { "--set", "a variable to start with", value = "NAME=VALUE", many = true },
      { "--business-key", "the instance's business key", value = "KEY" },
      { "--message", "PROCESS is the name of a message that starts one" },
      { "--at", "start before this activity or start event, instead of at the plain one",
        value = "ACTIVITY", many = true },
      { "--tenant", "of this tenant", value = "NAME" },
      { "--async", "by a job, which an executor runs" },
      { "--lua", "a Lua file that registers the delegates that run up to the first wait", value = "FILE" },
      { "--json", "one JSON object a line" },
    },
  },
  run = run,
}
