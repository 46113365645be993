--- Models of the fault scenarios. There is no script host in them: conditions are plain variables, delegates are the C functions
--- "charge" (sets charged), "broken" (fails) and "declined" (raises the BPMN error DECLINED).
local models = {}

local function definitions(body)
  return [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" targetNamespace="fault">
    <message id="paid" name="paid"/><message id="ordered" name="ordered"/><signal id="alarm" name="alarm"/>
    <error id="declined" errorCode="DECLINED"/>]] .. body .. "</definitions>"
end

local function flow(from, to, condition)
  local inner = condition and ('<conditionExpression xsi:type="tFormalExpression">%s</conditionExpression>'):format(condition) or ""
  return ('<sequenceFlow id="%s_%s" sourceRef="%s" targetRef="%s">%s</sequenceFlow>'):format(from, to, from, to, inner)
end

--- Each pair of neighbors is a flow.
local function path(...)
  local nodes, out = { ... }, {}
  for i = 1, #nodes - 1 do out[i] = flow(nodes[i], nodes[i + 1]) end
  return table.concat(out)
end

local function process(key, body) return ('<process id="%s" isExecutable="true">%s</process>'):format(key, body) end

models.approval = definitions(process("approval", [[
  <startEvent id="start"/>
  <userTask id="check" name="Check" o:assignee="ann" o:candidateGroups="clerks"/>
  <exclusiveGateway id="choice" default="choice_no"/>
  <serviceTask id="yes" o:expression="${charge}" o:resultVariable="result"/><manualTask id="no"/>
  <endEvent id="end"/>]]
  .. path("start", "check", "choice") .. flow("choice", "yes", "${approved}") .. path("choice", "no", "end") .. flow("yes", "end")))

models.jobs = definitions(process("jobs", [[
  <startEvent id="start"/>
  <parallelGateway id="fork"/>
  <serviceTask id="charge" o:class="charge" o:asyncBefore="true" o:asyncAfter="true"/>
  <serviceTask id="fail" o:class="broken" o:asyncBefore="true"><extensionElements>
    <o:failedJobRetryTimeCycle>R2/PT1M</o:failedJobRetryTimeCycle></extensionElements></serviceTask>
  <intermediateCatchEvent id="wait"><timerEventDefinition><timeDuration>PT5M</timeDuration></timerEventDefinition></intermediateCatchEvent>
  <userTask id="ask"/>
  <boundaryEvent id="remind" attachedToRef="ask" cancelActivity="false">
    <timerEventDefinition><timeCycle>R2/PT10M</timeCycle></timerEventDefinition></boundaryEvent>
  <endEvent id="reminded"/>
  <parallelGateway id="join"/><endEvent id="end"/>]]
  .. path("start", "fork", "charge", "join") .. path("fork", "wait", "join") .. path("fork", "fail", "join")
  .. path("fork", "ask", "join", "end") .. flow("remind", "reminded")))

models.events = definitions(process("events", [[
  <startEvent id="start"><messageEventDefinition messageRef="ordered"/></startEvent>
  <subProcess id="box">
    <startEvent id="in"/>
    <serviceTask id="book" o:class="charge"/>
    <boundaryEvent id="unbook" attachedToRef="book"><compensateEventDefinition/></boundaryEvent>
    <serviceTask id="cancel" isForCompensation="true" o:class="charge"/>
    <association id="a" sourceRef="unbook" targetRef="cancel"/>
    <serviceTask id="pay" o:class="declined"/>
    <endEvent id="out"/>]] .. path("in", "book", "pay", "out") .. [[
  </subProcess>
  <boundaryEvent id="refused" attachedToRef="box"><errorEventDefinition errorRef="declined"/></boundaryEvent>
  <intermediateThrowEvent id="undo"><compensateEventDefinition/></intermediateThrowEvent>
  <userTask id="each"><multiInstanceLoopCharacteristics o:collection="${people}" o:elementVariable="person">
    </multiInstanceLoopCharacteristics></userTask>
  <boundaryEvent id="late" attachedToRef="each"><signalEventDefinition signalRef="alarm"/></boundaryEvent>
  <receiveTask id="receive" messageRef="paid"/>
  <callActivity id="call" calledElement="called"><extensionElements>
    <o:in source="amount" target="amount"/><o:out source="charged" target="answer"/></extensionElements></callActivity>
  <endEvent id="end"/>]]
  .. path("start", "box", "end") .. path("refused", "undo", "each", "end") .. path("late", "receive", "call", "end"))
  .. process("called", [[<startEvent id="begin"/><serviceTask id="work" o:class="charge"/><userTask id="look"/><endEvent id="done"/>]]
  .. path("begin", "work", "look", "done")))

models.external = definitions(process("external", [[
  <startEvent id="start"/><serviceTask id="pick" o:type="external" o:topic="goods"/><userTask id="sign"/><endEvent id="end"/>]]
  .. path("start", "pick", "sign", "end")))

-- Three jobs one after another, of which one keeps its thread until its lock has been prolonged, and a timer beside.
models.renewed = definitions(process("renewed", [[
  <startEvent id="start"/><parallelGateway id="fork"/>
  <serviceTask id="first" o:class="charge" o:asyncBefore="true" o:asyncAfter="true"/>
  <serviceTask id="second" o:class="patient" o:asyncBefore="true" o:asyncAfter="true"/>
  <intermediateCatchEvent id="wait"><timerEventDefinition><timeDuration>PT5M</timeDuration></timerEventDefinition></intermediateCatchEvent>
  <parallelGateway id="join"/><serviceTask id="last" o:class="charge" o:asyncBefore="true"/><endEvent id="end"/>]]
  .. path("start", "fork", "first", "second", "join", "last", "end") .. path("fork", "wait", "join")))

models.held = definitions(process("held", [[
  <startEvent id="start"/><serviceTask id="work" o:class="held" o:asyncBefore="true"/><endEvent id="end"/>]]
  .. path("start", "work", "end")))

--- A job with one try.
models.once = definitions(process("once", [[
  <startEvent id="start"/><serviceTask id="work" o:class="charge" o:asyncBefore="true"><extensionElements>
    <o:failedJobRetryTimeCycle>R1/PT1M</o:failedJobRetryTimeCycle></extensionElements></serviceTask><endEvent id="end"/>]]
  .. path("start", "work", "end")))

models.failing = definitions(process("failing", [[
  <startEvent id="start"/><serviceTask id="fail" o:class="broken" o:asyncBefore="true"/><endEvent id="end"/>]]
  .. path("start", "fail", "end")))

--- Two models, one of which imports the other: every kind of boxed expression, types, a service, tables small and large.
models.library = [[<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" id="l" name="l" namespace="urn:library">
  <itemDefinition name="tAge"><typeRef>number</typeRef><allowedValues><text>[0..150]</text></allowedValues></itemDefinition>
  <businessKnowledgeModel id="twice" name="twice"><variable name="twice"/><encapsulatedLogic><formalParameter name="n" typeRef="number"/>
    <literalExpression><text>2 * n</text></literalExpression></encapsulatedLogic></businessKnowledgeModel></definitions>]]

local function rules(n)
  local out = {}
  for i = 1, n do
    out[i] = ('<rule><inputEntry><text>"k%d"</text></inputEntry><outputEntry><text>%d</text></outputEntry></rule>'):format(i, i)
  end
  return table.concat(out)
end

models.decisions = ([[<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" id="d" name="d" namespace="urn:decisions">
  <import name="lib" namespace="urn:library" importType="https://www.omg.org/spec/DMN/20230324/MODEL/"/>
  <itemDefinition name="tPerson"><itemComponent name="age"><typeRef>lib.tAge</typeRef></itemComponent></itemDefinition>
  <inputData id="person" name="person"><variable name="person" typeRef="tPerson"/></inputData>
  <inputData id="x" name="x"><variable name="x" typeRef="string"/></inputData>
  <decision id="table" name="table"><variable name="table" typeRef="number"/>
    <informationRequirement><requiredInput href="#x"/></informationRequirement>
    <decisionTable hitPolicy="FIRST"><input><inputExpression typeRef="string"><text>x</text></inputExpression></input><output/>RULES
    </decisionTable></decision>
  <decision id="boxed" name="boxed"><variable name="boxed"/>
    <informationRequirement><requiredInput href="#person"/></informationRequirement>
    <informationRequirement><requiredDecision href="#table"/></informationRequirement>
    <knowledgeRequirement><requiredKnowledge href="urn:library#twice"/></knowledgeRequirement>
    <context><contextEntry><variable name="list"/><list><literalExpression><text>lib.twice(person.age)</text></literalExpression></list>
      </contextEntry><contextEntry><variable name="rows"/><relation><column name="c"/><row><literalExpression><text>1</text>
      </literalExpression></row></relation></contextEntry><contextEntry><variable name="f"/>
      <functionDefinition><formalParameter name="a"/>
      <literalExpression><text>a</text></literalExpression></functionDefinition></contextEntry>
      <contextEntry><variable name="i"/><invocation>
      <literalExpression><text>f</text></literalExpression><binding><parameter name="a"/><literalExpression><text>table</text>
      </literalExpression></binding></invocation></contextEntry><contextEntry><variable name="s"/><some iteratorVariable="e"><in>
      <literalExpression><text>list</text></literalExpression></in><satisfies><literalExpression><text>e = 1</text></literalExpression>
      </satisfies></some></contextEntry><contextEntry><variable name="j"/><literalExpression expressionLanguage="juel">
      <text>${x.trim()}</text></literalExpression></contextEntry></context></decision>
  <decisionService id="service" name="service"><outputDecision href="#boxed"/><inputDecision href="#table"/><inputData href="#person"/>
  </decisionService></definitions>]]):gsub("RULES", rules(40))

return models
