-- Models for the specs of this room: one activity between a start event and a user task "wait".
local model = {}

function model.around(task)
  return { ["p.bpmn"] = [[<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="spec">
  <process id="p" isExecutable="true">
    <startEvent id="start"/>
    <sequenceFlow id="f1" sourceRef="start" targetRef="t"/>]] .. task .. [[
    <sequenceFlow id="f2" sourceRef="t" targetRef="wait"/>
    <userTask id="wait"/>
    <sequenceFlow id="f3" sourceRef="wait" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>]] }
end

function model.class(name) return model.around(('<serviceTask id="t" camunda:class="%s"/>'):format(name)) end

function model.script(text)
  return model.around(('<scriptTask id="t" scriptFormat="lua"><script><![CDATA[%s]]></script></scriptTask>'):format(text))
end

return model
