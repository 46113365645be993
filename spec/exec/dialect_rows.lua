-- What each row of runtime/model/dialect.def does: a probe and what it gives in each column.
-- row(name, probe, camunda, flowable, orrery): probe(t) looks at t.engine, whose dialect is the column's.
local orrery = require "orrery"

local rows = {}
local function row(name, probe, camunda, flowable, own)
  rows[#rows + 1] = { name = name, probe = probe, expected = { camunda = camunda, flowable = flowable, orrery = own } }
end

-- ---- Models --------------------------------------------------------------------------------------------------------------------------

local DEFAULT_MESSAGES <const> = '<message id="m" name="m"/><message id="m2" name="m2"/><signal id="sig" name="sig"/>'
      .. '<error id="err" errorCode="err"/>'
      .. '<resource id="r" name="staff"/><resource id="r2" name="board"/>'
  .. '<escalation id="up" escalationCode="up"/>'

--- Elements, and flows as "a -> b" lines, around which the rest of a process stands.
local function process(body, flows, attributes)
  local out, n = { body }, 0
  for from, to in (flows or ""):gmatch "(%S+)%s*%->%s*(%S+)" do
    n = n + 1
    out[#out + 1] = ('<sequenceFlow id="_%d" sourceRef="%s" targetRef="%s"/>'):format(n, from, to)
  end
  return ('%s<process id="p" %s>%s</process>'):format(DEFAULT_MESSAGES, attributes or 'isExecutable="true"', table.concat(out))
end

local function deploy(t, body) return t.engine:deploy { ["p.bpmn"] = t.definitions(body) } end

--- "deployed", "warned" or "refused".
local function fate(t, body)
  local ok, deployment = pcall(deploy, t, body)
  if not ok then
    assert(deployment.kind == "deployment", tostring(deployment))
    return "refused"
  end
  return #(deployment.warnings or {}) > 0 and "warned" or "deployed"
end

local function kind_of(call, ...)
  local ok, err = pcall(call, ...)
  if ok then return "done" end
  return type(err) == "table" and err.kind or tostring(err)
end

local function run(t, body, flows, options)
  deploy(t, process(body, flows))
  return t.engine:start("p", options)
end

local function heard(t)
  local log = {}
  t.engine:register("hear", function(what) log[#log + 1] = (what.event_name or "?") end)
  return log
end

-- ---- Errors, jobs, timers ------------------------------------------------------------------------------------------------------------

row("uncaught_error_ends", function(t)
  deploy(t, process('<startEvent id="s"/><endEvent id="e"><errorEventDefinition errorRef="err"/></endEvent>', "s -> e"))
  return kind_of(t.engine.start, t.engine, "p")
end, "done", "bpmn_error", "bpmn_error")

row("multi_async_is_inner", function(t)
  run(t, [[<startEvent id="s"/><userTask id="a" o:async="true"><multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality>
    </multiInstanceLoopCharacteristics></userTask><endEvent id="e"/>]], "s -> a a -> e")
  return #t.engine:jobs { activity = "a" }
end, 1, 3, 1)

row("async_after_leaves_in_job", function(t)
  run(t, '<startEvent id="s"/><task id="a" o:asyncAfter="true"/><userTask id="b"/><userTask id="c"/>', "s -> a a -> b a -> c")
  return #t.engine:jobs {}
end, 2, 1, 2)

row("retry_wait_ms", function(t)
  t.engine:register("fail", function() error "no" end)
  run(t, '<startEvent id="s"/><serviceTask id="a" o:asyncBefore="true" o:class="fail"/>', "s -> a")
  t.engine:run_jobs(1)
  local job = t.engine:job {}
  return job.due and job.due - t.engine:now() or 0
end, 0, 10, 0)

--- Starts a process by a cycle whose firing fails; the timers that are there afterwards.
row("cycle_survives_failure", function(t)
  t.engine:register("fail", function() error "no" end)
  deploy(t, process([[<startEvent id="s"><timerEventDefinition><timeCycle>R3/PT1H</timeCycle></timerEventDefinition></startEvent>
    <serviceTask id="a" o:class="fail"/>]], "s -> a"))
  t.engine:advance(3600)
  pcall(function() t.engine:jobs({})[1]:execute() end)
  return #t.engine:jobs {}
end, 2, 1, 2)

local function firings(t, cycle, advance)
  deploy(t, process(('<startEvent id="s"><timerEventDefinition><timeCycle>%s</timeCycle></timerEventDefinition></startEvent>'
      .. '<userTask id="a"/>')
    :format(cycle), "s -> a"))
  for _, seconds in ipairs(advance) do
    t.engine:advance(seconds)
    t.engine:run_jobs()
  end
  return #t.engine:instances {}
end

row("cycle_catch_up", function(t)
  local first = firings(t, "R4/PT1H", { 3 * 3600 + 60 })
  for _ = 1, 4 do
    t.engine:advance(2 * 3600)
    t.engine:run_jobs()
  end
  return first .. " at once, " .. #t.engine:instances {} .. " in all"
end, "1 at once, 2 in all", "3 at once, 4 in all", "1 at once, 4 in all")
row("cycle_start_counts_extra", function(t)
  return firings(t, "R2/2026-01-01T02:00:00Z/PT1H", { 7200, 3600, 3600, 3600, 3600 })
end, 3, 2, 2)
row("cycle_end_counts_back", function(t)
  return firings(t, "R3/PT1H/2026-01-01T10:00:00Z", { 3600, 3600, 3600, 3600 })
end, 0, 3, 3)

--- When a start timer with this cron expression first fires.
local function first_due(t, cron)
  local ok, err = pcall(deploy, t, process(('<startEvent id="s"><timerEventDefinition><timeCycle>%s</timeCycle>'
      .. '</timerEventDefinition></startEvent>')
    :format(cron) .. '<userTask id="a"/>', "s -> a"))
  if not ok then return err.kind end
  return orrery.format_time(t.engine:jobs({})[1].due):sub(1, 10)
end
row("cron_quartz", function(t) return first_due(t, t.dialect == "camunda" and "0 0 0 * * 1" or "0 0 0 ? * 1") end,
  "2026-01-05", "2026-01-04", "2026-01-04") -- Monday; Sunday
row("cron_macros", function(t) return first_due(t, "@monthly") end, "2026-02-01", "deployment", "2026-02-01")

-- ---- Messages and signals --------------------------------------------------------------------------------------------------------------

row("message_start_expression", function(t)
  local ok, err = pcall(deploy, t, '<message id="x" name="a${1 + 1}"/><process id="p" isExecutable="true"><startEvent id="s">'
    .. '<messageEventDefinition messageRef="x"/></startEvent></process>')
  return ok and t.engine:subscriptions({})[1].name or err.kind
end, "deployment", "a${1 + 1}", "a2")

row("message_name_expression", function(t)
  deploy(t, '<message id="x" name="a${1 + 1}"/><process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" '
    .. 'targetRef="c"/><intermediateCatchEvent id="c"><messageEventDefinition messageRef="x"/></intermediateCatchEvent></process>')
  t.engine:start "p"
  return t.engine:subscriptions({})[1].name
end, "a2", "a${1 + 1}", "a2")

row("message_throw_empty", function(t)
  return fate(t, process('<startEvent id="s"/><intermediateThrowEvent id="th"><messageEventDefinition/></intermediateThrowEvent>'
      .. '<endEvent id="e"/>',
    "s -> th th -> e"))
end, "warned", "refused", "refused")

row("message_throw_bare", function(t)
  t.engine:register("send", function() end)
  local function fates(inside)
    local thrown = fate(t, process('<startEvent id="s"/><intermediateThrowEvent id="th">' .. inside .. "</intermediateThrowEvent>",
      "s -> th"))
    return thrown .. " " .. fate(t, process('<startEvent id="s"/><endEvent id="e">' .. inside .. "</endEvent>", "s -> e"))
  end
  return fates '<messageEventDefinition messageRef="m"/>' .. ", " .. fates '<messageEventDefinition messageRef="m" o:class="send"/>'
end, "deployed deployed, deployed deployed", "refused refused, deployed deployed", "deployed deployed, deployed deployed")

local function event_sub_process(id, event, inside)
  return ('<subProcess id="%s" triggeredByEvent="true"><startEvent id="%ss" isInterrupting="false">%s</startEvent>%s</subProcess>')
    :format(id, id, event, inside or "")
end

row("signal_twice_in_scope_allowed", function(t)
  local signal, message = '<signalEventDefinition signalRef="sig"/>', '<messageEventDefinition messageRef="m"/>'
  local function boundary(id, definition)
    return ('<boundaryEvent id="%s" attachedToRef="a" cancelActivity="false">%s</boundaryEvent>'):format(id, definition)
  end
  local start, task = '<startEvent id="s"/>', '<userTask id="a"/>'
  return table.concat({
    fate(t, process(start .. task .. event_sub_process("e1", signal) .. event_sub_process("e2", signal), "s -> a")),
    fate(t, process(start .. task .. boundary("b1", signal) .. boundary("b2", signal), "s -> a")),
    fate(t, process(start .. '<receiveTask id="a" messageRef="m"/>' .. boundary("b1", message), "s -> a")),
    fate(t, process(start .. '<eventBasedGateway id="a"/><intermediateCatchEvent id="c1">' .. message
      .. '</intermediateCatchEvent><intermediateCatchEvent id="c2">' .. message .. "</intermediateCatchEvent>", "s -> a a -> c1 a -> c2")),
  }, " ")
end, "refused refused refused refused", "deployed deployed deployed deployed", "refused refused refused refused")

row("signal_start_suspended_fails", function(t)
  deploy(t, process('<startEvent id="s"><signalEventDefinition signalRef="sig"/></startEvent><userTask id="a"/>', "s -> a"))
  t.engine:suspend_definition { key = "p" }
  return kind_of(t.engine.signal, t.engine, "sig")
end, "done", "suspended", "done")

row("signal_reaches_nobodys", function(t)
  local signal = '<signalEventDefinition signalRef="sig"/>'
  local body = t.definitions(process('<startEvent id="s"/><endEvent id="e"><extensionElements/></endEvent>', "s -> e"))
  local throws = body:gsub("<endEvent.->.-</endEvent>", '<intermediateThrowEvent id="e">' .. signal .. "</intermediateThrowEvent>")
  local hears = t.definitions(process('<startEvent id="s">' .. signal .. '</startEvent><userTask id="a"/>', "s -> a")
    :gsub('process id="p"', 'process id="q"'))
  t.engine:deploy({ ["p.bpmn"] = throws }, { tenant = "one" })
  for _, tenant in ipairs { "one", "two", "" } do t.engine:deploy({ ["q.bpmn"] = hears }, { tenant = tenant ~= "" and tenant or nil }) end
  t.engine:start("p", { tenant = "one" })
  local heard = {}
  for i, task in ipairs(t.engine:tasks {}) do heard[i] = task.tenant or "nobody" end
  table.sort(heard)
  return table.concat(heard, " ")
end, "nobody one", "one", "nobody one")

row("key_reaches_tenants", function(t)
  t.engine:deploy({ ["p.bpmn"] = t.definitions(process('<startEvent id="s"/>')) }, { tenant = "one" })
  return kind_of(t.engine.start, t.engine, "p")
end, "done", "not_found", "done")

-- ---- Checks of models

require "spec.exec.dialect_check_rows"(row, {
  process = process, deploy = deploy, fate = fate, run = run, event_sub_process = event_sub_process,
})

-- ---- Scopes and compensation

row("parallel_join_counts_tokens", function(t)
  run(t, [[<startEvent id="s"/><parallelGateway id="fork"/><userTask id="a"/><userTask id="b"/><userTask id="c"/>
    <exclusiveGateway id="merge"/><parallelGateway id="join"/><userTask id="z"/>]],
    "s -> fork fork -> a fork -> b fork -> c a -> merge b -> merge merge -> join c -> join join -> z")
  t.engine:task({ key = "a" }):complete()
  t.engine:task({ key = "b" }):complete()
  return #t.engine:tasks { key = "z" }
end, 1, 1, 0)

--- Branches a, b, c (and d) into an inclusive join behind which is "z"; how many tasks "z" there are after each of the tasks `keys`.
local function inclusive(t, flows, keys)
  run(t, [[<startEvent id="s"/><parallelGateway id="fork"/><userTask id="a"/><userTask id="b"/><userTask id="c"/>
    <exclusiveGateway id="merge"/><inclusiveGateway id="join"/><userTask id="z"/>]],
    "s -> fork fork -> a fork -> b fork -> c join -> z " .. flows)
  local seen = {}
  for i, key in ipairs(keys) do
    t.engine:task({ key = key }):complete()
    seen[i] = #t.engine:tasks { key = "z" }
  end
  t.engine:instance({}):delete()
  return table.concat(seen, " ")
end

row("inclusive_join", function(t)
  local merged = "a -> merge b -> merge merge -> join "
  local two_flows = inclusive(t, merged .. "c -> join", { "a", "b", "c" }) -- two tokens by one flow, the third by the other
  local waiting = inclusive(t, merged .. "c -> merge fork -> join", { "a", "b", "c" }) -- one by a flow of its own, three by the other
  local one_flow = inclusive(t, merged .. "c -> merge", { "a", "b", "c" }) -- all by the only flow
  return two_flows .. ", " .. waiting .. ", " .. one_flow
end, "0 1 2, 1 1 2, 1 2 3", "0 0 1, 0 0 1, 0 0 1", "0 0 1, 1 2 3, 1 2 3")

--- Branches of two steps each behind `from`, which note their names; the names in their order.
local function branches(t, from, flows, begin)
  local log = {}
  t.engine:register("note", function(execution) log[#log + 1] = execution.activity_id end)
  local tasks = {}
  for _, id in ipairs { "a", "a2", "b", "b2" } do tasks[#tasks + 1] = ('<serviceTask id="%s" o:class="note"/>'):format(id) end
  run(t, '<startEvent id="s"/>' .. from .. table.concat(tasks), flows .. " a -> a2 b -> b2")
  if begin then begin() end
  return table.concat(log, " ")
end

row("branches_take_turns", function(t)
  return branches(t, '<parallelGateway id="fork"/>', "s -> fork fork -> a fork -> b")
end, "a a2 b b2", "a b a2 b2", "a a2 b b2")

row("wait_state_reverses", function(t)
  return branches(t, '<userTask id="u"/>', "s -> u u -> a u -> b", function() t.engine:task({}):complete() end) .. ", "
    .. branches(t, "", "s -> a s -> b")
end, "b b2 a a2, a a2 b b2", "a b a2 b2, a b a2 b2", "a a2 b b2, a a2 b b2")

row("event_subprocess_outlives_flow", function(t)
  local instance = run(t, '<startEvent id="s"/><userTask id="a"/>' .. event_sub_process("es", '<messageEventDefinition messageRef="m"/>',
    '<userTask id="b"/><sequenceFlow id="f" sourceRef="ess" targetRef="b"/>'), "s -> a")
  t.engine:message "m"
  t.engine:task({ key = "a" }):complete()
  return #t.engine:subscriptions { instance = instance.id }
end, 1, 0, 0)

local compensated = [[<startEvent id="s"/><task id="a"/><boundaryEvent id="b" attachedToRef="a"><compensateEventDefinition/></boundaryEvent>
  <userTask id="undo" isForCompensation="true"/><association id="as" sourceRef="b" targetRef="undo" associationDirection="One"/>]]

row("cancel_compensates_all_instances", function(t)
  run(t, [[<startEvent id="s"/><transaction id="tx"><multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality>
    </multiInstanceLoopCharacteristics>]] .. compensated:gsub('id="s"', 'id="ts"') .. [[<userTask id="w"/>
    <sequenceFlow id="t1" sourceRef="ts" targetRef="a"/><sequenceFlow id="t2" sourceRef="a" targetRef="w"/>
    <sequenceFlow id="t3" sourceRef="w" targetRef="ce"/>
    <endEvent id="ce"><cancelEventDefinition/></endEvent></transaction><boundaryEvent id="cb" attachedToRef="tx"><cancelEventDefinition/>
    </boundaryEvent><userTask id="after"/>]], "s -> tx cb -> after")
  t.engine:tasks({ key = "w" })[1]:complete()
  return #t.engine:tasks { key = "undo" }
end, 1, 2, 2)

row("compensation_named_by_activity", function(t)
  run(t, compensated .. '<userTask id="w"/>', "s -> a a -> w")
  return t.engine:subscriptions({ type = "compensation" })[1].activity_id
end, "undo", "a", "a")

row("multi_compensates_as_whole", function(t)
  run(t, compensated:gsub('<task id="a"/>', [[<userTask id="a"><multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality>
    </multiInstanceLoopCharacteristics></userTask>]]) .. [[<parallelGateway id="g"/><userTask id="go"/>
    <intermediateThrowEvent id="th"><compensateEventDefinition activityRef="a"/></intermediateThrowEvent><userTask id="next"/>]],
    "s -> g g -> a g -> go go -> th th -> next")
  t.engine:tasks({ key = "a" })[1]:complete()
  t.engine:task({ key = "go" }):complete()
  return #t.engine:tasks { key = "undo" }
end, 0, 1, 0)

row("event_subprocess_boundary", function(t)
  local body = '<startEvent id="s"/><userTask id="a"/>' .. event_sub_process("es", '<messageEventDefinition messageRef="m"/>',
    '<userTask id="b"/><sequenceFlow id="f" sourceRef="ess" targetRef="b"/>')
    .. '<boundaryEvent id="bd" attachedToRef="es"><messageEventDefinition messageRef="m2"/></boundaryEvent><userTask id="c"/>'
  local ok = pcall(run, t, body, "s -> a bd -> c")
  if not ok then return "refused" end
  t.engine:message "m"
  return #t.engine:subscriptions { name = "m2" }
end, "refused", 0, "refused")

--- An event sub-process that starts by `event` and runs `task`, then "h".
local function caught(event, task)
  return '<subProcess id="es" triggeredByEvent="true"><startEvent id="ess">' .. event .. "</startEvent>" .. task .. '<userTask id="h"/>'
    .. '<sequenceFlow id="e1" sourceRef="ess" targetRef="t"/><sequenceFlow id="e2" sourceRef="t" targetRef="h"/></subProcess>'
end

row("escalation_start_interrupts", function(t)
  local instance = run(t, '<startEvent id="s"/><intermediateThrowEvent id="th"><escalationEventDefinition escalationRef="up"/>'
    .. '</intermediateThrowEvent><userTask id="a"/>' .. caught('<escalationEventDefinition escalationRef="up"/>', '<task id="t"/>'),
    "s -> th th -> a")
  local active = instance:active()
  table.sort(active)
  return table.concat(active, " ")
end, "h", "a h", "h")

row("event_subprocess_catches_itself", function(t)
  local thrown = 0
  t.engine:register("throw", function()
    thrown = thrown + 1
    if thrown < 3 then orrery.bpmn_error "err" end
  end)
  deploy(t, process('<startEvent id="s"/><serviceTask id="a" o:class="throw"/>'
    .. caught('<errorEventDefinition errorRef="err"/>', '<serviceTask id="t" o:class="throw"/>'), "s -> a"))
  local ok, instance = pcall(t.engine.start, t.engine, "p")
  if not ok then return instance.kind end
  return t.engine:instance(instance.id) and instance:active()[1] or "ended"
end, "ended", "h", "bpmn_error")

row("interruption_takes_boundary", function(t)
  local function left(event, happen)
    run(t, '<startEvent id="s"/><subProcess id="sub"><startEvent id="ss"/><userTask id="a"/><userTask id="b"/>'
      .. '<sequenceFlow id="sf" sourceRef="ss" targetRef="a"/>' .. caught(event, '<task id="t"/>')
      .. '</subProcess><boundaryEvent id="bd" attachedToRef="sub"><messageEventDefinition messageRef="m2"/></boundaryEvent>'
      .. '<userTask id="c"/>', "s -> sub bd -> c", { variables = { x = 0 } })
    happen()
    return #t.engine:subscriptions { name = "m2" }
  end
  local by_message = left('<messageEventDefinition messageRef="m"/>', function() t.engine:message "m" end)
  t.engine:instance({}):delete()
  local by_condition = left('<conditionalEventDefinition><condition>${x == 1}</condition></conditionalEventDefinition>',
    function() t.engine:instance({}):set("x", 1) end)
  return by_message .. " " .. by_condition
end, "0 0", "0 1", "1 1")

row("modification_interrupts", function(t)
  local instance = run(t, '<startEvent id="s"/><userTask id="a"/>' .. caught('<messageEventDefinition messageRef="m"/>', '<task id="t"/>'),
    "s -> a")
  instance:modify { { start_before = "ess" } }
  return #instance:active()
end, 1, 2, 1)

row("modification_starts_all", function(t)
  local instance = run(t, [[<startEvent id="s"/><userTask id="a"/><userTask id="mi"><multiInstanceLoopCharacteristics>
    <loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics></userTask>]], "s -> a a -> mi")
  instance:modify { { start_before = "mi" } }
  return #t.engine:tasks { key = "mi" }
end, 1, 3, 1)

row("modification_keeps_scopes", function(t)
  local instance = run(t, [[<startEvent id="s"/><subProcess id="sub"><startEvent id="ss"/><userTask id="a"/><userTask id="b"/>
    <sequenceFlow id="i" sourceRef="ss" targetRef="a"/></subProcess><userTask id="c"/>]], "s -> sub sub -> c")
  local before = t.engine:execution { activity = "sub" }
  before:set_local("v", 1)
  instance:modify { { cancel = "a" }, { start_before = "b" } }
  local kept = instance:tree().children[1].id == before.id and t.engine:task({}):get "v"
  instance:modify { { cancel = "b" }, { start_before = "c" } }
  return tostring(kept) .. " " .. table.concat(instance:active(), " ") .. " " .. #t.engine:executions { activity = "sub" }
end, "false c 0", "1 c 0", "false c 0")

row("migration_changes_state", function(t)
  local instance = run(t, '<startEvent id="s"/><receiveTask id="a"/>', "s -> a")
  deploy(t, process('<startEvent id="s"/><userTask id="a"/><userTask id="b"/>', "s -> a a -> b"))
  local plan = t.engine:migration_plan(instance.definition_id, t.engine:definition({ key = "p", version = 2 }).id,
    { instructions = { { from = "a", to = { "a", "b" } } } })
  return kind_of(t.engine.migrate, t.engine, plan, { instances = { instance.id } }) .. " " .. #t.engine:tasks {}
end, "argument 0", "done 2", "argument 0")

row("suspend_twice_fails", function(t)
  local instance = run(t, '<startEvent id="s"/><userTask id="a"/>', "s -> a")
  instance:suspend()
  local again = kind_of(instance.suspend, instance)
  instance:activate()
  again = again .. " " .. kind_of(instance.activate, instance)
  local definition = t.engine:definition { key = "p" }
  t.engine:suspend_definition(definition.id)
  again = again .. ", " .. kind_of(t.engine.suspend_definition, t.engine, definition.id)
  t.engine:activate_definition { key = "p" }
  local by_key = kind_of(t.engine.activate_definition, t.engine, { key = "p" })
  return again .. " " .. by_key
end, "done done, done done", "state state, state state", "done done, done done")

row("links_hold_assignee", function(t)
  run(t, '<startEvent id="s"/><userTask id="a" o:assignee="kermit" o:owner="piggy"/>', "s -> a")
  local links = {}
  local function tell(task)
    for _, link in ipairs(task:links()) do links[#links + 1] = link.type .. " " .. link.user end
  end
  tell(t.engine:task {})
  local alone = t.engine:create_task { name = "of no process" }
  alone:assign "gonzo"
  alone:update { owner = "fozzie" }
  tell(alone)
  alone:remove_link("assignee", { user = "gonzo" })
  tell(alone)
  return table.concat(links, ", ")
end, "assignee kermit, owner piggy, assignee gonzo, owner fozzie, owner fozzie", "", "")

row("migration_crosses_scopes", function(t)
  local body = '<startEvent id="s"/>'
  for _, id in ipairs { "x", "y" } do
    body = body .. ('<subProcess id="%s"><startEvent id="%ss"/><userTask id="%sa"/><sequenceFlow id="%sf" sourceRef="%ss" targetRef="%sa"/>'
      .. "</subProcess>"):format(id, id, id, id, id, id)
  end
  local instance = run(t, body, "s -> x x -> y")
  deploy(t, process(body, "s -> x x -> y"))
  local plan = t.engine:migration_plan(instance.definition_id, t.engine:definition({ key = "p", version = 2 }).id,
    { map_equal = false, instructions = { { from = "x", to = "x" }, { from = "xa", to = "ya" } } })
  local ok = pcall(t.engine.migrate, t.engine, plan, { instances = { instance.id } })
  return ok and table.concat(instance:active(), " ") or "refused"
end, "refused", "ya", "refused")

row("migration_arms_new", function(t)
  local task = '<startEvent id="s"/><userTask id="a"/>'
  local seen = {}
  for i, options in ipairs { {}, { arm_event_subprocesses = true } } do
    local instance = run(t, task, "s -> a")
    deploy(t, process(task .. event_sub_process("es", '<messageEventDefinition messageRef="m"/>'), "s -> a"))
    local target = t.engine:definition { key = "p", version = 2 * i }
    local plan = t.engine:migration_plan(instance.definition_id, target.id, options)
    t.engine:migrate(plan, { instances = { instance.id } })
    seen[i] = #t.engine:subscriptions { instance = instance.id }
  end
  return table.concat(seen, " ")
end, "1 1", "0 1", "1 1")

row("end_listeners_on_cancel", function(t)
  local log = heard(t)
  run(t, [[<startEvent id="s"/><userTask id="a"><extensionElements><o:executionListener event="end" class="hear"/></extensionElements>
    </userTask><boundaryEvent id="b" attachedToRef="a"><messageEventDefinition messageRef="m"/></boundaryEvent><userTask id="c"/>]],
    "s -> a b -> c")
  t.engine:message "m"
  return #log
end, 1, 0, 1)

-- ---- Listeners

row("multi_listeners_for_body", function(t)
  local log = heard(t)
  run(t, [[<startEvent id="s"/><userTask id="a"><extensionElements><o:executionListener event="start" class="hear"/></extensionElements>
    <multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics></userTask>]], "s -> a")
  return #log
end, 2, 3, 3)

row("listener_error_own_boundary", function(t)
  t.engine:register("throw", function() orrery.bpmn_error "err" end)
  deploy(t, process([[<startEvent id="s"/><userTask id="a"><extensionElements><o:executionListener event="start" class="throw"/>
    </extensionElements>
    </userTask><boundaryEvent id="b" attachedToRef="a"><errorEventDefinition errorRef="err"/></boundaryEvent>
    <userTask id="c"/>]], "s -> a b -> c"))
  local ok, instance = pcall(t.engine.start, t.engine, "p")
  return ok and instance:active()[1] or instance.kind
end, "c", "bpmn_error", "c")

row("task_text_raw", function(t)
  deploy(t, process([[<startEvent id="s"/><userTask id="a" name="for ${nobody.name}"><documentation>${nothing}</documentation></userTask>]],
    "s -> a"))
  local ok, instance = pcall(t.engine.start, t.engine, "p")
  if not ok then return instance.kind end
  local task = t.engine:task {}
  return task.name .. ", " .. task.description
end, "expression", "for ${nobody.name}, ${nothing}", "expression")

row("task_completed_reason", function(t)
  run(t, '<startEvent id="s"/><userTask id="a"/><endEvent id="e"/>', "s -> a a -> e")
  t.engine:task({}):complete()
  return tostring(t.engine:history_task({}).delete_reason)
end, "completed", "nil", "completed")

row("task_delete_on_complete", function(t)
  local log = heard(t)
  run(t, [[<startEvent id="s"/><userTask id="a"><extensionElements><o:taskListener event="delete" class="hear"/>
    </extensionElements></userTask>
    <endEvent id="e"/>]], "s -> a a -> e")
  t.engine:task({}):complete()
  return #log
end, 0, 1, 1)

row("task_assignment_first", function(t)
  local log = heard(t)
  run(t, [[<startEvent id="s"/><userTask id="a" o:assignee="kermit"><extensionElements><o:taskListener event="create" class="hear"/>
    <o:taskListener event="assignment" class="hear"/></extensionElements></userTask>]], "s -> a")
  return table.concat(log, " ")
end, "create assignment", "assignment create", "assignment create")

row("listener_activity_id", function(t)
  local seen
  t.engine:register("look", function(execution) seen = tostring(execution.activity_id) end)
  run(t, [[<extensionElements><o:executionListener event="start" class="look"/></extensionElements><startEvent id="s"/>
    <userTask id="a"/>]], "s -> a")
  return seen
end, "s", "nil", "s")

-- ---- Instances, tasks and history

row("called_delete_cancels_caller", function(t)
  deploy(t, process('<startEvent id="s"/><callActivity id="c" calledElement="q"/><userTask id="after"/>', "s -> c c -> after")
    .. '<process id="q" isExecutable="true"><startEvent id="qs"/><userTask id="qa"/>'
      .. '<sequenceFlow id="qf" sourceRef="qs" targetRef="qa"/></process>')
  local instance = t.engine:start "p"
  t.engine:instance({ key = "q" }):delete "no more"
  local left = t.engine:instance(instance.id)
  return left and table.concat(left:active(), " ") or "gone"
end, "gone", "after", "gone")

row("external_fail_needs_retries", function(t)
  run(t, '<startEvent id="s"/><serviceTask id="a" o:type="external" o:topic="t"/>', "s -> a")
  local task = t.engine:fetch_and_lock({ worker = "w", max = 1, topics = { { name = "t", lock = 60 } } })[1]
  return kind_of(task.fail, task, "w", { message = "no" })
end, "argument", "done", "done")

row("history_boundary_when_armed", function(t)
  local pi = run(t, [[<startEvent id="s"/><userTask id="a"/>
    <boundaryEvent id="b" attachedToRef="a"><messageEventDefinition messageRef="m"/></boundaryEvent>
    <boundaryEvent id="x" attachedToRef="a"><errorEventDefinition errorRef="err"/></boundaryEvent><userTask id="u"/><endEvent id="e"/>]],
    "s -> a a -> e b -> u x -> u")
  local function tell(id)
    local rows = t.engine:history_activities { instance = pi.id, activity = id }
    if #rows ~= 1 then return #rows end
    local row = rows[1]
    local ended = row.ended_at and row.ended_at - pi.started_at or ""
    return ("%g..%s%s"):format(row.started_at - pi.started_at, ended, row.canceled and " canceled" or "")
  end
  local armed = tell "b"
  t.engine:advance(5)
  t.engine:message("m", { instance = pi.id })
  return ("%s, %s, %s"):format(armed, tell "b", tell "x")
end, "0, 5..5.0, 0", "0.., 0..5.0, 0..5.0 canceled", "0, 5..5.0, 0")

row("history_link_events", function(t)
  run(t, [[<startEvent id="s"/><intermediateThrowEvent id="th"><linkEventDefinition name="l"/></intermediateThrowEvent>
    <intermediateCatchEvent id="c"><linkEventDefinition name="l"/></intermediateCatchEvent><userTask id="a"/>]], "s -> th c -> a")
  return #t.engine:history_activities { activity = "th" } + #t.engine:history_activities { activity = "c" }
end, 0, 2, 2)

row("bad_priority_fails", function(t)
  deploy(t, process('<startEvent id="s"/><userTask id="a" o:asyncBefore="true" o:jobPriority="${missing.bean}"/>', "s -> a"))
  return kind_of(t.engine.start, t.engine, "p")
end, "done", "expression", "done")

row("retry_r0_once", function(t)
  t.engine:register("fail", function() error "no" end)
  run(t, [[<startEvent id="s"/><serviceTask id="a" o:asyncBefore="true" o:class="fail"><extensionElements><o:failedJobRetryTimeCycle>R0/PT1M
    </o:failedJobRetryTimeCycle></extensionElements></serviceTask>]], "s -> a")
  t.engine:run_jobs()
  return #t.engine:incidents {}
end, 1, 1, 1)

row("suspended_variables_refused", function(t)
  local instance = run(t, '<startEvent id="s"/><userTask id="a"/>', "s -> a")
  instance:suspend()
  local task = t.engine:task {}
  return kind_of(instance.set, instance, "x", 1) .. ", " .. kind_of(task.update, task, { priority = 1 })
end, "done, done", "suspended, suspended", "done, done")

row("transient_beside_stored", function(t)
  t.engine:register("hide", function(execution)
    execution:set("x", 1)
    execution:set_transient("x", 2)
  end)
  t.engine:register("replace", function(execution)
    execution:set("x", 1)
    execution:remove "x"
    execution:set_transient("x", 2)
  end)
  t.engine:register("settle", function(execution)
    execution:set_transient("x", 1)
    execution:remove "x"
    execution:set("x", 2)
  end)
  local fates = {}
  for i, class in ipairs { "hide", "replace", "settle" } do
    deploy(t, process(('<startEvent id="s"/><serviceTask id="a" o:class="%s"/>'):format(class), "s -> a"))
    fates[i] = kind_of(t.engine.start, t.engine, "p")
  end
  return table.concat(fates, ", ")
end, "state, state, state", "done, done, done", "state, done, done")

-- Where a local variable is seen: in the instance, and behind the activity that set it.
local function seen_of_local(t, inside)
  t.engine:register("own", function(execution) execution:set_local("x", 1) end)
  local pi = run(t, '<startEvent id="s"/><serviceTask id="a" o:class="own"/><userTask id="u"/>' .. inside, "s -> a a -> u")
  return (pi:get "x" and "instance" or "none") .. ", " .. (t.engine:task({ key = "u" }):get "x" and "behind" or "gone")
end

row("local_of_lone_token_in_scope", function(t) return seen_of_local(t, "") end, "instance, behind", "none, behind", "none, behind")

row("boundary_makes_scope", function(t)
  return seen_of_local(t, [[<boundaryEvent id="b" attachedToRef="a"><errorEventDefinition/></boundaryEvent>]])
end, "none, gone", "none, behind", "none, gone")

row("external_exclusive", function(t)
  local task = '<serviceTask id="%s" o:type="external-worker" o:topic="t" %s/>'
  run(t, '<startEvent id="s"/><parallelGateway id="g"/>' .. task:format("a", "") .. task:format("b", "")
    .. task:format("c", 'o:exclusive="false"'), "s -> g g -> a g -> b g -> c")
  local function fetch(worker, max)
    local got = {}
    for i, found in ipairs(t.engine:fetch_and_lock { worker = worker, max = max, topics = { { name = "t", lock = 60 } } }) do
      got[i] = found.activity_id
    end
    table.sort(got)
    return table.concat(got, " ")
  end
  local first, other, same = fetch("w1", 1), fetch("w2", 5), fetch("w1", 5)
  t.engine:advance(61)
  return table.concat({ first, other, same, fetch("w2", 1) }, ", ")
end, "a, b c, , a", "a, c, b, a", "a, b c, , a")

row("delegate_has_result", function(t)
  t.engine:register("answers", function() return "an answer" end)
  local function result_of(attribute)
    local task = ('<startEvent id="s"/><serviceTask id="a" %s o:resultVariable="r"/><userTask id="u"/>'):format(attribute)
    local ok, pi = pcall(run, t, task, "s -> a a -> u")
    return ok and pi:get "r" or pi.kind
  end
  return result_of 'o:class="answers"' .. ", " .. result_of 'o:delegateExpression="${answers}"'
end, "deployment, deployment", "deployment, deployment", "an answer, an answer")

row("text_variables_compute", function(t)
  t.engine:register("tells", function(execution)
    execution:set("r", require "orrery.core".texts_compute(execution) and "computes" or "as it is")
  end)
  return run(t, '<startEvent id="s"/><serviceTask id="a" o:class="tells"/><userTask id="u"/>', "s -> a a -> u"):get "r"
end, "as it is", "computes", "as it is")

require "spec.exec.dialect_peer_rows"(row, { process = process, deploy = deploy, run = run })

return rows
