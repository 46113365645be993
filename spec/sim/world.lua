-- One engine with a random model: what a client sees of it, what a client may do to it, and whether everything waits for something.
local orrery = require "orrery"

local World = {}
World.__index = World

-- ---- Delegates ---------------------------------------------------------------------------------------------------------------------

-- Awaits as many turns of the loop as the name of what runs says: none for half of them, else up to three. So waits end in an order other
-- than that in which they began, and the same one in both engines.
local function await_turns(execution)
  local id = execution.activity_id or ""
  local turns = math.max(0, (id:byte(-1) or 0) % 8 - 4)
  for _ = 1, turns do orrery.sleep(0) end
end

local delegates = {
  ["sim.step"] = { execute = function(_, execution)
    await_turns(execution)
    execution:set("y", (execution:get "y" or 0) + 1)
    execution:set_local("steps", (execution:get "steps" or 0) + 1)
  end },
  ["sim.fail"] = function(execution)
    await_turns(execution)
    if execution:get "x" ~= 1 then error "not with this x" end
  end,
  ["sim.error"] = function(execution)
    await_turns(execution)
    local x = execution:get "x"
    if x == 1 or x == 2 then orrery.bpmn_error("e" .. x, "by x") end
  end,
  ["sim.listener"] = function(execution)
    await_turns(execution)
    execution:set("heard", (execution:get "heard" or 0) + 1)
  end,
}

--- `folder` nil: a private store, which is never reopened.
function World.new(folder, dialect)
  local self = setmetatable({ folder = folder, dialect = dialect }, World)
  self:open()
  return self
end

function World:open()
  self.engine = orrery.open(self.folder, {
    clock = "manual", now = self.now, dialect = self.dialect, durability = "none", history = "full", log = "none",
  })
  for name, delegate in pairs(delegates) do self.engine:register(name, delegate) end
end

function World:reopen()
  self.now = self.engine:now()
  self.engine:close()
  self:open()
end

function World:close() self.engine:close() end

-- ---- What is seen ------------------------------------------------------------------------------------------------------------------

local function text_of(value)
  if type(value) ~= "table" then return math.type(value) == "float" and ("%.17g"):format(value) or tostring(value) end
  local keys, parts = {}, {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for i, key in ipairs(keys) do parts[i] = tostring(key) .. "=" .. text_of(value[key]) end
  return "{" .. table.concat(parts, ",") .. "}"
end

local function fields_of(record, names)
  local parts = {}
  for name in names:gmatch "%S+" do
    local value = record[name]
    if name == "error" or name == "message" then value = value and value:gsub("%d%d%d%d%d+", "#") end
    if value ~= nil then parts[#parts + 1] = name .. "=" .. text_of(value) end
  end
  return table.concat(parts, " ")
end

local function tree_lines(node, indent, out)
  out[#out + 1] = indent .. (node.activity_id or "-") .. " " .. (node.type or "-")
  for _, child in ipairs(node.children or {}) do tree_lines(child, indent .. "  ", out) end
end

-- Ids are left out: they may differ between two stores with the same history.
local seen = {
  { "jobs", "type handler activity_id due retries priority exclusive suspended error failed_activity_id created" },
  { "subscriptions", "type name activity_id created" },
  { "tasks", "key name assignee suspended created priority" },
  { "external_tasks", "topic worker retries activity_id error suspended lock_expires" },
  { "incidents", "type activity_id message" },
  { "executions", "activity_id suspended" },
  { "history_instances", "definition_key state started_at ended_at delete_reason start_activity end_activity" },
  { "history_activities", "activity_id type started_at ended_at canceled" },
  { "history_variables", "name value activity_id revision" },
  { "history_jobs", "state handler activity_id retries" },
}

--- All that a client can see, as text. Rows of one kind are sorted: their order is promised for one store, not between two.
function World:state()
  local out = { "now " .. self.engine:now() }
  for i, instance in ipairs(self.engine:instances {}) do
    out[#out + 1] = ("instance %d %s"):format(i, fields_of(instance, "definition_key suspended business_key"))
    out[#out + 1] = "  active " .. table.concat(instance:active(), " ")
    tree_lines(instance:tree(), "  ", out)
    out[#out + 1] = "  variables " .. text_of(instance:variables())
  end
  for _, kind in ipairs(seen) do
    local rows = {}
    for i, row in ipairs(self.engine[kind[1]](self.engine, {})) do rows[i] = "  " .. fields_of(row, kind[2]) end
    table.sort(rows)
    out[#out + 1] = kind[1]
    out[#out + 1] = table.concat(rows, "\n")
  end
  return table.concat(out, "\n")
end

-- ---- What is done --------------------------------------------------------------------------------------------------------------------

local function at(list, number) return #list > 0 and list[(number - 1) % #list + 1] or nil end

--- An action is { name, number, … }; numbers choose among what there is, so that both engines choose the same.
local actions = {}

function actions.start(world, _, x) world.engine:start("p", { variables = { x = x, items = { "a", "b" } } }) end
function actions.complete(world, n, x)
  local task = at(world.engine:tasks {}, n)
  if task then task:complete { x = x } end
end
function actions.claim(world, n)
  local task = at(world.engine:tasks { unassigned = true }, n)
  if task then task:claim "kermit" end
end
function actions.message(world, n)
  local subscription = at(world.engine:subscriptions { type = "message" }, n)
  if subscription then world.engine:message(subscription.name, { execution = subscription.execution_id }) end
end
function actions.signal(world, n) world.engine:signal("s" .. (n % 2 + 1)) end
function actions.advance(world, n) world.engine:advance((n % 4 + 1) * 600) end
function actions.run_jobs(world, n) world.engine:run_jobs(n) end
function actions.execute(world, n)
  local job = at(world.engine:jobs {}, n)
  if job then job:execute() end
end
function actions.retries(world, n)
  local job = at(world.engine:jobs { no_retries = true }, n)
  if job then job:set_retries(1) end
end
function actions.set(world, n, x)
  local instance = at(world.engine:instances {}, n)
  if instance then instance:set_all { x = x, c = x % 2 } end
end
function actions.trigger(world, n)
  local execution = at(world.engine:executions {}, n)
  if execution then execution:trigger {} end
end
function actions.external(world, n, x)
  local task = world.engine:fetch_and_lock { worker = "w", max = 1, topics = { { name = "t", lock = 60 } } }[1]
  if not task then return end
  if n % 4 == 0 then task:fail("w", { message = "no", retries = x, retry_timeout = 0 })
  elseif n % 4 == 1 then task:bpmn_error("w", "e" .. x)
  else task:complete("w", { x = x }) end
end
function actions.suspend(world, n)
  local instance = at(world.engine:instances {}, n)
  if instance then instance:suspend() end
end
function actions.activate(world)
  for _, instance in ipairs(world.engine:instances { suspended = true }) do instance:activate() end
end
function actions.cancel(world, n)
  local instance = at(world.engine:instances {}, n)
  local id = instance and at(instance:active(), n)
  if id then instance:modify { { cancel = id } } end
end
function actions.start_before(world, n, _, id)
  local instance = at(world.engine:instances { key = "p" }, n)
  if instance then instance:modify { { start_before = id } } end
end
function actions.delete(world, n)
  local instance = at(world.engine:instances {}, n)
  if instance then instance:delete "by the client" end
end

-- How often, and what must be there for it to do something; `delete` and its like are rare, for they end what is looked at.
local weights = { start = 6, complete = 40, claim = 3, message = 14, signal = 6, advance = 10, run_jobs = 18, execute = 8, retries = 4,
  set = 8, trigger = 6, external = 10, suspend = 2, activate = 12, cancel = 3, start_before = 3, delete = 1 }
local needs = { complete = { "tasks" }, claim = { "tasks", { unassigned = true } }, message = { "subscriptions", { type = "message" } },
  signal = { "subscriptions", { type = "signal" } }, advance = { "jobs" }, run_jobs = { "jobs" }, execute = { "jobs" },
  retries = { "jobs", { no_retries = true } }, external = { "external_tasks" }, activate = { "instances", { suspended = true } } }

--- Something to do that can have an effect.
function World:choose(random, ids)
  local possible = {}
  for name, weight in pairs(weights) do
    local need = needs[name]
    if not need or self.engine:count(need[1], need[2] or {}) > 0 then possible[name] = weight end
  end
  return { random:weighted(possible), random:integer(1, 1000), random:integer(0, 3), random:pick(ids) }
end

--- Does it; what it raised, as text, or nil. An error that is not one of the API's own is a bug here.
function World:act(action)
  local ok, err = pcall(actions[action[1]], self, table.unpack(action, 2))
  if ok then return nil end
  if type(err) ~= "table" or err.kind == nil or err.kind == "store" then error(("%s raised %s"):format(action[1], tostring(err)), 0) end
  return err.kind .. ": " .. err.message:gsub("%d%d%d%d+", "#")
end

--- Both calls at the same time of both clocks, until no job is due.
function World:drain()
  for _ = 1, 50 do
    if self.engine:run_jobs(100) == 0 then return end
  end
  error("jobs without end", 0)
end

-- ---- Everything waits for something ---------------------------------------------------------------------------------------------

local function set_of(list, field)
  local set = {}
  for _, record in ipairs(list) do
    if record[field] ~= nil then set[record[field]] = true end
  end
  return set
end

local throws = { intermediateThrowEvent = true, endEvent = true, boundaryEvent = true }
local gateways = { parallelGateway = true, inclusiveGateway = true }

--- Calls `report` for every leaf token that nothing can bring on.
function World:each_stuck(report)
  local engine = self.engine
  local reasons = {}
  for i, verb in ipairs { "jobs", "tasks", "external_tasks", "subscriptions", "incidents" } do
    reasons[i] = set_of(engine[verb](engine, {}), "execution_id")
  end
  local callers = set_of(engine:instances {}, "parent_id")
  local compensating = {}
  for _, task in ipairs(engine:tasks {}) do
    if task.key:find "^undo" then compensating[task.instance_id] = true end
  end
  local function waits(node, instance)
    for _, reason in ipairs(reasons) do
      if reason[node.execution_id] then return true end
    end
    if throws[node.type] then return compensating[instance.id] end -- for its compensation handlers
    if node.type == "callActivity" then return callers[instance.id] end
    if node.type == "serviceTask" then return node.activity_id:find "^t" ~= nil end -- triggerable
    return gateways[node.type]
  end
  local function look(node, instance)
    local children = node.children or {}
    for _, child in ipairs(children) do look(child, instance) end
    if #children == 0 and not waits(node, instance) then report(node, instance) end
  end
  for _, instance in ipairs(engine:instances {}) do look(instance:tree(), instance) end
end

return World
