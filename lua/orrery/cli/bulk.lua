--- One action on many records. The set of them is frozen first and counted; a terminal is asked, else --yes must say it; --dry-run does
--- nothing. Records are changed in groups, each one transaction and one sync; of a group that fails each is tried by itself.
local args = require "orrery.cli.args"
local core = require "orrery.core"
local conflicts = require "orrery.cli.conflicts"

local bulk = {}

bulk.options = {
  { "--yes", "with all: do it without being asked" },
  { "--dry-run", "with all: list what it would be done to, and do nothing" },
  { "--verbose", "with all: a line for each, not only for those that failed" },
}

local GROUP = 100 -- records in one transaction: a sync for all, and a conflict costs no more than that

--- "retry" -> "retried", "cancel" -> "canceled"
local function past(verb)
  if verb == "cancel" then return "canceled" end
  return (verb:gsub("y$", "i"):gsub("e$", "")) .. "ed"
end

--- "1 job", "2 jobs"; "instances" -> "1 instance"
function bulk.count(n, plural)
  if n ~= 1 then return ("%d %s"):format(n, plural) end
  return "1 " .. (plural:gsub("ies$", "y"):gsub("([xs])es$", "%1"):gsub("s$", ""))
end

local function ask(question)
  io.stderr:write(core.shown(question), " [y/N] ")
  local answer = io.read "l"
  return answer ~= nil and (answer:lower() == "y" or answer:lower() == "yes")
end

--- May `what` ("suspend 3 jobs") be done? Raises a usage error where nobody can be asked.
function bulk.agreed(what, options, out)
  if options.yes then return true end
  if not (out.is_terminal(io.stdin) and out.is_terminal(io.stderr)) then
    args.usage("--yes is needed to %s; --dry-run lists them", what)
  end
  return ask((what:gsub("^%l", string.upper)) .. "?")
end

local function failure_text(e) return type(e) == "table" and e.message or tostring(e) end

--- Does a group in one transaction: what each said, or nil and what the first that failed raised.
local function together(self, rows)
  local said = {}
  local ok, e = pcall(self.engine.transaction, self.engine, function()
    for i, row in ipairs(rows) do said[i] = self.action(row) end
  end)
  return ok and said or nil, e
end

local function tell_done(self, row, text, options, out)
  self.done = self.done + 1
  out:event({ event = "done", id = row.id, text = text }, options.verbose and ("%s: %s"):format(row.id, text) or nil)
end

local function tell_failed(self, row, e, out)
  self.failed = self.failed + 1
  if out.json then out:event { event = "failed", id = row.id, message = failure_text(e) }
  else out:problem(("%s: %s"):format(row.id, failure_text(e))) end
end

local function one_by_one(self, rows, options, out)
  for _, row in ipairs(rows) do
    core.signals_check()
    local ok, said = pcall(conflicts.retry, self.action, row)
    if not ok and (args.is_usage(said) or core.signals_caught()) then error(said, 0) end
    if ok then tell_done(self, row, said, options, out) else tell_failed(self, row, said, out) end
  end
end

--- The records as they are now; those that are gone are counted alone.
local function records_of(self, first)
  local rows = {}
  for i = first, math.min(first + GROUP - 1, #self.ids) do
    local row = self.engine[self.one](self.engine, self.ids[i])
    if row then rows[#rows + 1] = row else self.gone = self.gone + 1 end
  end
  return rows
end

local function do_group(self, rows, options, out)
  if not self.alone and #rows > 1 then
    local said, e = together(self, rows)
    if said then
      for i, row in ipairs(rows) do tell_done(self, row, said[i], options, out) end
      return
    end
    if args.is_usage(e) or core.signals_caught() then error(e, 0) end
  end
  one_by_one(self, rows, options, out)
end

local function summary(self, out, interrupted)
  local left = #self.ids - self.done - self.failed - self.gone
  local words = { ("%d %s"):format(self.done, past(self.verb)) }
  if self.failed > 0 then words[#words + 1] = self.failed .. " failed" end
  if self.gone > 0 then words[#words + 1] = self.gone .. " gone before" end
  if interrupted then words[#words + 1] = left .. " left" end
  out:event({ event = "summary", action = self.verb, matched = #self.ids, done = self.done, failed = self.failed, gone = self.gone,
    left = left }, ("%s: %s"):format(bulk.count(#self.ids, self.plural), table.concat(words, ", ")))
end

local function do_all(self, options, out)
  for first = 1, #self.ids, GROUP do
    out:progress("%d of %d, %d failed", self.done + self.failed, #self.ids, self.failed)
    core.signals_check()
    do_group(self, records_of(self, first), options, out)
  end
end

--- `self`: engine, one (the verb that finds a record), plural (its name for many), verb (what is done), ids (frozen), action(record), which
--- returns what it did in words; alone: each in a transaction of its own, because it runs code of the host. Returns the exit code.
function bulk.run(self, options, out)
  self.done, self.failed, self.gone = 0, 0, 0
  if options.dry_run then
    out:event({ event = "summary", action = self.verb, matched = #self.ids, dry_run = true },
      ("%s would be %s"):format(bulk.count(#self.ids, self.plural), past(self.verb)))
    return 0
  end
  if #self.ids == 0 then
    summary(self, out)
    return 0
  end
  if not bulk.agreed(("%s %s"):format(self.verb, bulk.count(#self.ids, self.plural)), options, out) then
    out:problem "nothing was done"
    return 1
  end
  core.signals_interrupt() -- a group that runs is rolled back; what was done is told
  local ok, e = pcall(do_all, self, options, out)
  summary(self, out, not ok)
  if not ok then error(e, 0) end
  return self.failed > 0 and 1 or 0
end

return bulk
