--- Tasks and calls.
local dialects = require "spec.sim.model.dialects"

local tasks = {}

local class = '<serviceTask id="%s"%s o:class="spec.sim.delegates.'
local texts = {
  user = '<userTask id="%s"%s o:candidateGroups="g">%s%s</userTask>',
  step = class .. 'step">%s%s</serviceTask>',
  count = class .. 'count">%s%s</serviceTask>',
  fails = class .. 'fail">%s%s</serviceTask>',
  raises = class .. 'error">%s%s</serviceTask>',
  triggerable = class .. 'step" o:triggerable="true">%s%s</serviceTask>',
  external = '<serviceTask id="%s"%s o:type="external" o:topic="t">%s%s</serviceTask>',
  expression = '<serviceTask id="%s"%s o:expression="${x + 1}" o:resultVariable="RESULT">'
    .. "%s%s</serviceTask>",
  script = '<scriptTask id="%s"%s scriptFormat="lua">%s%s'
    .. '<script>execution:set("x", (x or 0) + 1)</script></scriptTask>',
  manual = '<manualTask id="%s"%s>%s%s</manualTask>',
  abstract = '<task id="%s"%s>%s%s</task>',
  receive = '<receiveTask id="%s"%s messageRef="MESSAGE">%s%s</receiveTask>',
  trigger = '<receiveTask id="%s"%s>%s%s</receiveTask>',
}

local function kind_of(self, scope)
  local weights = { user = 10, step = 4, count = 2, expression = 2, fails = 2, raises = 2,
    external = 3, triggerable = 1, script = 2, manual = 1, abstract = 1, receive = 2, trigger = 1 }
  if self.endless_errors and scope.handler then weights.raises = nil end
  if not dialects.have("triggerable", self.dialect) then weights.triggerable = nil end
  return self:kind(weights, "step raises triggerable script trigger")
end

function tasks:task(scope, from)
  local kind = kind_of(self, scope)
  local id = self:id "t"
  if kind == "step" or kind == "count" then self:counts(scope, id) end
  self:flow(scope, from, id)
  local loop = self:loop(id)
  local text = texts[kind]:gsub("RESULT", self.calm and "r" .. id or "y")
  if kind == "receive" then text = text:gsub("MESSAGE", self:message "start") end
  local more = kind == "user" and self:task_listeners() or nil
  self:node(scope, id, text, id, self:jobs(self.calm and kind == "fails"),
    self:extensions(id, loop, more), loop)
  self:boundaries(scope, id)
  return id
end

-- ---- Calls ---------------------------------------------------------------------------------------

local call = '<callActivity id="%s" calledElement="called"%s%s>%s%s</callActivity>'
local named = '<o:in source="x" target="x"/><o:out source="x" target="%s"/>'
local items = '<o:in source="items" target="items"/>'
local computed = '<o:in sourceExpression="${x + 1}" target="x"/><o:in source="x" target="was"/>'
local everything = '<o:in variables="all"/><o:out variables="all"/>'

--- The call's attributes, and its mappings. On a path that an event may set going again and again no
--- call writes every variable: a conditional event of that path would see its own, and the path would
--- set itself going for ever.
local function handed_over(self, scope, id)
  local random = self.random
  if self.calm then return "", items .. named:format("r" .. id) end
  local kind = random:weighted { named = 3, computed = 1, inherited = 1,
    everything = not scope.repeated and 1 or nil }
  if kind == "everything" and dialects.have("all_variables", self.dialect) then
    self.copies_back = true
    return "", everything
  end
  if kind == "inherited" and dialects.have("inherited_variables", self.dialect) then
    return ' o:inheritVariables="true"', ""
  end
  return "", kind == "computed" and computed or named:format "x"
end

function tasks:call(scope, from)
  local id = self:id "call"
  self.calls = true
  local loop = self:loop(id, true)
  local attributes, mappings = handed_over(self, scope, id)
  if dialects.have("completed_async", self.dialect) and self.points:chance(0.1) then
    attributes = attributes .. ' o:completeAsync="true"'
  end
  self:flow(scope, from, id)
  self:node(scope, id, call, id, attributes, self:jobs(),
    self:extensions(id, loop, mappings), loop)
  self:boundaries(scope, id, true)
  return id
end

return tasks
