-- Models for the specs of this room.
local model = {}

--- A process "p" with one service task "t" that calls the delegate "d"; `attributes` are the task's.
function model.task(attributes, process)
  return { ["p.bpmn"] = ([[<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  xmlns:orrery="urn:orrery:bpmn" targetNamespace="spec">
  <process id="p" isExecutable="true" %s>
    <startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="t"/>
    <serviceTask id="t" %s/><sequenceFlow id="f2" sourceRef="t" targetRef="end"/><endEvent id="end"/>
  </process>
</definitions>]]):format(process or "", attributes) }
end

--- The same, its task run by a job.
function model.async(attributes, process)
  return model.task('camunda:asyncBefore="true" camunda:class="d" ' .. (attributes or ""), process)
end

function model.external(topic) return model.task(('camunda:type="external" camunda:topic="%s"'):format(topic)) end

--- A process "calling" that calls "p".
function model.calling()
  return { ["calling.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="spec">
  <process id="calling" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="c"/>
    <callActivity id="c" calledElement="p"/><sequenceFlow id="f2" sourceRef="c" targetRef="end"/><endEvent id="end"/>
  </process>
</definitions>]] }
end

return model
