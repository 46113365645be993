--- Models of one task with fields, for the specs of the tasks that reach outside.
local model = {}

local function escape(text)
  return (tostring(text):gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

--- `fields`: name -> text, which is an expression where it holds ${…}; `options`: attributes (a text), inside (elements in
--- <extensionElements>), after (elements of the process), vendor, tag, body (elements of the task).
function model.task(kind, fields, options)
  options = options or {}
  local vendor = options.vendor or "flowable"
  local uri = ({ flowable = "http://flowable.org/bpmn", camunda = "http://camunda.org/schema/1.0/bpmn",
    orrery = "urn:orrery:bpmn" })[vendor]
  local out = {}
  for name, value in pairs(fields or {}) do
    local how = tostring(value):find("${", 1, true) and "expression" or "string"
    out[#out + 1] = ('<v:field name="%s"><v:%s>%s</v:%s></v:field>'):format(name, how, escape(value), how)
  end
  table.sort(out)
  return ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:v="%s" xmlns:o="urn:orrery:bpmn"
      xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="spec">
    %s<process id="p" isExecutable="true"><startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="t"/>
    <%s id="t" %s %s><extensionElements>%s%s</extensionElements>%s</%s>
    <sequenceFlow id="f2" sourceRef="t" targetRef="after"/><userTask id="after"/>%s</process></definitions>]]):format(uri,
    options.before or "", options.tag or "serviceTask", kind and ('v:type="%s"'):format(kind) or "", options.attributes or "",
    table.concat(out), options.inside or "", options.body or "", options.tag or "serviceTask", options.after or "")
end

--- A boundary error event for a code, which leads to the user task "caught".
function model.boundary(code)
  return ([[<boundaryEvent id="b" attachedToRef="t"><errorEventDefinition errorRef="%s"/></boundaryEvent>
    <sequenceFlow id="fb" sourceRef="b" targetRef="caught"/><userTask id="caught"/>]]):format(code)
end

--- Deploys and starts; the instance, or nil and the error.
function model.run(engine, xml, variables)
  engine:deploy { ["p.bpmn"] = xml }
  local ok, result = pcall(engine.start, engine, "p", { variables = variables })
  if ok then return result end
  return nil, result
end

--- The messages of the problems of a deployment that must fail.
function model.problems(engine, xml)
  local ok, problem = pcall(engine.deploy, engine, { ["p.bpmn"] = xml })
  assert(not ok, "it was deployed")
  local out = {}
  for i, one in ipairs(problem.problems) do out[i] = one.message end
  return table.concat(out, "\n")
end

return model
