--- orrery history --follow: tells what happens as it happens, until a signal comes, all has ended
--- or enough was told.
local core = require "orrery.core"
local orrery = require "orrery"
local timeline = require "orrery.cli.timeline"

local follow = {}

local LOOK <const> = 0.1  -- seconds between looks for a signal
local PAUSE <const> = 1   -- seconds between looks at all instances, which read all of history
local BEHIND <const> = 60 -- seconds by which a row may be seen later than it was made

--- What is told once: rows of history are written again when what they tell of goes on.
local function key_of(e)
  return table.concat({ e.instance or "", e.event, ("%.3f"):format(e.time or 0), e.sequence or "",
    e.job or "", e.text or "" }, "\0")
end

--- Waits until something was committed. False: a signal has come.
local function changed(feed)
  while not core.signals_caught() do
    if feed:wait(LOOK) then
      feed:take()
      return true
    end
  end
  return false
end

--- False: a signal has come.
local function pass(seconds)
  for _ = 1, seconds / LOOK do
    if core.signals_caught() then return false end
    orrery.sleep(LOOK)
  end
  return true
end

--- Calls look() after each commit, but only so many seconds after the last time, from the beginning
--- on, until it says that nothing more will come, or a signal does.
local function watch(engine, seconds, look)
  local release = core.signals_catch()
  local ok, problem = pcall(function()
    local feed <close> = engine:feed { all = true }
    repeat
      if look() then break end
    until not (pass(seconds) and changed(feed))
  end)
  release()
  if not ok then error(problem, 0) end
end

--- A function that picks from events those that it did not get the last time; of equal ones so many
--- as are more than then.
local function news()
  local before = {}
  return function(events)
    local now, out = {}, {}
    for _, e in ipairs(events) do
      local key = key_of(e)
      now[key] = (now[key] or 0) + 1
      if now[key] > (before[key] or 0) then out[#out + 1] = e end
    end
    before = now
    return out
  end
end

--- `rows()`: the history instances; `say(e)` tells of an event, `rest(rows)` of what they wait for.
--- options: as timeline.of has them, limit (of events).
function follow.instances(engine, rows, options, say, rest)
  local new, left = news(), options.limit or math.huge
  watch(engine, 0, function()
    local now, active, any, events = rows(), 0, false, {}
    for _, row in ipairs(now) do
      active = active + (row.ended_at and 0 or 1)
      local of = timeline.of(engine, row, options)
      table.move(of, 1, #of, #events + 1, events)
    end
    for _, e in ipairs(new(events)) do
      if left > 0 and not (options.since and e.time < options.since) then
        left, any = left - 1, true
        say(e)
      end
    end
    if any and left > 0 then rest(now) end
    return active == 0 or left == 0
  end)
end

--- Begins and ends of instances; `find(filter)` gives those that fit the command's filters, too.
--- `since`: nil, from now on.
function follow.all(engine, find, since, limit, say)
  local new, left = news(), limit or math.huge
  local from, quiet = since or engine:now() - BEHIND, not since
  watch(engine, PAUSE, function()
    local now, events = engine:now(), {}
    for _, field in ipairs { "started_at", "ended_at" } do
      for _, row in ipairs(find { [field .. "_ge"] = from }) do
        for _, e in ipairs(timeline.ends(row)) do
          local asked = (e.event == "started") == (field == "started_at")
          if asked and e.time >= from then events[#events + 1] = e end
        end
      end
    end
    table.sort(events, function(a, b) return a.time < b.time end)
    for _, e in ipairs(new(events)) do
      if left > 0 and not quiet then
        left = left - 1
        say(e)
      end
    end
    from, quiet = math.max(from, now - BEHIND), false
    return left == 0
  end)
end

return follow
