-- completeAsync: a call activity is left by a job, in every dialect.
local peers = require "spec.exec.peers"
local shows, survives = peers.shows, peers.survives

local CALLED <const> = '<startEvent id="qs"/><userTask id="qa"/>'
local function caller(attributes, inside)
  return ('<startEvent id="s"/><callActivity id="c" calledElement="q" o:completeAsync="true" %s>%s</callActivity>'):format(
    attributes or "", inside or "") .. '<userTask id="after"/>'
end

local function start(engine, attributes, inside)
  peers.deploy(engine, peers.process(caller(attributes, inside), "s -> c c -> after")
    .. peers.process(CALLED, "qs -> qa", "q"))
  return engine:start "p"
end

describe("completeAsync", function()
  survives("has a job leave the call", function(reopen)
    local engine, seen = reopen(), {}
    start(engine)
    engine = reopen()
    engine:task({ key = "qa" }):complete()
    local job = engine:job {}
    seen[1], seen[2], seen[3] = job.activity_id, peers.tasks(engine), engine:count("instances", { definition_key = "q" })
    engine = reopen()
    engine:run_jobs()
    seen[4], seen[5] = peers.tasks(engine), engine:count "jobs"
    return seen
  end, { "c", "", 0, "after", 0 })

  shows("has one leave each instance of a multi-instance call", function(engine)
    start(engine, "", "<multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics>")
    for _, task in ipairs(engine:tasks { key = "qa" }) do task:complete() end
    local jobs = engine:count "jobs"
    engine:run_jobs()
    return { jobs, peers.tasks(engine), engine:count "jobs" }
  end, { 2, "after", 0 })

  shows("stands before the end listeners, whose failure is the job's", function(engine)
    local fails = true
    engine:register("ends", function() if fails then error "no" end end)
    start(engine, "", '<extensionElements><o:executionListener event="end" class="ends"/></extensionElements>')
    engine:task({ key = "qa" }):complete()
    local failed = peers.kind(function() engine:job({}):execute() end)
    fails = false
    engine:job({}):execute()
    return { failed, peers.tasks(engine) }
  end, { "script", "after" })

  shows("goes with its instance", function(engine)
    local instance = start(engine)
    engine:task({ key = "qa" }):complete()
    instance:delete()
    return { engine:count "jobs", #engine:verify() }
  end, { 0, 0 })
end)
