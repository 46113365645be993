-- Rows of runtime/model/dialect.def about what a model may hold; spec/exec/dialect_rows.lua has the others.
local orrery = require "orrery"

--- `probes`: what rows share.
return function(row, probes)
  local process, deploy, fate, run, event_sub_process = probes.process, probes.deploy, probes.fate, probes.run, probes.event_sub_process

  row("model_checks_lenient", function(t)
    local start = '<startEvent id="s"/>'
    local escalation = '<boundaryEvent id="%s" attachedToRef="a"><escalationEventDefinition escalationRef="up"/></boundaryEvent>'
    local models = {
      process([[<startEvent id="s"/><userTask id="a"/><subProcess id="es" triggeredByEvent="true"><startEvent id="x">
        <messageEventDefinition messageRef="m"/></startEvent><startEvent id="y"><messageEventDefinition messageRef="m2"/></startEvent>
        </subProcess>]], "s -> a"),
      process(start .. '<userTask id="a"/><endEvent id="e"><errorEventDefinition/></endEvent>', "s -> a a -> e"),
      process(start .. '<task/>', ""),
      process(start .. '<endEvent id="e"><escalationEventDefinition escalationRef="nowhere"/></endEvent>', "s -> e"),
      process(start .. '<manualTask id="a"/>' .. escalation:format "b", "s -> a"),
      process(start .. '<userTask id="a"/>' .. escalation:format "b" .. escalation:format "c", "s -> a"),
    }
    local fates = {}
    for i, model in ipairs(models) do fates[i] = fate(t, model) end
    return table.concat(fates, " ")
  end, ("refused "):rep(5) .. "refused", "warned warned warned deployed deployed deployed", ("refused "):rep(5) .. "refused")

  row("model_checks_strict", function(t)
    local start, fates = '<startEvent id="s"/>', {}
    for i, model in ipairs {
      process(start .. [[<endEvent id="e"/><sequenceFlow id="f" sourceRef="s" targetRef="e"><conditionExpression
        xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="tExpression">${true}</conditionExpression></sequenceFlow>]]),
      process(start .. [[<userTask id="a"><multiInstanceLoopCharacteristics o:elementVariable="x"><loopCardinality>2</loopCardinality>
        </multiInstanceLoopCharacteristics></userTask>]], "s -> a"),
      process(start .. [[<userTask id="a"><extensionElements><o:executionListener event="start"><o:script>local x = 1</o:script>
        </o:executionListener></extensionElements></userTask>]], "s -> a"),
      process(start .. [[<serviceTask id="a" o:type="mail"><extensionElements><o:field name="bcc" stringValue="a@b"/>
        <o:field name="text" stringValue="x"/></extensionElements></serviceTask>]], "s -> a"),
    } do fates[i] = fate(t, model) end
    return table.concat(fates, " ")
  end, "refused refused refused refused", "warned warned deployed deployed", "warned warned deployed deployed")

  row("cardinality_beside_collection", function(t)
    local model = process([[<startEvent id="s"/><userTask id="a" name="${x}"><multiInstanceLoopCharacteristics o:collection="xs"
      o:elementVariable="x"><loopCardinality>${n}</loopCardinality></multiInstanceLoopCharacteristics></userTask>]], "s -> a")
    if fate(t, model) ~= "warned" then return fate(t, model) end
    local function start(n) t.engine:start("p", { variables = { xs = { "one", "two", "three" }, n = n } }) end
    start(2)
    local names = {}
    for i, task in ipairs(t.engine:tasks {}) do names[i] = task.name end
    local ok, err = pcall(start, 4)
    names[#names + 1] = ok and "started" or err.message:match "loopCardinality gives 4, but its collection has 3 elements"
    return table.concat(names, " ")
  end, "one two loopCardinality gives 4, but its collection has 3 elements",
    "one two loopCardinality gives 4, but its collection has 3 elements", "refused")

  row("idle_elements_warn", function(t)
    local start, fates = '<startEvent id="s"/>', {}
    for i, model in ipairs {
      process(start .. '<task id="a"><standardLoopCharacteristics/></task>', "s -> a"),
      process(start .. '<task id="a"><extensionElements><o:properties><o:property value="x"/></o:properties></extensionElements></task>',
        "s -> a"),
      process(start .. '<task id="a"/><boundaryEvent id="b" attachedToRef="a"><compensateEventDefinition/></boundaryEvent>', "s -> a"),
      process(start .. '<endEvent id="e"><messageEventDefinition messageRef="nowhere"/></endEvent>', "s -> e"),
      process(start .. '<subProcess triggeredByEvent="true"><startEvent id="es"><messageEventDefinition messageRef="m"/></startEvent>'
        .. "</subProcess>"),
    } do fates[i] = fate(t, model) end
    return table.concat(fates, " ")
  end, ("warned "):rep(4) .. "warned", ("refused "):rep(4) .. "warned", ("refused "):rep(4) .. "refused")

  row("error_code_optional", function(t)
    local model = '<error id="codeless"/>' .. process([[<startEvent id="s"/><subProcess id="sub"><startEvent id="ss"/><endEvent id="e">
      <errorEventDefinition errorRef="codeless"/></endEvent><sequenceFlow id="f" sourceRef="ss" targetRef="e"/></subProcess>
      <boundaryEvent id="b" attachedToRef="sub"><errorEventDefinition errorRef="err"/></boundaryEvent>
      <userTask id="a"/>]], "s -> sub b -> a")
    local ok = pcall(deploy, t, model)
    return ok and t.engine:start("p"):active()[1] or "refused"
  end, "refused", "a", "refused")

  row("event_names_shared", function(t)
    local fates = {}
    for i, event in ipairs { '<messageEventDefinition messageRef="m"/>', '<signalEventDefinition signalRef="sig"/>' } do
      fates[i] = fate(t, process('<startEvent id="s"/><subProcess id="sub"><startEvent id="ss"/><userTask id="a"/>'
        .. '<sequenceFlow id="f" sourceRef="ss" targetRef="a"/>' .. event_sub_process("e1", event)
        .. '</subProcess><boundaryEvent id="b" attachedToRef="sub">' .. event .. "</boundaryEvent>", "s -> sub"))
    end
    return table.concat(fates, " ")
  end, "refused refused", "deployed deployed", "deployed deployed")

  row("end_events_restricted", function(t)
    return fate(t, process('<startEvent id="s"/><endEvent id="e"><signalEventDefinition signalRef="sig"/></endEvent>', "s -> e")) .. " "
      .. fate(t, process('<startEvent id="s"/><endEvent id="e"><compensateEventDefinition/></endEvent>', "s -> e"))
  end, "deployed deployed", "refused refused", "deployed deployed")

  row("resource_is_group", function(t)
    run(t, '<startEvent id="s"/><userTask id="a"><humanPerformer><resourceRef>r</resourceRef></humanPerformer>'
      .. '<potentialOwner><resourceRef>o:r2</resourceRef></potentialOwner></userTask>', "s -> a")
    local groups = {}
    for i, link in ipairs(t.engine:task({}):links()) do groups[i] = link.group end
    return table.concat(groups, " ")
  end, "", "board staff", "board staff")

  row("event_gateway_extra_incoming", function(t)
    local body = [[<startEvent id="s"/><parallelGateway id="fork"/><eventBasedGateway id="g"/>
      <intermediateCatchEvent id="c1"><messageEventDefinition messageRef="m"/></intermediateCatchEvent>
      <intermediateCatchEvent id="c2"><messageEventDefinition messageRef="m2"/></intermediateCatchEvent>]]
    return fate(t, process(body, "s -> fork fork -> g g -> c1 g -> c2 fork -> c1"))
  end, "refused", "warned", "refused")

  row("exclusive_unconditional_warns", function(t)
    return fate(t, process('<startEvent id="s"/><exclusiveGateway id="g"/><userTask id="a"/><userTask id="b"/>', "s -> g g -> a g -> b"))
  end, "refused", "warned", "refused")

  row("exclusive_default_condition_warns", function(t)
    return fate(t, process([[<startEvent id="s"/><exclusiveGateway id="g" default="d"/><userTask id="a"/><userTask id="b"/>
      <sequenceFlow id="c" sourceRef="g" targetRef="a"><conditionExpression>${true}</conditionExpression></sequenceFlow>
      <sequenceFlow id="d" sourceRef="g" targetRef="b"><conditionExpression>${true}</conditionExpression></sequenceFlow>]], "s -> g"))
  end, "refused", "refused", "warned")

  row("implementations_many", function(t)
    local ran
    local function named(name) return function() ran = name end end
    t.engine:register("work", named "class")
    t.engine:register("bean", { call = named "expression", execute = named "delegate" })
    t.engine:register_connector("mine", named "connector")
    local function of(attributes, inside)
      ran = nil
      local ok = pcall(run, t, ('<startEvent id="s"/><serviceTask id="a" %s>%s</serviceTask>'):format(attributes, inside or ""), "s -> a")
      if not ok then return "refused" end
      return #t.engine:external_tasks { topic = "t" } > 0 and "type" or ran
    end
    local connector = "<extensionElements><o:connector><o:connectorId>mine</o:connectorId></o:connector></extensionElements>"
    local all = { of('o:class="work" o:expression="${bean.call()}"'), of 'o:delegateExpression="${bean}" o:expression="${bean.call()}"',
      of 'o:class="" o:expression="${bean.call()}"', of('o:class="work"', connector), of('o:class=""', connector) }
    all[#all + 1] = of 'o:class="work" o:type="external" o:topic="t"'
    return table.concat(all, ", ")
  end, "class, delegate, expression, connector, connector, type", "class, expression, expression, class, connector, type",
    "refused, refused, expression, class, connector, refused")

  row("candidates_are_texts", function(t)
    local function candidates(value)
      local task = '<startEvent id="s"/><userTask id="a" o:candidateUsers="${who}"/>'
      local ok, pi = pcall(run, t, task, "s -> a", { variables = { who = value } })
      if not ok then return pi.kind end
      local links = t.engine:task({ instance_id = pi.id }):links()
      return links[1] and tostring(links[1].user) or "none"
    end
    return table.concat({ candidates "ann", candidates(5), candidates(orrery.array { 5 }), candidates(true) }, ", ")
  end, "ann, expression, expression, expression", "ann, 5, 5, true", "ann, 5, 5, true")

  row("executable_by_default", function(t)
    deploy(t, process('<startEvent id="s"/><userTask id="a"/>', "s -> a", "") .. '<process id="q" isExecutable="true">'
        .. '<startEvent id="qs"/></process>')
    return #t.engine:definitions { key = "p" }
  end, 0, 1, 1)

  row("start_event_optional", function(t) return fate(t, process '<userTask id="a"/>') end, "refused", "warned", "refused")

  row("timer_starts_many", function(t)
    local timer = '<startEvent id="%s"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></startEvent>'
    local two = fate(t, process(timer:format "s" .. timer:format "s2"))
    return table.concat({ two, fate(t, process('<startEvent id="s"/>' .. timer:format "s2")), fate(t, process(timer:format "s")) }, ", ")
  end, "refused, refused, deployed", "deployed, deployed, deployed", "deployed, deployed, deployed")

  row("async_after_flows_named", function(t)
    return fate(t, process('<startEvent id="s" o:asyncAfter="true"/><userTask id="a"/><sequenceFlow sourceRef="s" targetRef="a"/>'))
  end, "refused", "deployed", "deployed")

  row("history_ttl_checked", function(t)
    return fate(t, process('<startEvent id="s"/>', "", 'isExecutable="true" o:historyTimeToLive="soon"'))
  end, "refused", "deployed", "refused")

  row("history_ttl_days", function(t)
    local function kept(span)
      return fate(t, process('<startEvent id="s"/>', "", ('isExecutable="true" o:historyTimeToLive="%s"'):format(span)))
    end
    return table.concat({ kept "P30D", kept "30", kept "PT6H", kept "P1M", kept "P1DT1H" }, ", ")
  end, "deployed, deployed, refused, refused, refused", "deployed, deployed, deployed, deployed, deployed",
    "deployed, deployed, deployed, deployed, deployed")

  row("none_executable", function(t)
    local none = process('<startEvent id="s"/>', "", 'isExecutable="false"')
    return fate(t, none) .. ", beside another " .. fate(t, none .. '<process id="q" isExecutable="true"><startEvent id="qs"/></process>')
  end, "deployed, beside another deployed", "refused, beside another warned", "warned, beside another deployed")

  row("lengths_checked", function(t)
    local long_name = fate(t, process(('<startEvent id="s" name="%s"/>'):format(("x"):rep(256))))
    local long_text = fate(t, process(('<documentation>%s</documentation><startEvent id="s"/>'):format(("x"):rep(2001))))
    return long_name .. " " .. long_text
  end, "deployed deployed", "refused refused", "refused deployed")
end
