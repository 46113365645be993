-- Timers at their edges: what never comes, what comes late, and ends.
local orrery = require "orrery"
local peers = require "spec.exec.peers"
local shows, run, kind = peers.shows, peers.run, peers.kind

local function catch(timer)
  return '<startEvent id="s"/><intermediateCatchEvent id="c"><timerEventDefinition>' .. timer
    .. '</timerEventDefinition></intermediateCatchEvent><userTask id="a"/>'
end

describe("a timer", function()
  shows("that comes to null is an error", function(engine)
    return kind(run, engine, catch "<timeDuration>${wait}</timeDuration>", "s -> c c -> a", { variables = { wait = orrery.null } })
  end, "expression")

  shows("whose cron expression nothing fits is an error that names it", function(engine)
    local raised, err = kind(run, engine, catch "<timeCycle>${'0 0 0 30 2 *'}</timeCycle>", "s -> c c -> a")
    return { raised, raised and err.message:find('"c" never fires', 1, true) ~= nil }
  end, { "expression", true })

  for _, cron in ipairs { "0 0 0 30 2 *", "0 0 0 31 4,6,9,11 ?", "0 0 0 1 1 ? 2020" } do
    shows("whose cron expression " .. cron .. " never fires is a problem of the deployment, with its place", function(engine)
      local raised, err = kind(run, engine, catch("\n<timeCycle>" .. cron .. "</timeCycle>"), "s -> c c -> a")
      return { raised, err.problems[1].message, err.problems[1].line }
    end, { "deployment", ('the timer never fires: no time to come fits "%s"'):format(cron), 2 })
  end

  shows("whose cron expression may yet fire is deployed", function(engine)
    return kind(run, engine, catch "<timeCycle>0 0 0 29 2 ? 2028</timeCycle>", "s -> c c -> a") or "no error"
  end, "no error")

  shows("whose zone is not there is a problem of the deployment", function(engine)
    local raised, err = kind(run, engine, catch "<timeCycle>R3/P1D DSTZONE:Europe/Atlantis</timeCycle>", "s -> c c -> a")
    return { raised, err.problems[1].message }
  end, { "deployment", 'there is no time zone "Europe/Atlantis"' })

  shows("that is nonsense is told the three forms, in the model and from an expression", function(engine)
    local forms = 'R3/PT10M .* R/2026%-01%-01T08:00/P1D .* 0 0 8 %? %* MON%-FRI .*: "every day"'
    local raised, err = kind(run, engine, catch "<timeCycle>every day</timeCycle>", "s -> c c -> a")
    local later, why = kind(run, engine, catch "<timeCycle>${'every day'}</timeCycle>", "s -> c c -> a")
    return { raised, err.problems[1].message:find(forms) ~= nil, later, why.message:find(forms) ~= nil }
  end, { "deployment", true, "expression", true })

  shows("is refused at deployment where it would start a process and never fires", function(engine)
    return kind(run, engine, '<startEvent id="s"><timerEventDefinition><timeCycle>0 0 0 30 2 *</timeCycle>'
      .. '</timerEventDefinition></startEvent>')
  end, "deployment")

  shows("fires once although it ends before", function(engine)
    local instance = run(engine, catch '<timeCycle o:endDate="2020-01-01T00:00:00Z">R3/PT1H</timeCycle>', "s -> c c -> a")
    engine:advance(3600)
    engine:run_jobs()
    return { peers.active(instance), #engine:jobs {} }
  end, { "a", 0 })

  for text, hour in pairs {
    ["2026-01-01T08:00:00Z/PT1H"] = 9, ["PT1H/2026-01-01T08:00:00Z"] = 8, ["2026-01-01T06/2026-01-01T08"] = 8, ["R3/PT2H"] = 2,
  } do
    shows("waits by " .. text .. " as a duration, in the model and from an expression", function(engine)
      local due = {}
      for i, duration in ipairs { text, "${wait}" } do
        run(engine, catch("<timeDuration>" .. duration .. "</timeDuration>"), "s -> c c -> a", { variables = { wait = text } })
        due[i] = (engine:job({}).due - orrery.parse_time "2026-01-01") / 3600
        engine:instance({}):delete()
      end
      return due
    end, { hour, hour })
  end

  --- Hours at which a start timer is due, each fired an hour and a half late, from its making on.
  local function late(timer)
    return function(engine)
      local begin, due = engine:now(), {}
      peers.deploy(engine, '<process id="p" isExecutable="true"><startEvent id="s"><timerEventDefinition>' .. timer
        .. '</timerEventDefinition></startEvent></process>')
      for i = 1, 5 do
        local job = engine:job {}
        if not job then break end
        due[i] = (job.due - begin) / 3600
        engine:set_time(math.max(engine:now(), job.due) + 5400)
        job:execute()
      end
      return due
    end
  end

  shows("whose firings were missed is due at once", late "<timeCycle>R4/PT1H</timeCycle>",
    { camunda = { 1, 3 }, flowable = { 1, 2.5, 4, 5.5 }, orrery = { 1, 3, 5, 7 } })
  shows("ends by when its missed firing happens", late '<timeCycle o:endDate="2026-01-01T03:45:00Z">R4/PT1H</timeCycle>',
    { camunda = { 1, 3 }, flowable = { 1, 2.5 }, orrery = { 1, 3 } })
end)
