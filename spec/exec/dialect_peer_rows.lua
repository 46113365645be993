-- Rows of runtime/model/dialect.def that real engines showed.
local peers = require "spec.exec.peers"
local flows = peers.flows

local function node(kind, id, inner)
  return ('<%s id="%s">%s</%s>'):format(kind, id, inner or "", kind)
end
local function user(ids) return (ids:gsub("%S+", function(id) return node("userTask", id) end)) end
local function class(name, ids)
  return (ids:gsub("%S+", ('<serviceTask id="%%0" o:class="%s"/>'):format(name)))
end
local function message(name) return ('<messageEventDefinition messageRef="%s"/>'):format(name) end
local START <const> = '<startEvent id="s"/>'

--- `probes`: what rows share.
return function(row, probes)
  local process, deploy, run = probes.process, probes.deploy, probes.run

  row("start_first_of_many", function(t)
    local starts = node("startEvent", "x", message "m") .. node("startEvent", "y", message "m2")
    deploy(t, process(starts .. user "a b", "x -> a y -> b"))
    local ok, instance = pcall(t.engine.start, t.engine, "p")
    return ok and table.concat(instance:active(), " ") or instance.kind
  end, "state", "a", "state")

  row("startable_when_named", function(t)
    deploy(t, process(START) .. '<process id="q" isExecutable="true" '
      .. 'o:candidateStarterGroups="staff"><startEvent id="qs"/></process>')
    t.engine:set_groups(function(who) return who == "kermit" and { "staff" } or {} end)
    local found = {}
    for i, who in ipairs { "kermit", "gonzo" } do
      local keys = {}
      for k, d in ipairs(t.engine:definitions { startable_by = who, order_by = "key" }) do
        keys[k] = d.key
      end
      found[i] = table.concat(keys, " ")
    end
    return table.concat(found, ", ")
  end, "p q, p", "q, ", "p q, p")

  row("join_keeps_branch", function(t)
    local seen = {}
    t.engine:register("set", function(x) x:set_local("v", x.activity_id) end)
    t.engine:register("see", function(x) seen[#seen + 1] = x:get "v" or "-" end)
    local nodes = START .. class("set", "a1 b1") .. class("see", "a2 b2 c") .. user "u"
      .. node("parallelGateway", "f")
    for _, kind in ipairs { "parallelGateway", "inclusiveGateway" } do
      run(t, nodes .. node(kind, "j"), "s -> f f -> a1 a1 -> a2 a2 -> j f -> b1 b1 -> b2 b2 -> j "
        .. "j -> c c -> u")
    end
    return table.concat(seen, " ")
  end, "a1 b1 - a1 b1 -", "a1 b1 b1 a1 b1 b1", "a1 b1 - a1 b1 -")

  --- Moves an instance of `from` to `to`: what `look` sees then, or the kind of the refusal.
  local function migrated(t, from, to, instructions, look)
    deploy(t, from)
    local instance = t.engine:start "p"
    deploy(t, to)
    local target = t.engine:definition({ key = "p", latest = true }).id
    local plan = t.engine:migration_plan(instance.definition_id, target,
      { map_equal = false, instructions = instructions })
    local ok, err = pcall(t.engine.migrate, t.engine, plan, { instances = { instance.id } })
    return ok and look(instance) or err.kind
  end

  row("migration_conditions_asked", function(t)
    local model = process(START .. user "a" .. '<boundaryEvent id="b" attachedToRef="a">'
      .. "<conditionalEventDefinition><condition>${x == 1}</condition></conditionalEventDefinition>"
      .. "</boundaryEvent>", "s -> a")
    local function armed() return #t.engine:subscriptions { type = "conditional" } end
    local function move(update)
      local event = { from = "b", to = "b", update_event_trigger = update }
      return migrated(t, model, model, { { from = "a", to = "a" }, event }, armed)
    end
    return ("%s %s"):format(move(nil), move(true))
  end, "argument 2", "1 2", "1 2")

  row("migration_rearms_starts", function(t)
    local from = node("subProcess", "sub", node("startEvent", "ss") .. user "a" .. flows "ss -> a")
    local to = '<subProcess id="es" triggeredByEvent="true">'
      .. node("startEvent", "x", message "m") .. user "b" .. flows "x -> b" .. "</subProcess>"
    local moves = { { from = "sub", to = "es" }, { from = "a", to = "b" } }
    from, to = process(START .. from, "s -> sub"), process(START .. user "u" .. to, "s -> u")
    return migrated(t, from, to, moves, function(instance)
      local before = t.engine:task({ key = "b" })
      local listens = #t.engine:subscriptions { type = "message", name = "m" }
      before:complete()
      return ("%d %s"):format(listens, t.engine:history_instance(instance.id).state)
    end)
  end, "1 completed", "0 completed", "0 completed")

  local function on(event, name)
    return ('<extensionElements><o:executionListener event="%s" class="%s"/></extensionElements>')
      :format(event, name)
  end
  local ERROR <const> = '<errorEventDefinition errorRef="err"/>'
  local UP <const> = '<escalationEventDefinition escalationRef="up"/>'
  local UNDO <const> = "<compensateEventDefinition/>"
  local MULTI <const> = "<multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality>"
    .. "</multiInstanceLoopCharacteristics>"

  local function boundary(id, at, event, attributes)
    return ('<boundaryEvent id="%s" attachedToRef="%s" %s>%s</boundaryEvent>')
      :format(id, at, attributes or "", event)
  end
  local function event_sub_process(id, start, inside, attributes)
    local head = ('<subProcess id="%s" triggeredByEvent="true"><startEvent id="%s_s" %s>')
      :format(id, id, attributes or "")
    return head .. start .. "</startEvent>" .. inside .. "</subProcess>"
  end
  local function undone(id, handler)
    return boundary("c_" .. id, id, UNDO) .. handler:format("undo_" .. id)
      .. ('<association id="as_%s" sourceRef="c_%s" targetRef="undo_%s" '):format(id, id, id)
      .. 'associationDirection="One"/>'
  end
  local UNDO_TASK <const> = '<userTask id="%s" isForCompensation="true"/>'
  local NON_INTERRUPTING <const> = 'isInterrupting="false"'

  local function active(instance) return table.concat(instance:active(), " ") end
  local function complete(t, key) t.engine:task({ key = key }):complete() end
  local function kind_of(call, ...)
    local ok, err = pcall(call, ...)
    return ok and "done" or err.kind
  end
  local function heard(t)
    local log = {}
    t.engine:register("hear", function(x) log[#log + 1] = x.activity_id end)
    return log
  end
  --- Which events there are subscriptions for.
  local function armed(t)
    local out = {}
    for i, s in ipairs(t.engine:subscriptions {}) do out[i] = s.activity_id end
    table.sort(out)
    return table.concat(out, " ")
  end

  row("modification_after_whole", function(t)
    local instance = run(t, START .. user "a z" .. node("userTask", "b", MULTI), "s -> a b -> z")
    local one = kind_of(instance.modify, instance, { { start_after = "b" } })
    local whole = kind_of(instance.modify, instance, { { start_after = "b#multiInstanceBody" } })
    return one .. ", " .. whole .. ", " .. peers.tasks(t.engine)
  end, "argument, done, a z", "done, done, a z z", "done, done, a z z")

  row("modification_keeps_listening", function(t)
    local instance = run(t, START .. user "a" .. event_sub_process("es", message "m", user "b"
      .. flows "es_s -> b"), "s -> a")
    instance:modify { { start_before = "b" } }
    local inside = armed(t)
    t.engine:task({ key = "b" }):complete()
    if #t.engine:subscriptions {} > 0 then t.engine:message "m" end
    local caught = peers.tasks(t.engine)
    instance:modify { { start_before = "a" } }
    return ("%s, %s, %s"):format(inside, caught, armed(t))
  end, "es_s, b, ", ", a, es_s", ", a, es_s")

  row("modification_starts_suspended", function(t)
    local instance = run(t, START .. user "a c" .. '<userTask id="b" o:async="true"/>', "s -> a")
    instance:suspend()
    local now = kind_of(instance.modify, instance, { { start_before = "c" } })
    local later = kind_of(instance.modify, instance, { { start_before = "b" } })
    local job = t.engine:job { activity = "b" }
    return ("%s, %s, %s"):format(now, later, job and job.suspended and "waits" or "nothing")
  end, "suspended, done, waits", "suspended, suspended, nothing", "suspended, suspended, nothing")

  row("event_subprocess_compensable", function(t)
    local beside = event_sub_process("es", message "m", user "x" .. undone("x", UNDO_TASK)
      .. flows "es_s -> x", NON_INTERRUPTING)
    run(t, START .. user "a z" .. node("intermediateThrowEvent", "back", UNDO) .. beside,
      "s -> a a -> back back -> z")
    t.engine:message "m"
    complete(t, "x")
    complete(t, "a")
    return peers.tasks(t.engine)
  end, "undo_x", "z", "z")

  row("join_listeners_for_each", function(t)
    local log = heard(t)
    for _, kind in ipairs { "parallelGateway", "inclusiveGateway" } do
      local gateways = node("parallelGateway", "f") .. node(kind, "j", on("end", "hear"))
      run(t, START .. gateways .. user "a b u",
        "s -> f f -> a f -> b a -> j b -> j j -> u")
      complete(t, "a")
      complete(t, "b")
    end
    return #log .. " " .. peers.tasks(t.engine)
  end, "4 u u", "2 u u", "2 u u")

  row("uncaught_error_by_job", function(t)
    t.engine:register("throw", function() require "orrery".bpmn_error "E" end)
    local ok = pcall(run, t, START .. '<serviceTask id="a" o:class="throw" o:asyncAfter="true"/>'
      .. user "u", "s -> a a -> u")
    local jobs = #t.engine:jobs {}
    t.engine:run_jobs()
    return ("%s %d %d"):format(ok and "ends" or "raised", jobs, t.engine:count("instances", {}))
  end, "ends 1 0", "raised 0 0", "raised 0 0")

  row("condition_last_wins", function(t)
    local holds = "<conditionalEventDefinition><condition>${x == 1}</condition>"
      .. "</conditionalEventDefinition>"
    local events = boundary("b", "a", holds) .. boundary("c", "a", holds)
    local instance = run(t, START .. user "a y z" .. events,
      "s -> a b -> y c -> z", { variables = { x = 0 } })
    instance:set("x", 1)
    return active(instance)
  end, "z", "y", "y")

  row("exclusive_end_listeners", function(t)
    local log = heard(t)
    run(t, START .. node("exclusiveGateway", "x", on("end", "hear"))
      .. node("parallelGateway", "f", on("end", "hear")) .. user "u", "s -> x x -> f f -> u")
    return table.concat(log, " ")
  end, "x f", "f", "x f")

  row("interrupting_start_listeners", function(t)
    local log, out = heard(t), {}
    for i, attributes in ipairs { "", NON_INTERRUPTING } do
      local beside = event_sub_process("es", message "m", user "b" .. flows "es_s -> b", attributes)
      beside = beside:gsub(">", ">" .. on("start", "hear"), 1)
      local instance = run(t, START .. user "a" .. beside, "s -> a")
      t.engine:message("m", { instance = instance.id })
      out[i] = tostring(#log)
    end
    return table.concat(out, " ")
  end, "1 2", "0 1", "1 2")

  row("error_start_ends_all", function(t)
    local instance = run(t, START .. node("subProcess", "sub", node("startEvent", "ss")
      .. node("parallelGateway", "f") .. user "a b" .. node("endEvent", "e", ERROR)
      .. flows "ss -> f f -> a f -> b a -> e" .. event_sub_process("es", ERROR, user "c"
      .. flows "es_s -> c")) .. user "z", "s -> sub sub -> z")
    complete(t, "a")
    local seen = peers.tasks(t.engine)
    for _, task in ipairs(t.engine:tasks {}) do task:complete() end
    return ("%s, %s, %d"):format(seen, active(instance), #t.engine:verify())
  end, "c, z, 0", "b c, z, 0", "c, z, 0")

  row("escalation_maps_outputs", function(t)
    deploy(t, process(START .. '<callActivity id="c" calledElement="q"><extensionElements>'
      .. '<o:out source="x" target="x"/></extensionElements></callActivity>'
      .. boundary("b", "c", UP) .. user "z", "s -> c b -> z")
      .. peers.process('<startEvent id="qs"/>' .. node("scriptTask", "i", "<script>x = 2</script>")
        :gsub(">", ' scriptFormat="lua" o:autoStoreVariables="true">', 1)
        .. node("endEvent", "t", UP), "qs -> i i -> t", "q"):gsub("^.-(<process)", "%1"))
    local instance = t.engine:start("p", { variables = { x = 1 } })
    return ("%s %s"):format(active(instance), tostring(instance:get "x"))
  end, "z 2", "z 1", "z 2")

  row("compensation_waits", function(t)
    run(t, START .. '<task id="a"/>' .. undone("a", UNDO_TASK)
      .. node("intermediateThrowEvent", "back", UNDO) .. user "z", "s -> a a -> back back -> z")
    local seen = peers.tasks(t.engine)
    for _ = 1, 2 do
      for _, task in ipairs(t.engine:tasks {}) do task:complete() end
    end
    return ("%s, %d"):format(seen, t.engine:count("instances", {}))
  end, "undo_a, 0", "undo_a z, 0", "undo_a, 0")

  row("cancel_needs_boundary", function(t)
    local no = node("endEvent", "no", "<cancelEventDefinition/>")
    local inside = node("startEvent", "xs") .. no .. flows "xs -> no"
    return kind_of(run, t, START .. node("transaction", "x", inside) .. user "z", "s -> x x -> z")
  end, "done", "state", "done")

  row("modification_moves", function(t)
    local inner = node("startEvent", "ss") .. node("parallelGateway", "f") .. user "a b c"
      .. flows "ss -> f f -> a f -> b"
    local fork = START .. node("parallelGateway", "g") .. user "x y z"
    local out = {}
    local function after(body, way, ...)
      local instance = run(t, body, way)
      instance:modify { ... }
      out[#out + 1] = peers.tasks(t.engine)
      instance:delete()
    end
    after(fork, "s -> g g -> x g -> x g -> y", { cancel = "x" }, { start_before = "z" })
    after(START .. node("subProcess", "sub", inner) .. user "z", "s -> sub", { cancel = "a" },
      { start_before = "z" })
    local each = kind_of(after, START .. node("subProcess", "sub", inner .. MULTI), "s -> sub",
      { cancel = "a" }, { start_before = "c" })
    return ("%s: %s"):format(table.concat(out, ", "), each)
  end, "y z, b z: argument", "x y z, z, b b c c: done", "y z, b z: argument")

  row("dead_jobs_suspended", function(t)
    t.engine:register("fail", function() error "no" end)
    local fails = '<serviceTask id="a" o:async="true" o:class="fail"/>'
    local instance = run(t, START .. fails, "s -> a")
    t.engine:job({}):set_retries(0)
    instance:suspend()
    return tostring(t.engine:job({}).suspended)
  end, "true", "false", "true")
end
