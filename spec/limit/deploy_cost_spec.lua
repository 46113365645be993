-- What a deployment costs grows with its size, whatever is in it: models of a megabyte, of one thing again and again. A check that holds
-- each against each shows by a model costing sixteen times as much as its sixteen parts do, one by one; time is the processor's, so that
-- others' load does not count.
local orrery = require "orrery"

local SIZE <const> = 1000 * 1000
local ENOUGH <const> = 0.4 -- seconds; what costs less for a megabyte need not be measured twice
local PARTS <const> = 16
local DEARER_MAX <const> = 4 -- than its parts: halfway between 1 and PARTS; memory alone, on a full machine, can make it three
local TRIES <const> = 8
local COLD <const> = ("x"):rep(64 << 20) -- more than a processor's caches hold: who has read it finds nothing else in them

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

--- Processor time of this process alone: what the system takes to hand out memory depends on the machine, and on what was freed before.
local function used()
  local file <close> = assert(io.open "/proc/self/stat")
  return tonumber(file:read("a"):match "%) %a (.*)":match("^" .. ("%S+ "):rep(10) .. "(%d+)")) / 100 -- utime, in ticks of a hundredth
end

--- Processor time of deploying it, twice if it can be, since the second has a version to replace.
local function cost(xml)
  local engine <close> = orrery.open(nil, { log = "none", durability = "none" })
  local began = used()
  for _ = 1, 2 do
    local ok, err = pcall(engine.deploy, engine, { ["p.bpmn"] = xml })
    if not ok then
      assert.is_true(err.kind == "deployment" or err.kind == "limit", tostring(err))
      break
    end
  end
  return used() - began
end

--- Does what costs `whole()` grow with its size, one of whose PARTS costs `part()`? The parts are done behind the whole, since what
--- others do to the processors makes both dearer then; and with cold caches, which a part would fit into.
local function assert_grows_with_size(whole, part)
  local large, small
  for _ = 1, TRIES do
    large, small = whole(), 0
    if large < ENOUGH then return end
    for _ = 1, PARTS do
      assert(not COLD:find("y", 1, true))
      small = small + part()
    end
    if large < DEARER_MAX * small then return end
  end
  error(("%.2f s, and its %d parts together %.2f s"):format(large, PARTS, small))
end

local is_sanitized = (os.getenv "ORRERY_BUILD" or ""):find "/[at]san$"

--- A sanitizer's own cost is what would be measured there, so it sees smaller ones once each.
describe("a megabyte of one thing", function()
  for _, of in ipairs(is_sanitized and shapes or {}) do
    it("is deployed or refused, a smaller one: " .. of.name, function() cost(model(of, SIZE // 20)) end)
  end
  if is_sanitized then return end
  for _, of in ipairs(shapes) do
    it("is deployed or refused at a cost that grows with its size: " .. of.name, function()
      local large, small = model(of, SIZE), model(of, SIZE // PARTS)
      assert_grows_with_size(function() return cost(large) end, function() return cost(small) end)
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
  local began = used()
  engine:undeploy(newer.id)
  assert.equal(processes, #engine:jobs {})
  engine:undeploy(older.id)
  assert.same({ 0, 0 }, { #engine:jobs {}, #engine:definitions {} })
  return used() - began
end

describe("a file of many processes", function()
  it("is undeployed at a cost that grows with their number, also when each has an older version", function()
    local graphs = 1000 -- so many are kept in memory, and a part that kept all of its own would cost next to nothing
    assert_grows_with_size(function() return undeploy_cost(PARTS * graphs) end, function() return undeploy_cost(graphs) end)
  end)
end)

describe("the measure of these specs", function()
  it("tells what grows with the square of the size", function()
    local function square(size)
      local began, sum = used(), 0
      for i = 1, size do
        for j = 1, size do sum = sum + i * j end
      end
      return used() - began
    end
    local size = 1000
    while square(size) < 2 * ENOUGH do size = size * 2 end
    assert.has_error(function()
      assert_grows_with_size(function() return square(size) end, function() return square(size // PARTS) end)
    end)
  end)
end)
