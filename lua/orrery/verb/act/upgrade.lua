--- orrery upgrade: a store of an older format comes to this version's. It is made in a process of its own, because a damaged page may
--- end the one that reads it.
local bulk = require "orrery.cli.bulk"
local core = require "orrery.core"
local orrery = require "orrery"
local store = require "orrery.cli.store"

local function make(options, out)
  local result = orrery.upgrade(options[1], { keep = options.keep, force = options.force, progress = out:meter "upgrading" })
  local text = result.from == result.to and ("the store is of format %d already"):format(result.to)
    or ("format %d to %d, %s"):format(result.from, result.to, bulk.count(result.records, "records"))
  if options.keep and result.from ~= result.to then text = text .. "; the old file is data.mdb.old" end
  out:event({ event = "upgraded", from = result.from, to = result.to, records = result.records, problems = result.problems }, text)
  return 0
end

--- A message instead of a traceback, in the process that does it.
local function make_and_tell(options, out)
  local ok, result = pcall(make, options, out)
  if ok then return result end
  out:problem("orrery upgrade: " .. (type(result) == "table" and result.message or tostring(result)))
  return 1
end

local function run(options, out)
  store.must_exist(options[1])
  local code, signal = core.in_child(function() return make_and_tell(options, out) end)
  if signal then out:problem(("the upgrade was ended by %s; the store is as it was"):format(signal)) end
  return code or 1
end

return {
  spec = {
    name = "upgrade", summary = "Brings a store that an older version wrote to this version's format.",
    arguments = { { "STORE", "the store's folder" } },
    options = { { "--keep", "the old file stays beside the new one, as data.mdb.old" },
      { "--force", "take the new file even if the check finds something" }, { "--json", "one JSON object a line" } },
    notes = "Every record is put into a new file beside the old one, which is checked and takes its place at last, by one step: a\n"
      .. "failure, or a kill, leaves the old one as it was. Stop what uses the store first. The disk needs room for half as much\n"
      .. "again as the store has.",
  },
  run = run,
}
