--- Gateways, and forks and loops of several nodes.
local gateways = {}

local gateway = '<%sGateway id="%s"%s%s>%s</%sGateway>'

local function write(self, scope, kind, id, default)
  default = default and (' default="%s"'):format(default) or ""
  return self:node(scope, id, gateway, kind, id, default, self:jobs(), self:node_listeners(), kind)
end

local conditions = { "${x == 1}", "${x != 2}", "${x &lt; 3}" }

--- The join need not be of the split's kind, where every wait is a legal one.
local function joining_kind(self, kind)
  if self.calm or self.random:chance(0.75) then return kind end
  return self.random:pick { "exclusive", "parallel", "inclusive" }
end

--- One way from a split to its join, or to an end of its own. True if it reaches the join.
local function branch(self, scope, split, join, condition, flow)
  local first = self:id "n"
  self:flow(scope, split, first, condition, flow)
  self:node(scope, first, '<manualTask id="%s"%s/>', first, self:jobs())
  local tail = self:sequence(scope, first, self.random:integer(0, 1))
  if tail and self.random:chance(0.9) then
    self:flow(scope, tail, join)
    return true
  elseif tail then
    self:finish(scope, tail)
  end
end

function gateways:split(scope, from)
  local random = self.random
  local kind = random:pick { "exclusive", "parallel", "inclusive" }
  local joining = joining_kind(self, kind)
  local split, join = self:id "g", self:id "g"
  local default = kind ~= "parallel" and self:id "f" or nil
  self:flow(scope, from, split)
  write(self, scope, kind, split, default)
  local open = false
  for number = 1, random:integer(2, 3) do
    local is_default = default and number == 1
    local condition = default and not is_default and random:pick(conditions) or nil
    local reaches = branch(self, scope, split, join, condition, is_default and default or nil)
    open = reaches or open
  end
  if not open then return nil end
  return write(self, scope, joining, join)
end

--- Several flows out of a task, of which some have conditions; each ends by itself.
function gateways:fork(scope, from)
  local random = self.random
  local id = self:id "n"
  self:flow(scope, from, id)
  self:node(scope, id, '<task id="%s"%s/>', id, self:jobs())
  for _ = 1, random:integer(1, 2) do
    local other = self:id "n"
    self:flow(scope, id, other, random:chance(0.5) and random:pick(conditions) or nil)
    self:node(scope, other, '<manualTask id="%s"%s/>', other, self:jobs())
    self:path(scope, other, random:integer(0, 1))
  end
  return id
end

function gateways:event_gateway(scope, from)
  local random = self.random
  local id, join = self:id "g", self:id "g"
  local before = self.points:chance(0.2) and ' o:asyncBefore="true"' or ""
  self:flow(scope, from, id)
  self:node(scope, id, '<eventBasedGateway id="%s"%s/>', id, before)
  local kinds = self:kinds "timer message signal conditional"
  for _ = 1, random:integer(2, 3) do
    local event = self:id "c"
    self:flow(scope, id, event)
    local kind = table.remove(kinds, random:integer(1, #kinds))
    self:node(scope, event, '<intermediateCatchEvent id="%s">%s</intermediateCatchEvent>', event,
      self:event(kind, nil, true))
    self:flow(scope, event, join)
  end
  return write(self, scope, "exclusive", join)
end

local counting = '<scriptTask id="%s" scriptFormat="lua"><script>'
  .. 'execution:set("%s", (%s or 0) + 1)</script></scriptTask>'

--- Goes back once: a join, some steps, a counting script, and a split by the count.
function gateways:back(scope, from)
  local kind = self.calm and "exclusive" or self.random:pick { "exclusive", "inclusive" }
  local entry, count, exit, default = self:id "g", self:id "t", self:id "g", self:id "f"
  local variable = "n" .. entry
  self:flow(scope, from, entry)
  write(self, scope, kind, entry)
  local tail = self:sequence(scope, entry, 1)
  if not tail then return nil end
  self:flow(scope, tail, count)
  self:node(scope, count, counting, count, variable, variable)
  self:flow(scope, count, exit)
  write(self, scope, "exclusive", exit, default)
  self:flow(scope, exit, entry, ("${%s == 1}"):format(variable))
  local out = self:id "n"
  self:flow(scope, exit, out, nil, default)
  return self:node(scope, out, '<task id="%s"/>', out)
end

return gateways
