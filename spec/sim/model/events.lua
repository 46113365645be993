--- Events that catch and throw, boundary events among them.
local dialects = require "spec.sim.model.dialects"

local events = {}

-- Messages and signals by where they are waited for: a boundary event and an event sub-process of
-- one activity may not share a name.
local message_names = { any = { 1, 3 }, boundary = { 1, 2 }, start = { 3, 3 } }
local signal_names = { any = { 1, 2 }, boundary = { 1, 1 }, start = { 2, 2 } }

--- Of its own in a calm model, where no order may decide who is told first.
local function number(self, range)
  if not self.calm then return self.random:integer(range[1], range[2]) end
  self.named = (self.named or 3) + 1
  return self.named
end

function events:message(where)
  local n = number(self, message_names[where or "any"])
  return self:declare("M" .. n, '<message id="%s" name="m%d"/>', n)
end

function events:signal(where)
  local n = number(self, signal_names[where or "any"])
  return self:declare("S" .. n, '<signal id="%s" name="s%d"/>', n)
end

function events:error(n)
  n = n or self.random:integer(1, 2)
  return self:declare("E" .. n, '<error id="%s" errorCode="e%d"/>', n)
end

function events:escalation()
  return self:declare("UP", '<escalation id="%s" escalationCode="up"/>')
end

--- No two timers of a calm model are due at one time.
function events:duration()
  if not self.calm then return ("PT%dM"):format(self.random:integer(0, 3) * 20) end
  return ("PT%dS"):format(self.random:integer(60, 1000000))
end

-- ---- What is inside ----------------------------------------------------------------------------

local timer = "<timerEventDefinition>%s</timerEventDefinition>"
local conditional = "<conditionalEventDefinition%s><condition>${c == 1}</condition>"
  .. "</conditionalEventDefinition>"

local inside = {}

function inside:timer()
  return timer:format(("<timeDuration>%s</timeDuration>"):format(self:duration()))
end
function inside:cycle()
  local period = self.calm and self:duration() or "PT15M"
  local times = self.random:integer(2, 3)
  return timer:format(("<timeCycle>R%d/%s</timeCycle>"):format(times, period))
end
function inside:message(where)
  return ('<messageEventDefinition messageRef="%s"/>'):format(self:message(where))
end
function inside:signal(where)
  return ('<signalEventDefinition signalRef="%s"/>'):format(self:signal(where))
end
function inside:error()
  if self.random:chance(0.3) then return "<errorEventDefinition/>" end
  return ('<errorEventDefinition errorRef="%s"/>'):format(self:error())
end
function inside:escalation()
  if self.random:chance(0.3) then return "<escalationEventDefinition/>" end
  return ('<escalationEventDefinition escalationRef="%s"/>'):format(self:escalation())
end
--- One that does not interrupt looks at its variable alone: else what it sets going would set it
--- going.
function inside:conditional(_, interrupting)
  local named = dialects.have("variable_names", self.dialect)
    and (not interrupting or self.random:chance(0.7))
  return conditional:format(named and ' o:variableName="c"' or "")
end

--- The inside of a catching event of a kind; `where`: "boundary", "start" or nil.
function events:event(kind, where, interrupting)
  return inside[kind](self, where, interrupting)
end

--- Whether an event of a kind ends what it belongs to.
function events:interrupts(kind)
  if kind == "error" then return true end
  if kind == "cycle" then return false end
  local unnamed = kind == "conditional" and not dialects.have("variable_names", self.dialect)
  return self.random:chance(0.6) or unnamed
end

--- Some kinds that an event may be of, without what a calm model lacks.
function events:kinds(text)
  local out = {}
  for kind in text:gmatch "%S+" do
    local wild = kind == "conditional" or kind == "escalation" or kind == "compensate"
    if not (self.calm and wild) then out[#out + 1] = kind end
  end
  return out
end

-- ---- Boundary events ---------------------------------------------------------------------------

local boundary_text = '<boundaryEvent id="%s" attachedToRef="%s" cancelActivity="%s"%s>%s%s'
  .. "</boundaryEvent>"

local function boundary(self, scope, id, kind)
  local interrupting = self:interrupts(kind)
  local event = self:id "b"
  local after = self.points:chance(0.1) and ' o:asyncAfter="true"' or ""
  self:node(scope, event, boundary_text, event, id, interrupting, after,
    self:node_listeners(), self:event(kind, "boundary", interrupting))
  local path = self:scope_of(scope, scope.depth, { out = scope.out, handler = true,
    behind = scope.behind, compensable = scope.compensable,
    repeated = scope.repeated or not interrupting })
  self:path(path, event, self.random:integer(0, 1))
end

function events:boundaries(scope, id, escalates)
  local random = self.random
  local kinds = self:kinds("timer cycle message signal error conditional"
    .. (escalates and " escalation" or ""))
  for _ = 1, random:weighted { [0] = 12, [1] = 5, [2] = 2 } do
    boundary(self, scope, id, table.remove(kinds, random:integer(1, #kinds)))
  end
  if not self.calm and not scope.handler and random:chance(0.25) then
    self:compensation(scope, id)
  end
end

local compensation = '<boundaryEvent id="%s" attachedToRef="%s"><compensateEventDefinition/>'
  .. "</boundaryEvent>"
local association = '<association id="%s" sourceRef="%s" targetRef="%s"'
  .. ' associationDirection="One"/>'
local undo = {
  '<serviceTask id="%s" isForCompensation="true" o:class="spec.sim.delegates.step"/>',
  '<serviceTask id="%s" isForCompensation="true" o:class="spec.sim.delegates.step"/>',
  '<userTask id="%s" isForCompensation="true"/>',
}

function events:compensation(scope, id)
  local event, handler = self:id "b", self:id "undo"
  self:add(scope, compensation, event, id)
  scope.behind[#scope.behind + 1] = association:format(self:id "a", event, handler)
  local text = self.random:pick(undo)
  if text:find "serviceTask" then self:counts(scope, handler) end
  self:add(scope, text, handler)
  self.nodes = self.nodes + 2
  scope.compensable[#scope.compensable + 1] = id
end

-- ---- On the way ----------------------------------------------------------------------------------

function events:catch(scope, from)
  local id = self:id "c"
  self:flow(scope, from, id)
  local kind = self.random:pick(self:kinds "timer message signal conditional")
  return self:node(scope, id, '<intermediateCatchEvent id="%s"%s>%s%s</intermediateCatchEvent>',
    id, self:jobs(), self:node_listeners(), self:event(kind, nil, true))
end

local thrown = {}

function thrown.none() return "" end
function thrown:signal()
  local async = self.random:chance(0.3) and ' o:async="true"' or ""
  return ('<signalEventDefinition signalRef="%s"%s/>'):format(self:signal(), async)
end
function thrown:escalation()
  return ('<escalationEventDefinition escalationRef="%s"/>'):format(self:escalation())
end
function thrown:compensate(scope)
  local one = #scope.compensable > 0 and self.random:chance(0.5)
  return ("<compensateEventDefinition%s/>"):format(
    one and (' activityRef="%s"'):format(self.random:pick(scope.compensable)) or "")
end

function events:throw(scope, from)
  local id = self:id "th"
  local weights = { none = 1, compensate = 2, signal = 1, escalation = 1 }
  if scope.handler then weights.signal, weights.escalation = nil, nil end
  local kind = self:kind(weights, "compensate signal escalation")
  self:flow(scope, from, id)
  return self:node(scope, id, '<intermediateThrowEvent id="%s"%s>%s%s</intermediateThrowEvent>',
    id, self:jobs(), self:node_listeners(), thrown[kind](self, scope))
end

local link = '<intermediate%sEvent id="%s"><linkEventDefinition name="%s"/></intermediate%sEvent>'

function events:link(scope, from)
  local throw, catch = self:id "th", self:id "c"
  self:flow(scope, from, throw)
  self:node(scope, throw, link, "Throw", throw, catch, "Throw")
  return self:node(scope, catch, link, "Catch", catch, catch, "Catch")
end

return events
