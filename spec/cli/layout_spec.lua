-- Models without a diagram are placed: nothing lies on anything else, and flows lead from node to node.
local core = require "orrery.core"
local draw = require "orrery.draw"
local layout = require "orrery.draw.layout"

local function definitions(body)
  return ('<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="l"><process id="p">%s</process></definitions>')
    :format(body)
end

local function flow(from, to) return ('<sequenceFlow id="%s_%s" sourceRef="%s" targetRef="%s"/>'):format(from, to, from, to) end

local function plane_of(body)
  local plane = layout.plane(assert(core.xml_parse(definitions(body))))
  local by_id = {}
  for _, shape in ipairs(plane.shapes) do by_id[shape.id] = shape.bounds end
  return plane, by_id
end

local function overlap(a, b)
  return a.x < b.x + b.width and b.x < a.x + a.width and a.y < b.y + b.height and b.y < a.y + a.height
end

local function holds(outer, inner)
  return outer.x < inner.x and outer.y < inner.y and inner.x + inner.width < outer.x + outer.width
    and inner.y + inner.height < outer.y + outer.height
end

-- Is a point at the rim of bounds?
local function touches(b, p)
  local at_x, at_y = p.x == b.x or p.x == b.x + b.width, p.y == b.y or p.y == b.y + b.height
  return at_x and p.y >= b.y and p.y <= b.y + b.height or at_y and p.x >= b.x and p.x <= b.x + b.width
end

local function check(plane, by_id, count)
  assert.equal(count, #plane.shapes)
  for i, a in ipairs(plane.shapes) do
    for j = i + 1, #plane.shapes do
      local b = plane.shapes[j]
      local fine = not overlap(a.bounds, b.bounds) or holds(a.bounds, b.bounds) or holds(b.bounds, a.bounds)
        or a.type == "boundaryEvent" or b.type == "boundaryEvent"
      assert.is_true(fine, ("%s lies on %s"):format(a.id, b.id))
    end
  end
  for _, edge in ipairs(plane.edges) do
    local e, points = edge.element.attributes, edge.points
    assert.is_true(touches(by_id[e.sourceRef], points[1]), e.id .. " does not begin at its source")
    assert.is_true(touches(by_id[e.targetRef], points[#points]), e.id .. " does not end at its target")
    for i = 2, #points do
      assert.is_true(points[i].x == points[i - 1].x or points[i].y == points[i - 1].y, e.id .. " is askew")
    end
  end
end

describe("a model without a diagram", function()
  it("goes from left to right, branches below each other", function()
    local plane, at = plane_of('<startEvent id="a"/><exclusiveGateway id="b"/><task id="c"/><task id="d"/><exclusiveGateway id="e"/>'
      .. '<endEvent id="f"/>' .. flow("a", "b") .. flow("b", "c") .. flow("b", "d") .. flow("c", "e") .. flow("d", "e") .. flow("e", "f"))
    check(plane, at, 6)
    assert.is_true(at.a.x < at.b.x and at.b.x < at.c.x and at.c.x == at.d.x and at.c.x < at.e.x and at.e.x < at.f.x)
    assert.is_true(at.c.y < at.d.y)
    assert.equal(at.a.y + at.a.height / 2, at.f.y + at.f.height / 2)
  end)

  it("leads loops back around, and has sub-processes as large as their content", function()
    local plane, at = plane_of('<startEvent id="a"/><subProcess id="s"><task id="x"/><task id="y"/>' .. flow("x", "y") .. "</subProcess>"
      .. '<exclusiveGateway id="g"/><endEvent id="e"/><boundaryEvent id="t" attachedToRef="s"/><task id="u"/>' .. flow("a", "s")
      .. flow("s", "g") .. flow("g", "s") .. flow("g", "e") .. flow("t", "u"))
    check(plane, at, 8)
    assert.is_true(holds(at.s, at.x) and holds(at.s, at.y) and at.x.x < at.y.x)
    assert.is_true(overlap(at.s, at.t) and at.u.y > at.s.y + at.s.height)
    for _, edge in ipairs(plane.edges) do
      local lowest = 0
      for _, p in ipairs(edge.points) do lowest = math.max(lowest, p.y) end
      if edge.id == "g_s" then assert.is_true(lowest > at.u.y) end
    end
  end)

  it("is placed whatever its shape", function()
    math.randomseed(require("spec.support.random").seed())
    for _ = 1, tonumber(os.getenv "ORRERY_RANDOM" or 300) // 10 do
      local parts, count = {}, math.random(1, 14)
      for i = 1, count do
        local kind = ({ "task", "exclusiveGateway", "endEvent" })[math.random(3)]
        parts[i] = ('<%s id="n%d"/>'):format(kind, i)
      end
      local seen, events = {}, 0
      for _ = 1, math.random(0, 2 * count) do
        local from, to = "n" .. math.random(count), "n" .. math.random(count)
        if math.random(5) == 1 then
          events = events + 1
          parts[#parts + 1] = ('<boundaryEvent id="b%d" attachedToRef="%s"/>'):format(events, from)
          from = "b" .. events
        end
        if not seen[from .. to] then parts[#parts + 1] = flow(from, to) end
        seen[from .. to] = true
      end
      local plane, at = plane_of(table.concat(parts))
      check(plane, at, count + events)
      assert.equal(draw.svg(definitions(table.concat(parts))), draw.svg(definitions(table.concat(parts))))
    end
  end)

  it("may be long, and several processes stand below each other", function()
    local parts = { '<startEvent id="n0"/>' }
    for i = 1, 5000 do parts[#parts + 1] = ('<task id="n%d"/>'):format(i) .. flow("n" .. i - 1, "n" .. i) end
    assert.equal(5001, #(plane_of(table.concat(parts))).shapes)
    local both = definitions('<task id="a"/>'):gsub("</definitions>", '<process id="q"><task id="b"/></process>%0')
    local plane = layout.plane(assert(core.xml_parse(both)))
    assert.is_true(plane.shapes[2].bounds.y > plane.shapes[1].bounds.y + plane.shapes[1].bounds.height)
    assert.is_nil(layout.plane(assert(core.xml_parse(definitions ""))))
  end)

  it("of the given models is drawn", function()
    local folder = os.getenv "ORRERY_MODELS"
    if not folder then return pending "ORRERY_MODELS is not set" end
    for path in io.popen(("ls '%s'/*.xml"):format(folder)):lines() do
      local file <close> = assert(io.open(path))
      local svg = draw.svg((file:read "a":gsub("<bpmndi:BPMNDiagram.*</bpmndi:BPMNDiagram>", "")))
      assert(core.xml_parse(svg))
    end
  end)
end)
