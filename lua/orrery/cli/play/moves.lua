--- What may happen next to an instance that waits, and doing it: what `orrery run --play` chooses from.
--- A move: { kind, id, activity, name, text, side =, due =, play = f(variables, orders) }. `side` is true of what may happen but is not
--- what a token waits for, such as a message of a boundary event; `due` is a clock's move's time.
local args = require "orrery.cli.args"
local core = require "orrery.core"
local orrery = require "orrery"
local waits = require "orrery.cli.waits"

local Moves = {}
Moves.__index = Moves

local moves = {}

local WORKER, LOCK = "orrery run", 3600 -- who works on external tasks, and for how many seconds
local TRIES = 3 -- of a worker that fails

function moves.new(engine) return setmetatable({ engine = engine, elements = {} }, Moves) end

local function index(e, known)
  if e.attributes.id then known[e.attributes.id] = e.name end
  for _, child in ipairs(e) do index(child, known) end
  return known
end

--- The name of a BPMN element of the instance's model, such as "boundaryEvent".
local function element_of(self, instance_id, activity)
  local instance = self.engine:instance(instance_id)
  local id = instance and instance.definition_id
  if id and not self.elements[id] then
    local definition = self.engine:definition(id)
    local xml = self.engine:resource(definition.deployment_id, definition.resource)
    self.elements[id] = index(assert(core.xml_parse(xml)), {})
  end
  return id and self.elements[id][activity]
end

--- Only some kinds of waits take some orders; the others would be lost without a word.
local function refuse(orders, kind, ...)
  local fine = { after = true }
  for _, word in ipairs { ... } do fine[word] = true end
  for word in pairs(orders) do
    if not fine[word] then args.usage("$%s is no answer to %s", word, kind) end
  end
end

local function play_task(self, wait)
  return function(variables, orders)
    refuse(orders, "a user task", "user", "error", "escalation")
    self.engine:transaction(function()
      local task = assert(self.engine:task(wait.id))
      if orders.user and task.assignee ~= orders.user then task:claim(orders.user) end
      if orders.error then return task:bpmn_error(orders.error, nil, variables) end
      if orders.escalation then return task:escalation(orders.escalation, variables) end
      task:complete(variables)
    end)
  end
end

local function play_external(self, wait)
  return function(variables, orders)
    refuse(orders, "an external task", "error", "fail")
    self.engine:transaction(function()
      local task = assert(self.engine:external_task(wait.id))
      task:lock(WORKER, LOCK)
      if orders.error then return task:bpmn_error(WORKER, orders.error, nil, variables) end
      if orders.fail then
        return task:fail(WORKER, { message = orders.fail, retries = (task.retries or TRIES) - 1, variables = variables })
      end
      task:complete(WORKER, variables)
    end)
  end
end

local function play_message(self, wait)
  return function(variables, orders)
    refuse(orders, "a message")
    self.engine:message(wait.name, { execution = wait.execution, variables = variables })
  end
end

local function play_signal(self, wait)
  return function(variables, orders)
    refuse(orders, "a signal")
    self.engine:signal(wait.name, { variables = variables })
  end
end

--- Conditions come true by variables.
local function play_conditional(self, wait)
  return function(variables, orders)
    refuse(orders, "a condition")
    self.engine:instance(wait.instance):set_all(variables)
  end
end

local function play_token(self, wait)
  return function(variables, orders)
    refuse(orders, "a waiting token")
    local execution = self.engine:executions({ instance = wait.instance, activity = wait.activity })[1]
    self.engine:trigger(execution.id, variables)
  end
end

local function play_clock(self, wait)
  return function() self.engine:set_time(wait.due) end
end

-- By a wait's kind: what plays it, and how it comes among the moves.
local kinds = {
  task = { play_task, 1 }, external = { play_external, 2 }, token = { play_token, 3 }, message = { play_message, 4 },
  signal = { play_signal, 5 }, conditional = { play_conditional, 6 }, timer = { play_clock, 7 }, job = { play_clock, 7 },
}

local triggerable = { receiveTask = true, serviceTask = true, sendTask = true, businessRuleTask = true, scriptTask = true }

local function is_move(self, wait)
  if wait.kind == "token" then return triggerable[element_of(self, wait.instance, wait.activity)] end
  -- What is due and still waits lacks something else than time.
  if wait.kind == "timer" or wait.kind == "job" then return wait.due ~= nil and wait.due > self.engine:now() end
  return kinds[wait.kind] ~= nil
end

local function is_side(self, wait)
  if wait.kind ~= "message" and wait.kind ~= "signal" then return false end
  local element = element_of(self, wait.instance, wait.activity)
  return element == "boundaryEvent" or element == "startEvent"
end

--- The clock's move to where a delegate wakes that sleeps; nil when none does.
local function waking(self)
  local due = core.sleeps_until(self.engine.core)
  if not due or due <= self.engine:now() then return nil end
  return { kind = "clock", id = "", text = "a delegate sleeps until " .. orrery.format_time(due), due = due, rank = kinds.timer[2],
    order = 0, play = play_clock(self, { due = due }) }
end

--- In the order in which they suggest themselves: people, workers, what tokens wait for, then the clock, the earliest time first, and at
--- last what only may happen.
function Moves:of(instance)
  local out = { waking(self) }
  for order, wait in ipairs(waits.of(self.engine, instance)) do
    if is_move(self, wait) then
      local kind = kinds[wait.kind]
      out[#out + 1] = { kind = wait.kind, id = wait.id or wait.activity, activity = wait.activity, name = wait.name, text = wait.text,
        due = kind[1] == play_clock and wait.due or nil, side = is_side(self, wait), rank = kind[2], order = order,
        play = kind[1](self, wait) }
    end
  end
  table.sort(out, function(a, b)
    if a.side ~= b.side then return b.side end
    if a.rank ~= b.rank then return a.rank < b.rank end
    if a.due and b.due and a.due ~= b.due then return a.due < b.due end
    return a.order < b.order
  end)
  return out
end

--- A move that was made, in words: "review: completed by kermit".
function moves.text(move, variables, orders)
  if move.due then return ("the clock goes on to %s"):format(orrery.format_time(move.due)) end
  local done = { task = "completed", external = "completed by a worker", token = "triggered", conditional = "variables set",
    message = ('message "%s" came'):format(move.name or ""), signal = ('signal "%s" was sent'):format(move.name or "") }
  local text = orders.error and "BPMN error " .. orders.error or orders.escalation and "escalation " .. orders.escalation
    or orders.fail and "failed by a worker: " .. orders.fail or done[move.kind]
  if orders.user then text = text .. " by " .. orders.user end
  local parts, names = {}, {}
  for name in pairs(variables) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do parts[i] = ("%s = %s"):format(name, require "orrery.inspect".value(variables[name])) end
  return ("%s: %s%s"):format(move.activity or move.name, text, parts[1] and ", " .. table.concat(parts, ", ") or "")
end

return moves
