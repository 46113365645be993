--- How orrery.testing fails: with what was and what would be right, at the line of the spec that asked.
local inspect = require "orrery.inspect"
local orrery = require "orrery"

local M = {}

local own = debug.getinfo(1, "S").source:gsub("testing/fail%.lua$", "")

--- "spec.lua:12: ", of the innermost code that is not Orrery's.
local function place()
  for level = 3, 100 do
    local frame = debug.getinfo(level, "Sl")
    if not frame then return "" end
    if frame.currentline > 0 and frame.source:sub(1, #own) ~= own then return ("%s:%d: "):format(frame.short_src, frame.currentline) end
  end
  return ""
end

--- Raises. In busted it is a failure of the test, elsewhere an error.
function M.fail(format, ...)
  local message = place() .. format:format(...)
  local busted = package.loaded.busted
  local raise = type(busted) == "table" and busted.fail
  if raise then raise(message, 0) end
  error(message, 0)
end

--- "a, b", or what to say when there are none.
function M.list(names, none) return #names > 0 and table.concat(names, ", ") or none end

--- What a test forgets most: jobs that are due, and delegates that are not there. "" when it is neither.
function M.hint(engine, filter)
  for _, job in ipairs(engine:jobs(filter)) do
    local ready = job.retries > 0 and not job.error and not job.suspended and (not job.due or job.due <= engine:now())
    local missing = ready and job:why().reason == "delegate_missing"
    if missing then
      return ("\njob of %s: %s; t:stub, or stubs = true, puts a stub there"):format(job.activity_id or job.handler, job:why().text)
    elseif ready then
      return ("\njob of %s is due: t:run() runs it"):format(job.activity_id or job.handler)
    end
  end
  return ""
end

--- The fields of records that are times, which a spec may give as texts.
local times = { due = true, follow_up = true, created = true, time = true, lock_expires = true }

local function wanted_value(key, value)
  if value == orrery.null then return nil end
  if times[key] and type(value) == "string" then return orrery.parse_time(value) end
  return value
end

--- A value as a message shows it.
function M.shown(key, value)
  if times[key] and type(value) == "number" then return orrery.format_time(value) end
  return inspect.value(value)
end

--- Fails unless a record has these fields; orrery.null means that there is none. `special`: facts that are no fields, by name, as
--- functions (record, wanted) -> found, holds.
function M.facts(what, record, facts, special)
  local keys = {}
  for key in pairs(facts or {}) do keys[#keys + 1] = key end
  table.sort(keys)
  for _, key in ipairs(keys) do
    local wanted, found, holds = wanted_value(key, facts[key]), record[key], nil
    if special and special[key] then
      found, holds = special[key](record, facts[key])
    else
      holds = inspect.value(found) == inspect.value(wanted)
    end
    if not holds then M.fail("%s: %s should be %s, but is %s", what, key, M.shown(key, wanted), M.shown(key, found)) end
  end
end

return M
