--- orrery jobs: lists, repairs and explains jobs.
local args = require "orrery.cli.args"
local list = require "orrery.cli.list"
local orrery = require "orrery"
local store = require "orrery.cli.store"

--- What a job is waiting for, in a word; --stuck says more.
local function state_of(job)
  if job.suspended then return "suspended" end
  if job.retries <= 0 then return "failed" end
  if job.lock_owner then return "locked" end
  if job.due and job.due > os.time() then return job.error and "to retry" or "waiting" end
  return "ready"
end

local command = {
  verb = "jobs", empty = "no jobs",
  columns = { { "ID", "id" }, { "TYPE", "handler" }, { "PROCESS", "definition_key" }, { "ACTIVITY", "activity_id" }, { "INSTANCE",
    "instance_id" }, { "STATE", state_of }, { "DUE", list.time "due" }, { "RETRIES", "retries" }, { "PRIORITY", "priority" },
    { "LOCKED BY", "lock_owner" }, { "ERROR", "error" } },
  actions = {},
  all = { retry = { no_retries = true } },
}

--- The option that an action cannot do without.
local function needed(options, name, action) return options[name] or args.usage("--%s needs --%s", action, name) end

function command.actions.retry(_, job, options)
  local retries = options.retries or 1
  if job.retries > 0 and not options.retries then
    error(("has %d of its tries left; --retries sets their number all the same"):format(job.retries), 0)
  end
  job:set_retries(retries)
  return ("may be tried %d more time(s)"):format(retries)
end

function command.actions.execute(_, job, options)
  local ok, e = pcall(job.execute, job)
  if ok then return "executed" end
  if e.kind == "not_found" and not options.lua then error(("%s (--lua names a file that registers delegates)"):format(e.message), 0) end
  error(e, 0)
end

function command.actions.delete(_, job)
  job:delete()
  return "deleted"
end

function command.actions.suspend(_, job)
  job:suspend()
  return "suspended"
end

function command.actions.activate(_, job)
  job:activate()
  return "active"
end

function command.actions.due(_, job, options)
  local time = needed(options, "at", "due")
  job:set_due(time)
  return "due at " .. orrery.format_time(time)
end

function command.actions.prioritize(_, job, options)
  local priority = needed(options, "priority", "prioritize")
  job:set_priority(priority)
  return ("has priority %d"):format(priority)
end

function command.actions.traceback(_, job) return job:traceback() or "no traceback" end

--- Of each reason how many, the most frequent first.
local function tally(rows)
  local counts, reasons, words = {}, {}, {}
  for _, row in ipairs(rows) do counts[row.reason] = (counts[row.reason] or 0) + 1 end
  for reason in pairs(counts) do reasons[#reasons + 1] = reason end
  table.sort(reasons, function(a, b) return counts[a] > counts[b] or counts[a] == counts[b] and a < b end)
  for i, reason in ipairs(reasons) do words[i] = ("%d %s"):format(counts[reason], reason) end
  return counts, table.concat(words, ", ")
end

local function print_stuck(rows, out)
  for _, row in ipairs(rows) do
    out:event(row, ("%s  %s %s  %s\n    %s\n    %s %s"):format(out.paint("key", tostring(row.id)), row.definition_key or "-",
      row.activity_id or "-", out.paint("wait", row.reason), row.text:gsub("%c+", " "), out.paint("good", "->"), row.cure))
  end
end

--- Why each job does not run. Those that an executor has or takes next are counted alone, and those that need nothing but one.
local function stuck(options, out)
  local engine <close> = store.open(options[1], options)
  local rows, looked, ready, taken = {}, 0, 0, 0
  for job in list.each(engine, "jobs", options) do
    looked = looked + 1
    out:progress("%d jobs looked at, %d stuck", looked, #rows)
    local why = job:why()
    if why.reason == "no_executor" then ready = ready + 1
    elseif why.reason == "running" or why.reason == "ready" then taken = taken + 1
    else
      rows[#rows + 1] = { id = job.id, activity_id = job.activity_id, definition_key = job.definition_key, instance_id = job.instance_id,
        reason = why.reason, text = why.text, cure = why.cure }
    end
  end
  print_stuck(rows, out)
  local counts, words = tally(rows)
  local lines = { #rows == 0 and "no job is stuck" or ("%d of %d job(s) wait: %s"):format(#rows, looked, words) }
  if taken > 0 then lines[#lines + 1] = ("%d job(s) are ready, and an executor takes them next"):format(taken) end
  if ready > 0 then lines[#lines + 1] = ("%d job(s) are ready, but no executor runs on this store"):format(ready) end
  out:event({ event = "summary", jobs = looked, stuck = #rows, ready = ready, taken = taken, reasons = counts }, table.concat(lines, "\n"))
  return 0
end

command.views = { stuck = stuck }

return list.command(command, {
  name = "jobs", summary = "Lists a store's jobs; explains, retries, executes or changes them.",
  options = {
    { "--stuck", "say of each job why it does not run, and what would help" },
    { "--retry", "let a failed job, or all failed ones that are listed, be tried again", value = "ID|all" },
    { "--retries", "with --retry: how often (1)", value = "N", as = "count", with = { "--retry" } },
    { "--execute", "run a job now, in this process", value = "ID|all" },
    { "--due", "give a job another due date, --at", value = "ID|all" },
    { "--at", "with --due: when", value = "TIME", as = "time", with = { "--due" } },
    { "--prioritize", "give a job another --priority", value = "ID|all" },
    { "--priority", "with --prioritize: which", value = "N", as = "integer", with = { "--prioritize" } },
    { "--suspend", "let a job not run", value = "ID|all" }, { "--activate", "let it run again", value = "ID|all" },
    { "--delete", "delete a job; its token stays", value = "ID" }, { "--traceback", "the last failure in full", value = "ID" },
  },
  notes = "What is suspended with its instance or process definition is activated with 'orrery instances' and 'orrery definitions'.",
})
