-- What the specs of commands stand on: an engine with a manual clock, models in one line, and how errors are looked at.
local orrery = require "orrery"

local support = {}

--- A private engine; close it in after_each.
function support.engine(options)
  local merged = { clock = "manual", log = "none", durability = "none" }
  for k, v in pairs(options or {}) do merged[k] = v end
  return orrery.open(nil, merged)
end

local head = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  targetNamespace="spec">]]

--- Deploys a process "p" with these elements; "a -> b" lines in `flows` connect them.
function support.deploy(engine, elements, flows, attributes)
  local body = { elements }
  local count = 0
  for from, to in flows:gmatch "(%S+)%s*%->%s*(%S+)" do
    count = count + 1
    body[#body + 1] = ('<sequenceFlow id="flow%d" sourceRef="%s" targetRef="%s"/>'):format(count, from, to)
  end
  local xml = ('%s<process id="p" isExecutable="true" %s>%s</process></definitions>'):format(head, attributes or "", table.concat(body))
  return engine:deploy { ["p.bpmn"] = xml }
end

--- start -> a user task "task" -> end
function support.user_task(engine)
  return support.deploy(engine, '<startEvent id="s"/><userTask id="task" name="My task"/><endEvent id="e"/>', "s -> task task -> e")
end

--- start -> an async service task "work" of the class "work" -> end
function support.async(engine)
  return support.deploy(engine, [[<startEvent id="s"/><serviceTask id="work" camunda:class="work" camunda:asyncBefore="true"/>
    <endEvent id="e"/>]], "s -> work work -> e")
end

--- The error that a call raises; fails unless it is of `kind`.
function support.refused(kind, call, ...)
  local ok, err = pcall(call, ...)
  assert(not ok, "an error of kind " .. kind .. " was expected")
  assert(type(err) == "table" and err.kind == kind, ("%s was expected, not: %s"):format(kind, tostring(err)))
  return err
end

return support
