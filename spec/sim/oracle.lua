-- A token game by the letter of the rule, slow on purpose: it keeps every state that the rule allows.
--   1. Every token that can move does: only joins hold it, tasks that wait, and jobs.
--   2. Then an inclusive gateway at which tokens wait goes on, as one token, if no other token can reach it by a flow that none of them
--      came by; paths through the gateway itself do not count. Which of several goes first is left open: each is a state of its own.
--   3. Until neither is possible.
local Oracle = {}

-- A token: { at = node, phase = "moving" | "job" | "wait" | "join" | "left", flow = the one it came by, or leaves by when it has "left" }.

local function copy(state)
  local out = {}
  for i, token in ipairs(state) do out[i] = token end
  return out
end

local function key_of(state)
  local parts = {}
  for i, token in ipairs(state) do parts[i] = ("%s/%s/%s"):format(token.at.id, token.phase, token.flow and token.flow.id or "") end
  table.sort(parts)
  return table.concat(parts, " ")
end

local function chosen(node, variables)
  if node.kind ~= "exclusive" and node.kind ~= "inclusive" or #node.out < 2 then return node.out end
  local out = {}
  for _, flow in ipairs(node.out) do
    if flow.variable and variables[flow.variable] then
      out[#out + 1] = flow
      if node.kind == "exclusive" then return out end
    end
  end
  return #out > 0 and out or { node.default }
end

local function leave(state, node, variables)
  for _, flow in ipairs(chosen(node, variables)) do
    if node.job == "after" then state[#state + 1] = { at = node, phase = "left", flow = flow } -- one job a flow
    else state[#state + 1] = { at = flow.to, phase = "moving", flow = flow } end
  end
end

--- The token stands in `at`, behind its job: it goes on, ends or waits.
local function execute(state, token, variables)
  local node = token.at
  if node.kind == "end" then return end
  if node.kind == "user" then state[#state + 1] = { at = node, phase = "wait" }
  elseif (node.kind == "parallel" or node.kind == "inclusive") and #node.into > 1 then
    state[#state + 1] = { at = node, phase = "join", flow = token.flow }
  else leave(state, node, variables) end
end

--- Takes one waiting token of each flow out, if there is one of each.
local function join_parallel(state, node, variables)
  local found = {}
  for _, flow in ipairs(node.into) do
    for i, token in ipairs(state) do
      if token.phase == "join" and token.at == node and token.flow == flow then found[flow] = i end
    end
    if not found[flow] then return false end
  end
  local places = {}
  for _, i in pairs(found) do places[#places + 1] = i end
  table.sort(places, function(a, b) return a > b end)
  for _, i in ipairs(places) do table.remove(state, i) end
  leave(state, node, variables)
  return true
end

local function settle(graph, state, variables)
  local moved = true
  while moved do
    moved = false
    for i, token in ipairs(state) do
      if token.phase == "moving" then
        table.remove(state, i)
        if token.at.job == "before" then state[#state + 1] = { at = token.at, phase = "job", flow = token.flow }
        else execute(state, token, variables) end
        moved = true
        break
      end
    end
    for _, node in ipairs(graph.nodes) do
      if not moved and node.kind == "parallel" and #node.into > 1 then moved = join_parallel(state, node, variables) end
    end
  end
end

local function reaches(node, gateway, visited, seen)
  if seen[node] then return false end
  seen[node] = true
  for _, flow in ipairs(node.out) do
    if flow.to == gateway then
      if not visited[flow] then return true end
    elseif reaches(flow.to, gateway, visited, seen) then return true end
  end
  return false
end

local function may_come(token, gateway, visited)
  if token.at == gateway then return token.phase == "job" end
  if token.phase ~= "left" then return reaches(token.at, gateway, visited, {}) end
  if token.flow.to == gateway then return not visited[token.flow] end
  return reaches(token.flow.to, gateway, visited, {})
end

local function waits_at(token, gateway) return token.phase == "join" and token.at == gateway end

local function is_complete(state, gateway)
  local visited, waiting = {}, 0
  for _, token in ipairs(state) do
    if waits_at(token, gateway) then
      visited[token.flow] = true
      waiting = waiting + 1
    end
  end
  if waiting == 0 then return false end
  for _, token in ipairs(state) do
    if not waits_at(token, gateway) and may_come(token, gateway, visited) then return false end
  end
  return true
end

--- All states that can follow, by their keys.
local function explore(graph, state, variables, out, seen)
  settle(graph, state, variables)
  local key = key_of(state)
  if seen[key] then return end
  seen[key] = true
  local last = true
  for _, node in ipairs(graph.nodes) do
    if node.kind == "inclusive" and is_complete(state, node) then
      last = false
      local follower = {}
      for _, token in ipairs(state) do
        if not waits_at(token, node) then follower[#follower + 1] = token end
      end
      leave(follower, node, variables)
      explore(graph, follower, variables, out, seen)
    end
  end
  if last then out[#out + 1] = state end
end

function Oracle.start(graph, variables)
  local out = {}
  explore(graph, { { at = graph.nodes[1], phase = "moving" } }, variables, out, {})
  return out
end

local function go_on(state, token, variables)
  if token.phase == "wait" then leave(state, token.at, variables)
  elseif token.phase == "job" then execute(state, token, variables)
  else state[#state + 1] = { at = token.flow.to, phase = "moving", flow = token.flow } end
end

--- What may follow when one token that waits at `id` for the outside goes on; which one of several is left open.
function Oracle.step(graph, states, id, variables)
  local out, seen = {}, {}
  for _, state in ipairs(states) do
    for i, token in ipairs(state) do
      if token.at.id == id and token.phase ~= "join" then
        local follower = copy(state)
        table.remove(follower, i)
        go_on(follower, token, variables)
        explore(graph, follower, variables, out, seen)
      end
    end
  end
  return out
end

--- Those states in which tokens stand at exactly these nodes.
function Oracle.matching(states, active)
  local wanted, out = table.concat(active, " "), {}
  for _, state in ipairs(states) do
    local ids = {}
    for i, token in ipairs(state) do ids[i] = token.at.id end
    table.sort(ids)
    if table.concat(ids, " ") == wanted then out[#out + 1] = state end
  end
  return out
end

function Oracle.describe(states)
  local out = {}
  for i, state in ipairs(states) do out[i] = "  " .. key_of(state) end
  return table.concat(out, "\n")
end

return Oracle
