-- What a model says, and what a definition then holds.
local model = require("orrery_inside").model

local NS = [[xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn" xmlns:flowable="http://flowable.org/bpmn" xmlns:activiti="http://activiti.org/bpmn"
  xmlns:fox="http://www.camunda.com/fox" xmlns:o="urn:orrery:bpmn"]]

local function file(body) return ('<definitions %s targetNamespace="shop">%s</definitions>'):format(NS, body) end

local function parse(text, options)
  local result = model.parse(text, options or { dialect = "orrery" })
  if result.code ~= 0 then
    local lines = {}
    for i, p in ipairs(result.problems) do lines[i] = ("%d: [%s] %s"):format(p.line, p.element, p.message) end
    error(table.concat(lines, "\n"), 2)
  end
  assert.equal(0, result.leaked)
  return result.definitions[1], result
end

-- a process s -> t -> e whose middle is `xml`
local function around(xml, before, options)
  return parse(file((before or "") .. [[<process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s"
      targetRef="t"/>]]
    .. xml .. [[<sequenceFlow id="g" sourceRef="t" targetRef="e"/><endEvent id="e"/></process>]]), options)
end

local function node(xml, before, options) return around(xml, before, options).nodes.t end

local function text(e) return e and e.text end
local function run_of(n) return n.run.kind, text(n.run.value) end

describe("a definition", function()
  it("holds nodes and flows with dense indexes, and their places", function()
    local d = around '\n<userTask id="t" name="Work"/>'
    assert.same({ "p", "s", "t", "e" }, { d.nodes[1].id, d.nodes[2].id, d.nodes[3].id, d.nodes[4].id })
    assert.equal("userTask", d.nodes.t.element)
    assert.equal(5, d.nodes.t.line)
    assert.equal("p", d.nodes.t.scope)
    assert.equal("s", d.nodes.p.start)
    assert.same({ 1, 1 }, { d.nodes.t.incoming, d.nodes.t.outgoing })
    assert.same({ "f", "s", "t" }, { d.flows[1].id, d.flows[1].source, d.flows[1].target })
  end)

  it("takes name, documentation, tags and starters of its process", function()
    local d = parse(file [[<process id="p" name="P" camunda:versionTag="1.2" camunda:historyTimeToLive="P30D" camunda:jobPriority="7"
      flowable:candidateStarterUsers="ann, ${bob}" flowable:candidateStarterGroups="sales" camunda:isStartableInTasklist="false">
      <documentation>What it is</documentation>
      <extensionElements><flowable:potentialStarter><resourceAssignmentExpression><formalExpression>boss, user(cat)</formalExpression>
      </resourceAssignmentExpression></flowable:potentialStarter></extensionElements><startEvent id="s"/></process>]])
    assert.same({ "p", "P", "1.2", "P30D", "What it is", "shop" },
      { d.key, d.name, d.version_tag, d.history_time_to_live, d.documentation, d.category })
    assert.equal("7", d.job_priority.text)
    assert.is_nil(d.startable)
    assert.same({ "ann", "${bob}", "cat" }, d.users)
    assert.same({ "sales", "boss" }, d.groups)
  end)

  it("belongs to the vendor whose namespace it uses, unless the engine says", function()
    local function dialect(attributes, wanted)
      return parse(file(('<process id="p" isExecutable="true"><startEvent id="s" %s/></process>'):format(attributes)),
          { dialect = wanted or "auto" }).dialect
    end
    assert.equal("orrery", dialect "")
    assert.equal("camunda", dialect 'camunda:initiator="a"')
    assert.equal("flowable", dialect 'flowable:initiator="a"')
    assert.equal("flowable", dialect 'activiti:initiator="a"')
    assert.equal("camunda", dialect 'camunda:asyncBefore="true" camunda:initiator="a" flowable:exclusive="true"')
    assert.equal("flowable", dialect('camunda:initiator="a"', "flowable"))
  end)

  it("comes from every encoding that is accepted", function()
    local body = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="p" isExecutable="true" name="%s">\z
      <startEvent id="s"/></process></definitions>'
    local function name(bytes) return parse(bytes).name end
    assert.equal("Zürich €", name('\xEF\xBB\xBF<?xml version="1.0"?>' .. body:format "Zürich €"))
    assert.equal("Zürich", name('<?xml version="1.0" encoding="ISO-8859-1"?>' .. body:format "Z\xFCrich"))
    assert.equal("Zürich €", name('<?xml version="1.0" encoding="windows-1252"?>' .. body:format "Z\xFCrich \x80"))
    assert.equal("Zuerich", name('<?xml version="1.0" encoding="US-ASCII"?>' .. body:format "Zuerich"))
    local wide = ('<?xml version="1.0" encoding="UTF-16"?>' .. body:format "Zue"):gsub(".", "%0\0")
    assert.equal("Zue", name("\xFF\xFE" .. wide))
  end)

  it("keeps ampersands as they were meant", function()
    assert.equal("a & b < c &amp; &#38;", around('<userTask id="t" name="a &amp; b &lt; c &amp;amp; &amp;#38;"/>').nodes.t.name)
  end)

  it("trims ids and references", function()
    local d = parse(file [[<process id=" p " isExecutable="true"><startEvent id="s"/><sequenceFlow id="f " sourceRef=" s" targetRef="t "/>
        <userTask id="t"/></process>]])
    assert.equal("p", d.key)
    assert.equal("t", d.flows[1].target)
  end)

  it("is made of each executable process of a file; the others may be wrong", function()
    local _, result = parse(file [[<process id="a" isExecutable="true"><startEvent id="s"/></process>
      <process id="b" isExecutable="false"><serviceTask id="t"/></process>]])
    assert.equal(1, #result.definitions)
    assert.equal("a", result.definitions[1].key)
    assert(#result.problems > 0 and result.problems[1].warning)
  end)
end)

describe("a user task", function()
  it("has its people from attributes and from elements", function()
    local t = node [[<userTask id="t" camunda:assignee="${boss}" camunda:candidateUsers="ann, ${f('a,b')}" camunda:candidateGroups="g1,g2"
      flowable:owner="olga" camunda:dueDate="PT1H" camunda:followUpDate="${later}" camunda:priority="5" flowable:category="c"
          camunda:formKey="k">
      <potentialOwner><resourceAssignmentExpression><formalExpression>user(kermit), group(management), plain</formalExpression>
          </resourceAssignmentExpression></potentialOwner>
      </userTask>]]
    assert.same({ "variable", "boss" }, { t.assignee.kind, t.assignee.name })
    assert.same({ "ann", "${f('a,b')}", "kermit" }, t.users)
    assert.same({ "g1", "g2", "management", "plain" }, t.groups)
    assert.same({ "olga", "PT1H", "5", "c", "k" }, { text(t.owner), text(t.due), text(t.priority), text(t.category), text(t.form_key) })
    local h = node [[<userTask id="t"><humanPerformer><resourceAssignmentExpression><formalExpression>gonzo</formalExpression>
        </resourceAssignmentExpression></humanPerformer></userTask>]]
    assert.equal("gonzo", text(h.assignee))
  end)

  it("has custom identity links", function()
    local t = node [[<userTask id="t"><extensionElements><flowable:customResource flowable:name="admin"><resourceAssignmentExpression>
      <formalExpression>user(kermit)</formalExpression></resourceAssignmentExpression></flowable:customResource></extensionElements>
          </userTask>]]
    assert.equal("admin", t.links[1].type)
    assert.same({ "kermit" }, t.links[1].users)
  end)

  it("has listeners of every kind", function()
    local t = node([[<userTask id="t"><extensionElements>
      <camunda:taskListener event="create" class="a.B"><camunda:field name="x" stringValue=" ${raw} "/><camunda:field name="y">
          <camunda:expression>${z}</camunda:expression></camunda:field></camunda:taskListener>
      <camunda:taskListener event="complete" expression="${b.go()}"/>
      <camunda:taskListener event="delete" delegateExpression="${b}"/>
      <camunda:taskListener event="update"><camunda:script scriptFormat="lua">x = 1</camunda:script></camunda:taskListener>
      <flowable:taskListener event="all" type="script"><flowable:script language="lua">y = 1</flowable:script></flowable:taskListener>
      <flowable:taskListener event="assignment" class="org.flowable.engine.impl.bpmn.listener.ScriptTaskListener">
        <flowable:field name="script"><flowable:string>z = 1</flowable:string></flowable:field><flowable:field name="language"
            stringValue="lua"/></flowable:taskListener>
      <camunda:taskListener event="timeout" id="late" class="c"><timerEventDefinition><timeDuration>PT1H</timeDuration>
          </timerEventDefinition></camunda:taskListener>
      <camunda:executionListener event="start" class="d"/></extensionElements></userTask>]])
    local seen = {}
    for i, l in ipairs(t.task_listeners) do seen[i] = l.event .. " " .. l.run.kind end
    assert.same({ "create class", "complete expression", "delete delegate", "update script", "all script", "assignment script",
        "timeout class" }, seen)
    local fields = t.task_listeners[1].run.fields
    assert.same({ "literal", " ${raw} " }, { fields[1].value.kind, fields[1].value.text })
    assert.equal("variable", fields[2].value.kind)
    assert.equal("PT1H", t.task_listeners[7].timer.duration.text)
    assert.equal("start", t.listeners[1].event)
  end)
end)

describe("a task", function()
  it("has one implementation, with fields and a result", function()
    assert.same({ "class", "a.B" }, { run_of(node '<serviceTask id="t" camunda:class="a.B"/>') })
    assert.same({ "delegate", "${b}" }, { run_of(node '<sendTask id="t" flowable:delegateExpression="${b}"/>') })
    local t = node [[<serviceTask id="t" activiti:expression="#{b.f(x)}" flowable:resultVariable="r"
        flowable:useLocalScopeForResultVariable="true"
      flowable:storeResultVariableAsTransient="true" flowable:skipExpression="${skip}" flowable:triggerable="true">
      <extensionElements><flowable:field name="a"><flowable:string> text </flowable:string></flowable:field></extensionElements>
          </serviceTask>]]
    assert.same({ "expression", "#{b.f(x)}" }, { run_of(t) })
    assert.same({ "b", "x" }, t.run.value.names)
    assert.same({ "r", true, true, true }, { t.result_variable, t.result_local, t.result_transient, t.triggerable })
    assert.equal("text", t.run.fields[1].value.text)
  end)

  it("is external in both spellings", function()
    local c = node([[<serviceTask id="t" camunda:type="external" camunda:topic="${topic}" camunda:taskPriority="3"><extensionElements>
      <camunda:errorEventDefinition errorRef="err" expression="${externalTask.errorMessage == 'x'}"/></extensionElements></serviceTask>]],
      '<error id="err" errorCode="E1"/>')
    assert.same({ "external", "topic", "3" }, { c.run.kind, c.topic.name, c.task_priority.text })
    assert.equal("E1", c.external_errors[1].event.name.text)
    local f = node [[<serviceTask id="t" flowable:type="external-worker" flowable:topic="simple"><extensionElements>
      <flowable:externalWorkerInParameter source="a" target="b"/><flowable:externalWorkerOutParameter sourceExpression="${c}" target="d"/>
          </extensionElements></serviceTask>]]
    assert.same({ "external", "simple", "b", "d" }, { f.run.kind, f.topic.text, f.external_in[1].target, f.external_out[1].target })
  end)

  it("may have a registered type", function()
    local t = node('<serviceTask id="t" camunda:type="robot"/>', nil, { dialect = "orrery", types = { robot = true } })
    assert.same({ "type", "robot" }, { t.run.kind, t.run.type })
  end)

  it("maps errors", function()
    local t = node [[<serviceTask id="t" flowable:class="a"><extensionElements>
      <flowable:mapException errorCode="E" includeChildExceptions="true">a.Failure</flowable:mapException><flowable:mapException/>
          </extensionElements></serviceTask>]]
    assert.same({ { code = "E", type = "a.Failure", include_children = true }, {} }, t.exceptions)
  end)

  it("takes scripts from the model, from resources, and from expressions", function()
    local inline = node '<scriptTask id="t" scriptFormat="lua" flowable:autoStoreVariables="true" camunda:resultVariable="r">\z
      <script>return 1</script></scriptTask>'
    assert.same({ "script", "return 1", "r", true }, { inline.run.value.kind, inline.run.value.text, inline.result_variable,
        inline.auto_store_variables })
    local options = { dialect = "orrery", resources = { ["lib/x.lua"] = "return 2" } }
    assert.equal("return 2", node('<scriptTask id="t" scriptFormat="lua" camunda:resource="deployment://lib/x.lua"/>', nil,
        options).run.value.text)
    assert.equal("return 2", node('<scriptTask id="t" scriptFormat="lua" camunda:resource="classpath://org/x.lua"/>', nil,
        options).run.value.text)
    assert.equal("script-text", node('<scriptTask id="t" scriptFormat="lua"><script>${code}</script></scriptTask>').run.value.kind)
    assert.equal("script-resource", node('<scriptTask id="t" scriptFormat="lua" camunda:resource="${path}"/>').run.value.kind)
    assert.equal("code", node('<scriptTask id="t" scriptFormat="juel"><script>${a + 1}</script></scriptTask>').run.value.kind)
  end)

  it("has jobs by every vendor's words", function()
    local function flags(attributes, options)
      local t = node(('<manualTask id="t" %s/>'):format(attributes), nil, options)
      return { t.async_before or false, t.async_after or false, t.exclusive or false, t.exclusive_after or false }
    end
    assert.same({ false, false, true, true }, flags "")
    assert.same({ true, true, true, true }, flags 'camunda:asyncBefore="true" camunda:asyncAfter="true"')
    assert.same({ true, true, false, false }, flags 'flowable:async="true" flowable:asyncLeave="true" flowable:exclusive="false"')
    assert.same({ false, true, true, false }, flags 'flowable:asyncLeave="true" flowable:asyncLeaveExclusive="false"')
    assert.same({ true, false, true, true }, flags 'camunda:async="true"')
    local t = node [[<manualTask id="t" o:jobPriority="${p}"><extensionElements>
        <fox:failedJobRetryTimeCycle>R5/PT5M</fox:failedJobRetryTimeCycle></extensionElements></manualTask>]]
    assert.same({ "p", "R5/PT5M" }, { t.job_priority.name, t.retry_cycle.text })
  end)
end)

describe("data", function()
  it("goes in and out by inputOutput", function()
    local t = node [[<manualTask id="t"><extensionElements><camunda:inputOutput>
      <camunda:inputParameter name="a">x ${y}</camunda:inputParameter>
      <camunda:inputParameter name="b"><camunda:script scriptFormat="lua">return 1</camunda:script></camunda:inputParameter>
      <camunda:inputParameter name="c"><camunda:list><camunda:value>1</camunda:value><camunda:script scriptFormat="lua">return
          2</camunda:script></camunda:list></camunda:inputParameter>
      <camunda:inputParameter name="d"><camunda:map><camunda:entry key="k"><camunda:list><camunda:value>v</camunda:value></camunda:list>
          </camunda:entry></camunda:map></camunda:inputParameter>
      <camunda:outputParameter name="e">${a}</camunda:outputParameter></camunda:inputOutput></extensionElements></manualTask>]]
    local kinds = {}
    for i, p in ipairs(t.inputs) do kinds[i] = p.name .. " " .. p.kind end
    assert.same({ "a expr", "b expr", "c list", "d map" }, kinds)
    assert.equal("script", t.inputs[2].value.kind)
    assert.equal("script", t.inputs[3][2].value.kind)
    assert.equal("k", t.inputs[4][1].key.text)
    assert.equal("v", t.inputs[4][1][1].value.text)
    assert.equal("a", t.outputs[1].value.name)
    assert.is_true(t.needs_scope)
  end)

  it("is passed to called processes", function()
    local t = node [[<callActivity id="t" calledElement="${key}" camunda:calledElementBinding="versionTag"
        camunda:calledElementVersionTag="v1" camunda:calledElementTenantId="x"
      flowable:inheritVariables="true" flowable:sameDeployment="true"><extensionElements><camunda:in businessKey="${bk}"/><camunda:in
          source="a" target="b" local="true"/>
      <camunda:in variables="all"/><flowable:out sourceExpression="${c+1}" target="d"/></extensionElements></callActivity>]]
    assert.same({ "key", "version_tag", "v1", "x", "bk" }, { t.called.name, t.binding, t.version_tag.text, t.tenant.text,
        t.business_key.name })
    assert.is_true(t.inherit_variables and t.same_deployment)
    assert.same({ source = "a", target = "b", ["local"] = true }, t["in"][2])
    assert.same({ all = true }, t["in"][3])
    assert.equal("d", t.out[1].target)
  end)

  it("lives in data objects and properties", function()
    local d = parse(file [[<process id="p"><dataObject id="o" name="amount" itemSubjectRef="xsd:int"><extensionElements>
        <flowable:value>10</flowable:value></extensionElements></dataObject>
      <startEvent id="s"><extensionElements><camunda:properties><camunda:property name="a" value="b"/></camunda:properties>
          </extensionElements></startEvent></process>]])
    local object = d.nodes.p.data_objects[1]
    assert.same({ "amount", "int", "10" }, { object.name, object.type, object.value.text })
    assert.same({ { name = "a", value = "b" } }, d.nodes.s.properties)
  end)
end)

describe("a loop", function()
  local function multi(attributes, inner, options)
    return node(('<userTask id="t" camunda:asyncBefore="true">\z
      <multiInstanceLoopCharacteristics %s>%s</multiInstanceLoopCharacteristics></userTask>'):format(attributes, inner or ""),
      nil, options)
  end

  it("is described in every notation", function()
    assert.equal("3", multi('isSequential="true"', "<loopCardinality>3</loopCardinality>").multi.cardinality.text)
    local a = multi('camunda:collection="${list}" camunda:elementVariable="x" flowable:elementIndexVariable="i"',
        "<completionCondition>${done}</completionCondition>").multi
    assert.same({ "list", "x", "i", "done" }, { a.collection.name, a.element_variable, a.element_index_variable,
        a.completion_condition.name })
    local b = multi("", '<loopDataInputRef>names</loopDataInputRef><inputDataItem name="n"/>').multi
    assert.same({ "literal", "names", "n" }, { b.collection.kind, b.collection.text, b.element_variable })
    local c = multi("", [[<extensionElements><flowable:collection flowable:class="Handler"><flowable:string>a,b</flowable:string>
        </flowable:collection></extensionElements>]]).multi
    assert.same({ "Handler", "a,b" }, { c.handler.value.text, c.collection_string })
  end)

  it("has its jobs around it or inside it, as the dialect says", function()
    local outer = multi('camunda:asyncAfter="true"', "<loopCardinality>3</loopCardinality>", { dialect = "camunda" })
    assert.same({ true, nil, true }, { outer.async_before, outer.multi.async_before, outer.multi.async_after })
    local inner = multi("", "<loopCardinality>3</loopCardinality>", { dialect = "flowable" })
    assert.same({ [2] = true }, { [1] = inner.async_before, [2] = inner.multi.async_before })
  end)

  it("may be a standard loop", function()
    local t = node '<task id="t"><standardLoopCharacteristics testBefore="true" loopMaximum="3"><loopCondition>${go}</loopCondition>\z
      </standardLoopCharacteristics></task>'
    assert.same({ true, 3, "go" }, { t.loop.test_before, t.loop.maximum, t.loop.condition.name })
  end)
end)

describe("events", function()
  local roots = [[<message id="m" name="msg ${x}"/><signal id="sig" name="sig" flowable:scope="processInstance"/><error id="err"
      errorCode="E" camunda:errorMessage="bad"/><escalation id="esc" escalationCode="C"/>]]

  local function boundary(definition, attributes)
    return around(('<subProcess id="t"><startEvent id="in"/></subProcess>\z
      <boundaryEvent id="b" attachedToRef="t" %s>%s</boundaryEvent>'):format(attributes or "", definition), roots)
  end

  it("stand on their activity", function()
    local d = boundary('<timerEventDefinition><timeCycle flowable:endDate="2030-01-01">R3/PT10M</timeCycle></timerEventDefinition>',
        'cancelActivity="false"')
    assert.same({ { id = "b" } }, d.nodes.t.boundary)
    assert.equal("t", d.nodes.b.attached_to)
    assert.is_nil(d.nodes.b.interrupting)
    assert.same({ "R3/PT10M", "2030-01-01" }, { d.nodes.b.event.timer.cycle.text, d.nodes.b.event.timer.end_date.text })
  end)

  it("know messages, signals, errors and escalations", function()
    local m = boundary('<messageEventDefinition messageRef="m"/>').nodes.b.event
    assert.same({ "message", "m", "code" }, { m.type, m.ref, m.name.kind })
    local s = boundary('<signalEventDefinition signalRef="sig"/>').nodes.b.event
    assert.same({ "signal", "sig", true }, { s.type, s.name.text, s.instance_scope })
    local e = boundary('<errorEventDefinition errorRef="err" camunda:errorCodeVariable="code" \z
      camunda:errorMessageVariable="text"/>').nodes.b.event
    assert.same({ "error", "E", "code", "text", "bad" }, { e.type, e.name.text, e.code_variable, e.message_variable, e.error_message.text })
    assert.equal("other", boundary('<errorEventDefinition errorRef="other"/>').nodes.b.event.name.text)
    assert.is_nil(boundary('<errorEventDefinition/>').nodes.b.event.name)
    local c = boundary('<escalationEventDefinition escalationRef="esc" camunda:escalationCodeVariable="v"/>',
        'cancelActivity="false"').nodes.b.event
    assert.same({ "escalation", "C", "v" }, { c.type, c.name.text, c.code_variable })
    local k = boundary('<conditionalEventDefinition camunda:variableName="a" camunda:variableEvents="create, update">\z
      <condition xsi:type="tFormalExpression">${a > 1}</condition></conditionalEventDefinition>').nodes.b.event
    assert.same({ "conditional", "a", 2 }, { k.type, k.condition_variable, #k.condition_events })
    assert.same({ "a" }, k.condition.names)
  end)

  it("throw with an implementation", function()
    local t = node('<intermediateThrowEvent id="t"><messageEventDefinition messageRef="m" camunda:type="external" \z
      camunda:topic="mail"/></intermediateThrowEvent>', roots)
    assert.same({ "external", "mail" }, { t.event.run.kind, t.topic.text })
  end)

  it("find their compensation handlers, their links and their scopes", function()
    local d = parse(file [[<process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>
        <userTask id="t"/>
      <boundaryEvent id="b" attachedToRef="t"><compensateEventDefinition/></boundaryEvent><association sourceRef="b" targetRef="undo"/>
      <userTask id="undo" isForCompensation="true"/><sequenceFlow id="g" sourceRef="t" targetRef="throw"/>
      <intermediateThrowEvent id="throw"><compensateEventDefinition activityRef="t"/></intermediateThrowEvent><sequenceFlow id="h"
          sourceRef="throw" targetRef="out"/>
      <intermediateThrowEvent id="out"><linkEventDefinition name="L"/></intermediateThrowEvent><intermediateCatchEvent id="in">
          <linkEventDefinition name="L"/></intermediateCatchEvent>
      <subProcess id="esp" triggeredByEvent="true"><startEvent id="es" isInterrupting="false"><timerEventDefinition>
          <timeDuration>PT1H</timeDuration></timerEventDefinition></startEvent></subProcess>
      </process>]])
    assert.equal("undo", d.nodes.t.compensation_handler)
    assert.is_nil(d.nodes.t.needs_scope)
    assert.equal("t", d.nodes.throw.event.activity)
    assert.equal("in", d.nodes.out.link_target)
    assert.same({ { id = "esp" } }, d.nodes.p.event_subprocesses)
    assert.same({ "es", true, nil }, { d.nodes.esp.start, d.nodes.esp.triggered_by_event, d.nodes.es.interrupting })
  end)

  it("judge expressions in the names of message starts by dialect", function()
    local text_of = file [[<message id="m" name="a ${b}"/><process id="p" isExecutable="true"><startEvent id="s"><messageEventDefinition
        messageRef="m"/></startEvent></process>]]
    assert.equal("code", parse(text_of, { dialect = "orrery" }).nodes.s.event.name.kind)
    assert.equal("literal", parse(text_of, { dialect = "flowable" }).nodes.s.event.name.kind)
    assert.equal(-3, model.parse(text_of, { dialect = "camunda" }).code)
  end)
end)

describe("flows", function()
  it("carry conditions, listeners and the default", function()
    local d = parse(file [[<process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="x"/>
        <exclusiveGateway id="x" default="b"/>
      <sequenceFlow id="a" sourceRef="x" targetRef="e"><extensionElements><camunda:executionListener event="take" class="l"/>
          </extensionElements>
      <conditionExpression xsi:type="tFormalExpression">
        ${amount > 10}
      </conditionExpression></sequenceFlow><sequenceFlow id="b" sourceRef="x" targetRef="e"/>
      <sequenceFlow id="c" sourceRef="x" targetRef="e"><conditionExpression language="lua">amount == 3</conditionExpression></sequenceFlow>
          <endEvent id="e"/></process>]])
    assert.equal("b", d.nodes.x.default_flow)
    assert.same({ "code", "${amount > 10}", 8 }, { d.flows[2].condition.kind, d.flows[2].condition.text, d.flows[2].condition.line })
    assert.equal("take", d.flows[2].listeners[1].event)
    assert.equal("script", d.flows[4].condition.kind)
  end)
end)

describe("extensions", function()
  local function warnings(xml)
    local _, result = around(xml)
    local out = {}
    for i, p in ipairs(result.problems) do out[i] = p.message end
    return out
  end

  it("that are unknown are warned of, with the name that was meant", function()
    assert.same({ 'unknown extension attribute "asignee" is ignored; did you mean "assignee"?' },
        warnings '<userTask id="t" camunda:asignee="x"/>')
    assert.same({ 'unknown extension element <taskListner> is ignored; did you mean "taskListener"?' },
      warnings '<userTask id="t"><extensionElements><camunda:taskListner/></extensionElements></userTask>')
    assert.same({ 'unknown extension attribute "color" is ignored' }, warnings '<userTask id="t" camunda:color="x"/>')
    assert.same({ 'extension attribute "assignee" has no effect on <manualTask>' }, warnings '<manualTask id="t" camunda:assignee="x"/>')
  end)

  it("that are left to others are warned of with the reason, and those of tools are not", function()
    assert.same({ "<includeInHistory> is ignored: the history level belongs to the engine" },
      warnings [[<userTask id="t"><extensionElements><camunda:includeInHistory/></extensionElements></userTask>]])
    assert.same({}, warnings [[<userTask id="t"><extensionElements><x:y xmlns:x="http://bpmn.io/schema/bpmn"/>
      </extensionElements></userTask>]])
    assert.same({ 'the element variable "x" is never set: there is no collection' },
      warnings [[<userTask id="t"><multiInstanceLoopCharacteristics camunda:elementVariable="x"><loopCardinality>2</loopCardinality>
        </multiInstanceLoopCharacteristics></userTask>]])
  end)
end)
