--- orrery verify: whether a store is sound.
local store = require "orrery.cli.store"

local function run(options, out)
  local engine <close> = store.open(options[1], {})
  out:progress "checking"
  local findings = engine:verify()
  for _, finding in ipairs(findings) do
    if out.json then out:event { event = "finding", text = finding } else out:problem(finding) end
  end
  out:event({ event = "summary", findings = #findings }, #findings == 0 and "the store is sound" or ("%d finding(s)"):format(#findings))
  return #findings == 0 and 0 or 1
end

return {
  spec = {
    name = "verify", summary = "Checks that every record, index row, reference and token of a store holds.",
    arguments = { { "STORE", "the store's folder" } }, options = { { "--json", "one JSON object a line" } },
  },
  run = run,
}
