--- orrery signal: to everything that waits for it.
local args = require "orrery.cli.args"
local bulk = require "orrery.cli.bulk"
local store = require "orrery.cli.store"

local function run(options, out)
  local engine <close> = store.open(options[1], options)
  local waiting = engine:count("subscriptions", { type = "signal", name = options[2], tenant = options.tenant })
  engine:signal(options[2], { variables = args.assignments(options.set), tenant = options.tenant, async = options.async })
  out:event({ event = "signaled", name = options[2], receivers = waiting },
    ("sent to %s"):format(bulk.count(waiting, "receivers")))
  return 0
end

return {
  spec = {
    name = "signal", summary = "Sends a signal to everything that waits for it, and starts what it starts.",
    arguments = { { "STORE", "the store's folder" }, { "NAME", "the signal's name" } },
    options = {
      { "--set", "a variable that it brings", value = "NAME=VALUE", many = true },
      { "--tenant", "of this tenant", value = "NAME" },
      { "--async", "by jobs, one for each receiver, which an executor runs" },
      { "--lua", "a Lua file that registers the delegates that run next", value = "FILE" },
      { "--json", "one JSON object a line" },
    },
  },
  run = run,
}
