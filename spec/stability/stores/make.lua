-- Makes the store that is kept: lua5.4 spec/stability/stores/make.lua FOLDER
local orrery = require "orrery"

local function process(id, body)
  return ([[<process id="%s" isExecutable="true"><startEvent id="start"/>%s<endEvent id="end"/></process>]]):format(id, body)
end

local function line(n, from, to)
  return ('<sequenceFlow id="f%d" sourceRef="%s" targetRef="%s"/>'):format(n, from, to)
end

local models = table.concat {
  [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:orrery="urn:orrery:bpmn" targetNamespace="kept">
  <message id="m" name="paid"/>]],
  process("asks", line(1, "start", "ask") .. '<userTask id="ask" orrery:assignee="ann"/>' .. line(2,
    "ask", "end")),
  process("late", line(3, "start", "wait") .. '<userTask id="wait"/>' .. line(4, "wait", "end")
    .. '<boundaryEvent id="day" attachedToRef="wait"><timerEventDefinition><timeDuration>P1D</timeDuration>'
    .. "</timerEventDefinition></boundaryEvent>" .. line(5, "day", "end")),
  process("pays", line(6, "start", "paid")
    .. '<intermediateCatchEvent id="paid"><messageEventDefinition messageRef="m"/>'
    .. "</intermediateCatchEvent>" .. line(7, "paid", "end")),
  process("breaks", line(8, "start", "work")
    .. '<serviceTask id="work" orrery:class="fails" orrery:asyncBefore="true"/>'
    .. line(9, "work", "end")),
  "</definitions>",
}
models = models:gsub('id="(%a+)"(.-)</process>', function(key, body) -- ids are of the whole file
  return ('id="%s"%s</process>'):format(key, body:gsub('"(start)"', '"' .. key
    .. '_start"'):gsub('"(end)"', '"' .. key .. '_end"'))
end)

local engine <close> = orrery.open(arg[1], { clock = "manual", now = 1700000000,
  time_zone = "Europe/Berlin", log = "none" })
engine:register("fails", function() error("no connection", 0) end)
engine:deploy { ["kept.bpmn"] = models }
engine:start("asks", { business_key = "k1",
  variables = { name = "kermit", n = 7, ratio = 2.5, fine = true, data = { list = { 1, 2, 3 } } } })
engine:start("late", { business_key = "k2" })
engine:start("pays", { business_key = "k3" })
engine:start("breaks", { business_key = "k4" })
local last = engine:start "pays"
engine:message("paid", { instance = last.id })
for _, job in ipairs(engine:jobs { type = "async" }) do job:set_retries(1) end
engine:run_jobs()
