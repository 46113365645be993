--- What any activity may carry: save points, a loop, listeners, mappings, a retry cycle.
local dialects = require "spec.sim.model.dialects"

local decorations = {}

local function point(self)
  local points, text = self.points, ""
  if points:chance(0.2) then text = text .. ' o:asyncBefore="true"' end
  if points:chance(0.1) then text = text .. ' o:asyncAfter="true"' end
  local free = points:chance(0.3) or self.side_by_side
  if text ~= "" and free then text = text .. ' o:exclusive="false"' end
  return text
end

--- Where transactions end. `always`: before it, whatever is drawn.
function decorations:jobs(always)
  local text = point(self)
  if always and not text:find "asyncBefore" then text = text .. ' o:asyncBefore="true"' end
  if not self.calm and text ~= "" and dialects.have("priorities", self.dialect)
    and self.points:chance(0.1) then
    text = text .. ' o:jobPriority="7"'
  end
  return text
end

local multi = '<multiInstanceLoopCharacteristics isSequential="%s"%s>%s'
  .. "</multiInstanceLoopCharacteristics>"
local standard = '<standardLoopCharacteristics testBefore="%s" loopMaximum="%d">'
  .. "<loopCondition>${x != 3}</loopCondition></standardLoopCharacteristics>"
local enough = "<completionCondition>${nrOfCompletedInstances >= 1}</completionCondition>"

--- `id` gets it; what has scopes inside runs its instances one after another in a calm model, since
--- no name tells them apart.
function decorations:loop(id, is_scope)
  local random = self.random
  local kind = self:kind({ none = 14, cardinality = 3, collection = 1, standard = 1 }, "standard")
  if kind == "none" then return "" end
  if kind == "standard" then return standard:format(random:chance(0.5), random:integer(1, 3)) end
  self.bodies[#self.bodies + 1] = id .. "#multiInstanceBody"
  local sequential = random:chance(0.4) or (self.calm and is_scope or false)
  local inside = not self.calm and random:chance(0.3) and enough or ""
  if kind == "collection" then
    return multi:format(sequential, ' o:collection="items" o:elementVariable="item"', inside)
  end
  local count = ("<loopCardinality>%d</loopCardinality>"):format(random:integer(0, 3))
  return multi:format(sequential, "", count .. inside)
end

-- ---- Listeners -------------------------------------------------------------------------------

local execution_listeners = {
  '<o:executionListener event="%s" class="spec.sim.delegates.listener"/>',
  [[<o:executionListener event="%s" expression="${execution.setVariable('told', x)}"/>]],
}
local task_listeners = {
  '<o:taskListener event="%s" class="spec.sim.delegates.listener"/>',
  [[<o:taskListener event="%s" expression="${task.setVariable('told', x)}"/>]],
}
local task_events = { "create", "complete", "assignment", "delete" }

--- What a listener tells by an expression depends on when it does.
local function one_of(self, list) return self.calm and list[1] or self.random:pick(list) end

local function listener(self, events)
  return one_of(self, execution_listeners):format(self.random:pick(events))
end

function decorations:execution_listeners(chance)
  local text = ""
  for _ = 1, 2 do
    if self.random:chance(chance) then text = text .. listener(self, { "start", "end" }) end
  end
  return text
end

function decorations:task_listeners()
  if not self.random:chance(0.2) then return "" end
  local event = self.random:pick(task_events)
  if dialects.have("task_updates", self.dialect) and self.random:chance(0.1) then
    event = "update"
  end
  return one_of(self, task_listeners):format(event)
end

local function wrapped(text)
  return text == "" and "" or "<extensionElements>" .. text .. "</extensionElements>"
end

function decorations:take_listener()
  if not self.random:chance(0.03) then return "" end
  return wrapped(listener(self, { "take" }))
end

function decorations:process_listeners() return wrapped(self:execution_listeners(0.1)) end

--- Of an event or a gateway.
function decorations:node_listeners() return wrapped(self:execution_listeners(0.05)) end

-- ---- Mappings and retries ----------------------------------------------------------------------

local mapping = '<o:inputOutput><o:inputParameter name="in">${x}</o:inputParameter>'
  .. '<o:outputParameter name="%s">${x + 1}</o:outputParameter></o:inputOutput>'

--- Outputs are refused on multi-instance activities.
local function mappings(self, id, loop)
  if loop ~= "" or not dialects.have("mappings", self.dialect) then return "" end
  if not self.random:chance(0.1) then return "" end
  return mapping:format(self.calm and "out_" .. id or "out")
end

local cycles = { "R3/PT5M", "PT10M,PT20M", "R1/PT1M", "PT1H" }

local function retries(self)
  if not self.random:chance(0.15) then return "" end
  local cycle = self.random:pick(cycles)
  return ("<o:failedJobRetryTimeCycle>%s</o:failedJobRetryTimeCycle>"):format(cycle)
end

--- Of an activity; `more`: what else it has there.
function decorations:extensions(id, loop, more)
  return wrapped(retries(self) .. (more or "") .. self:execution_listeners(0.15)
    .. mappings(self, id, loop))
end

return decorations
