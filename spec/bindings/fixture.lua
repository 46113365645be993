--- An engine with one of each thing, for specs of what is done to them.
local orrery = require "orrery"

local fixture = {}

local MODEL = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn" targetNamespace="spec">
  <message id="m" name="m"/>
  <process id="p" isExecutable="true">
    <startEvent id="start"/><parallelGateway id="fork"/>
    <userTask id="ask"/>
    <serviceTask id="later" o:asyncBefore="true" o:class="nothing"/>
    <serviceTask id="fails" o:asyncBefore="true" o:class="nothing"/>
    <serviceTask id="pick" o:type="external" o:topic="goods"/>
    <receiveTask id="wait" messageRef="m"/>
    <endEvent id="end"/>
    <sequenceFlow id="f0" sourceRef="start" targetRef="fork"/>
    <sequenceFlow id="f1" sourceRef="fork" targetRef="ask"/><sequenceFlow id="g1" sourceRef="ask" targetRef="end"/>
    <sequenceFlow id="f2" sourceRef="fork" targetRef="later"/><sequenceFlow id="g2" sourceRef="later" targetRef="end"/>
    <sequenceFlow id="f3" sourceRef="fork" targetRef="fails"/><sequenceFlow id="g3" sourceRef="fails" targetRef="end"/>
    <sequenceFlow id="f4" sourceRef="fork" targetRef="pick"/><sequenceFlow id="g4" sourceRef="pick" targetRef="end"/>
    <sequenceFlow id="f5" sourceRef="fork" targetRef="wait"/><sequenceFlow id="g5" sourceRef="wait" targetRef="end"/>
  </process></definitions>]]

function fixture.open()
  local engine = orrery.open(nil, { clock = "manual", log = "none", history = "full" })
  local f = { engine = engine, deployment = engine:deploy { ["p.bpmn"] = MODEL } }
  f.instance = engine:start("p", { business_key = "b", variables = { amount = 1, order = { items = { 1, 2 } } } })
  f.task = engine:task {}
  f.external = engine:fetch_and_lock { worker = "w1", max = 1, topics = { { name = "goods", lock = 600 } } }[1]
  f.job = engine:job { activity = "later" }
  f.job_definition = engine:job_definition { activity = "later" }
  engine:job({ activity = "fails" }):set_retries(0)
  f.incident = engine:incident {}
  return f
end

local verbs = { "deployments", "definitions", "instances", "executions", "subscriptions", "tasks", "jobs", "job_definitions", "incidents",
  "external_tasks", "history_instances", "history_activities", "history_tasks", "history_variables", "history_incidents", "history_jobs" }

local function text(value)
  if type(value) ~= "table" then return tostring(value) end
  local out = {}
  for key, item in pairs(value) do out[#out + 1] = tostring(key) .. "=" .. text(item) end
  table.sort(out)
  return "{" .. table.concat(out, ",") .. "}"
end

--- Every record of the store as a text, by list.
function fixture.dump(engine)
  local out = {}
  for _, verb in ipairs(verbs) do
    local rows = {}
    for i, record in ipairs(engine[verb](engine, {})) do
      local fields = {}
      for key, value in pairs(record) do if key ~= "engine" then fields[key] = value end end
      rows[i] = text(fields)
    end
    table.sort(rows)
    out[verb] = rows
  end
  return out
end

return fixture
