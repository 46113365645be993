--- orrery run: deploys a model, starts it, plays a scenario and shows each step.
local args = require "orrery.cli.args"
local bulk = require "orrery.cli.bulk"
local calls = require "orrery.cli.model.calls"
local core = require "orrery.core"
local executable = require "orrery.cli.model.executable"
local files = require "orrery.files"
local orrery = require "orrery"
local play = require "orrery.cli.play"
local scenario = require "orrery.cli.scenario"
local stubs = require "orrery.cli.play.stubs"
local starts = require "orrery.cli.model.starts"
local store = require "orrery.cli.store"
local waits = require "orrery.cli.waits"
local Watch = require "orrery.cli.watch"

local Run = {}
Run.__index = Run

local POLL = 0.05 -- seconds between looks while --wait lasts

--- The engine's log: failures of jobs are told among the steps, the rest goes to the standard error.
local function log_of(self)
  return function(level, message, fields)
    if fields.event == "job failed" then
      self.failed[#self.failed + 1] = { job = fields.job, message = fields.text }
    elseif fields.event == "job waits for a delegate" then return -- it is told where the instance waits
    elseif level == "error" or level == "warning" or self.options.trace then self.out:problem(("%s: %s"):format(level, message)) end
  end
end

local function open(self, source)
  local many = core.folder(source) or files.is_archive(source)
  if not many and not files.is_process_model(source) then
    args.usage("%s is no model: their names end in .bpmn or .bpmn20.xml", source)
  end
  local beside = core.folder(source) and source or scenario.folder(source)
  self.module_path = scenario.module_path(beside, scenario.folder(self.options.lua))
  local options = { log = log_of(self), dialect = self.options.dialect, package_path = self.module_path }
  if self.options.play then options.clock, options.now = "manual", self.options.now end
  for key, value in pairs(self.scenario.options or {}) do options[key] = value end
  local made = store.made(self.options.store)
  local engine = orrery.open(self.options.store, options)
  if made and self.out.json then self.out:event { event = "made", store = self.options.store }
  elseif made then self.out:problem("orrery run: " .. made) end
  return engine
end

--- The one that no model calls; nil when there are several, or none.
local function not_called(self, startable)
  local called, found = calls.of(self.resources).called, nil
  for _, d in ipairs(startable) do
    if not called[d.key] then
      if found then return nil end
      found = d
    end
  end
  return found
end

--- The process to start: the named one, the one named like the file, the only one, or the only one
--- that no other calls.
local function choose(self, definitions, name)
  local wanted, startable, keys = self.options.process or self.scenario.process, {}, {}
  for _, d in ipairs(definitions) do
    keys[#keys + 1] = d.key
    if d.key == (wanted or name) then return d end
    if d.startable ~= false then startable[#startable + 1] = d end
  end
  if wanted then args.usage('no process "%s" in it, but %s', wanted, table.concat(keys, ", ")) end
  local only = #startable == 1 and startable[1] or not_called(self, startable)
  if only then return only end
  if #keys == 0 then
    local reason = executable.reason(self.resources)
    if reason then args.usage("%s; run it all the same with --executable", reason) end
    args.usage("%s has no process: the names of models end in .bpmn or .bpmn20.xml", self.options[1])
  end
  args.usage("--process must name one of %s", table.concat(keys, ", "))
end

local function base_name(path)
  path = core.real_path(path) or path -- "." has a name, too
  return (path:gsub("/+$", ""):match "[^/]+$":gsub("%.bpmn.*$", ""))
end

--- Calls the scenario's set-up, and remembers the names that it registers.
local function set_up(self)
  local engine, registered = self.engine, {}
  self.registered = registered
  if not self.scenario.setup then return end
  local register = engine.register
  function engine.register(of, name, ...)
    registered[name] = true
    return register(of, name, ...)
  end
  local ok, problem = pcall(self.scenario.setup, engine)
  engine.register = nil
  if not ok then error(problem, 0) end
end

--- Where delegates are not there: at a play's terminal, and with --stubs, stubs stand in; else it is said what would help.
local function fill_in(self, deployment)
  local known = {}
  for _, names in ipairs { self.registered, self.assigned, (self.scenario.start or {}).variables
    or {} } do
    for name in pairs(names) do known[name] = true end
  end
  local names = stubs.missing(self.engine, deployment, known, self.module_path)
  if #names == 0 then return end
  if self.player and (self.options.stubs or self.player.read) then return stubs.register(self.engine, names, self.player) end
  for _, name in ipairs(names) do
    self.out:problem(('orrery run: the delegate "%s" is not there: put %s.lua beside the model, register it by --lua, or let a stub '
      .. "stand in: --play --stubs"):format(name, (name:gsub("%.", "/"))))
  end
end

--- Of one file nothing else is deployed, so what it calls is missing although it may lie beside it.
local function tell_beside(self, source, definition)
  if core.folder(source) or files.is_archive(source) then return end
  for _, found in ipairs(calls.found_beside(self.resources, source)) do
    local list = found.kind == "process" and self.engine.definitions or self.engine.decisions
    if #list(self.engine, { key = found.key, limit = 1 }) == 0 then
      self.out:problem(('orrery run: the %s "%s" is not deployed, but %s beside the model has it: '
        .. "orrery run %s --process %s"):format(found.kind, found.key, found.file,
          scenario.folder(source), definition.key))
    end
  end
end

local function deploy(self, source)
  local name = base_name(source)
  self.resources = files.read(source)
  if self.options.executable then self.resources = executable.allow(self.resources) end
  local ok, deployment = pcall(self.engine.deploy, self.engine, self.resources, { name = name, filter_duplicates = true })
  if not ok then
    local reason = executable.reason(self.resources)
    if reason then self.out:problem(("orrery run: %s; run it all the same with --executable"):format(reason)) end
    error(deployment, 0)
  end
  for _, w in ipairs(deployment.warnings or {}) do
    if self.options.trace then require "orrery.cli.problems".print({ w }, self.out) end
  end
  local definitions = self.engine:definitions { deployment_id = deployment.id }
  self.out:event({ event = "deployed", deployment = deployment.id, name = name }, ("deployed %s"):format(name))
  fill_in(self, deployment)
  if self.options.message then return nil end -- it says what is started
  local definition = choose(self, definitions, name)
  tell_beside(self, source, definition)
  return definition
end

--- A process may begin in several ways: it is said how another is chosen.
local function tell_starts(self, definition)
  local taken, others = starts.others(self.engine, definition)
  if #others == 0 then return end
  self.out:problem(('orrery run: it starts at "%s"; it may also start by %s'):format(taken.id,
    starts.ways(others, true)))
end

local function begin(self, definition, request)
  if not definition then return self.engine:start_by_message(self.options.message, request) end
  local instance = starts.start(self.engine, definition, request, true)
  if not request.instructions then tell_starts(self, definition) end
  return instance
end

local function start(self, definition)
  local request = { variables = {} }
  for key, value in pairs(self.scenario.start or {}) do request[key] = value end
  local variables = {}
  for key, value in pairs(request.variables) do variables[key] = value end
  for key, value in pairs(self.assigned) do variables[key] = value end
  request.variables = variables
  request.business_key = self.options.business_key or request.business_key
  for i, activity in ipairs(self.options.at or {}) do
    if i == 1 then request.instructions = {} end
    request.instructions[i] = { start_before = activity }
  end
  local instance = begin(self, definition, request)
  definition = definition or self.engine:definition(instance.definition_id)
  self.out:event({ event = "started", instance = instance.id, process = definition.key, version = definition.version },
    ("started %s version %d as instance %s"):format(definition.key, definition.version, instance.id))
  return instance
end

local function tell_failures(self)
  for _, failure in ipairs(self.failed) do
    local job = self.engine:job(failure.job)
    local left = job and job.retries
    local due = job and job.due and ", next at " .. orrery.format_time(job.due) or ""
    local again = not left and "" or left <= 0 and "; no tries left"
      or ("; %d %s left%s"):format(left, left == 1 and "try" or "tries", due)
    self.out:event({ event = "failed", job = failure.job, activity = job and job.activity_id, message = failure.message, retries = left,
      due = job and job.due },
      ("%20s  %s %s  %s"):format("", self.out.paint("bad", "failed"), job and job.activity_id or "?", failure.message .. again), true)
  end
  self.failed = {}
end

local function look(self)
  self.watch:look()
  tell_failures(self)
  if self.jobs == 0 then return end
  self.out:progress("%s, %s", bulk.count(self.jobs, "jobs"), bulk.count(self.watch.steps, "steps"))
end

local function run_due_jobs(self)
  while true do
    local ran = self.engine:run_jobs(1)
    if ran == 0 then return end
    self.jobs = self.jobs + ran
    look(self)
  end
end

local function ended(self) return self.engine:instance(self.instance.id) == nil end

--- With --wait, time passes until something is due or the wait is over.
local function wait_longer(self)
  local before = self.jobs
  while self.deadline and self.jobs == before and os.time() <= self.deadline and not ended(self) do
    self.jobs = self.jobs + self.engine:poll(POLL)
    if self.jobs == before then orrery.sleep(POLL) end
  end
  look(self)
  return self.jobs ~= before
end

local function say(self, text, object)
  object = object or { event = "said", text = text }
  self.out:event(object, ("%20s  %s"):format("", self.out.paint("title", text)))
end

--- What a move of --play looks like to programs.
local function say_move(self)
  return function(move, answer, text)
    say(self, text, { event = "played", kind = move.due and "clock" or move.kind, activity = move.activity, name = move.name,
      variables = answer.variables, time = self.engine:now(), text = text })
  end
end

--- The scenario comes first, then --play. True when anything was done.
local function act(self)
  local step = self.scenario.step
  if step and step(self.engine, self.instance, function(text, ...)
    say(self, select("#", ...) > 0 and text:format(...) or text)
  end) then return true end
  return self.player ~= nil and self.player:step()
end

local function drive(self)
  look(self)
  repeat
    run_due_jobs(self)
    local acted = false
    if not ended(self) then
      acted = act(self)
      look(self)
    end
  until ended(self) or not (acted or wait_longer(self))
  if self.player then self.player:conclude() end
end

--- Tells what failed for good on the way and was not mended, and is not among the waits that are
--- shown. Whether there was any.
local function tell_incidents(self, shown)
  local known, any = {}, false
  for _, wait in ipairs(shown) do known[wait.id or ""] = true end
  for _, f in ipairs(self.watch.order) do
    local rows = self.engine:history_incidents { instance = f.id, order_by = "sequence" }
    for _, row in ipairs(rows) do
      local own = not row.root_cause_id or row.root_cause_id == row.id -- a caller's repeats it
      local about = row.job_id or row.configuration or ""
      if own and row.state ~= "resolved" and not known[about] then
        any = true
        self.out:event({ event = "incident", id = row.id, instance = row.instance_id,
          activity = row.activity_id, type = row.type, message = row.message, state = row.state },
          ("%s %s: %s%s"):format(self.out.paint("bad", "incident"), row.activity_id or "",
            row.message or row.type, row.state == "open" and "" or "; it ended unmended"))
      end
    end
  end
  return any
end

--- Prints how it stands; returns the exit code.
local function conclude(self)
  if ended(self) then
    local failed = tell_incidents(self, {})
    local row = self.engine:history_instance(self.instance.id) or {}
    self.out:event({ event = "ended", instance = self.instance.id, state = row.state, end_activity = row.end_activity },
      ("%s at %s"):format(self.out.paint("good", "ended"), row.end_activity or row.state or "an end"))
    return failed and 1 or 0
  end
  local waiting = waits.of(self.engine, self.instance)
  local broken = tell_incidents(self, waiting)
  for _, wait in ipairs(waiting) do
    local incident = wait.kind == "incident"
    broken = broken or incident or wait.reason == "delegate_missing"
    wait.event = "waits"
    self.out:event(wait, ("%s %s: %s"):format(self.out.paint(incident and "bad" or "wait", "waits"), wait.activity or "", wait.text))
  end
  return broken and 1 or 0
end

local function run(options, out)
  local self = setmetatable({ options = options, out = out, failed = {}, jobs = 0 }, Run)
  self.assigned = args.assignments(options.set)
  if options.play and options.wait then args.usage "--wait and --play exclude each other: a play's clock does not wait" end
  for _, other in ipairs { "at", "process" } do
    if options.message and options[other] then
      args.usage("--message and --%s exclude each other", other)
    end
  end
  self.scenario = scenario.load(options.lua)
  self.engine = open(self, options[1])
  local engine <close> = self.engine
  if options.play then core.jump_clock(engine.core) end -- what sleeps outside of a job, too
  core.signals_interrupt() -- what runs comes to its end, and locks are given back
  set_up(self)
  self.player = options.play and play.new(engine, options, out, say_move(self)) or nil
  self.instance = start(self, deploy(self, options[1]))
  if self.player then self.player.instance = self.instance end
  self.deadline = options.wait and os.time() + options.wait
  self.watch = Watch.new(engine, self.instance, out, options)
  drive(self)
  return conclude(self)
end

return {
  spec = {
    name = "run", summary = "Deploys a model, starts it, and runs it to its end or to where it waits, showing each step.",
    arguments = { { "FILE", "a .bpmn or .bpmn20.xml file, or a folder of models and Lua modules" } },
    options = {
      { "--process", "which process to start, when there are several that no other calls",
        value = "KEY" },
      { "--at", "start before this activity or start event, instead of at the plain start event",
        value = "ACTIVITY", many = true },
      { "--message", "start what this message starts", value = "NAME" },
      { "--executable", 'run processes that say isExecutable="false", too, as drawing tools save them' },
      { "--set", "a variable to start with: JSON, a plain text, or @FILE for what a file has", value = "NAME=VALUE", many = true },
      { "--play", "play the people, workers and messages, and let the clock jump to what is due" },
      { "--answers", "with --play: what they say, a JSON file of variables by activity", value = "FILE", with = { "--play" } },
      { "--stubs", "with --play: let stubs stand in for delegates that are not there; they are asked for at a terminal anyway",
        with = { "--play" } },
      { "--now", "with --play: the time at which the clock begins", value = "TIME", as = "time", with = { "--play" } },
      { "--business-key", "the instance's business key", value = "KEY" },
      { "--lua", "a scenario: registers delegates, completes tasks, moves the clock", value = "FILE" },
      { "--store", "keep everything in this folder; otherwise it goes with the command", value = "DIR" },
      { "--wait", "wait so long for timers and other processes' work", value = "SECONDS", as = "duration" },
      { "--dialect", "camunda, flowable, orrery, or auto", value = "NAME", choices = args.dialects },
      { "--trace", "show variables, warnings and the engine's log too" }, { "--json", "one JSON object a line" },
    },
    notes = "Delegates are found beside the model, beside the scenario and on LUA_PATH. It exits with 1 when a job has no retries left,\n"
      .. "lacks its delegate, or failed for good on the way to an end.\n\n"
      .. "--play completes what waits, asking for it at a terminal, and moves the clock when nothing else is to be done. In the file of\n"
      .. "--answers each activity (or message) has an object of variables, or an array of them to be taken in turn. A name that begins\n"
      .. "with $ is an instruction: $after (a duration until it is answered), $user (who claims the task), $error (a BPMN error's code),\n"
      .. '$escalation (its code), $fail (a worker\'s message), '
      .. '$result (what a bean\'s method gives: an answer to "bean" or "bean.method").'
      .. '\n{"review": {"approved": true}, "pay": [{"$fail": "busy"}, {}]}\n\n'
      .. "A scenario returns a table with any of options, process, start, setup(engine), step(engine, instance, say).",
  },
  run = run,
}
