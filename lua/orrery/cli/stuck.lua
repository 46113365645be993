--- orrery jobs --stuck: why jobs do not run that should. What simply is not due is counted alone, and what an executor has or takes next.
local bulk = require "orrery.cli.bulk"
local clock = require "orrery.cli.clock"
local list = require "orrery.cli.list"
local stacks = require "orrery.cli.stacks"
local store = require "orrery.cli.store"

local SHOWN = 100 -- kinds, or jobs with --each, unless --limit says otherwise

--- What the job's record alone tells: it waits for its time, and has not failed.
local function simply_not_due(job)
  return job.due and job.due > clock.now() and not job.error and not job.suspended and job.retries > 0 and not job.lock_owner
end

--- How a job is counted that is not stuck; nil: it is.
local uncounted = { not_due = "not_due", no_executor = "ready", running = "taken", ready = "taken" }

--- The names of the executors that run on the store, in whatever process.
local function owners_at_work(engine)
  local names = {}
  for _, x in ipairs(engine:executors()) do names[x.owner] = true end
  return names
end

local function row_of(job, why)
  return { id = job.id, activity_id = job.activity_id, definition_key = job.definition_key, instance_id = job.instance_id,
    business_key = job.business_key, reason = why.reason, text = why.text, cure = why.cure,
      error = job.error, since = job.created }
end

--- The first line of an error tells the kind; numbers differ from job to job.
local function kind_of(row)
  local message = (row.error or ""):match "[^\n]*":gsub("%d+", "0")
  return table.concat({ row.reason, row.definition_key or "", row.activity_id or "", message }, "\0")
end

local function add_to_kind(found, row)
  local key = kind_of(row)
  local kind = found.kinds[key]
  if not kind then
    local where = key:match "^[^\0]*\0[^\0]*\0[^\0]*" -- reason, process and activity: several kinds may fail there
    local place = found.places[where] or { kinds = 0 }
    found.places[where] = place
    place.kinds = place.kinds + 1
    kind = { count = 0, first = row, place = place }
    found.kinds[key], found.order[#found.order + 1] = kind, kind
  end
  kind.count = kind.count + 1
  if row.since and row.since < (kind.first.since or math.huge) then kind.first = row end
end

--- Where no executor runs, and no limit is set, that is why a job does not run that may.
local function waits_for_executor(engine)
  return #engine:executors() == 0 and not engine:executor_active() and engine:count "limits" == 0
end

--- What waited for a delegate the last time may wait for it still: to ask why tells.
local function may_run(job)
  return not job.waits_for and not job.suspended and job.retries > 0 and not job.lock_owner and not job.error
    and (not job.due or job.due <= clock.now())
end

--- Looks at every job that --where asks for. To ask why costs more than to look at the record.
local function look(engine, options, out)
  local nobody, at_work = waits_for_executor(engine), owners_at_work(engine)
  local found = { looked = 0, stuck = 0, not_due = 0, ready = 0, taken = 0, reasons = {}, kinds = {}, places = {}, order = {},
    rows = {} }
  for job in list.each(engine, "jobs", { where = options.where, instance_id = options.instance_id },
    { with_fields = { "business_key" } }) do
    found.looked = found.looked + 1
    if found.looked % 100 == 0 then out:progress("%d jobs looked at, %d stuck", found.looked, found.stuck) end
    local why = simply_not_due(job) and { reason = "not_due" } or nobody and may_run(job) and { reason = "no_executor" } or job:why()
    local counted = not (why.reason == "not_due" and job.error) and uncounted[why.reason]
      or why.reason == "locked" and at_work[job.lock_owner] and "taken"
    if counted then found[counted] = found[counted] + 1
    else
      local row = row_of(job, why)
      found.stuck = found.stuck + 1
      found.reasons[why.reason] = (found.reasons[why.reason] or 0) + 1
      if options.each and #found.rows < (options.limit or SHOWN) then found.rows[#found.rows + 1] = row end
      add_to_kind(found, row)
    end
  end
  table.sort(found.order, function(a, b) return a.count > b.count or a.count == b.count and a.first.id < b.first.id end)
  return found
end

local function print_job(row, out)
  out:event(row, { ("%s  %s %s  %s"):format(out.paint("key", tostring(row.id)), row.definition_key or "-", row.activity_id or "-",
    out.paint("wait", row.reason)), "    " .. row.text, ("    %s %s"):format(out.paint("good", "->"), row.cure) })
end

--- What tells a kind's jobs from others at the same place: how its errors begin, up to what differs or is a pattern's.
local function told_apart(kind)
  local begins = kind.place.kinds > 1 and (kind.first.error or ""):match "^[^%d%%_'\\\n]+"
  return begins and (" --where 'error_like=%s%%'"):format(begins) or ""
end

--- The command that carries out a cure for all of a kind; "": the cure says it.
local function command_for(kind, path)
  local row = kind.first
  local definition = row.reason == "suspended" and row.text:match "process definition (%d+)"
  if definition then return (": orrery activate %s --definition %s --instances"):format(path, definition) end
  local action = row.reason == "no_retries" and "--retry all"
    or row.reason == "retry_later" and "--due all --at now --where with_error=true" or nil
  if not action or not row.activity_id then return "" end
  return (": orrery jobs %s %s --where activity=%s%s"):format(path, action, row.activity_id, told_apart(kind))
end

local function print_kind(kind, path, out)
  local row = kind.first
  local key = row.business_key and (", business key %q"):format(row.business_key) or ""
  local of = ("job %s of instance %s%s: "):format(row.id, row.instance_id or "-", key)
  if kind.count > 1 then of = ("the oldest, since %s, is %s"):format(clock.format(row.since) or "?", of) end
  out:event({ event = "kind", count = kind.count, reason = row.reason, definition_key = row.definition_key, activity_id = row.activity_id,
    error = row.error, text = row.text, cure = row.cure, oldest = row.id,
      oldest_instance = row.instance_id,
    oldest_business_key = row.business_key, since = row.since },
    { ("%s  %s %s  %s"):format(out.paint("key", bulk.count(kind.count, "jobs")), row.definition_key or "-", row.activity_id or "-",
      out.paint("wait", row.reason)), ("    %s%s"):format(of, row.text),
      ("    %s %s%s"):format(out.paint("good", "->"), row.cure, command_for(kind, path)) })
end

--- "3 no_retries, 1 suspended", the most frequent first.
local function tally(counts)
  local reasons, words = {}, {}
  for reason in pairs(counts) do reasons[#reasons + 1] = reason end
  table.sort(reasons, function(a, b) return counts[a] > counts[b] or counts[a] == counts[b] and a < b end)
  for i, reason in ipairs(reasons) do words[i] = ("%d %s"):format(counts[reason], reason) end
  return table.concat(words, ", ")
end

local function summary_lines(found, path)
  local lines = { found.stuck == 0 and (found.ready > 0 and "no job runs" or "no job is stuck")
    or ("%s stuck of %d: %s"):format(bulk.count(found.stuck, "jobs"), found.looked, tally(found.reasons)) }
  local function add(n, text)
    if n > 0 then lines[#lines + 1] = ("%s %s"):format(bulk.count(n, "jobs"), text) end
  end
  add(found.ready, ("ready, but no executor runs on this store: orrery work %s"):format(path))
  add(found.taken, "ready or running: an executor has them, or takes them next")
  add(found.over, "on a thread beyond their time limits")
  add(found.not_due, "not due yet")
  return lines
end

--- A job that a thread is at, and where its delegate is.
local function print_thread(row, why, out)
  local job, place = out.paint("key", tostring(row.job)), row.definition_key or "-"
  local where = row.line and " at " .. stacks.line(row) or ""
  why = out.paint("wait", why)
  out:event(row, { ("%s  %s %s  %s"):format(job, place, row.activity_id or "-", why),
    ("    on thread %d of %s since %s: %s%s"):format(row.thread, row.process,
      clock.format(row.since), row.delegate or row.state, where) })
end

--- Of all processes: each job that a thread has been at for longer, and who does not say.
local function longer(engine, options, out)
  local rows, silent = stacks.longer(engine:threads(), options.longer, engine:now())
  for _, row in ipairs(rows) do print_thread(row, clock.length(row.lasts), out) end
  for _, line in ipairs(silent) do out:problem(line) end
  out:event({ event = "summary", jobs = #rows, silent = #silent }, stacks.longer_summary(rows, options.longer))
  return 0
end

local function stuck(engine, options, out)
  if options.longer then return longer(engine, options, out) end
  local found = look(engine, options, out)
  local most = options.limit or SHOWN
  local all = options.each and found.rows or found.order
  for i = 1, math.min(most, #all) do
    if options.each then print_job(all[i], out) else print_kind(all[i], store.shown(options[1]), out) end
  end
  local more = (options.each and found.stuck or #found.order) - math.min(most, #all)
  if more > 0 then out:problem(("%d more; see --limit and --where"):format(more)) end
  -- Those that are in C beyond their time limits, which nothing can end, hold their threads.
  local over = found.taken > 0 and stacks.over(engine:threads(), engine:now()) or {}
  found.over = #over
  for _, row in ipairs(over) do
    print_thread(row, "over its time limit by " .. clock.length(row.lasts), out)
  end
  out:event({ event = "summary", jobs = found.looked, stuck = found.stuck, ready = found.ready, taken = found.taken,
    over = found.over, not_due = found.not_due, kinds = #found.order, reasons = found.reasons },
    summary_lines(found, store.shown(options[1])))
  return 0
end

return stuck
