--- Paths: what follows what, and how it ends.
local paths = {}

local DEPTH_MAX <const> = 4

--- What has branches or scopes of its own would, where it may be there several times, be told apart
--- by no name: a calm model has none there.
local LONE <const> = "split fork back sub_process call event_gateway"

--- Some steps behind `from`; the last one's id, nil when the path has ended.
function paths:sequence(scope, from, length)
  for _ = 1, length do
    if self.nodes >= self.budget then return from end
    local weights = { task = 10, catch = 3, throw = 3, split = 3, fork = 1, event_gateway = 1,
      back = 1, link = 1 }
    if scope.depth < DEPTH_MAX then weights.sub_process = 4 end
    -- What two calls run at once has the same names: a calm model has one call.
    if not scope.called and not (self.calm and self.calls) then weights.call = 2 end
    from = self[self:kind(weights, scope.repeated and LONE or "")](self, scope, from)
    if not from then return nil end
  end
  return from
end

local inside = {}

function inside.none() return "" end
function inside.terminate() return "<terminateEventDefinition/>" end
function inside.compensate() return "<compensateEventDefinition/>" end
function inside.cancel() return "<cancelEventDefinition/>" end
function inside:error()
  return ('<errorEventDefinition errorRef="%s"/>'):format(self:error(1))
end
function inside:escalation()
  return ('<escalationEventDefinition escalationRef="%s"/>'):format(self:escalation())
end
function inside:signal()
  return ('<signalEventDefinition signalRef="%s"/>'):format(self:signal "any")
end

local function kind_of_end(self, scope)
  local weights = { none = 20, terminate = 1, error = 2, compensate = 3, escalation = 1,
    signal = 1 }
  if scope.handler then weights.escalation, weights.signal = nil, nil end
  if self.dialect == "flowable" then -- it refuses such end events
    weights.signal, weights.compensate = nil, nil
  end
  if self.endless_errors and scope.handler then weights.error = nil end
  if scope.transaction then weights.cancel = 6 end
  return self:kind(weights, "terminate error compensate escalation signal cancel")
end

function paths:finish(scope, from)
  local id = self:id "e"
  local kind = kind_of_end(self, scope)
  if kind == "cancel" then scope.cancels = true end
  self:flow(scope, from, id)
  self:node(scope, id, '<endEvent id="%s"%s>%s%s</endEvent>', id, self:jobs(),
    self:node_listeners(), inside[kind](self))
end

function paths:path(scope, from, length)
  local tail = self:sequence(scope, from, length)
  if tail then self:finish(scope, tail) end
end

function paths:body(scope, length)
  local start = self:id "s"
  self:node(scope, start, '<startEvent id="%s"%s>%s</startEvent>', start, self:jobs(),
    self:node_listeners())
  self:path(scope, start, length)
  if self.nodes < self.budget then self:event_sub_processes(scope) end
end

return paths
