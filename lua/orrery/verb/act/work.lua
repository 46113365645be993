--- orrery work: an executor in the foreground, as a service manager wants it.
local args = require "orrery.cli.args"
local bulk = require "orrery.cli.bulk"
local clock = require "orrery.cli.clock"
local core = require "orrery.core"
local list = require "orrery.cli.list"
local orrery = require "orrery"
local stacks = require "orrery.cli.stacks"
local store = require "orrery.cli.store"
local traces = require "orrery.cli.traces"

local LOOK <const> = 0.05     -- seconds between looks for a signal
local DRAIN_LOOK <const> = 0.01
local COUNTED <const> = 1000  -- jobs that wait for delegates, at the end
local DRAIN <const> = 30      -- seconds, as the executor's
local REPORT <const> = 60     -- seconds between lines that tell what was done

local function executor_options(options)
  local rules = {}
  for _, word in ipairs(options.order or {}) do
    if word == "priority" then rules.acquire_by_priority = true
    elseif word == "due" then rules.acquire_by_due_date = true
    elseif word == "timers" then rules.prefer_timer_jobs = true
    else args.usage('--order needs priority, timers or due, got "%s"', word) end
  end
  for _, name in ipairs { "threads", "queue_size", "priority_min", "priority_max", "lock_time", "owner" } do rules[name] = options[name] end
  rules.drain_time, rules.deployment_aware = options.drain, options.deployment_aware
  rules.delegate_timeout = options.delegate_timeout
  return rules
end

local counted = { "job-successful", "job-failed", "process-instance-end" }

--- What was done since the last report, as a line; nil: nothing.
local function progress(self, now)
  local told, any = {}, false
  for i, name in ipairs(counted) do
    told[i] = now[name] - (self.told and self.told[name] or 0)
    any = any or told[i] > 0
  end
  self.told = now
  return any and ("%s done, %d failed, %s ended"):format(bulk.count(told[1], "jobs"), told[2], bulk.count(told[3], "instances")) or nil
end

local function say(self, event, text, more)
  local object = more or {}
  object.event, object.time = event, self.engine:now()
  if self.out.json then self.out:event(object)
  else self.out:problem(("%s orrery work: %s"):format(orrery.format_time(self.engine:now()), text)) end
end

--- For a collector that reads files: whole at any time.
local function write_metrics(self, path)
  local file, problem = io.open(path .. ".new", "w")
  local traced = self.traces and self.traces:metrics_text() or ""
  local written = file and file:write(self.engine:metrics_text(), traced) and file:close() and os.rename(path .. ".new", path)
  if not written then say(self, "metrics not written", ("the metrics cannot be written to %s: %s"):format(path, problem or "no room")) end
end

--- SIGQUIT: what the threads are at. The table may be long, and is one write.
local function tell_threads(self)
  local nodes = self.engine:threads(0)
  for i = #nodes, 1, -1 do
    if not nodes[i].answered then table.remove(nodes, i) end
  end
  if self.out.json then return self.out:event { event = "threads", time = self.engine:now(), nodes = nodes } end
  say(self, "threads", "what its threads are at:\n" .. (stacks.text(nodes) or "it has none"))
end

local function report(self)
  if self.metrics then write_metrics(self, self.metrics) end
  local now = self.engine:metrics()
  local text = progress(self, now)
  if text then say(self, "progress", text, { metrics = now }) end
end

--- A moment of this thread, in which what only it can run, closures of the Lua file, has its turn. True: nothing is to be done.
local function give_time(self, options)
  if not (options.until_idle or self.closures) then return orrery.sleep(LOOK) end
  local idle = self.engine:wait_idle(LOOK)
  if idle and not options.until_idle then orrery.sleep(LOOK) end
  return idle
end

--- What is due and waits for a delegate that is not here, when there is nothing else to do: so many jobs, and for which.
local function absent(engine)
  local jobs, names, seen = 0, {}, {}
  for job in list.each(engine, "jobs", { limit = COUNTED }, { executable = true }) do
    local name = job.waits_for
    jobs = jobs + (name and 1 or 0)
    if name and not seen[name] then seen[name], names[#names + 1] = true, name end
  end
  return jobs, names
end

--- Until a signal comes, the executor has ended, or there is nothing to do and that is the end. Returns the reason.
local function attend(self, options)
  local every, waited = options.report or REPORT, 0
  while true do
    local signal = core.signals_caught()
    if signal then return signal end
    if core.signals_asked() then tell_threads(self) end
    if not self.engine:executor_active() then return "the executor ended" end
    if self.engine:store_state() == "failed" then return "the store failed" end
    if give_time(self, options) and options.until_idle then return "idle" end
    waited = waited + LOOK
    if every > 0 and waited >= every then
      waited = 0
      report(self)
    end
  end
end

--- Waits until running jobs have ended; at SIGQUIT it prints meanwhile which these are.
local function drain(self)
  self.engine.core:drain_executor()
  while self.engine.core:executor_draining() do
    if core.signals_asked() then tell_threads(self) end
    if not pcall(orrery.sleep, DRAIN_LOOK) then break end -- no descriptor is left for a timer
  end
  self.engine:stop_executor()
end

local function log_of(options, out)
  if not out.json then return options.log or "info" end
  local least = 0
  for i, level in ipairs(args.levels) do
    if level == (options.log or "info") then least = i end
  end
  return function(level, message, fields)
    for i = 1, least do
      if args.levels[i] == level then return out:event { event = "log", level = level,
        message = message, fields = fields } end
    end
  end
end

--- How it ended: with a line, and the exit code.
local function conclude(self, reason, began)
  report(self)
  local jobs, names = 0, nil
  if reason == "idle" then jobs, names = absent(self.engine) end
  if jobs > 0 then
    local waits = (jobs == 1 and "1 job waits" or jobs < COUNTED and jobs .. " jobs wait" or COUNTED .. " jobs and more wait")
    say(self, "ended", ("ended: nothing else is due; %s for what is not here: %s"):format(waits, table.concat(names, ", ")),
      { reason = "absent", delegates = names })
    return 0
  end
  if reason == "the executor ended" then
    say(self, "ended", "the executor ended by itself; the log tells why", { reason = reason })
    return 1
  end
  if reason == "the store failed" then
    say(self, "ended", "the store failed and has to be opened again; the log tells why", { reason = reason })
    return 1
  end
  local text = reason == "idle" and "ended: nothing is due" or ("ended in good order, %s after %s"):format(
    clock.length(os.time() - began), reason)
  say(self, "ended", text, { reason = reason })
  return 0
end

--- What the log ends with when the second signal ends the process, which no Lua sees.
local function last_words(out)
  if out.json then
    return core.signals_last(1, '{"event":"ended","reason":"a second signal","time":', "}\n", true)
  end
  core.signals_last(2, "", " orrery work: ended at once by a second signal; what ran keeps its "
    .. "locks until another executor takes them back\n")
end

local function run(options, out)
  local rules = executor_options(options)
  local exporter <close> = traces.open(options.traces and { endpoint = options.traces } or nil)
  local engine <close> = store.open(options[1], options, { service = true,
    opened = function(opened) if exporter then exporter:attach(opened.core) end end,
    settings = { log = log_of(options, out), history = options.history } })
  local self = { engine = engine, out = out, metrics = options.metrics, traces = exporter }
  core.signals_listen()
  last_words(out)
  -- The first is a wish, which is obeyed below; the second ends the process as it would any.
  local release = core.signals_catch(options.drain or DRAIN)
  engine:start_executor(rules)
  self.closures = engine.core:executor_starts()
  say(self, "started", ("works on %s"):format(store.shown(options[1])), { store = store.shown(options[1]) })
  local ok, reason = pcall(attend, self, options)
  if not ok and core.signals_caught() then ok, reason = true,
    core.signals_caught() end -- it was over its time
  local began = os.time()
  if ok and core.signals_caught() then say(self, "draining", reason .. ": what runs comes to its end; a second signal does not wait") end
  local stopped, problem = pcall(drain, self)
  release()
  if not ok then error(reason, 0) end
  if not stopped then error(problem, 0) end
  return conclude(self, reason, began)
end

return {
  spec = {
    name = "work", summary = "Runs a store's jobs in the foreground, until SIGTERM or SIGINT.",
    arguments = { { "STORE", "the store's folder" } },
    options = {
      { "--lua", "a Lua file that registers delegates and may set the engine's options", value = "FILE" },
      { "--threads", "so many threads instead of one for each core", value = "N", as = "positive" },
      { "--order", "take by priority, timers (first) or due; several: in this precedence", value = "WORD", many = true },
      { "--priority-min", "only jobs of this priority or more", value = "N", as = "integer" },
      { "--priority-max", "only jobs of this priority or less", value = "N", as = "integer" },
      { "--deployment-aware", "only jobs of deployments that are registered here" },
      { "--queue-size", "so many jobs at hand at most", value = "N", as = "positive" },
      { "--lock-time", "for so long a job is another's no business (300 s)", value = "DURATION", as = "duration" },
      { "--owner", "the name in the locks; it must be unique", value = "NAME" },
      { "--drain", "so long jobs that await may take to end after the signal (30 s)", value = "DURATION", as = "duration" },
      { "--delegate-timeout", "so long a delegate may take whose task has no timeout", value = "DURATION", as = "duration" },
      { "--history", "how much it writes: none, activity, audit (the default) or full", value = "LEVEL",
        choices = { "none", "activity", "audit", "full" } },
      { "--until-idle", "end once nothing is due" },
      { "--report", "tell what was done so often (60 s); 0: never", value = "DURATION", as = "duration" },
      { "--metrics", "write metrics for Prometheus to this file, as often as --report", value = "FILE" },
      { "--traces", "send traces to this collector (docs/operating.md)", value = "URL" },
      { "--log", "what is told: none, error, warning, info, debug", value = "LEVEL",
        choices = args.levels },
      { "--json", "log lines as JSON objects on the standard output" },
    },
    notes = "Delegates are found as 'orrery run' finds them: beside the Lua file, on LUA_PATH, and in what is deployed. At SIGTERM or\n"
      .. "SIGINT nothing more is taken, what runs comes to its end, the rest is given back, and it exits with 0. A second signal ends\n"
      .. "the process at once; the next executor takes its locks back. It exits with 1 when the executor ends by itself, or the store has\n"
      .. "failed for good. A database that is away is waited for.",
  },
  run = run,
}
