--- orrery zone: the store's time zone, shown or changed.
local store = require "orrery.cli.store"

local function run(options, out)
  local engine <close> = store.open(options[1], options)
  local before, zone = engine:time_zone(), options[2]
  if not zone or zone == before then
    out:event({ event = "zone", zone = before }, before)
    return 0
  end
  engine:set_time_zone(zone)
  out:event({ event = "zone", zone = zone, before = before },
    ("%s (was %s); what is due already stays due when it is"):format(zone, before))
  return 0
end

return {
  spec = {
    name = "zone", summary = "Shows the store's time zone, or gives it another.",
    arguments = { { "STORE", "the store's folder" }, { "ZONE", "a zone such as Europe/Berlin, UTC or +02:00", optional = true } },
    options = { { "--json", "one JSON object a line" } },
    notes = "By the clocks of its zone a store's cron timers fire, its local times are meant, and its days, weeks, months\n"
      .. "and years are counted, whichever program runs its jobs. A new store takes the option time_zone of the engine that\n"
      .. "makes it (for 'orrery deploy --create', --time-zone), or UTC. Programs at work count by another zone within a second.",
  },
  run = run,
}
