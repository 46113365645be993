--- orrery version.
local orrery = require "orrery"

return {
  spec = { name = "version", summary = "Prints Orrery's version.", options = { { "--json", "as a JSON object" } } },
  run = function(_, out)
    out:event({ version = orrery.version, lua = _VERSION }, ("orrery %s (%s)"):format(orrery.version, _VERSION))
    return 0
  end,
}
