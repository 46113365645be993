--- The command: orrery COMMAND ... Each command is a module below lua/orrery/verb/ with `spec` (its arguments) and
--- `run(options, out)`, which returns the exit code: 0 done, 1 it failed or something is wrong; 2 the command line is wrong, 70 the
--- command itself is.
local args = require "orrery.cli.args"
local clock = require "orrery.cli.clock"
local Out = require "orrery.cli.out"
local core = require "orrery.core"
local errors = require "orrery.errors"

local cli = {}

--- Where the verbs for something lie below lua/orrery/verb/: those about a project, those that act, those that look.
local rooms = { ["to try"] = "project", ["to run a store"] = "act", ["to see what happens"] = "look", ["to step in"] = "act",
  ["besides"] = "project" }

--- Name, what it does, and for what: in the order in which --help shows them.
local commands = {
  { "init", "make a new project from an example", "to try" },
  { "run", "deploy a model, start it, and show each step", "to try" },
  { "lint", "check models without running them", "to try" },
  { "draw", "draw a model as SVG", "to try" },
  { "decide", "evaluate a decision of a DMN file", "to try" },
  { "tck", "run cases of the DMN compatibility kit", "to try" },
  { "repl", "a Lua prompt with an engine at hand", "to try" },
  { "lua", "run a Lua script with Orrery in it", "to try" },
  { "cron", "when a cron expression fires", "to try" },
  { "deploy", "deploy models, scripts and forms", "to run a store" },
  { "start", "start a process", "to run a store" },
  { "work", "run the store's jobs, in the foreground", "to run a store" },
  { "serve", "serve engines over HTTP: REST as Camunda 7's", "to run a store" },
  { "message", "send a message", "to run a store" },
  { "signal", "send a signal", "to run a store" },
  { "schema", "make a PostgreSQL database a store", "to run a store" },
  { "copy", "copy a store that may be at work: a backup", "to run a store" },
  { "verify", "check a store from end to end", "to run a store" },
  { "zone", "the store's time zone", "to run a store" },
  { "upgrade", "bring a store of an older version to this one's format", "to run a store" },
  { "top", "how things stand, live", "to see what happens" },
  { "nodes", "who works on it, on all machines", "to see what happens" },
  { "metrics", "how things stand, once, also for Prometheus", "to see what happens" },
  { "history", "what happened to an instance, or to many", "to see what happens" },
  { "incidents", "list, retry and resolve incidents", "to see what happens" },
  { "jobs", "list, retry and explain jobs", "to see what happens" },
  { "instances", "list, inspect and cancel running instances", "to see what happens" },
  { "tasks", "list, claim and complete user tasks", "to see what happens" },
  { "external", "list, retry and unlock external tasks", "to see what happens" },
  { "limits", "list, set and clear limits of jobs", "to see what happens" },
  { "deployments", "list, show and delete deployments", "to see what happens" },
  { "definitions", "list, suspend and activate process definitions", "to see what happens" },
  { "decisions", "list decisions, and delete versions of them", "to see what happens" },
  { "set", "set variables, and try again what failed on them", "to step in" },
  { "modify", "move, cancel and start tokens", "to step in" },
  { "migrate", "move instances to another version", "to step in" },
  { "restart", "start ended instances again, as new ones", "to step in" },
  { "suspend", "let nothing of an instance or a process run", "to step in" },
  { "activate", "let it run again", "to step in" },
  { "batch", "do one thing to many, by jobs", "to step in" },
  { "manual", "man pages, Markdown, and completion for shells", "besides" },
  { "version", "print the version", "besides" },
}

--- What other programs call it, and who is in a hurry types.
local elsewhere = {
  backup = "copy STORE TARGET", cancel = "instances STORE --cancel ID", complete = "tasks STORE --complete ID", console = "repl STORE",
  delete = "instances STORE --cancel ID", dump = "copy STORE TARGET", executor = "work STORE", executors = "top STORE",
  export = "copy STORE TARGET", follow = "history STORE ID --follow", list = "instances STORE",
    log = "history STORE ID",
  logs = "history STORE ID", new = "init NAME", prompt = "repl", ps = "instances STORE",
    replay = "restart STORE ID",
  rerun = "restart STORE ID", resolve = "incidents STORE --resolve ID",
    retry = "jobs STORE --retry ID",
  server = "serve STORE", show = "instances STORE --show ID", status = "top STORE",
    stuck = "jobs STORE --stuck",
  tail = "history STORE --follow", test = "lua test.lua", throttle = "limits STORE",
  trace = "history STORE ID", tree = "instances STORE --show ID",
    undeploy = "deployments STORE --delete ID",
  variables = "instances STORE --show ID", why = "jobs STORE --why ID", worker = "work STORE",
}

local EXIT_FAILED, EXIT_USAGE, EXIT_BROKEN, EXIT_SIGNALED = 1, 2, 70, 128

local function help()
  local lines = { "Runs BPMN 2.0 processes.", "", "Usage: orrery COMMAND [arguments]", "" }
  local group
  for _, c in ipairs(commands) do
    if c[3] ~= group then lines[#lines + 1] = c[3]:gsub("^%l", string.upper) .. ":" end
    group = c[3]
    lines[#lines + 1] = ("  %-13s%s"):format(c[1], c[2])
  end
  lines[#lines + 1] = ""
  lines[#lines + 1] = "orrery COMMAND --help tells more. Errors go to the standard error; 0 means done, 1 failed, 2 a wrong command line."
  return table.concat(lines, "\n")
end

--- A command's module by its name; nil when there is no such command.
local function module_of(name)
  for _, c in ipairs(commands) do
    if c[1] == name then return ("orrery.verb.%s.%s"):format(rooms[c[3]], name) end
  end
end

--- All commands in order: { { name =, help =, spec = }, … }.
function cli.commands()
  local out = {}
  for i, c in ipairs(commands) do out[i] = { name = c[1], help = c[2], spec = require(module_of(c[1])).spec } end
  return out
end

--- "; did you mean 'jobs'?", or nothing when no name is near.
local function near(wrong)
  if elsewhere[wrong] then return ("; did you mean 'orrery %s'?"):format(elsewhere[wrong]) end
  local names = {}
  for i, c in ipairs(commands) do names[i] = c[1] end
  local nearest = core.nearest(wrong, names)
  return nearest and ("; did you mean '%s'?"):format(nearest) or ""
end

--- What a failure looks like: one message for what the engine or the user did, a traceback for what we did.
local function failure(e)
  if args.is_usage(e) then return { usage = tostring(e) } end
  local meta = type(e) == "table" and getmetatable(e)
  if meta and meta.__name == "orrery.Error" then return { message = errors.said(e), problems = e.problems } end
  local signal = core.signals_caught()
  if signal then return { message = "interrupted by " .. signal } end
  return { message = debug.traceback(tostring(e), 2), broken = true }
end

local function report(name, f, out)
  if f.usage then
    out:problem(("orrery %s: %s"):format(name, f.usage))
    out:problem(("Try 'orrery %s --help'."):format(name))
    return EXIT_USAGE
  end
  if f.problems then require "orrery.cli.problems".print(f.problems, out)
  else out:problem(("orrery %s: %s"):format(name, f.message)) end
  local _, signal = core.signals_caught()
  if signal then return EXIT_SIGNALED + signal end -- as a shell says it
  return f.broken and EXIT_BROKEN or EXIT_FAILED
end

local function run(name, argv)
  local out = Out.new {}
  local ok, result = xpcall(function()
    local command = require(module_of(name))
    local options = args.parse(command.spec, argv, 2)
    if options.help then
      print(args.help(command.spec))
      return 0
    end
    if options.json then out = Out.new { json = true } end
    clock.set_zone(options.zone)
    return command.run(options, out)
  end, failure)
  out:clear_progress()
  return ok and result or not ok and report(name, result, out) or 0
end

function cli.main(argv)
  local name = argv[1]
  if name == "help" and module_of(argv[2]) then return run(argv[2], { argv[2], "--help" }) end
  if name == "--help" or name == "-h" or name == "help" then
    print(help())
    return 0
  end
  if name == "--version" then name = "version" end
  if not name or not module_of(name) then
    local out = Out.new {}
    out:problem(name and ("orrery: there is no command '%s'%s"):format(name, near(name)) or "orrery: which command?")
    out:problem "Try 'orrery --help'."
    return EXIT_USAGE
  end
  return run(name, argv)
end

return cli
