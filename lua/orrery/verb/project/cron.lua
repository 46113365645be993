--- orrery cron: when a cron expression fires next.
local args = require "orrery.cli.args"
local clock = require "orrery.cli.clock"
local core = require "orrery.core"

--- The first firing must exist; a schedule that ends is no failure.
local function next_firing(options, at, first)
  local ok, found = pcall(core.cron_next, options[2], at, options.zone, options.dialect == "camunda")
  if ok then return found end
  if type(found) == "table" and found.kind == "not_found" and not first then return nil end
  error(found, 0)
end

local function run(options, out)
  if options[1] ~= "next" then args.usage('"%s"? It can only tell "next"', options[1]) end
  local count, at = options.count or 1, options.after or clock.now()
  for i = 1, count do
    at = next_firing(options, at, i == 1)
    if not at then break end
    out:event({ event = "firing", time = at, iso = clock.format(at) }, clock.format(at))
  end
  return 0
end

return {
  spec = {
    name = "cron", summary = "Tells when a cron expression fires next.",
    arguments = { { "next", "the one thing to ask for" }, { "EXPRESSION",
      'second minute hour day month weekday [year], as in "0 0 8 ? * MON-FRI"' } },
    options = {
      { "--count", "so many firings instead of one", value = "N", as = "positive" },
      { "--after", "after this time instead of now", value = "TIME", as = "time" },
      { "--zone", "by the clocks of a zone such as Europe/Berlin; UTC otherwise", value = "NAME" },
      { "--dialect", "camunda: weekdays count from Sunday = 0; otherwise from Sunday = 1", value = "NAME", choices = args.dialects },
      { "--json", "one JSON object a line" },
    },
  },
  run = run,
}
