-- What a deployment costs grows with its size, whatever is in it: models of a megabyte, of one thing again and again. A check that holds
-- each against each shows by a model of four times the size costing sixteen times as much; time is the processor's, so that others' load
-- does not count.
local orrery = require "orrery"

local SIZE <const> = 1000 * 1000
local ENOUGH <const> = 0.4 -- seconds; what costs less for a megabyte need not be measured twice
local GROWTH_MAX <const> = 9 -- for four times the size
local TRIES <const> = 5 -- what others do to the caches makes one measurement dearer, never cheaper

local HEAD <const> = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  xmlns:flowable="http://flowable.org/bpmn" xmlns:o="urn:orrery:bpmn" targetNamespace="limit">
  <message id="m" name="m"/><signal id="sg" name="sg"/><error id="er" errorCode="er"/><escalation id="es" escalationCode="es"/>]]
local PROCESS <const> = '<process id="p" isExecutable="true"><startEvent id="s"/>'

local shapes = {}
local function shape(name, unit, options)
  options = options or {}
  shapes[#shapes + 1] = { name = name, unit = unit, before = options.before or PROCESS, after = options.after or "</process>" }
end
local function in_process(inside) return { before = PROCESS .. inside } end
local function within(open, close) return { before = PROCESS .. open, after = close .. "</process>" } end

--- A definition of each kind of event, which may be the same for many or another for each.
local events = {
  timer = "<timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>",
  cycle = "<timerEventDefinition><timeCycle>0 0 8 ? * MON-FRI</timeCycle></timerEventDefinition>",
  message = '<messageEventDefinition messageRef="m"/>', signal = '<signalEventDefinition signalRef="sg"/>',
  error = '<errorEventDefinition errorRef="er"/>', escalation = '<escalationEventDefinition escalationRef="es"/>',
  conditional = "<conditionalEventDefinition><condition>${x}</condition></conditionalEventDefinition>",
  compensation = "<compensateEventDefinition/>", cancel = "<cancelEventDefinition/>", link = '<linkEventDefinition name="l"/>', none = "",
}
for kind, event in pairs(events) do
  shape("boundary events: " .. kind, '<boundaryEvent id="b#" attachedToRef="t">' .. event .. "</boundaryEvent>",
    in_process '<task id="t"/>')
  shape("event sub-processes: " .. kind,
    '<subProcess id="e#" triggeredByEvent="true"><startEvent id="s#">' .. event .. "</startEvent></subProcess>")
  shape("start events: " .. kind, '<startEvent id="s#">' .. event .. "</startEvent>")
  shape("catching events: " .. kind, '<intermediateCatchEvent id="c#">' .. event .. "</intermediateCatchEvent>")
  shape("throwing events: " .. kind, '<intermediateThrowEvent id="t#">' .. event .. "</intermediateThrowEvent>")
end
shape("links, each with its end", [[<intermediateThrowEvent id="t#"><linkEventDefinition name="l#"/></intermediateThrowEvent>
  <intermediateCatchEvent id="c#"><linkEventDefinition name="l#"/></intermediateCatchEvent>]])
shape("compensation by event sub-processes and boundary events", [[<subProcess id="e#" triggeredByEvent="true">
  <startEvent id="s#"><compensateEventDefinition/></startEvent></subProcess>]], within([[<subProcess id="o"/>
  <boundaryEvent id="b" attachedToRef="o"><compensateEventDefinition/></boundaryEvent><subProcess id="o2"><startEvent id="so"/>]],
  "</subProcess>"))
shape("two handlers for one activity", '<task id="h#" isForCompensation="true"/><association id="a#" sourceRef="b" targetRef="h#"/>',
  in_process '<task id="t"/><boundaryEvent id="b" attachedToRef="t"><compensateEventDefinition/></boundaryEvent>')
for _, gateway in ipairs { "exclusive", "parallel", "inclusive", "eventBased" } do
  shape(gateway .. " gateway, a fan", '<task id="t#"/><sequenceFlow id="f#" sourceRef="g" targetRef="t#"/>',
    in_process(('<%sGateway id="g"/>'):format(gateway)))
end
shape("conditions", [[<sequenceFlow id="f#" sourceRef="g" targetRef="t"><conditionExpression>${x == #}</conditionExpression>
  </sequenceFlow>]],
  in_process '<exclusiveGateway id="g"/><task id="t"/>')
shape("tasks", '<userTask id="u#"/>')
shape("asynchronous tasks", '<serviceTask id="u#" o:asyncBefore="true" o:asyncAfter="true" o:class="c"/>')
shape("tasks without ids", "<task/>")
shape("one id", '<task id="t"/>')
shape("unknown elements", "<taskk#/>")
shape("unknown attributes", '<task id="t#" o:assynBefore#="true"/>')
shape("flows to nowhere", '<sequenceFlow id="f#" sourceRef="s" targetRef="x#"/>')
shape("default flows that are none", '<task id="t#" default="x"/>')
shape("sub-processes", '<subProcess id="u#"><startEvent id="us#"/></subProcess>')
shape("scripts", '<scriptTask id="u#" scriptFormat="lua"><script>local a = #</script></scriptTask>')
shape("broken expressions", '<serviceTask id="u#" o:expression="${a.b(#}"/>')
shape("one text of expressions", "${a} ", within([[<task id="t"><extensionElements><camunda:inputOutput>
  <camunda:inputParameter name="n">]], "</camunda:inputParameter></camunda:inputOutput></extensionElements></task>"))
shape("one text of variables", "${a#} ", within([[<task id="t"><extensionElements><camunda:inputOutput>
  <camunda:inputParameter name="n">]], "</camunda:inputParameter></camunda:inputOutput></extensionElements></task>"))
shape("input parameters", '<camunda:inputParameter name="n#">#</camunda:inputParameter>', within(
  '<task id="t"><extensionElements><camunda:inputOutput>', "</camunda:inputOutput></extensionElements></task>"))
shape("listeners", '<camunda:executionListener event="start" class="x"/>', within('<task id="t"><extensionElements>',
  "</extensionElements></task>"))
shape("owners in a row", "u#,", within("<userTask id='u'><potentialOwner><resourceAssignmentExpression><formalExpression>",
  "</formalExpression></resourceAssignmentExpression></potentialOwner></userTask>"))
shape("owners, each by himself", [[<potentialOwner><resourceAssignmentExpression><formalExpression>user(u#)</formalExpression>
  </resourceAssignmentExpression></potentialOwner>]], within("<userTask id='u'>", "</userTask>"))
shape("processes", '<process id="p#" isExecutable="true"><startEvent id="s#"/></process>', { before = "", after = "" })
shape("processes that are not executed", '<process id="p#"><startEvent id="s#"/></process>', { before = "", after = "" })
shape("processes by one message", [[<process id="p#" isExecutable="true"><startEvent id="s#"><messageEventDefinition messageRef="m"/>
  </startEvent></process>]], { before = "", after = "" })
shape("messages", '<message id="m#" name="n#"/>', { before = "", after = PROCESS .. "</process>" })
shape("signals of one name", '<signal id="m#" name="n"/>', { before = "", after = PROCESS .. "</process>" })

--- A model of this shape and about this size.
local function model(of, size)
  local parts, length = { HEAD, of.before }, 0
  for i = 1, math.maxinteger do
    parts[#parts + 1] = of.unit:gsub("#", i)
    length = length + #parts[#parts]
    if length >= size then break end
  end
  parts[#parts + 1] = of.after .. "</definitions>"
  return table.concat(parts)
end

--- Processor time of deploying it, twice if it can be, since the second has a version to replace.
local function cost(xml)
  local engine <close> = orrery.open(nil, { log = "none", durability = "none" })
  local began = os.clock()
  for _ = 1, 2 do
    local ok, err = pcall(engine.deploy, engine, { ["p.bpmn"] = xml })
    if not ok then
      assert.is_true(err.kind == "deployment" or err.kind == "limit", tostring(err))
      break
    end
  end
  return os.clock() - began
end

describe("a megabyte of one thing", function()
  for _, of in ipairs(shapes) do
    it("is deployed or refused at a cost that grows with its size: " .. of.name, function()
      local large, small = model(of, SIZE), model(of, SIZE // 4)
      local whole, quarter = math.huge, math.huge
      for _ = 1, TRIES do
        whole = math.min(whole, cost(large))
        if whole < ENOUGH then return end
        quarter = math.min(quarter, cost(small))
        if whole < GROWTH_MAX * quarter then return end
      end
      error(("%.2f s, a quarter of it %.2f s"):format(whole, quarter))
    end)
  end
end)

--- Processor time of undeploying the newer of two versions of so many processes, and then the older: the start timers come back first.
local function undeploy_cost(processes)
  local unit = '<process id="p#" isExecutable="true"><startEvent id="s#">' .. events.cycle .. "</startEvent></process>"
  local parts = {}
  for i = 1, processes do parts[i] = (unit:gsub("#", i)) end
  local resources = { ["p.bpmn"] = HEAD .. table.concat(parts) .. "</definitions>" }
  local engine <close> = orrery.open(nil, { log = "none", durability = "none", clock = "manual" })
  local older, newer = engine:deploy(resources), engine:deploy(resources)
  local began = os.clock()
  engine:undeploy(newer.id)
  assert.equal(processes, #engine:jobs {})
  engine:undeploy(older.id)
  assert.same({ 0, 0 }, { #engine:jobs {}, #engine:definitions {} })
  return os.clock() - began
end

describe("a file of many processes", function()
  it("is undeployed at a cost that grows with their number, also when each has an older version", function()
    local whole, quarter = math.huge, math.huge
    for _ = 1, TRIES do
      whole = math.min(whole, undeploy_cost(4000)) -- four times as many as there are graphs in memory
      if whole < ENOUGH then return end
      quarter = math.min(quarter, undeploy_cost(1000))
      if whole < GROWTH_MAX * quarter then return end
    end
    error(("%.2f s, a quarter of it %.2f s"):format(whole, quarter))
  end)
end)
