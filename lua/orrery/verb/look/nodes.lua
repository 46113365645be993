--- orrery nodes: who works on a store's jobs, on all machines.
local bulk = require "orrery.cli.bulk"
local clock = require "orrery.cli.clock"
local inspect = require "orrery.inspect"
local stacks = require "orrery.cli.stacks"
local store = require "orrery.cli.store"

local colors = { ["at work"] = "good", silent = "wait", expired = "bad", gone = "bad" }

local process = stacks.process

--- What a node is, when its state leaves that open.
local function what(node)
  if not node.alive then return node.state end
  if not node.executor then return "a thread that runs jobs" end
  return node.stopping and "stopping" or node.state
end

local function row(node)
  return { process = process(node), state = what(node), color = colors[node.state], held = node.held,
    running = node.jobs and #node.jobs, room = node.room, threads = node.threads, started = clock.format(node.started),
    lag = node.lag and clock.length(node.lag), expires = clock.format(node.expires), build = node.build }
end

local columns = { { "PROCESS", "process" }, { "STATE", "state", function(shown) return shown.color end }, { "HELD", "held" },
  { "RUNNING", "running" }, { "ROOM", "room" }, { "THREADS", "threads" },
  { "STARTED", "started" }, { "SEEN AGO", "lag" }, { "LEASE", "expires" }, { "VERSION", "build" } }

--- The jobs of those that are silent or gone come again, and when.
local function warn(list, out)
  for _, node in ipairs(list) do
    if not node.alive and node.held > 0 then
      out:problem(("%s is %s: an executor that acquires gives its %s back"):format(process(node), node.state,
        bulk.count(node.held, "jobs")))
    elseif node.state == "silent" then
      out:problem(("%s has been silent for %s: its %s come again at %s"):format(process(node), clock.length(node.lag),
        bulk.count(node.held, "jobs"), clock.format(node.expires)))
    end
  end
end

local function run(options, out)
  local engine <close> = store.open(options[1], options)
  if options.stacks then return stacks.print(engine:threads(), out) end
  local list = engine:nodes()
  if out.json then
    for _, node in ipairs(list) do out:event(node) end
    return 0
  end
  if #list == 0 then
    out:line "no executor runs on this store"
    return 0
  end
  local rows = {}
  for i, node in ipairs(list) do rows[i] = row(node) end
  out:block(inspect.rows(rows, columns, out.paint))
  warn(list, out)
  return 0
end

return {
  spec = {
    name = "nodes",
    summary = "Lists who works on a store's jobs, on all machines: what they hold and run, and how long they have been silent.",
    arguments = { { "STORE", "the store's folder, or its URL" } },
    options = {
      { "--stacks", "what each thread is at: job, element, delegate, since when, and the line of its Lua code" },
      { "--zone", "show times by the clocks of a zone such as Europe/Berlin; UTC otherwise", value = "NAME" },
      { "--json", "one JSON object a line" },
    },
  },
  run = run,
}
