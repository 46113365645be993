--- orrery copy: a backup of a store that works. It is made in a process of its own, because a damaged page may end the one that reads it.
local args = require "orrery.cli.args"
local core = require "orrery.core"
local orrery = require "orrery"
local store = require "orrery.cli.store"

local function folder_of(path) return path:gsub("/+$", ""):match "^(.*)/" or "." end

--- What the making of a copy has left beside its target: name -> true. In a database it leaves a mark, which the next copy takes.
local function leftovers(target)
  if core.store_is_url(target) then return {} end
  local found, name = {}, (target:gsub("/+$", ""):match "[^/]+$" or target) .. ".copying-"
  for _, entry in ipairs(core.folder(folder_of(target)) or {}) do
    if entry:sub(1, #name) == name then found[entry] = true end
  end
  return found
end

--- Removes what this copy left when its process was killed; what was there before is another's.
local function clean(target, before)
  for entry in pairs(leftovers(target)) do
    if not before[entry] then
      local folder = folder_of(target) .. "/" .. entry
      for _, name in ipairs(core.folder(folder) or {}) do os.remove(folder .. "/" .. name) end
      os.remove(folder)
    end
  end
end

local function verified(target, out)
  local engine <close> = orrery.open(target, { log = "error" })
  local findings = engine:verify { progress = out:meter "checking" }
  for _, finding in ipairs(findings) do out:problem(finding) end
  return #findings == 0
end

--- Of a folder, in bytes.
local function size_of(target)
  local file <close> = io.open(target .. "/data.mdb", "rb")
  return file and file:seek "end"
end

local function make(options, out)
  local target = options[2]
  local from, to = store.shown(options[1]), store.shown(target)
  do
    local engine <close> = store.open(options[1], {})
    engine:copy_to(target, { compact = options.compact, progress = out:meter("copying " .. from) })
  end
  local sound, size = not options.verify or verified(target, out), size_of(target)
  local said = ("copied %s to %s"):format(from, to)
  if size then said = ("%s, %.1f MB"):format(said, size / 1e6) end
  if options.verify and sound then said = said .. ", verified" end
  out:event({ event = "copied", from = from, to = to, bytes = size, verified = options.verify and sound or nil }, said)
  return sound and 0 or 1
end

--- A message instead of a traceback, in the process that makes the copy.
local function make_and_tell(options, out)
  local ok, result = pcall(make, options, out)
  if ok then return result end
  out:problem("orrery copy: " .. (type(result) == "table" and result.message or tostring(result)))
  return 1
end

local function run(options, out)
  store.must_exist(options[1])
  if not core.store_is_url(options[2]) and core.file_type(options[2]) then
    args.usage("%s is there already; a copy makes its folder itself", options[2])
  end
  local before = leftovers(options[2])
  local release = core.signals_catch() -- the process that copies is ended by a signal, this one cleans up
  local code, signal = core.in_child(function()
    release()
    return make_and_tell(options, out)
  end)
  local caught, number = core.signals_caught()
  release()
  if code ~= 0 then clean(options[2], before) end
  if caught or signal then
    out:problem(("orrery copy: ended by %s; there is no copy"):format(caught or signal))
    return number and 128 + number or 1
  end
  return code
end

return {
  spec = {
    name = "copy", summary = "Copies a store that may be at work, as of one moment: a backup, or a move to a database and back.",
    arguments = { { "STORE", "the store's folder, or its URL" },
      { "TARGET", "a folder that is not there yet, or the URL of a database that holds no store" } },
    options = {
      { "--compact", "leave out the pages that nothing uses: slower, and smaller" },
      { "--verify", "check the copy when it is made, as 'orrery verify' does" },
      { "--json", "one JSON object a line" },
    },
    notes = "Any number of processes may work on the store meanwhile. The copy is a store like any other: to restore it, stop what works\n"
      .. "on the damaged one, move that away, and put the copy in its place.\n"
      .. "A database has its schema first ('orrery schema URL'). Until all is copied and compared, nothing opens it as a store;\n"
      .. "a copy that was interrupted is begun anew. Stop what works on a store before you move it: the copy lacks what is done\n"
      .. "afterwards.",
  },
  run = run,
}
