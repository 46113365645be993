--- Scopes: sub-processes, transactions, event sub-processes.
local scopes = {}

--- A scope that is being written. `handler`: set going by an event; `transaction`: may be canceled;
--- `repeated`: what is in it may be there several times; `behind`: what the schema has last.
function scopes.scope_of(_, parent, depth, fields)
  parent = parent or {}
  local scope = { out = {}, behind = {}, depth = depth, handler = parent.handler,
    called = parent.called, repeated = parent.repeated, compensable = {} }
  for key, value in pairs(fields or {}) do scope[key] = value end
  return scope
end

function scopes.text(_, scope)
  return table.concat(scope.out, "\n") .. table.concat(scope.behind, "\n")
end

local function cancel_boundary(self, scope, id)
  local boundary = self:id "b"
  self:node(scope, boundary, '<boundaryEvent id="%s" attachedToRef="%s"><cancelEventDefinition/>'
    .. "</boundaryEvent>", boundary, id)
  self:path(self:scope_of(scope, scope.depth, { out = scope.out, handler = true,
    behind = scope.behind, compensable = scope.compensable }), boundary, 1)
end

function scopes:sub_process(scope, from)
  local random = self.random
  local transaction = random:chance(0.25)
  local element = transaction and "transaction" or "subProcess"
  local id = self:id(transaction and "tx" or "sp")
  local inside = self:scope_of(scope, scope.depth + 1, { transaction = transaction })
  self:body(inside, random:integer(1, 3))
  local loop = self:loop(id, true)
  self:flow(scope, from, id)
  self:node(scope, id, '<%s id="%s"%s>%s%s%s</%s>', element, id, self:jobs(),
    self:extensions(id, loop), loop, self:text(inside), element)
  self:boundaries(scope, id, true)
  if transaction and inside.cancels then cancel_boundary(self, scope, id) end
  if #inside.compensable > 0 then scope.compensable[#scope.compensable + 1] = id end
  return id
end

local start = '<startEvent id="%s" isInterrupting="%s">%s%s</startEvent>'

local function event_sub_process(self, scope, kind)
  local random = self.random
  local id, event = self:id "es", self:id "s"
  local interrupting = self:interrupts(kind)
  local inside = self:scope_of(scope, scope.depth + 1, { handler = true,
    repeated = scope.repeated or not interrupting })
  self:node(inside, event, start, event, interrupting, self:node_listeners(),
    self:event(kind, "start", interrupting))
  self:path(inside, event, random:integer(1, 2))
  self:add(scope, '<subProcess id="%s" triggeredByEvent="true">%s%s</subProcess>', id,
    self:node_listeners(), self:text(inside))
end

function scopes:event_sub_processes(scope)
  local random = self.random
  local kinds = self:kinds "timer cycle message signal error escalation conditional"
  for _ = 1, random:weighted { [0] = 10, [1] = 4, [2] = 1 } do
    event_sub_process(self, scope, table.remove(kinds, random:integer(1, #kinds)))
  end
end

return scopes
