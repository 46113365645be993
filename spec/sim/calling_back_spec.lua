-- Random models whose listeners and delegates call the engine back, from within what they are a part of: they throw signals and messages
-- at it, complete its tasks, cancel its activities, delete it, and rest in between. Whatever comes of it, each command is done whole or
-- not at all, for a reason that a client may meet, and behind each command no token stands without something that it waits for.
-- ORRERY_RANDOM: how many models, of which this room takes a fifth; ORRERY_SEED: the first one's seed.
local Random = require "spec.sim.random"
local orrery = require "orrery"

local count <const> = tonumber(os.getenv "ORRERY_RANDOM" or 1000) // 5
local first <const> = require("spec.support.random").seed()

local DEPTH_MAX <const> = 4   -- of scopes
local NESTED_MAX <const> = 2  -- of delegates that call the engine, whose delegates call it
local COMMANDS <const> = 8

-- What a client may meet here: a model's endless loop of signals, an uncaught error, a task that is gone.
local EXPECTED <const> = { limit = true, argument = true, state = true, script = true, bpmn_error = true, correlation = true,
  not_found = true }

-- ---- Models ----------------------------------------------------------------------------------------------------------------------

local signals <const> = { '<signalEventDefinition signalRef="one"/>', '<signalEventDefinition signalRef="two"/>' }
local events <const> = { signals[1], signals[2], '<errorEventDefinition errorRef="failed"/>',
  '<messageEventDefinition messageRef="note"/>' }

local Model = {}
Model.__index = Model

function Model:id(prefix)
  self.count = self.count + 1
  return prefix .. self.count
end

function Model:flow(from, to)
  return ('<sequenceFlow id="%s" sourceRef="%s" targetRef="%s"/>'):format(self:id "f", from, to)
end

function Model:listeners(of_task)
  local random, out = self.random, {}
  if random:chance(0.6) then out[#out + 1] = '<o:executionListener event="end" class="rests"/>' end
  if random:chance(0.15) then out[#out + 1] = '<o:executionListener event="start" class="rests"/>' end
  if of_task and random:chance(0.4) then out[#out + 1] = '<o:taskListener event="delete" class="rests"/>' end
  return ("<extensionElements>%s</extensionElements>"):format(table.concat(out))
end

--- An id and its element.
function Model:leaf()
  local kind = self.random:weighted { task = 2, acts = 3, waits = 1, fails = 1 }
  local id = self:id(kind)
  if kind == "task" then
    self.tasks[#self.tasks + 1] = id
    return id, ('<userTask id="%s">%s</userTask>'):format(id, self:listeners(true))
  elseif kind == "acts" then
    return id, ('<serviceTask id="%s" o:class="acts">%s</serviceTask>'):format(id, self:listeners())
  elseif kind == "waits" then
    return id, ('<intermediateCatchEvent id="%s">%s</intermediateCatchEvent>'):format(id, self.random:pick(signals))
  end
  return id, ('<serviceTask id="%s" o:class="fails"/>'):format(id)
end

function Model:loop()
  local random = self.random
  if not random:chance(0.25) then return "" end
  local condition = random:chance(0.5) and "<completionCondition>${nrOfCompletedInstances &gt;= 1}</completionCondition>" or ""
  return ('<multiInstanceLoopCharacteristics isSequential="%s"><loopCardinality>%d</loopCardinality>%s</multiInstanceLoopCharacteristics>')
    :format(random:chance(0.3), random:integer(1, 3), condition)
end

function Model:event_sub_process()
  local start, handler = self:id "start", self:id "acts"
  local text = '<subProcess id="%s" triggeredByEvent="true"><startEvent id="%s">%s</startEvent>'
    .. '<serviceTask id="%s" o:class="acts">%s</serviceTask>%s</subProcess>'
  return text:format(self:id "handles", start, events[self.random:integer(1, 3)], handler, self:listeners(), self:flow(start, handler))
end

function Model:activity(depth)
  if depth >= DEPTH_MAX or self.random:chance(1 / 3) then return self:leaf() end
  local id, loop, body = self:id "scope", self:loop(), self:branches(depth + 1)
  if self.random:chance(0.4) then body = body .. self:event_sub_process() end
  return id, ('<subProcess id="%s">%s%s%s</subProcess>'):format(id, self:listeners(), loop, body)
end

function Model:with_boundary(depth)
  local id, text = self:activity(depth)
  if id:find "^waits" or self.random:chance(0.5) then return id, text end
  local boundary, handler, handling = self:id "boundary", self:leaf()
  local event = self.random:pick(events)
  text = text .. ('<boundaryEvent id="%s" attachedToRef="%s">%s</boundaryEvent>'):format(boundary, id, event)
  return id, text .. handling .. self:flow(boundary, handler)
end

local ends <const> = { "<terminateEventDefinition/>", '<errorEventDefinition errorRef="failed"/>' }

--- What a scope holds: a fork into one to three branches of one or two activities each.
function Model:branches(depth)
  local random, start, fork = self.random, self:id "start", self:id "fork"
  local out = { ('<startEvent id="%s"/><parallelGateway id="%s"/>'):format(start, fork), self:flow(start, fork) }
  for _ = 1, random:integer(1, 3) do
    local last = fork
    for _ = 1, random:integer(1, 2) do
      local id, text = self:with_boundary(depth)
      out[#out + 1] = text .. self:flow(last, id)
      last = id
    end
    if random:chance(0.3) then
      local id = self:id "end"
      out[#out + 1] = ('<endEvent id="%s">%s</endEvent>'):format(id, random:pick(ends)) .. self:flow(last, id)
    end
  end
  return table.concat(out)
end

local frame <const> = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn" targetNamespace="sim">
<signal id="one" name="one"/><signal id="two" name="two"/><message id="note" name="note"/><error id="failed" errorCode="failed"/>
<process id="p" isExecutable="true">%s</process></definitions>]]

--- Its text, and the ids of its user tasks.
local function model_of(random)
  local model = setmetatable({ random = random, count = 0, tasks = {} }, Model)
  return frame:format(model:branches(1)), model.tasks
end

-- ---- What its code does --------------------------------------------------------------------------------------------------------------

local function rest(random)
  for _ = 1, random:integer(0, 3) do orrery.sleep(0) end
end

--- One call from inside, or none.
local function call_back(random, engine, instance, tasks)
  local kind = random:weighted { none = 21, signal = 3, message = 3, complete = 3, delete = 1, cancel = 3 }
  if kind == "signal" then engine:signal(random:pick { "one", "two" })
  elseif kind == "message" then engine:message("note", { all = true })
  elseif kind == "complete" then
    local task = engine:task {}
    if task then task:complete() end
  elseif kind == "delete" and instance then instance:delete "from inside"
  elseif kind == "cancel" and instance and #tasks > 0 then instance:modify { { cancel = random:pick(tasks) } }
  end
end

local function register(engine, random, tasks)
  local nested = 0
  engine:register("rests", function()
    rest(random)
    if random:chance(0.1) then pcall(engine.signal, engine, random:pick { "one", "two" }) end
    rest(random)
  end)
  engine:register("fails", function()
    rest(random)
    orrery.bpmn_error "failed"
  end)
  engine:register("acts", function(execution)
    rest(random)
    if nested > NESTED_MAX then return end
    nested = nested + 1
    local ok, err = pcall(call_back, random, engine, engine:instance(execution.instance_id), tasks)
    nested = nested - 1
    if not ok then error(err, 0) end
    rest(random)
  end)
end

-- ---- What its client does ------------------------------------------------------------------------------------------------------------

local function command(random, engine)
  local kind = random:weighted { signal = 2, message = 1, complete = 1 }
  if kind == "signal" then engine:signal(random:pick { "one", "two" })
  elseif kind == "message" then engine:message("note", { all = true })
  else
    local task = engine:task {}
    if task then task:complete() end
  end
end

local function attempt(what, ...)
  local ok, err = pcall(what, ...)
  local kind = type(err) == "table" and err.kind
  if not ok and not EXPECTED[kind] then error(err, 0) end
end

--- False where the dialect refuses two starts by one signal in one scope; every other refusal is raised.
local function deploys(engine, xml)
  local ok, err = pcall(engine.deploy, engine, { ["p.bpmn"] = xml })
  if not ok and not tostring(err):find "more than one" then error(err, 0) end
  return ok
end

local function play(seed)
  local random = Random.new(seed)
  local dialect = random:pick { "orrery", "camunda", "flowable" }
  local xml, tasks = model_of(random)
  local engine <close> = orrery.open(nil, { clock = "manual", log = "none", dialect = dialect, history = "full",
    unhandled_bpmn_error = "end", steps_max = 20000 })
  register(engine, random, tasks)
  if not deploys(engine, xml) then return end
  attempt(engine.start, engine, "p")
  for _ = 1, COMMANDS do
    attempt(command, random, engine)
    local findings = engine:verify()
    if #findings > 0 then error(("dialect %s: %s\n\n%s"):format(dialect, findings[1].message or findings[1], xml), 0) end
  end
end

describe("models whose code calls the engine back", function()
  it(("%d of them, seeds from %d"):format(count, first), function()
    for seed = first, first + count - 1 do
      local ok, err = pcall(play, seed)
      if not ok then error(("seed %d: %s"):format(seed, tostring(err)), 0) end
    end
  end)
end)
