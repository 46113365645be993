-- What is drawn and not run: pools, lanes, message flows, annotations, groups and diagrams go with the model, and change nothing.
local orrery = require "orrery"

local xml = [[<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI"
  xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" targetNamespace="spec">
  <collaboration id="c">
    <participant id="us" name="Our house" processRef="p"/>
    <participant id="them" name="The customer"/>
    <messageFlow id="mf" sourceRef="them" targetRef="us"/>
  </collaboration>
  <process id="p" isExecutable="true">
    <laneSet id="lanes">
      <lane id="office" name="Office"><flowNodeRef>s</flowNodeRef><flowNodeRef>t</flowNodeRef></lane>
    </laneSet>
    <startEvent id="s"/>
    <sequenceFlow id="f" sourceRef="s" targetRef="t"/>
    <userTask id="t" name="Look"/>
    <textAnnotation id="note"><text>Mind the date</text></textAnnotation>
    <association id="a" sourceRef="t" targetRef="note"/>
    <group id="g"/>
  </process>
  <bpmndi:BPMNDiagram id="d"><bpmndi:BPMNPlane id="plane" bpmnElement="c">
    <bpmndi:BPMNShape id="us_di" bpmnElement="us" isHorizontal="true"><dc:Bounds x="0" y="0" width="400" height="200"/></bpmndi:BPMNShape>
    <bpmndi:BPMNShape id="office_di" bpmnElement="office" isHorizontal="true">
      <dc:Bounds x="30" y="0" width="370" height="200"/>
    </bpmndi:BPMNShape>
    <bpmndi:BPMNShape id="s_di" bpmnElement="s"><dc:Bounds x="60" y="80" width="36" height="36"/></bpmndi:BPMNShape>
    <bpmndi:BPMNShape id="t_di" bpmnElement="t"><dc:Bounds x="150" y="60" width="100" height="80"/></bpmndi:BPMNShape>
    <bpmndi:BPMNShape id="note_di" bpmnElement="note"><dc:Bounds x="280" y="20" width="100" height="40"/></bpmndi:BPMNShape>
  </bpmndi:BPMNPlane></bpmndi:BPMNDiagram>
</definitions>]]

describe("what is drawn and not run", function()
  it("is kept to the byte, and stands in nobody's way", function()
    local engine <close> = orrery.open(nil, { log = "none" })
    local deployment = engine:deploy { ["p.bpmn"] = xml }
    assert.same({}, deployment.warnings)
    assert.equal(xml, engine:resource(deployment.id, "p.bpmn"))
    local instance = engine:start "p"
    assert.same({ "t" }, instance:active())
    engine:task({ key = "t" }):complete()
    assert.is_true(instance:reload().ended)
  end)

  it("is drawn", function()
    local svg = require "orrery.draw".svg(xml)
    for _, text in ipairs { "Our house", "Office", "Mind the date", "Look" } do assert.truthy(svg:find(text, 1, true), text) end
  end)
end)
