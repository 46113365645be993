-- What a deployment costs grows with its size, whatever is in it: models of one thing again and again.
-- A check that holds each against each shows by a model of eight times the size costing much more than
-- eight times as much. The cost is what the build counts (spec/counted/), so it is the same on every
-- machine. A build that does not count sees a small model of each kind once.
local orrery = require "orrery"
local inside = require "orrery_inside".work
local work = require "spec.support.work"

local PART <const> = 12500 -- bytes
local TIMES <const> = 8
-- Most cost 7 to 7.8 times as much; 8.5 leaves room for a logarithm. A square that makes a sixth of the
-- larger model's cost shows.
local DEARER_MAX <const> = 8.5

local HEAD <const> = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  xmlns:flowable="http://flowable.org/bpmn" xmlns:o="urn:orrery:bpmn" targetNamespace="limit">
  <message id="m" name="m"/><signal id="sg" name="sg"/><error id="er" errorCode="er"/><escalation id="es" escalationCode="es"/>]]
local PROCESS <const> = '<process id="p" isExecutable="true"><startEvent id="s"/>'

local shapes = {}
local function shape(name, unit, options)
  options = options or {}
  shapes[#shapes + 1] = { name = name, unit = unit, before = options.before or PROCESS,
    after = options.after or "</process>", dearer_max = options.dearer_max or DEARER_MAX }
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
-- The engine keeps so many graphs; only the larger model has more, for which it looks for the oldest each time.
local PROCESSES <const> = { before = "", after = "", dearer_max = 12 }
shape("processes", '<process id="p#" isExecutable="true"><startEvent id="s#"/></process>', PROCESSES)
shape("processes that are not executed", '<process id="p#"><startEvent id="s#"/></process>', PROCESSES)
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

--- Deploys it, twice if it can be, since the second has a version to replace. -> how much that does
local function deploy(xml)
  local engine <close> = orrery.open(nil, { log = "none", durability = "none" })
  return work.done_by(function()
    local ok, err = pcall(engine.deploy, engine, { ["p.bpmn"] = xml })
    if ok then engine:deploy { ["p.bpmn"] = xml } end
    assert.is_true(ok or err.kind == "deployment" or err.kind == "limit", tostring(err))
  end)
end

describe("many of one thing", function()
  for _, of in ipairs(shapes) do
    it("are deployed or refused at a cost that grows with their size: " .. of.name, function()
      local function done(size) return deploy(model(of, size)) end
      work.assert_grows_with_size(done, PART, TIMES * PART, of.dearer_max)
    end)
  end
end)

--- Undeploys the newer of two versions of so many processes, and then the older: the start timers come
--- back first. -> how much that does
local function undeploy(processes)
  local unit = '<process id="p#" isExecutable="true"><startEvent id="s#">' .. events.cycle .. "</startEvent></process>"
  local parts = {}
  for i = 1, processes do parts[i] = (unit:gsub("#", i)) end
  local resources = { ["p.bpmn"] = HEAD .. table.concat(parts) .. "</definitions>" }
  local engine <close> = orrery.open(nil, { log = "none", durability = "none", clock = "manual" })
  local older, newer = engine:deploy(resources), engine:deploy(resources)
  return work.done_by(function()
    engine:undeploy(newer.id)
    assert.equal(processes, #engine:jobs {})
    engine:undeploy(older.id)
    assert.same({ 0, 0 }, { #engine:jobs {}, #engine:definitions {} })
  end)
end

describe("a file of many processes", function()
  it("is undeployed at a cost that grows with their number, also when each has an older version", function()
    local many = 1200 -- The engine keeps 1000 graphs; fewer would cost next to nothing.
    work.assert_grows_with_size(undeploy, many, 2 * many, 2.05) -- it is 2.00
  end)
end)

describe("the measure of these specs", function()
  it("is there in the build with AddressSanitizer", function()
    local expected = (os.getenv "ORRERY_BUILD" or ""):find "/asan$" and "integer" or nil
    assert.equal(expected, math.type(inside.count() or "none"))
  end)

  --- Each does about a quarter of the deployment's work for the large model, and a thirtieth for the small one.
  local squares = {
    ["each is held against each"] = function(size) inside.pairs(size // 50) end,
    ["the C library measures what is left, again and again"] = function(size)
      inside.lengths(("x"):rep(size // 6))
    end,
  }
  for name, square in pairs(squares) do
    it("tells a square among what grows with the size: " .. name, function()
      if not inside.count() then return end
      local tasks = { unit = '<userTask id="u#"/>', before = PROCESS, after = "</process>" }
      local function grows(also)
        work.assert_grows_with_size(function(size)
          return deploy(model(tasks, size)) + work.done_by(function() also(size) end)
        end, PART, TIMES * PART, DEARER_MAX)
      end
      grows(function() end)
      assert.has_error(function() grows(square) end)
    end)
  end
end)
