-- A job that is under way for as long as somebody looks. Run alone with a store, it deploys the process and starts one; loaded by a server,
-- it registers what the job calls.
local orrery = require "orrery"

if arg and arg[0] and arg[0]:find "asleep.lua$" then
  local engine <close> = orrery.open(arg[1])
  engine:deploy { ["asleep.bpmn"] = [[
    <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="ui">
      <process id="asleep" isExecutable="true" camunda:historyTimeToLive="P30D"><startEvent id="s"/>
        <sequenceFlow id="f" sourceRef="s" targetRef="doze"/>
        <serviceTask id="doze" camunda:class="doze" camunda:asyncBefore="true"/><sequenceFlow id="g" sourceRef="doze" targetRef="e"/>
        <endEvent id="e"/></process></definitions>]] }
  engine:start "asleep"
end

return function(engine)
  engine:register("doze", function() require("orrery").sleep(86400) end)
end
