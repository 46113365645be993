-- The victim of copy_spec.lua: starts instances while its executor works on them, and copies its own store again and again. It says what
-- the engine has acknowledged: "started <id>" and "copied <folder>".
local store, copies, seed = ...
local orrery = require "orrery"

local engine = orrery.open(store, { history = "audit", log = "none" })
engine:register("step", function(execution) execution:set("n", execution:get "n" + 1) end)
if #engine:definitions {} == 0 then
  engine:deploy { ["chain.bpmn"] = [[
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="fault">
  <process id="chain" isExecutable="true">
    <startEvent id="start" /><sequenceFlow id="f0" sourceRef="start" targetRef="a" />
    <serviceTask id="a" camunda:class="step" camunda:asyncBefore="true" /><sequenceFlow id="f1" sourceRef="a" targetRef="b" />
    <serviceTask id="b" camunda:class="step" camunda:asyncBefore="true" /><sequenceFlow id="f2" sourceRef="b" targetRef="end" />
    <endEvent id="end" />
  </process>
</definitions>]] }
end
engine:start_executor { threads = 2 }
math.randomseed(math.tointeger(tonumber(seed)))
io.stdout:setvbuf "no"
io.write "ready\n"
for n = 1, math.huge do
  for _ = 1, math.random(8) do io.write("started ", engine:start("chain", { variables = { n = 0 } }).id, "\n") end
  local target = ("%s/own-%s-%d"):format(copies, seed, n)
  engine:copy_to(target, { compact = n % 2 == 0 })
  io.write("copied ", target, "\n")
end
