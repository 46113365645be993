-- Execution listeners: when they run.
local peers = require "spec.exec.peers"
local shows, run = peers.shows, peers.run

local function listener(event)
  return ('<extensionElements><o:executionListener event="%s" class="see"/></extensionElements>'):format(event)
end

local function sees(engine)
  local seen = {}
  engine:register("see", function(execution) seen[#seen + 1] = execution.event_name end)
  return seen
end

describe("start listeners of a process", function()
  shows("wait for the job of its start event, and run once", function(engine)
    local seen = sees(engine)
    run(engine, listener "start" .. '<startEvent id="s" o:async="true"/><userTask id="a"/>', "s -> a")
    local before = #seen
    engine:run_jobs()
    return { before, #seen, peers.tasks(engine) }
  end, { 0, 1, "a" })

  shows("run again when the job is tried again", function(engine)
    local tries = 0
    engine:register("see", function()
      tries = tries + 1
      if tries == 1 then error "not yet" end
    end)
    run(engine, listener "start" .. '<startEvent id="s" o:async="true"/><userTask id="a"/>', "s -> a")
    engine:run_jobs()
    engine:advance(60)
    engine:run_jobs()
    return { tries, peers.tasks(engine) }
  end, { 2, "a" })

  shows("do not run when a modification goes back to the start event", function(engine)
    local seen = sees(engine)
    local instance = run(engine, listener "start" .. '<startEvent id="s" o:async="true"/><userTask id="a"/>', "s -> a")
    engine:run_jobs()
    instance:modify { { start_before = "s" } }
    engine:run_jobs()
    return { #seen, peers.tasks(engine) }
  end, { 1, "a a" })
end)
