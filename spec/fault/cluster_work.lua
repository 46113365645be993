-- What the nodes of cluster_spec.lua do. Each run of a delegate leaves two marks in a log that all nodes append to, and counts itself in a
-- variable: the marks say what ran at the same time, the variable says what was committed. The worker threads load this as a module of its
-- own.
local M = {}

function M.note(what, instance)
  local file = assert(io.open(os.getenv "ORRERY_CLUSTER_LOG", "a"))
  file:write(("%s %s %s\n"):format(what, os.getenv "ORRERY_CLUSTER_NODE", instance))
  file:close()
end

function M.execute(_, execution)
  M.note("begin", execution.instance_id)
  execution:set("n", execution:get "n" + 1)
  if math.random(4) == 1 then require("orrery").sleep(0.001) end
  M.note("end", execution.instance_id)
end

M.model = [[
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="fault">
  <process id="chain" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="f0" sourceRef="start" targetRef="a"/>
    <serviceTask id="a" camunda:class="spec.fault.cluster_work" camunda:asyncBefore="true"/>
    <sequenceFlow id="f1" sourceRef="a" targetRef="fork"/>
    <parallelGateway id="fork"/><sequenceFlow id="f2" sourceRef="fork" targetRef="b"/><sequenceFlow id="f3" sourceRef="fork" targetRef="c"/>
    <serviceTask id="b" camunda:class="spec.fault.cluster_work" camunda:asyncBefore="true"/>
    <sequenceFlow id="f4" sourceRef="b" targetRef="join"/>
    <serviceTask id="c" camunda:class="spec.fault.cluster_work" camunda:asyncBefore="true"/>
    <sequenceFlow id="f5" sourceRef="c" targetRef="join"/>
    <parallelGateway id="join"/><sequenceFlow id="f6" sourceRef="join" targetRef="d"/>
    <serviceTask id="d" camunda:class="spec.fault.cluster_work" camunda:asyncAfter="true"/>
    <sequenceFlow id="f7" sourceRef="d" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>]]
M.steps = 4

return M
