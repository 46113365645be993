-- The victim of kill_spec.lua: starts instances as fast as it can while its executor works on them, and says on standard output what the
-- engine has acknowledged. Killed at any point.
local store = ...
local orrery = require "orrery"

local engine = orrery.open(store, { history = "audit", log = "none" })
engine:register("step", function(execution) execution:set("n", execution:get "n" + 1) end)
if #engine:definitions {} == 0 then
  engine:deploy { ["chain.bpmn"] = [[
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="fault">
  <process id="chain" isExecutable="true">
    <startEvent id="start" /><sequenceFlow id="f0" sourceRef="start" targetRef="a" />
    <serviceTask id="a" camunda:class="step" camunda:asyncBefore="true" /><sequenceFlow id="f1" sourceRef="a" targetRef="fork" />
    <parallelGateway id="fork" /><sequenceFlow id="f2" sourceRef="fork" targetRef="b" />
    <sequenceFlow id="f3" sourceRef="fork" targetRef="c" />
    <serviceTask id="b" camunda:class="step" camunda:asyncBefore="true" /><sequenceFlow id="f4" sourceRef="b" targetRef="join" />
    <serviceTask id="c" camunda:class="step" camunda:asyncBefore="true" /><sequenceFlow id="f5" sourceRef="c" targetRef="join" />
    <parallelGateway id="join" /><sequenceFlow id="f6" sourceRef="join" targetRef="d" />
    <serviceTask id="d" camunda:class="step" camunda:asyncAfter="true" /><sequenceFlow id="f7" sourceRef="d" targetRef="end" />
    <endEvent id="end" />
  </process>
</definitions>]] }
end
engine:start_executor { threads = 2 }
io.stdout:setvbuf "no"
io.write "ready\n"
while true do
  local instance = engine:start("chain", { variables = { n = 0 } })
  io.write(instance.id, "\n")
end
