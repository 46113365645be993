--- Random models of everything that is supported, legal in a dialect and sure to end or to wait:
---   - flows go forward, but for loops that a counter ends;
---   - paths that an event sets going throw no signals and no escalations, so that no handler sets
---     itself going without end;
---   - the variable that conditional events look at is set by the client alone;
---   - called processes call nothing.
--- A calm model is one whose meaning depends neither on the order of its jobs nor on where
--- transactions end: what only the client sets is read, what jobs change commutes, and nothing that
--- jobs do cancels anything.
local Random = require "spec.sim.random"
local dialects = require "spec.sim.model.dialects"

local Model = {}
Model.__index = Model

for _, part in ipairs { "decorations", "events", "tasks", "scopes", "gateways", "paths" } do
  for name, method in pairs(require("spec.sim.model." .. part)) do Model[name] = method end
end

local NODES_MIN <const>, NODES_MAX <const> = 5, 35

--- `points`: what save points are drawn from, so that one model can be had with others.
local function new(seed, dialect, options)
  local random = Random.new(seed)
  return setmetatable({
    random = random, points = Random.new(seed * 1000003 + (options.cut or 0)),
    dialect = dialect, calm = options.calm, side_by_side = options.side_by_side,
    endless_errors = dialect == "flowable", -- an event sub-process catches its own, again and again
    count = 0, nodes = 0, ids = {}, flows = {}, bodies = {}, counting = {}, declared = {}, known = {},
    budget = random:integer(NODES_MIN, NODES_MAX),
  }, Model)
end

function Model:id(prefix)
  self.count = self.count + 1
  return prefix .. self.count
end

--- Writes into a scope.
function Model.add(_, scope, text, ...)
  scope.out[#scope.out + 1] = select("#", ...) > 0 and text:format(...) or text
end

function Model:node(scope, id, text, ...)
  self.nodes = self.nodes + 1
  if not scope.called then self.ids[#self.ids + 1] = id end
  self:add(scope, text, ...)
  return id
end

local flow = '<sequenceFlow id="%s" sourceRef="%s" targetRef="%s">%s%s</sequenceFlow>'

--- `condition`: an expression, or nil.
function Model:flow(scope, from, to, condition, id)
  id = id or self:id "f"
  if condition then
    condition = ("<conditionExpression>%s</conditionExpression>"):format(condition)
  end
  if not scope.called then self.flows[#self.flows + 1] = id end
  self:add(scope, flow, id, from, to, self:take_listener(), condition or "")
  return id
end

--- A task counts its own runs: so its process is noted.
function Model:counts(scope, id) self.counting[id] = scope.called and "called" or "p" end

--- A message, a signal or the like that a model names: written down once.
function Model:declare(id, text, ...)
  if not self.known[id] then self.declared[#self.declared + 1] = text:format(id, ...) end
  self.known[id] = true
  return id
end

--- A weighted kind; `wild` names those that no calm model has.
function Model:kind(weights, wild)
  for kind in self.calm and wild:gmatch "%S+" or function() end do weights[kind] = nil end
  return self.random:weighted(weights)
end

local process = '<process id="%s" isExecutable="true">%s\n%s</process>\n'

local function text_of(self, scope, called)
  local text = table.concat(self.declared, "\n") .. "\n"
    .. process:format("p", self:process_listeners(), self:text(scope))
  if self.calls then
    text = text .. process:format("called", "", self:text(called))
  end
  return dialects.write(text, self.dialect)
end

--- A random model from a seed, legal in a dialect: { xml =, ids =, flows =, bodies =, … }.
--- `options`: { calm = true, cut = which of many drawings of its save points, side_by_side = true:
--- none of its jobs is exclusive }.
function Model.random(seed, dialect, options)
  local self = new(seed, dialect, options or {})
  local scope = self:scope_of(nil, 1)
  self:body(scope, self.random:integer(3, 9))
  self.budget = self.nodes + 4
  local called = self:scope_of(nil, 4, { called = true, handler = true, repeated = true })
  if self.calls then self:body(called, self.random:integer(1, 2)) end
  return { xml = text_of(self, scope, called), ids = self.ids, flows = self.flows,
    bodies = self.bodies, counting = self.counting, copies_back = self.copies_back,
    calm = self.calm }
end

return Model
