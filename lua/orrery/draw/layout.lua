--- Places a model that has no diagram: nodes in columns by how far they are from the start, in rows by the branch they are on, and flows
--- with right angles through the gaps between. It is for looking at a model, not for keeping: a modeler places better.
---
--- A scope (a process, or a sub-process with its content) is a grid. A node's column is the longest way to it, flows that lead back left
--- out; its row is that of the first flow that comes to it, and further branches of a node begin new rows below. Columns and rows are as
--- wide and high as what is in them, so that an expanded sub-process fits.
local layout = {}

local GAP_X, GAP_Y, PADDING, HEAD = 60, 50, 30, 24 -- pixels; HEAD: an expanded sub-process's name
local LABEL = 34 -- below events and gateways, for their names
local BOUNDARY = 36 -- a boundary event's size

local sizes = { Event = { 36, 36 }, Gateway = { 50, 50 } }
local scopes = { subProcess = true, transaction = true, adHocSubProcess = true }

local is_node = {}
for _, name in ipairs { "startEvent", "endEvent", "intermediateCatchEvent", "intermediateThrowEvent", "task", "userTask", "serviceTask",
  "scriptTask", "sendTask", "receiveTask", "manualTask", "businessRuleTask", "callActivity", "subProcess", "transaction",
  "adHocSubProcess", "exclusiveGateway", "parallelGateway", "inclusiveGateway", "eventBasedGateway", "complexGateway" } do
  is_node[name] = true
end

-- ---- What a scope has -----------------------------------------------------------------------------------------------------------

local place_scope

local function new_node(e)
  local size = sizes[e.name:match "%u%l+$"] or { 100, 80 }
  local node = { element = e, id = e.attributes.id, width = size[1], height = size[2], next = {}, boundary = {} }
  if scopes[e.name] then
    node.inner = place_scope(e)
    if #node.inner.nodes > 0 then
      node.width, node.height = node.inner.width + 2 * PADDING, node.inner.height + 2 * PADDING + HEAD
    else
      node.inner = nil
    end
  end
  return node
end

--- Nodes in the order of the file, by id too; a boundary event is its host's.
local function collect(scope)
  local grid = { nodes = {}, by_id = {}, flows = {} }
  for _, e in ipairs(scope) do
    if is_node[e.name] and e.attributes.id then
      local node = new_node(e)
      grid.nodes[#grid.nodes + 1], grid.by_id[node.id] = node, node
    end
  end
  for _, e in ipairs(scope) do
    local host = e.name == "boundaryEvent" and grid.by_id[e.attributes.attachedToRef or ""]
    if host and e.attributes.id then
      local event = { element = e, id = e.attributes.id, host = host }
      host.boundary[#host.boundary + 1] = event
      grid.by_id[event.id] = event
    end
  end
  for _, e in ipairs(scope) do
    local from, to = grid.by_id[e.attributes.sourceRef or ""], grid.by_id[e.attributes.targetRef or ""]
    -- What undoes an activity hangs on its compensation event by an association.
    local flows = e.name == "sequenceFlow" or e.name == "association" and from and from.host
    if flows and from and to and not to.host then
      local flow = { element = e, from = from, to = to }
      grid.flows[#grid.flows + 1] = flow
      table.insert((from.host or from).next, flow)
    end
  end
  return grid
end

-- ---- Columns and rows -----------------------------------------------------------------------------------------------------------

--- Marks the flows that lead back to where the way came from. An own stack, since a model may be one long chain.
local function find_back_flows(grid)
  local state = {} -- "open": on the way to here, "done"
  local function walk(first)
    local stack = { { node = first, at = 0 } }
    state[first] = "open"
    while #stack > 0 do
      local top = stack[#stack]
      top.at = top.at + 1
      local flow = top.node.next[top.at]
      if not flow then
        state[top.node] = "done"
        stack[#stack] = nil
      elseif state[flow.to] == "open" then flow.back = true
      elseif not state[flow.to] then
        state[flow.to] = "open"
        stack[#stack + 1] = { node = flow.to, at = 0 }
      end
    end
  end
  for _, node in ipairs(grid.nodes) do
    if not state[node] then walk(node) end
  end
end

--- The longest way to each node: those without flows that are not yet counted come first. Returns them in that order.
local function set_columns(grid)
  local missing, ready, order = {}, {}, {}
  for _, node in ipairs(grid.nodes) do node.column, missing[node] = 1, 0 end
  for _, flow in ipairs(grid.flows) do
    if not flow.back then missing[flow.to] = missing[flow.to] + 1 end
  end
  for _, node in ipairs(grid.nodes) do
    if missing[node] == 0 then ready[#ready + 1] = node end
  end
  local at = 1
  while ready[at] do
    local node = ready[at]
    order[at], at = node, at + 1
    for _, flow in ipairs(node.next) do
      if not flow.back then
        flow.to.column = math.max(flow.to.column, node.column + 1)
        missing[flow.to] = missing[flow.to] - 1
        if missing[flow.to] == 0 then ready[#ready + 1] = flow.to end
      end
    end
  end
  return order
end

local function is_taken(grid, column, row) return grid.cells[column] ~= nil and grid.cells[column][row] ~= nil end

local function take(grid, node, row)
  while is_taken(grid, node.column, row) do row = row + 1 end
  node.row = row
  grid.cells[node.column] = grid.cells[node.column] or {}
  grid.cells[node.column][row] = node
  grid.rows, grid.columns = math.max(grid.rows, row), math.max(grid.columns, node.column)
end

--- The row that a node wants: that of the flow which first reached it. What starts by itself begins below all that is there.
local function set_rows(grid, order)
  grid.cells, grid.rows, grid.columns = {}, 0, 0
  local wanted = {}
  for _, node in ipairs(order) do
    take(grid, node, wanted[node] or grid.rows + 1)
    local row = node.row
    local function branch(flow)
      if flow.back or wanted[flow.to] then return end
      wanted[flow.to] = row
      row = row + 1
    end
    for _, flow in ipairs(node.next) do
      if not flow.from.host then branch(flow) end
    end
    row = math.max(row, node.row + 1) -- what comes from an event at the rim goes below
    for _, flow in ipairs(node.next) do
      if flow.from.host then branch(flow) end
    end
  end
end

-- ---- Places ---------------------------------------------------------------------------------------------------------------------

local function has_label_below(node) return node.element.name:find "Event$" or node.element.name:find "Gateway$" end

local function set_places(grid)
  local widths, heights = {}, {}
  for _, node in ipairs(grid.nodes) do
    local room = #node.boundary > 0 and BOUNDARY / 2 + LABEL / 2 or 0
    widths[node.column] = math.max(widths[node.column] or 0, node.width)
    heights[node.row] = math.max(heights[node.row] or 0, node.height + 2 * math.max(room, has_label_below(node) and LABEL / 2 or 0))
  end
  local lefts, tops, x, y = {}, {}, 0, 0
  for column = 1, grid.columns do lefts[column], x = x, x + (widths[column] or 0) + GAP_X end
  for row = 1, grid.rows do tops[row], y = y, y + (heights[row] or 0) + GAP_Y end
  for _, node in ipairs(grid.nodes) do
    node.x = lefts[node.column] + (widths[node.column] - node.width) / 2
    node.y = tops[node.row] + (heights[node.row] - node.height) / 2
    for i, event in ipairs(node.boundary) do
      event.x, event.y = node.x + node.width - i * (BOUNDARY + 8), node.y + node.height - BOUNDARY / 2
      event.width, event.height = BOUNDARY, BOUNDARY
    end
  end
  grid.lefts, grid.tops, grid.heights = lefts, tops, heights
  grid.width, grid.height = math.max(0, x - GAP_X), math.max(0, y - GAP_Y)
end

-- ---- Flows ----------------------------------------------------------------------------------------------------------------------

--- Is a row free between two columns, both left out?
local function is_free(grid, row, from, to)
  for column = from + 1, to - 1 do
    if is_taken(grid, column, row) then return false end
  end
  return true
end

--- Where a flow begins: a node's right side, a boundary event's lower one.
local function first_points(grid, flow)
  local from = flow.from
  if not from.host then return { { x = from.x + from.width, y = from.y + from.height / 2 } }, from.column, from.row end
  local x, y = from.x + from.width / 2, from.y + from.height
  return { { x = x, y = y } }, from.host.column, from.host.row
end

--- The gap in front of a column, and the one below a row, each flow a little beside the others.
local function gap_before(grid, node, flow) return grid.lefts[node.column] - GAP_X / 2 + flow.shift end

local function gap_below(grid, row, flow) return grid.tops[row] + grid.heights[row] + GAP_Y / 2 + flow.shift end

local function add(points, ...)
  for _, p in ipairs { ... } do points[#points + 1] = { x = p[1], y = p[2] } end
end

--- Around by the gap below a row.
local function around(grid, flow, points, row)
  local start, x = points[1], gap_before(grid, flow.to, flow)
  local y = gap_below(grid, row, flow)
  if flow.from.host then add(points, { start.x, y })
  else add(points, { start.x + GAP_X / 4 + flow.shift, start.y }, { start.x + GAP_X / 4 + flow.shift, y }) end
  add(points, { x, y }, { x, flow.to.y + flow.to.height / 2 })
end

local function route(grid, flow)
  local points, column, row = first_points(grid, flow)
  local to, start = flow.to, points[1]
  local y = to.y + to.height / 2
  if flow.back or to.column <= column then around(grid, flow, points, flow.back and grid.rows or math.max(row, to.row))
  elseif flow.from.host then
    if to.row > row and is_free(grid, to.row, column - 1, to.column) then add(points, { start.x, y })
    else around(grid, flow, points, row) end
  elseif to.row == row and is_free(grid, row, column, to.column) then -- straight on
    if start.y ~= y then add(points, { gap_before(grid, to, flow), start.y }, { gap_before(grid, to, flow), y }) end
  elseif is_free(grid, to.row, column, to.column) then
    local x = grid.lefts[column + 1] - GAP_X / 2 + flow.shift
    add(points, { x, start.y }, { x, y })
  elseif is_free(grid, row, column, to.column) then
    add(points, { gap_before(grid, to, flow), start.y }, { gap_before(grid, to, flow), y })
  else
    around(grid, flow, points, row)
  end
  add(points, { to.x, y })
  flow.points = points
end

-- ---- All of it ------------------------------------------------------------------------------------------------------------------

function place_scope(scope)
  local grid = collect(scope)
  find_back_flows(grid)
  set_rows(grid, set_columns(grid))
  set_places(grid)
  local back = 0
  for _, flow in ipairs(grid.flows) do
    if flow.back then back = back + 1 end
    flow.shift = flow.back and (back % 5) * 4 - 8 or 0
    route(grid, flow)
  end
  if back > 0 then grid.height = grid.height + GAP_Y end
  return grid
end

local function emit_item(plane, e, id, more)
  local item = { id = id, type = e.name, element = e, di = {}, order = #plane.shapes + #plane.edges + 1, name = e.attributes.name }
  for key, value in pairs(more) do item[key] = value end
  local list = item.points and plane.edges or plane.shapes
  list[#list + 1] = item
end

local function emit_shape(plane, node, x, y)
  emit_item(plane, node.element, node.id, { bounds = { x = x + node.x, y = y + node.y, width = node.width, height = node.height } })
end

local function emit(plane, grid, x, y)
  for _, node in ipairs(grid.nodes) do
    emit_shape(plane, node, x, y)
    if node.inner then emit(plane, node.inner, x + node.x + PADDING, y + node.y + PADDING + HEAD) end
    for _, event in ipairs(node.boundary) do emit_shape(plane, event, x, y) end
  end
  for _, flow in ipairs(grid.flows) do
    for _, p in ipairs(flow.points) do p.x, p.y = p.x + x, p.y + y end
    emit_item(plane, flow.element, flow.element.attributes.id or "", { points = flow.points })
  end
end

--- The plane of a model (its root element), as draw/model.lua reads it from a diagram: { shapes, edges }. Processes are below each
--- other. nil when there is nothing to place.
function layout.plane(root)
  local plane, y = { shapes = {}, edges = {} }, 0
  for _, e in ipairs(root) do
    if e.name == "process" then
      local grid = place_scope(e)
      emit(plane, grid, 0, y)
      y = y + grid.height + 2 * GAP_Y
    end
  end
  return plane.shapes[1] and plane
end

return layout
