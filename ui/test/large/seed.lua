-- Many instances of a small process, and a few of a model of a thousand nodes: seed.lua STORE [INSTANCES]
local orrery = require "orrery"
local store, instances = assert(arg[1], "seed.lua STORE [INSTANCES]"), tonumber(arg[2] or 10000)
local ROWS <const>, COLUMNS <const> = 25, 40
local engine <close> = orrery.open(store, { log = "none", history = "full", durability = "none" })

local function definitions(id, process, drawing)
  return ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI"
    xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" xmlns:di="http://www.omg.org/spec/DD/20100524/DI" targetNamespace="urn:orrery:large">
    <process id="%s" name="%s" isExecutable="true">%s</process>
    <bpmndi:BPMNDiagram id="d"><bpmndi:BPMNPlane id="p" bpmnElement="%s">%s</bpmndi:BPMNPlane></bpmndi:BPMNDiagram></definitions>]])
    :format(id, id, process, id, drawing)
end

local function shape(id, x, y, w, h)
  return ('<bpmndi:BPMNShape id="%s_di" bpmnElement="%s"><dc:Bounds x="%d" y="%d" width="%d" height="%d"/></bpmndi:BPMNShape>'):format(id, id, x, y, w, h)
end

local function edge(id, x1, y1, x2, y2)
  return ('<bpmndi:BPMNEdge id="%s_di" bpmnElement="%s"><di:waypoint x="%d" y="%d"/><di:waypoint x="%d" y="%d"/></bpmndi:BPMNEdge>')
    :format(id, id, x1, y1, x2, y2)
end

-- Rows of user tasks, each row a branch of its own.
local function many()
  local process, drawing = { '<startEvent id="s"/><parallelGateway id="g"/><sequenceFlow id="sg" sourceRef="s" targetRef="g"/>' },
    { shape("s", 0, 30, 36, 36), shape("g", 80, 24, 50, 50), edge("sg", 36, 48, 80, 48) }
  for row = 1, ROWS do
    local before = "g"
    for column = 1, COLUMNS do
      local id, y = ("t%d_%d"):format(row, column), (row - 1) * 120
      process[#process + 1] = ('<userTask id="%s" name="Task %d of row %d"/><sequenceFlow id="f%s" sourceRef="%s" targetRef="%s"/>')
        :format(id, column, row, id, before, id)
      drawing[#drawing + 1] = shape(id, 60 + column * 150, y, 100, 80)
      drawing[#drawing + 1] = column > 1 and edge("f" .. id, 10 + column * 150, y + 40, 60 + column * 150, y + 40)
        or edge("f" .. id, 105, 74, 210, y + 40)
      before = id
    end
  end
  return definitions("thousand", table.concat(process), table.concat(drawing))
end

engine:deploy { ["small.bpmn"] = definitions("small",
  '<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/><userTask id="t" name="Wait"/>',
  shape("s", 0, 22, 36, 36) .. shape("t", 90, 0, 100, 80) .. edge("f", 36, 40, 90, 40)) }
engine:deploy { ["thousand.bpmn"] = many() }
for first = 1, instances, 1000 do
  engine:transaction(function()
    for i = first, math.min(first + 999, instances) do engine:start("small", { business_key = ("item-%05d"):format(i), variables = { n = i } }) end
  end)
end
engine:start("thousand", { business_key = "one of a thousand nodes" })
