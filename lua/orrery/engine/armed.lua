--- What a migration arms, as the plan and the two models say it: wherever a token stands at what is
--- mapped, events of the target that nothing is mapped to begin to wait, and those that are renewed
--- do so anew.
local core = require "orrery.core"
local kind_of = require("orrery.engine.waiting").kind_of

local armed = {}

local SCOPES <const> = { subProcess = true, transaction = true }

--- The timeout listeners of a user task, which are known by their ids, else by their places.
local function add_timeouts(task, add)
  for _, inner in ipairs(task) do
    local place = 0
    for _, l in ipairs(inner.name == "extensionElements" and inner or {}) do
      if l.name == "taskListener" then
        place = place + 1
        if l.attributes.event == "timeout" then
          local named = ("%s.timeout%d"):format(task.attributes.id, place)
          add(l.attributes.id or named, "timer", task, "task")
        end
      end
    end
  end
end

--- Calls add(id, kind, where, how) for whatever waits in a scope: `where` is the element at which a
--- token must stand for that.
local function each_event(scope, add)
  local by_id = {}
  for _, e in ipairs(scope) do
    if e.attributes.id then by_id[e.attributes.id] = e end
  end
  for _, e in ipairs(scope) do
    local a = e.attributes
    local starts = SCOPES[e.name] and a.triggeredByEvent == "true"
    local host, source, target = by_id[a.attachedToRef], by_id[a.sourceRef], by_id[a.targetRef]
    local gated = e.name == "sequenceFlow" and source and source.name == "eventBasedGateway"
    if e.name == "boundaryEvent" and host then add(a.id, (kind_of(e)), host, "boundary")
    elseif gated and target then add(a.targetRef, (kind_of(target)), source, "gateway")
    elseif e.name == "userTask" then add_timeouts(e, add) end
    for _, inner in ipairs(starts and e or {}) do
      local id = inner.name == "startEvent" and inner.attributes.id
      if id then add(id, (kind_of(inner)), scope, "start", e) end
    end
    if SCOPES[e.name] then each_event(e, add) end
  end
end

local function events_of(root, key)
  local events = {}
  for _, e in ipairs(root) do
    if e.name == "process" and e.attributes.id == key then
      each_event(e, function(id, kind, where, how, within)
        if id and kind then
          events[#events + 1] = { activity = id, kind = kind, at = where.attributes.id, how = how,
            within = within and within.attributes.id }
        end
      end)
    end
  end
  return events
end

local function model_of(engine, definition)
  return engine:resource(definition.deployment_id, definition.resource)
end

--- Of what the plan maps to: the ids, and those whose trigger is renewed.
local function mapped_by(plan)
  local mapped, renewed = {}, {}
  for _, step in ipairs(plan.instructions) do
    for _, id in ipairs(type(step.to) == "table" and step.to or { step.to }) do
      mapped[id] = true
      renewed[id] = step.update_event_trigger or nil
    end
  end
  return mapped, renewed
end

--- An array of { activity, kind, at, renewed }, in the order of the target's model: `kind` is
--- timer, message, signal or condition.
function armed.of(engine, plan, from, to)
  local xml, out, had = model_of(engine, to), {}, {}
  local mapped, renewed = mapped_by(plan)
  local flowable = engine:model_dialect(xml) == "flowable"
  for _, e in ipairs(events_of(assert(core.xml_parse(model_of(engine, from))), from.key)) do
    if e.how == "task" then had[e.activity] = true end
  end
  local function is_new(e)
    if e.how == "task" then return mapped[e.at] and not had[e.activity] end
    if mapped[e.activity] then return false end
    if e.how ~= "start" then return mapped[e.at] end
    local arms = not flowable or plan.arm_event_subprocesses or mapped[e.within]
    return arms and (e.at == to.key or mapped[e.at])
  end
  for _, e in ipairs(events_of(assert(core.xml_parse(xml)), to.key)) do
    local again = renewed[e.how == "task" and e.at or e.activity]
      or e.kind == "condition" and mapped[e.activity]
    if again or is_new(e) then
      out[#out + 1] = { activity = e.activity, kind = e.kind, at = e.at, renewed = again or false }
    end
  end
  return out
end

return armed
