--- orrery verify: whether a store is sound. It looks in a process of its own, because a damaged page may end the one that reads it.
local bulk = require "orrery.cli.bulk"
local core = require "orrery.core"
local store = require "orrery.cli.store"

local function tell(out, finding)
  if out.json then out:event { event = "finding", text = finding } else out:problem(finding) end
end

local function check(options, out)
  local engine <close> = store.open(options[1], {})
  local findings = engine:verify { progress = out:meter "checking" }
  for _, finding in ipairs(findings) do tell(out, finding) end
  out:event({ event = "summary", findings = #findings },
    #findings == 0 and "the store is sound" or bulk.count(#findings, "findings"))
  return #findings == 0 and 0 or 1
end

--- What an open raises is a finding, too: the store's being there at all was looked at before.
local function check_and_tell(options, out)
  local ok, result = pcall(check, options, out)
  if ok then return result end
  tell(out, type(result) == "table" and result.message or tostring(result))
  return 1
end

local damage = { SIGSEGV = true, SIGBUS = true }

local function run(options, out)
  store.must_exist(options[1])
  local code, signal = core.in_child(function() return check_and_tell(options, out) end)
  local why = damage[signal] and "pages of the store are damaged" or "it is not known whether the store is sound"
  if signal then tell(out, ("the check was ended by %s: %s"):format(signal, why)) end
  return code or 1
end

return {
  spec = {
    name = "verify", summary = "Checks that every record, index row, reference and token of a store holds.",
    arguments = { { "STORE", "the store's folder" } }, options = { { "--json", "one JSON object a line" } },
  },
  run = run,
}
