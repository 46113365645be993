--- The start events of a process, and how `orrery run` and `orrery start` choose one.
local args = require "orrery.cli.args"
local core = require "orrery.core"
local waiting = require "orrery.engine.waiting"

local starts = {}

--- The child of this name, and id when one is given.
local function child(e, name, id)
  for _, one in ipairs(e) do
    if one.name == name and (not id or one.attributes.id == id) then return one end
  end
end

--- The name of the message that a reference means; nil for one that an expression gives.
local function message_name(root, reference)
  local message = reference and child(root, "message", reference:match "[^:]*$")
  local name = message and message.attributes.name
  return name and not name:find "[$#]{" and name or nil
end

local function described(root, event)
  local kind, e = waiting.kind_of(event)
  local message = kind == "message" and message_name(root, e.attributes.messageRef) or nil
  return { id = event.attributes.id, kind = kind or "none", message = message }
end

--- Those of a definition, in the order of its model: { id, kind, message (a message's name) }.
function starts.of(engine, definition)
  local xml = engine:resource(definition.deployment_id, definition.resource)
  local root, out = core.xml_parse(xml), {}
  local process = root and child(root, "process", definition.key)
  for _, e in ipairs(process or {}) do
    if e.name == "startEvent" then out[#out + 1] = described(root, e) end
  end
  return out
end

--- "--at late (timer), --message order (at ordered)"; messages are named where `by_message` says
--- so.
function starts.ways(events, by_message)
  local out = {}
  for i, e in ipairs(events) do
    if e.message and by_message then out[i] = ("--message %s (at %s)"):format(e.message, e.id)
    else out[i] = ("--at %s (%s)"):format(e.id, e.kind) end
  end
  return table.concat(out, ", ")
end

--- Starts an instance. Where a process has several start events, none of which is a plain one, it
--- says how one of them is chosen.
function starts.start(engine, definition, request, by_message)
  local ok, instance = pcall(engine.start_by_id, engine, definition.id, request)
  if ok then return instance end
  local state = type(instance) == "table" and instance.kind == "state"
  local events = state and not request.instructions and starts.of(engine, definition) or {}
  for _, e in ipairs(events) do
    if e.kind == "none" then events = {} end
  end
  if #events < 2 then error(instance, 0) end
  args.usage('process "%s" has several start events: say where it starts, by %s', definition.key,
    starts.ways(events, by_message))
end

--- What an instance starts at when nothing is said, the plain start event or else the first, and
--- the others that it may start at.
function starts.others(engine, definition)
  local events, at = starts.of(engine, definition), 1
  for i, e in ipairs(events) do
    if e.kind == "none" then at = i end
  end
  return table.remove(events, at), events
end

return starts
