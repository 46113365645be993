-- What the jobs of the soak do: each run counts itself in a variable, and then does something that may go wrong. Loaded by worker threads.
local orrery = require "orrery"

local M = {}

M.steps = 5

local function violation(text)
  local file = assert(io.open(os.getenv "ORRERY_SOAK" .. "/violations", "a"))
  file:write(text, "\n")
  file:close()
end

--- Everything that a job may try and must not get.
local function stop_executor(execution)
  if pcall(execution.engine.stop_executor, execution.engine) then violation "a job stopped its executor" end
end

local function register(execution) pcall(execution.engine.register, execution.engine, "soak" .. math.random(9), function() end) end

local whims = {
  { 20, function() orrery.sleep(math.random() * 0.05) end },
  { 3, function() orrery.sleep(0.8 + math.random() * 0.8) end }, -- about as long as a lock lasts
  { 6, function() error "as it may happen" end },
  { 4, function() error { type = "soak.Fault", message = "as it may happen", cause = { type = "soak.Cause" } } end },
  { 3, stop_executor },
  { 3, register },
  { 2, function() -- computes instead of waiting
    local until_then = os.clock() + 0.3
    repeat until os.clock() > until_then
  end },
}

local function whim()
  local dice = math.random(100)
  for _, one in ipairs(whims) do
    dice = dice - one[1]
    if dice <= 0 then return one[2] end
  end
  return function() end
end

function M.execute(_, execution)
  local act = whim()
  if math.random(2) == 1 then act(execution) end
  execution:set("n", execution:get "n" + 1)
  execution:set("ballast", ("x"):rep(math.random(100, 40000)))
  act(execution)
end

M.model = [[
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="soak">
  <process id="soak" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="f0" sourceRef="start" targetRef="a"/>
    <serviceTask id="a" camunda:class="spec.fault.soak.work" camunda:asyncBefore="true"/>
    <sequenceFlow id="f1" sourceRef="a" targetRef="fork"/>
    <parallelGateway id="fork"/><sequenceFlow id="f2" sourceRef="fork" targetRef="b"/><sequenceFlow id="f3" sourceRef="fork" targetRef="c"/>
    <serviceTask id="b" camunda:class="spec.fault.soak.work" camunda:asyncBefore="true"/>
    <sequenceFlow id="f4" sourceRef="b" targetRef="join"/>
    <serviceTask id="c" camunda:class="spec.fault.soak.work" camunda:asyncBefore="true"/>
    <sequenceFlow id="f5" sourceRef="c" targetRef="wait"/>
    <intermediateCatchEvent id="wait">
      <timerEventDefinition><timeDuration>PT0.3S</timeDuration></timerEventDefinition></intermediateCatchEvent>
    <sequenceFlow id="f6" sourceRef="wait" targetRef="join"/>
    <parallelGateway id="join"/><sequenceFlow id="f7" sourceRef="join" targetRef="d"/>
    <serviceTask id="d" camunda:class="spec.fault.soak.work" camunda:asyncBefore="true" camunda:asyncAfter="true"/>
    <sequenceFlow id="f8" sourceRef="d" targetRef="e"/>
    <serviceTask id="e" camunda:class="spec.fault.soak.work" camunda:asyncAfter="true" camunda:exclusive="false"/>
    <sequenceFlow id="f9" sourceRef="e" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>]]

return M
