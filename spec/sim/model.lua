-- Random models of everything that is supported, legal in a dialect and sure to end or wait:
--   - flows go forward, but for loops that a counter ends;
--   - paths that an event sets going throw no signals and no escalations, so that no handler sets itself going without end;
--   - the variable that conditional events look at is set by the client alone;
--   - called processes call nothing.
local Random = require "spec.sim.random"

local Model = {}
Model.__index = Model

local DEPTH_MAX <const> = 4
local NODES_MAX <const> = 30

local function new(random)
  return setmetatable({ random = random, count = 0, nodes = 0, ids = {}, roots = {}, budget = random:integer(3, NODES_MAX) }, Model)
end

function Model:id(prefix)
  self.count = self.count + 1
  return prefix .. self.count
end

--- A scope that is being written. `handler`: set going by an event; `transaction`: may be canceled.
local function scope_of(parent, depth, fields)
  local scope = { out = {}, depth = depth, handler = parent and parent.handler, called = parent and parent.called, compensable = {} }
  for key, value in pairs(fields or {}) do scope[key] = value end
  return scope
end

local function add(scope, text, ...) scope.out[#scope.out + 1] = select("#", ...) > 0 and text:format(...) or text end

function Model:node(scope, id, text, ...)
  self.nodes = self.nodes + 1
  if not scope.called then self.ids[#self.ids + 1] = id end
  add(scope, text, ...)
  return id
end

function Model:flow(scope, from, to, condition)
  local id = self:id "f"
  if condition then
    add(scope, '<sequenceFlow id="%s" sourceRef="%s" targetRef="%s"><conditionExpression>%s</conditionExpression></sequenceFlow>',
      id, from, to, condition)
  else
    add(scope, '<sequenceFlow id="%s" sourceRef="%s" targetRef="%s"/>', id, from, to)
  end
  return id
end

-- ---- Decorations of activities ---------------------------------------------------------------------------------------------------

function Model:jobs()
  local random = self.random
  local text = ""
  if random:chance(0.2) then text = text .. ' o:asyncBefore="true"' end
  if random:chance(0.1) then text = text .. ' o:asyncAfter="true"' end
  if text ~= "" and random:chance(0.2) then text = text .. ' o:exclusive="false"' end
  return text
end

local multi = '<multiInstanceLoopCharacteristics isSequential="%s"%s>%s</multiInstanceLoopCharacteristics>'
function Model:loop()
  local random = self.random
  local kind = random:weighted { none = 14, cardinality = 3, collection = 1, standard = 1 }
  if kind == "none" then return "" end
  if kind == "standard" then
    local text = '<standardLoopCharacteristics testBefore="%s" loopMaximum="%d"><loopCondition>${x != 3}</loopCondition>'
    return (text .. "</standardLoopCharacteristics>"):format(random:chance(0.5), random:integer(1, 3))
  end
  local condition = random:chance(0.3) and "<completionCondition>${nrOfCompletedInstances >= 1}</completionCondition>" or ""
  local sequential = random:chance(0.4)
  if kind == "collection" then
    return multi:format(sequential, ' o:collection="items" o:elementVariable="item"', condition)
  end
  return multi:format(sequential, "", ("<loopCardinality>%d</loopCardinality>"):format(random:integer(0, 3)) .. condition)
end

local listeners = '<o:executionListener event="%s" class="sim.listener"/>'
local mapping = '<o:inputOutput><o:inputParameter name="in">${x}</o:inputParameter>'
  .. '<o:outputParameter name="out">${x + 1}</o:outputParameter></o:inputOutput>'
function Model:extensions(loop, more)
  local random = self.random
  local text = more or ""
  if random:chance(0.2) then text = text .. listeners:format(random:pick { "start", "end", "end" }) end
  if loop == "" and random:chance(0.1) then -- outputs are refused on multi-instance activities
    text = text .. mapping
  end
  return text == "" and "" or "<extensionElements>" .. text .. "</extensionElements>"
end

local timer = "<timerEventDefinition>%s</timerEventDefinition>"

-- Messages and signals by where they are waited for: a boundary event and an event sub-process of one activity may not share a name.
local names = { any = { 1, 3, 1, 2 }, boundary = { 1, 2, 1, 1 }, start = { 3, 3, 2, 2 } }

--- The inside of a catching event of a kind; `where`: a key of `names`.
function Model:event(kind, where)
  local random = self.random
  local m1, m2, s1, s2 = table.unpack(names[where or "any"])
  if kind == "timer" then return timer:format(("<timeDuration>PT%dM</timeDuration>"):format(random:integer(0, 3) * 20)) end
  if kind == "cycle" then return timer:format "<timeCycle>R2/PT15M</timeCycle>" end
  if kind == "message" then return ('<messageEventDefinition messageRef="M%d"/>'):format(random:integer(m1, m2)) end
  if kind == "signal" then return ('<signalEventDefinition signalRef="S%d"/>'):format(random:integer(s1, s2)) end
  if kind == "error" then
    return random:chance(0.3) and "<errorEventDefinition/>" or ('<errorEventDefinition errorRef="E%d"/>'):format(random:integer(1, 2))
  end
  if kind == "escalation" then return '<escalationEventDefinition escalationRef="UP"/>' end
  return '<conditionalEventDefinition o:variableName="c"><condition>${c == 1}</condition></conditionalEventDefinition>'
end

function Model:boundaries(scope, id, escalates)
  local random = self.random
  local kinds = { "timer", "cycle", "message", "signal", "error", "conditional" }
  if escalates then kinds[#kinds + 1] = "escalation" end
  for _ = 1, random:weighted { [0] = 12, [1] = 5, [2] = 2 } do
    local kind = table.remove(kinds, random:integer(1, #kinds))
    local interrupting = kind == "error" or (kind ~= "cycle" and random:chance(0.6))
    local boundary = self:id "b"
    self:node(scope, boundary, '<boundaryEvent id="%s" attachedToRef="%s" cancelActivity="%s">%s</boundaryEvent>',
      boundary, id, interrupting, self:event(kind, "boundary"))
    local inside = scope_of(scope, scope.depth, { out = scope.out, handler = true, compensable = scope.compensable })
    self:path(inside, boundary, random:integer(0, 1))
  end
  if not scope.handler and random:chance(0.25) then self:compensation(scope, id) end
end

function Model:compensation(scope, id)
  local boundary, handler = self:id "b", self:id "undo"
  add(scope, '<boundaryEvent id="%s" attachedToRef="%s"><compensateEventDefinition/></boundaryEvent>', boundary, id)
  add(scope, '<association id="%s" sourceRef="%s" targetRef="%s" associationDirection="One"/>', self:id "a", boundary, handler)
  if self.random:chance(0.3) then
    add(scope, '<userTask id="%s" isForCompensation="true"/>', handler)
  else
    add(scope, '<serviceTask id="%s" isForCompensation="true" o:class="sim.step"/>', handler)
  end
  self.nodes = self.nodes + 2
  scope.compensable[#scope.compensable + 1] = id
end

-- ---- Activities ------------------------------------------------------------------------------------------------------------------

local tasks = {
  user = '<userTask id="%s"%s o:candidateGroups="g">%s%s</userTask>',
  step = '<serviceTask id="%s"%s o:class="sim.step">%s%s</serviceTask>',
  expression = '<serviceTask id="%s"%s o:expression="${x + 1}" o:resultVariable="y">%s%s</serviceTask>',
  fails = '<serviceTask id="%s"%s o:class="sim.fail">%s%s</serviceTask>',
  raises = '<serviceTask id="%s"%s o:class="sim.error">%s%s</serviceTask>',
  external = '<serviceTask id="%s"%s o:type="external" o:topic="t">%s%s</serviceTask>',
  triggerable = '<serviceTask id="%s"%s o:class="sim.step" o:triggerable="true">%s%s</serviceTask>',
  script = '<scriptTask id="%s"%s scriptFormat="lua">%s%s<script>execution:set("x", (x or 0) + 1)</script></scriptTask>',
  manual = '<manualTask id="%s"%s>%s%s</manualTask>',
  abstract = '<task id="%s"%s>%s%s</task>',
  receive = '<receiveTask id="%s"%s messageRef="M1">%s%s</receiveTask>',
}

function Model:task(scope, from)
  local weights = { user = 10, step = 4, expression = 2, fails = 1, raises = 2, external = 2, triggerable = 1, script = 2, manual = 1,
    abstract = 1, receive = 2 }
  if self.endless_errors and scope.handler then weights.raises = nil end
  local kind = self.random:weighted(weights)
  local id = self:id "t"
  self:flow(scope, from, id)
  local loop = self:loop()
  self:node(scope, id, tasks[kind], id, self:jobs(), self:extensions(loop), loop)
  self:boundaries(scope, id)
  return id
end

function Model:event_sub_processes(scope)
  local random = self.random
  local kinds = { "timer", "message", "signal", "error", "escalation", "conditional" }
  for _ = 1, random:weighted { [0] = 10, [1] = 4, [2] = 1 } do
    local kind = table.remove(kinds, random:integer(1, #kinds))
    local id, start = self:id "es", self:id "s"
    local inside = scope_of(scope, scope.depth + 1, { handler = true })
    self:node(inside, start, '<startEvent id="%s" isInterrupting="%s">%s</startEvent>',
      start, kind == "error" or random:chance(0.5), self:event(kind, "start"))
    self:path(inside, start, random:integer(1, 2))
    add(scope, '<subProcess id="%s" triggeredByEvent="true">%s</subProcess>', id, table.concat(inside.out))
  end
end

function Model:sub_process(scope, from)
  local random = self.random
  local transaction = random:chance(0.25)
  local element = transaction and "transaction" or "subProcess"
  local id = self:id(transaction and "tx" or "sp")
  local inside = scope_of(scope, scope.depth + 1, { transaction = transaction })
  self:body(inside, random:integer(1, 3))
  local loop = self:loop()
  self:flow(scope, from, id)
  self:node(scope, id, '<%s id="%s"%s>%s%s%s</%s>',
    element, id, self:jobs(), self:extensions(loop), loop, table.concat(inside.out), element)
  self:boundaries(scope, id, true)
  if transaction and inside.cancels then
    local boundary = self:id "b"
    self:node(scope, boundary, '<boundaryEvent id="%s" attachedToRef="%s"><cancelEventDefinition/></boundaryEvent>', boundary, id)
    self:path(scope_of(scope, scope.depth, { out = scope.out, handler = true, compensable = scope.compensable }), boundary, 1)
  end
  if #inside.compensable > 0 then scope.compensable[#scope.compensable + 1] = id end
  return id
end

function Model:call(scope, from)
  local id = self:id "call"
  self.calls = true
  local loop = self:loop()
  self:flow(scope, from, id)
  self:node(scope, id, '<callActivity id="%s" calledElement="called"%s>%s%s</callActivity>', id, self:jobs(),
    self:extensions(loop, '<o:in source="x" target="x"/><o:out source="x" target="x"/>'), loop)
  self:boundaries(scope, id, true)
  return id
end

-- ---- Events and gateways -----------------------------------------------------------------------------------------------------------

function Model:catch(scope, from)
  local id = self:id "c"
  self:flow(scope, from, id)
  return self:node(scope, id, '<intermediateCatchEvent id="%s">%s</intermediateCatchEvent>', id,
    self:event(self.random:pick { "timer", "message", "signal", "conditional" }))
end

function Model:throw(scope, from)
  local random = self.random
  local id = self:id "th"
  local kinds = { "none", "compensate", "compensate" }
  if not scope.handler then
    kinds[#kinds + 1] = "signal"
    kinds[#kinds + 1] = "escalation"
  end
  local kind = random:pick(kinds)
  local inside = ""
  if kind == "signal" then
    inside = ('<signalEventDefinition signalRef="S%d"%s/>'):format(random:integer(1, 2), random:chance(0.3) and ' o:async="true"' or "")
  end
  if kind == "escalation" then inside = '<escalationEventDefinition escalationRef="UP"/>' end
  if kind == "compensate" then
    local one = #scope.compensable > 0 and random:chance(0.5)
    inside = ("<compensateEventDefinition%s/>"):format(one and (' activityRef="%s"'):format(random:pick(scope.compensable)) or "")
  end
  self:flow(scope, from, id)
  return self:node(scope, id, '<intermediateThrowEvent id="%s">%s</intermediateThrowEvent>', id, inside)
end

--- A split into branches and the join of those that go on; the join need not be of the split's kind where every wait is a legal one.
function Model:split(scope, from)
  local random = self.random
  local kind = random:pick { "exclusive", "parallel", "inclusive" }
  local joining = random:chance(0.75) and kind or random:pick { "exclusive", "parallel", "inclusive" }
  local split, join = self:id "g", self:id "g"
  local default = self:id "f"
  self:flow(scope, from, split)
  self:node(scope, split, '<%sGateway id="%s"%s%s/>',
    kind, split, kind == "parallel" and "" or (' default="%s"'):format(default), self:jobs())
  local open = 0
  for branch = 1, random:integer(2, 3) do
    local first = self:id "n"
    if kind ~= "parallel" and branch == 1 then
      add(scope, '<sequenceFlow id="%s" sourceRef="%s" targetRef="%s"/>', default, split, first)
    else
      self:flow(scope, split, first, kind ~= "parallel" and random:pick { "${x == 1}", "${x != 2}", "${x &lt; 3}" } or nil)
    end
    self:node(scope, first, '<manualTask id="%s"%s/>', first, self:jobs())
    local tail = self:sequence(scope, first, random:integer(0, 1))
    if tail and random:chance(0.9) then
      self:flow(scope, tail, join)
      open = open + 1
    elseif tail then
      self:finish(scope, tail)
    end
  end
  if open == 0 then return nil end
  return self:node(scope, join, '<%sGateway id="%s"%s/>', joining, join, self:jobs())
end

function Model:event_gateway(scope, from)
  local random = self.random
  local gateway, join = self:id "g", self:id "g"
  self:flow(scope, from, gateway)
  self:node(scope, gateway, '<eventBasedGateway id="%s"/>', gateway)
  local kinds = { "timer", "message", "signal", "conditional" }
  for _ = 1, random:integer(2, 3) do
    local id = self:id "c"
    self:flow(scope, gateway, id)
    local kind = table.remove(kinds, random:integer(1, #kinds))
    self:node(scope, id, '<intermediateCatchEvent id="%s">%s</intermediateCatchEvent>', id, self:event(kind))
    self:flow(scope, id, join)
  end
  return self:node(scope, join, '<exclusiveGateway id="%s"/>', join)
end

--- Goes back once or twice: a join, some steps, a counting script, and a split by the count.
function Model:back(scope, from)
  local kind = self.random:pick { "exclusive", "inclusive" }
  local entry, count, exit, default = self:id "g", self:id "t", self:id "g", self:id "f"
  local variable = "n" .. entry
  self:flow(scope, from, entry)
  self:node(scope, entry, '<%sGateway id="%s"/>', kind, entry)
  local tail = self:sequence(scope, entry, 1)
  if not tail then return nil end
  self:flow(scope, tail, count)
  self:node(scope, count, '<scriptTask id="%s" scriptFormat="lua"><script>execution:set("%s", (%s or 0) + 1)</script></scriptTask>',
    count, variable, variable)
  self:flow(scope, count, exit)
  self:node(scope, exit, '<exclusiveGateway id="%s" default="%s"/>', exit, default)
  self:flow(scope, exit, entry, ("${%s == 1}"):format(variable))
  local out = self:id "n"
  add(scope, '<sequenceFlow id="%s" sourceRef="%s" targetRef="%s"/>', default, exit, out)
  return self:node(scope, out, '<task id="%s"/>', out)
end

function Model:link(scope, from)
  local throw, catch = self:id "th", self:id "c"
  self:flow(scope, from, throw)
  self:node(scope, throw, '<intermediateThrowEvent id="%s"><linkEventDefinition name="%s"/></intermediateThrowEvent>', throw, catch)
  return self:node(scope, catch, '<intermediateCatchEvent id="%s"><linkEventDefinition name="%s"/></intermediateCatchEvent>', catch, catch)
end

-- ---- Paths -----------------------------------------------------------------------------------------------------------------------

--- Some steps behind `from`; the last one's id, nil when the path has ended.
function Model:sequence(scope, from, length)
  for _ = 1, length do
    if self.nodes >= self.budget then return from end
    local weights = { task = 10, catch = 3, throw = 3, split = 3, event_gateway = 1, back = 1, link = 1 }
    if scope.depth < DEPTH_MAX then weights.sub_process = 4 end
    if not scope.called then weights.call = 1 end
    from = self[self.random:weighted(weights)](self, scope, from)
    if not from then return nil end
  end
  return from
end

function Model:finish(scope, from)
  local id = self:id "e"
  local weights = { none = 20, terminate = 1, error = 2, compensate = 3 }
  if not scope.handler then weights.escalation, weights.signal = 1, 1 end
  if self.dialect == "flowable" then weights.signal, weights.compensate = nil, nil end -- it refuses such end events
  if self.endless_errors and scope.handler then weights.error = nil end
  if scope.transaction then weights.cancel = 6 end
  local kind = self.random:weighted(weights)
  local inside = kind == "none" and "" or ("<%sEventDefinition%s/>"):format(kind,
    kind == "error" and ' errorRef="E1"' or kind == "escalation" and ' escalationRef="UP"' or kind == "signal" and ' signalRef="S1"' or "")
  if kind == "cancel" then scope.cancels = true end
  self:flow(scope, from, id)
  self:node(scope, id, '<endEvent id="%s">%s</endEvent>', id, inside)
end

function Model:path(scope, from, length)
  local tail = self:sequence(scope, from, length)
  if tail then self:finish(scope, tail) end
end

function Model:body(scope, length)
  local start = self:id "s"
  self:node(scope, start, '<startEvent id="%s"/>', start)
  self:path(scope, start, length)
  if self.nodes < self.budget then self:event_sub_processes(scope) end
end

local head = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns:o="urn:orrery:bpmn" targetNamespace="sim">
  <message id="M1" name="m1"/><message id="M2" name="m2"/><message id="M3" name="m3"/><signal id="S1" name="s1"/><signal id="S2" name="s2"/>
  <error id="E1" errorCode="e1"/><error id="E2" errorCode="e2"/><escalation id="UP" escalationCode="up"/>
]]

--- A random model from a seed, legal in a dialect: xml, and the ids of its nodes.
function Model.random(seed, dialect)
  local self = new(Random.new(seed))
  self.dialect = dialect
  self.endless_errors = dialect == "flowable" -- an event sub-process catches its own errors, again and again
  local scope = scope_of(nil, 1)
  self:body(scope, self.random:integer(2, 8))
  self.budget = self.nodes + 4
  local called = scope_of(nil, DEPTH_MAX, { called = true, handler = true })
  if self.calls then self:body(called, self.random:integer(1, 2)) end
  local text = head .. '<process id="p" isExecutable="true">' .. table.concat(scope.out, "\n") .. "</process>\n"
  if self.calls then text = text .. '<process id="called" isExecutable="true">' .. table.concat(called.out, "\n") .. "</process>\n" end
  return { xml = text .. "</definitions>", ids = self.ids }
end

return Model
