-- orrery draw: what a model's diagram shows becomes SVG.
-- Marks: commands
local command = require "spec.cli.command"
local core = require "orrery.core"
local draw = require "orrery.draw"

-- A model of these elements, each { id, xml }, drawn side by side, and of more of the diagram.
local function drawn(elements, more)
  local process, plane = {}, {}
  for i, e in ipairs(elements) do
    process[i] = e[2]
    plane[i] = ('<bpmndi:BPMNShape bpmnElement="%s" %s><dc:Bounds x="%d" y="50" width="50" height="50"/></bpmndi:BPMNShape>'):format(e[1],
      e[3] or "", i * 100)
  end
  return ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI"
    xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" xmlns:di="http://www.omg.org/spec/DD/20100524/DI" targetNamespace="draw">
    <process id="p">%s</process><bpmndi:BPMNDiagram id="d" name="whole"><bpmndi:BPMNPlane bpmnElement="p">%s%s</bpmndi:BPMNPlane>
    </bpmndi:BPMNDiagram></definitions>]]):format(table.concat(process), table.concat(plane), more or "")
end

-- The groups of a drawing by their elements' ids, as text.
local function groups(svg)
  local found = {}
  for id, inner in svg:gmatch '\n  <g id="([^"]+)">(.-)\n  </g>' do found[id] = inner end
  return found
end

describe("orrery draw", function()
  it("gives each kind of event, gateway and activity a look of its own", function()
    local elements = {}
    local function add(id, xml, di) elements[#elements + 1] = { id, xml:format(id), di } end
    for _, event in ipairs { "startEvent", "intermediateCatchEvent", "intermediateThrowEvent", "endEvent" } do
      if event ~= "intermediateCatchEvent" then add(event, "<" .. event .. ' id="%s"/>') end -- a plain one is thrown
      for _, kind in ipairs { "message", "signal", "error", "escalation", "compensate", "link", "cancel" } do
        add(event .. kind, ('<%s id="%%s"><%sEventDefinition/></%s>'):format(event, kind, event))
      end
    end
    for _, kind in ipairs { "timer", "conditional", "terminate" } do
      add(kind, '<startEvent id="%s"><' .. kind .. "EventDefinition/></startEvent>")
    end
    add("quiet", '<boundaryEvent id="%s" attachedToRef="x" cancelActivity="false"><timerEventDefinition/></boundaryEvent>')
    add("loud", '<boundaryEvent id="%s" attachedToRef="x"><timerEventDefinition/></boundaryEvent>')
    for _, gateway in ipairs { "exclusive", "parallel", "inclusive", "eventBased", "complex" } do
      add(gateway, "<" .. gateway .. 'Gateway id="%s"/>')
    end
    for _, task in ipairs { "task", "userTask", "serviceTask", "scriptTask", "sendTask", "receiveTask", "manualTask", "businessRuleTask",
      "callActivity", "transaction", "adHocSubProcess" } do add(task, "<" .. task .. ' id="%s"/>') end
    add("open", '<subProcess id="%s" triggeredByEvent="true"/>', 'isExpanded="true"')
    add("shut", '<subProcess id="%s"/>', 'isExpanded="false"')
    for _, repeats in ipairs { "<standardLoopCharacteristics/>", "<multiInstanceLoopCharacteristics/>",
      '<multiInstanceLoopCharacteristics isSequential="true"/>' } do
      add("repeats" .. #elements, '<task id="%s">' .. repeats .. "</task>")
    end
    add("undo", '<task id="%s" isForCompensation="true"/>')
    assert(core.xml_parse(draw.svg(drawn(elements))))
    local seen = {}
    for _, e in ipairs(elements) do
      local look = groups(draw.svg(drawn { e }))[e[1]]
      assert.is_nil(seen[look], ("%s looks like %s"):format(e[1], tostring(seen[look])))
      seen[look] = e[1]
    end
  end)

  it("draws flows with their heads, defaults and conditions, from bounds that fit", function()
    local svg = draw.svg((drawn({ { "a", '<task id="a" default="f"/>' }, { "b", '<task id="b"/>' } }, [[
      <bpmndi:BPMNEdge bpmnElement="f"><di:waypoint x="150" y="75"/><di:waypoint x="175" y="75"/><di:waypoint x="175" y="-400"/>
      </bpmndi:BPMNEdge><bpmndi:BPMNEdge bpmnElement="g"><di:waypoint x="1" y="2"/><di:waypoint x="3" y="4"/></bpmndi:BPMNEdge>
      <bpmndi:BPMNEdge bpmnElement="h"><di:waypoint x="1" y="2"/><di:waypoint x="9" y="9"/></bpmndi:BPMNEdge>]])
      :gsub("</process>", [[<sequenceFlow id="f" sourceRef="a" targetRef="b"/><sequenceFlow id="g" sourceRef="b" targetRef="a"/>
      <sequenceFlow id="h" sourceRef="b" targetRef="a"><conditionExpression>${x}</conditionExpression></sequenceFlow></process>]])))
    local found = groups(svg)
    assert.equal(3, select(2, found.f:gsub("<path", "")))
    assert.equal(2, select(2, found.g:gsub("<path", "")))
    assert.equal(3, select(2, found.h:gsub("<path", "")))
    local left, top, width, height = svg:match 'viewBox="(%S+) (%S+) (%S+) (%S+)"'
    assert.is_true(tonumber(left) < 1 and tonumber(top) < -400)
    assert.is_true(left + width > 250 and top + height > 100)
  end)

  it("wraps names, and writes what XML would take for its own", function()
    local svg = draw.svg(drawn { { "a", '<task id="a" name="a &lt;very&gt; long name &amp; more of it than fits"/>' } })
    assert.is_true(select(2, groups(svg).a:gsub("<text", "")) > 1)
    assert.truthy(svg:find("&lt;very&gt;", 1, true))
    assert(core.xml_parse(draw.svg(drawn { { "a", '<task id="a" name="Bestätigung überprüfen&#10;審査する"/>' } })))
  end)

  it("marks what it is told to", function()
    local xml = drawn { { "a", '<task id="a"/>' }, { "b", '<task id="b"/>' } }
    local plain, marked = groups(draw.svg(xml)), draw.svg(xml, { marks = { a = "passed" }, notes = { a = "17" } })
    assert.not_equal(plain.a, groups(marked).a)
    assert.equal(plain.b, groups(marked).b)
    assert.truthy(marked:find(">17</text>", 1, true))
    local scope = drawn { { "a", '<subProcess id="a"/>', 'isExpanded="true"' } }
    local rim = groups(draw.svg(scope, { marks = { a = "passed" } })).a
    assert.truthy(rim:find(draw.marks.passed.ink, 1, true))
    assert.is_nil(rim:find(draw.marks.passed.fill, 1, true), "what is in it has marks of its own")
    local ok, problem = pcall(draw.svg, xml, { marks = { a = "purple" } })
    assert.is_false(ok)
    assert.same({ "argument", 'marks: "a" is marked as "purple", which is none of failed, here, missed, passed' },
      { problem.kind, problem.message })
  end)

  it("writes to the standard output, or to a file", function()
    local dir <close> = command.folder()
    local model = dir.file("m.bpmn", drawn { { "a", '<task id="a"/>' } })
    local code, out, err = command.run { "draw", model }
    assert.same({ 0, "" }, { code, err })
    assert.same({ 0, "", "" }, { command.run { "draw", model, "--output", dir.path .. "/m.svg" } })
    local file <close> = assert(io.open(dir.path .. "/m.svg"))
    assert.equal(out, file:read "a")
    assert.equal(out, select(2, command.run { "draw", model, "--diagram", "whole" }))
  end)

  it("says what is wrong with a model that it cannot draw", function()
    local dir <close> = command.folder()
    local function fails(code, message, text, ...)
      local got, out, err = command.run { "draw", dir.file("m.bpmn", text), ... }
      assert.same({ code, "" }, { got, out })
      assert.truthy(err:find(message, 1, true), err)
    end
    local xml = drawn { { "a", '<task id="a"/>' } }
    fails(1, "m.bpmn: the model has nothing that could be drawn", command.model "")
    fails(1, 'there is no diagram "q": the model has none', command.one_node '<task id="t"/>', "--diagram", "q")
    fails(1, "m.bpmn: it is no BPMN model", "<definitions/>")
    fails(1, "m.bpmn: ", "no XML at all")
    fails(1, 'there is no diagram "q", but of p', xml, "--diagram", "q")
    fails(1, "line 1: width of a is no number of pixels", (xml:gsub("\n", " "):gsub('width="50"', 'width="wide"')))
    fails(1, "the model's drawing shows nothing", (xml:gsub('bpmnElement="a"', 'bpmnElement="gone"')))
    assert.equal(2, (command.run { "draw", dir.path }))
    assert.equal(2, (command.run { "draw", dir.path, "1" }))
    assert.equal(1, (command.run { "draw", dir.path .. "/none.bpmn" }))
    assert.equal(1, (command.run { "draw", dir.file("m.bpmn", xml), "--output", dir.path .. "/none/m.svg" }))
  end)

  it("shows where an instance has been and is", function()
    local dir <close> = command.folder()
    local model = dir.file("m.bpmn", command.model [[<startEvent id="start"/><parallelGateway id="fork"/><userTask id="wait"/>
      <serviceTask id="work" camunda:asyncBefore="true" camunda:class="worker"/><userTask id="never"/>
      <sequenceFlow id="f1" sourceRef="start" targetRef="fork"/><sequenceFlow id="f2" sourceRef="fork" targetRef="wait"/>
      <sequenceFlow id="f3" sourceRef="fork" targetRef="work"/><sequenceFlow id="f4" sourceRef="work" targetRef="never"/>]])
    dir.file("worker.lua", "return function() error 'out of order' end")
    local store = dir.path .. "/store"
    assert.equal(1, (command.run { "run", model, "--store", store, "--business-key", "order-17" }))
    local code, out, err = command.run { "draw", store, "order-17" }
    assert.same({ 0, "" }, { code, err })
    local found = groups(out)
    for id, mark in pairs { start = "passed", fork = "passed", wait = "here", work = "failed" } do
      assert.truthy(found[id]:find(draw.marks[mark].ink, 1, true), id .. " is not marked as " .. mark)
    end
    for _, mark in pairs(draw.marks) do assert.is_nil(found.never:find(mark.ink, 1, true)) end
    assert.matches("<title>p, instance %d+: active</title>", out)
    code, _, err = command.run { "draw", store, "order-18" }
    assert.equal(1, code)
    assert.matches("order%-18", err)
    assert.equal(2, (command.run { "draw", store }))
    assert.equal(2, (command.run { "draw", model, "order-17" }))
  end)
end)
