-- Clean-up of history: what was called goes with its root, and what belongs to no instance goes, too.
local orrery = require "orrery"
local peers = require "spec.exec.peers"
local shows, survives, flows = peers.shows, peers.survives, peers.flows

local HISTORY <const> = { "history_instances", "history_activities", "history_tasks", "history_variables", "history_jobs",
  "history_externals", "history_decisions", "history_details", "history_links", "history_flows", "history_incidents",
  "history_operations", "comments", "attachments", "batches" }

--- How many rows there are of anything, by the lists that have some.
local function rows(engine)
  local out = {}
  for _, list in ipairs(HISTORY) do
    local count = engine:count(list, {})
    if count > 0 then out[#out + 1] = list .. " " .. count end
  end
  return table.concat(out, ", ")
end

local function process(key, days, body, path)
  body, path = body:gsub('id="([sca])"', 'id="' .. key .. '_%1"'), path:gsub("%f[%w][sca]%f[%W]", key .. "_%0")
  local kept = days and ('o:historyTimeToLive="P%dD"'):format(days) or ""
  return ('<process id="%s" isExecutable="true" %s>%s%s</process>'):format(key, kept, body, flows(path))
end

local function caller(key, days, called, more)
  return process(key, days, ('<startEvent id="s"/><callActivity id="c" calledElement="%s">%s</callActivity><userTask id="%s_last"/>')
    :format(called, more or "", key), ("s -> c c -> %s_last"):format(key))
end

local function leaf(key, days)
  return process(key, days, ('<startEvent id="s"/><userTask id="%s_last"/>'):format(key), ("s -> %s_last"):format(key))
end

local function complete(engine, key)
  for _, task in ipairs(engine:tasks { key = key .. "_last" }) do task:complete() end
end

local function pass(engine, days)
  for _ = 1, days do
    engine:advance "P1D"
    engine:run_jobs()
  end
end

local function instances(engine, key) return engine:count("history_instances", { definition_key = key }) end

describe("the history of a called instance", function()
  survives("stays while its root runs, and goes when that has been kept for its time", function(reopen)
    local engine, seen = reopen(), {}
    peers.deploy(engine, caller("root", 10, "middle") .. caller("middle", 1, "leaf") .. leaf("leaf", 2))
    engine:schedule_clean_history { every = "P1D" }
    engine:start "root"
    complete(engine, "leaf")
    complete(engine, "middle")
    pass(engine, 5)
    engine = reopen()
    seen[1] = instances(engine, "leaf") + instances(engine, "middle")
    complete(engine, "root")
    pass(engine, 9)
    seen[2] = instances(engine, "leaf") + instances(engine, "middle") + instances(engine, "root")
    engine = reopen()
    pass(engine, 1)
    seen[3] = engine:count("history_instances", {}) + engine:count("history_activities", {})
    seen[4] = #engine:verify()
    return seen
  end, { 2, 3, 0, 0 })

  shows("goes with its root though its own definition keeps it for good", function(engine)
    peers.deploy(engine, caller("root", 1, "leaf") .. leaf "leaf")
    engine:start "root"
    complete(engine, "leaf")
    complete(engine, "root")
    engine:schedule_clean_history { every = "P1D" }
    pass(engine, 2)
    return { instances(engine, "leaf"), instances(engine, "root") }
  end, { 0, 0 })

  shows("stays for good where its root's definition keeps it", function(engine)
    peers.deploy(engine, caller("root", nil, "leaf") .. leaf("leaf", 1))
    engine:start "root"
    complete(engine, "leaf")
    complete(engine, "root")
    engine:schedule_clean_history { every = "P1D" }
    pass(engine, 3)
    return { instances(engine, "leaf"), instances(engine, "root") }
  end, { 1, 1 })

  shows("is not taken by a time before its root's end", function(engine)
    peers.deploy(engine, caller("root", nil, "leaf") .. leaf "leaf")
    engine:start "root"
    complete(engine, "leaf")
    engine:advance "P1D"
    local limit = engine:now()
    local early = engine:clean_history { ended_before = limit }
    complete(engine, "root")
    local between = engine:clean_history { ended_before = limit }
    engine:advance(1)
    local cleaned = engine:clean_history { ended_before = engine:now() }
    return { early, between, cleaned, rows(engine) }
  end, { 0, 0, 2, "" })

  shows("goes when that of its root is deleted", function(engine)
    peers.deploy(engine, caller("root", nil, "leaf") .. leaf "leaf")
    local id = engine:start("root").id
    complete(engine, "leaf")
    complete(engine, "root")
    engine:delete_history(id)
    return { instances(engine, "leaf"), instances(engine, "root") }
  end, { 0, 0 })

  shows("goes in steps of bounded size, however much its root has called", function(engine)
    local many = '<multiInstanceLoopCharacteristics><loopCardinality>250</loopCardinality></multiInstanceLoopCharacteristics>'
    peers.deploy(engine, caller("root", 1, "leaf", many) .. process("leaf", nil, '<startEvent id="s"/>', ""))
    engine:start "root"
    complete(engine, "root")
    engine:advance "P1D"
    engine:schedule_clean_history { batch_size = 100 }
    local steps, left = 0, {}
    while engine:job { type = "clean-history" } do
      engine:job({ type = "clean-history" }):execute()
      steps = steps + 1
      left[steps] = engine:count("history_instances", {})
    end
    return { left, #engine:verify(), engine:count("history_activities", {}) }
  end, { { 151, 51, 0 }, 0, 0 })
end)

describe("clean-up of history", function()
  --- An engine in which something of everything has ended, and that clean-up has run in.
  local function played(engine)
    local fails = true
    engine:register("work", function() if fails then error "no luck" end end)
    peers.deploy(engine, process("p", 2, '<startEvent id="s"><timerEventDefinition><timeCycle>R3/PT1M</timeCycle>'
      .. '</timerEventDefinition></startEvent><serviceTask id="a" o:class="work"/>', "s -> a") .. leaf("q", 3))
    engine:schedule_clean_history { every = "P1D" }
    pass(engine, 1)
    fails = false
    for _, job in ipairs(engine:jobs { type = "timer-start" }) do job:set_retries(3) end
    for _ = 1, 3 do
      engine:advance "PT1M"
      engine:run_jobs()
    end
    for _, job in ipairs(engine:jobs { definition_key = "p" }) do job:delete() end
    local task = engine:create_task { name = "alone" }
    task:set("v", 1)
    task:add_link("candidate", { user = "u" })
    task:add_comment "hello"
    task:add_subtask({ name = "part" }):complete()
    task:complete()
    engine:start("q", { variables = { x = 1 } })
    complete(engine, "q")
  end

  shows("by a time leaves nothing that has an end, and tells how much went", function(engine)
    played(engine)
    engine:schedule_clean_history { off = true }
    engine:advance(1)
    local before = engine:count("history_instances", {}) + engine:count("history_tasks", {}) - 1
    local cleaned, again = engine:clean_history { ended_before = engine:now() }, nil
    again = engine:clean_history { ended_before = engine:now() }
    return { rows(engine), cleaned >= before, again, #engine:verify() }
  end, { "", true, 0, 0 })

  shows("by times to live takes what belongs to no definition with what is kept longest", function(engine)
    played(engine)
    pass(engine, 2)
    local between = { engine:count("history_tasks", { key = orrery.null }), engine:count("history_instances", {}) }
    pass(engine, 2)
    local left = {}
    for _, row in ipairs(engine:history_jobs {}) do
      left[#left + 1] = row.type == "clean-history" and row.time > engine:now() - 4 * 86400 and "clean-up" or row.type
    end
    engine:schedule_clean_history { off = true }
    return { between[1] >= 2, between[2], engine:count("history_tasks", {}), engine:count("history_incidents", {}),
      (table.concat(left, " "):gsub("clean%-up ?", "")) }
  end, { true, 1, 0, 0, "" })
end)
