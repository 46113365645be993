-- Random graphs of one scope for inclusive joins: forward flows at random (so splits and joins are rarely balanced), back flows from
-- exclusive gateways to user tasks (so every loop waits somewhere), and nodes that wait for a job before or behind them.
-- A graph: nodes { id, kind, job = "before" | "after" | nil, out = { flow }, into = { flow } }, flows { id, from, to, variable, default }.
local Graph = {}

local NODES_MAX <const> = 14
local kinds = { user = 4, task = 2, exclusive = 2, parallel = 3, inclusive = 6 }

local function connect(graph, from, to)
  local flow = { id = "f" .. #graph.flows + 1, from = from, to = to }
  graph.flows[#graph.flows + 1] = flow
  table.insert(from.out, flow)
  table.insert(to.into, flow)
  return flow
end

--- Some flows lead over a link: tokens pass it as they pass the flow.
local function link(graph, random)
  for _, flow in ipairs(graph.flows) do flow.link = random:chance(0.15) end
end

local function is_gateway(node) return node.kind == "exclusive" or node.kind == "parallel" or node.kind == "inclusive" end

local function nodes_of(random)
  local graph = { nodes = {}, flows = {} }
  local count = random:integer(5, NODES_MAX)
  for i = 1, count do
    local kind = i == 1 and "start" or i == count and "end" or random:weighted(kinds)
    local node = { id = kind .. i, kind = kind, index = i, out = {}, into = {} }
    if kind ~= "start" and kind ~= "end" and random:chance(0.2) then node.job = "before" end
    if kind ~= "start" and kind ~= "end" and not node.job and random:chance(0.15) then node.job = "after" end
    graph.nodes[i] = node
  end
  return graph
end

--- A flow out of a gateway that chooses has a variable of its own as its condition; the last forward one is the default.
local function choose(node)
  if node.kind ~= "exclusive" and node.kind ~= "inclusive" or #node.out < 2 then return end
  for _, flow in ipairs(node.out) do flow.variable = flow.id end
  node.default = node.out[#node.out]
  node.default.variable = nil
end

function Graph.random(random)
  local graph = nodes_of(random)
  local nodes = graph.nodes
  for i = 2, #nodes do -- everything is reached
    local from = nodes[random:integer(1, i - 1)]
    if from.kind == "start" and #from.out > 0 then from = nodes[i - 1] end
    connect(graph, from, nodes[i])
  end
  for i = 1, #nodes - 1 do
    local node = nodes[i]
    local wanted = is_gateway(node) and random:integer(1, 3) or 1
    while #node.out < wanted do connect(graph, node, nodes[random:integer(i + 1, #nodes)]) end
    local back = nodes[random:integer(1, i)]
    if node.kind == "exclusive" and back.kind == "user" and random:chance(0.7) then
      local flow = connect(graph, node, back)
      table.insert(node.out, 1, table.remove(node.out))
      flow.back = true
    end
    choose(node)
  end
  link(graph, random)
  return graph
end

local elements = { start = "startEvent", ["end"] = "endEvent", user = "userTask", task = "task" }
local jobs = { before = ' o:asyncBefore="true"', after = ' o:asyncAfter="true"' }

local link_text = [[<intermediateThrowEvent id="throw_#"><linkEventDefinition name="#"/></intermediateThrowEvent>
<intermediateCatchEvent id="catch_#"><linkEventDefinition name="#"/></intermediateCatchEvent>
<sequenceFlow id="behind_#" sourceRef="catch_#" targetRef="TO"/>]]

function Graph.xml(graph)
  local out = { [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn" targetNamespace="sim">
<process id="p" isExecutable="true">]] }
  for _, node in ipairs(graph.nodes) do
    local element = elements[node.kind] or node.kind .. "Gateway"
    out[#out + 1] = ('<%s id="%s"%s%s/>'):format(element, node.id, node.job and jobs[node.job] or "",
      node.default and (' default="%s"'):format(node.default.id) or "")
  end
  for _, node in ipairs(graph.nodes) do
    for _, flow in ipairs(node.out) do -- in the order in which an exclusive gateway looks at them
      local to = flow.link and "throw_" .. flow.id or flow.to.id
      out[#out + 1] = ('<sequenceFlow id="%s" sourceRef="%s" targetRef="%s">%s</sequenceFlow>'):format(flow.id, flow.from.id, to,
        flow.variable and ("<conditionExpression>${%s}</conditionExpression>"):format(flow.variable) or "")
      if flow.link then out[#out + 1] = link_text:gsub("#", flow.id):gsub("TO", flow.to.id) end
    end
  end
  return table.concat(out, "\n") .. "\n</process></definitions>"
end

return Graph
