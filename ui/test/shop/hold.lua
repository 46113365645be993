-- For the test of the nodes' table. Run alone with a folder, it makes a store there with one job; loaded by a worker, it registers what that
-- job calls, which keeps its thread for as long as the file ORRERY_GATE is there.
if not os.getenv "ORRERY_GATE" then
  local engine <close> = require("orrery").open((...))
  engine:deploy { ["hold.bpmn"] = [[
    <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="ui">
      <process id="hold" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>
        <serviceTask id="t" camunda:class="hold" camunda:asyncBefore="true"/><sequenceFlow id="g" sourceRef="t" targetRef="e"/>
        <endEvent id="e"/></process></definitions>]] }
  engine:start "hold"
end

return function(engine)
  engine:register("hold", function()
    local gate
    repeat
      gate = io.open(os.getenv "ORRERY_GATE")
      if gate then gate:close() end
    until not gate
  end)
end
