--- orrery top: the state of a store, drawn again and again; q ends it. Without a terminal it prints lines.
local args = require "orrery.cli.args"
local bulk = require "orrery.cli.bulk"
local clock = require "orrery.cli.clock"
local core = require "orrery.core"
local orrery = require "orrery"
local overview = require "orrery.cli.overview"
local store = require "orrery.cli.store"

local INTERVAL <const> = 2   -- seconds between two looks
local KEY_LOOK <const> = 0.1 -- seconds between looks for a key or a signal
local GROUPS <const> = 10    -- incidents' kinds that are shown

--- Commits a second since the look before.
local function rate(now, before)
  local seconds = before and now.at - before.at or 0
  return seconds > 0 and (now.changes - before.changes) / seconds or 0
end

local function incident_line(kind)
  return ("  %5d  %s %s  %s  (last %s ago)"):format(kind.count, kind.definition_key and ("%s:%d"):format(kind.definition_key, kind.version)
    or "-", kind.activity or "-", kind.message, clock.length(clock.now() - kind.last))
end

--- The lines of one picture.
local function picture(s, path, paint)
  local j = s.jobs
  local lines = { ("%s  %s  %s"):format(paint("title", "orrery top"), path, clock.format(s.time)), "",
    ("jobs       %d ready, %d locked, %d waiting, %d due, %d throttled, %s"):format(j.ready, j.locked, j.waiting, j.due, j.throttled,
      paint(j.exhausted > 0 and "bad" or "good", j.exhausted .. " failed")),
    ("instances  %d running, %d ended in the last hour"):format(s.instances, s.ended_last_hour),
    ("people     %s    workers  %s"):format(bulk.count(s.tasks, "tasks"), bulk.count(s.external_tasks, "external tasks")),
    ("store      %.1f commits a second"):format(s.rate) }
  for _, band in ipairs(s.oldest) do
    lines[#lines + 1] = ("priority %s: the oldest ready job has waited %s"):format(band.priority, clock.length(band.seconds))
  end
  lines[#lines + 1] = ""
  lines[#lines + 1] = #s.executors == 0 and paint("bad", "no executor runs on this store") or paint("title", "executors")
  for _, x in ipairs(s.executors) do lines[#lines + 1] = "  " .. overview.executor(x) end
  lines[#lines + 1] = ""
  lines[#lines + 1] = s.incidents == 0 and paint("good", "no incidents") or paint("title", bulk.count(s.incidents, "incidents"))
  if s.incidents > overview.NEWEST then lines[#lines + 1] = ("  of the newest %d:"):format(overview.NEWEST) end
  for i = 1, math.min(GROUPS, #s.kinds) do lines[#lines + 1] = incident_line(s.kinds[i]) end
  if #s.kinds > GROUPS then lines[#lines + 1] = ("  %d more kinds; 'orrery incidents --groups'"):format(#s.kinds - GROUPS) end
  return lines
end

local function look(engine, before)
  local s = overview.of(engine)
  s.at, s.kinds = engine:now(), s.incidents > 0 and overview.incidents(engine) or {}
  s.rate = rate(s, before)
  return s
end

--- One line for each look, as a log has them.
local function plain(engine, options, out)
  local before
  for n = 1, options.count or 1 do
    if n > 1 then orrery.sleep(options.interval or INTERVAL) end
    local s = look(engine, before)
    before = s
    s.event = "standing"
    out:event(s, picture(s, store.shown(options[1]), out.paint))
  end
end

--- The first columns of a line; what sets colors takes none, and stays.
local function cut(line, width)
  local parts, at, left = {}, 1, width
  while at <= #line do
    local escape = line:match("^\27%[[%d;]*m", at)
    local piece = escape or line:match("^[^\128-\191][\128-\191]*", at) or line:sub(at, at)
    if escape or left > 0 then parts[#parts + 1] = piece end
    if not escape then left = left - 1 end
    at = at + #piece
  end
  return table.concat(parts)
end

--- Draws over what was drawn before. What the terminal has no room for is cut, for it would push the rest away.
local function draw(lines, terminal, out)
  local width, height = terminal.width(io.stdout) or 80, terminal.height(io.stdout) or 24
  local parts = {}
  for i = 1, math.min(#lines, height - 1) do parts[i] = cut(out.show(lines[i]), width) .. "\27[K\r\n" end
  out.stdout:write("\27[H", table.concat(parts), "\27[J")
  out.stdout:flush()
end

--- Until q, or a signal, is there; any other key looks at once.
local function pause(terminal, seconds)
  for _ = 1, math.max(1, math.ceil(seconds / KEY_LOOK)) do
    if core.signals_caught() then return false end
    local key = terminal.key(KEY_LOOK)
    if key == "q" or key == "Q" or key == "\3" or key == "\4" then return false end
    if key then return true end
  end
  return true
end

local function live(engine, options, out, terminal)
  local release, before, left = core.signals_catch(), nil, options.count or math.huge
  local restore = terminal.keys()
  out.stdout:write "\27[?1049h\27[?25l" -- a screen of its own, without the cursor
  local ok, problem = pcall(function()
    repeat
      local s = look(engine, before)
      before, left = s, left - 1
      local lines = picture(s, store.shown(options[1]), out.paint)
      lines[#lines + 1], lines[#lines + 2] = "", out.paint("other", "q ends, any other key looks at once")
      draw(lines, terminal, out)
    until left <= 0 or not pause(terminal, options.interval or INTERVAL)
  end)
  out.stdout:write "\27[?25h\27[?1049l"
  out.stdout:flush()
  restore()
  release()
  if not ok then error(problem, 0) end
end

local function run(options, out)
  local engine <close> = store.open(options[1], options)
  local ok, terminal = pcall(require, "orrery.terminal")
  if options.interval and options.interval <= 0 then args.usage "--interval needs more than 0 seconds" end
  if out.json or not (ok and terminal.is_terminal(io.stdin) and terminal.is_terminal(io.stdout)) then plain(engine, options, out)
  else live(engine, options, out, terminal) end
  return 0
end

return {
  spec = {
    name = "top", summary = "Shows how things stand with a store, live: jobs, executors, instances, and incidents by their cause.",
    arguments = { { "STORE", "the store's folder" } },
    options = {
      { "--interval", "look so often (2 s)", value = "DURATION", as = "duration" },
      { "--count", "so many times; until q on a terminal, once elsewhere", value = "N", as = "positive", words = { "--once" } },
      { "--zone", "show times by the clocks of a zone such as Europe/Berlin; UTC otherwise", value = "NAME" },
      { "--json", "one JSON object for each look" },
    },
  },
  run = run,
}
