-- Plays a recorded model on an engine of its dialect, and says where the two differ first.
local normal = require "spec.differential.normal"
local orrery = require "orrery"

local join, list = normal.join, normal.list

local function shown(value)
  if type(value) == "table" then return "{}" end
  local whole = type(value) == "number" and value == math.floor(value)
  return whole and ("%d"):format(value) or tostring(value)
end

local function activity(row) return (tostring(row.activity_id):gsub("#multiInstanceBody", "")) end
local function mark(row) return row.suspended and "!" or "" end
local function text_of(err) return type(err) == "table" and err.kind or tostring(err) end

local player = {}
player.__index = player

local function new(record)
  local engine = orrery.open(nil, { clock = "manual", log = "none", dialect = record.engine })
  for _, code in ipairs { "e1", "e2" } do
    engine:register("boom" .. code, function() orrery.bpmn_error(code) end)
  end
  engine:register("failf", function(execution)
    if tonumber(execution:get "f") == 1 then error("failed f", 0) end
  end)
  return setmetatable({ record = record, engine = engine, wide = record.kind == "wide" }, player)
end

-- ---- States ----------------------------------------------------------------------------------

function player:due(job)
  if job.type ~= "timer" then return "" end
  return "/" .. (job.due and shown(math.floor(job.due - self.engine:now() + 0.5)) or "-")
end

local function subscribed(s)
  if not s.instance_id then return nil end
  if s.type == "compensation" or s.type == "conditional" then
    return s.type .. "/" .. tostring(s.activity_id)
  end
  return ("%s/%s/%s"):format(s.type, tostring(s.name):gsub("_.*", ""), s.activity_id)
end

--- What waits, as only wide records tell it.
function player:waiting(out)
  local engine = self.engine
  out.jobs = list(engine:jobs {}, function(job)
    local words = { activity(job), job.handler, tostring(job.retries) }
    return table.concat(words, "/") .. self:due(job) .. mark(job)
  end)
  out.ext = list(engine:external_tasks {}, function(task)
    return ("%s/%s%s"):format(task.activity_id, task.retries, mark(task))
  end)
  out.inc = list(engine:incidents {}, function(i) return i.type .. "/" .. activity(i) end)
  out.subs = list(engine:subscriptions {}, subscribed)
end

function player:state(err)
  local out = { err = err or "", active = "", vars = "", ended = "1" }
  local filter = self.wide and {} or { instance = self.instance.id }
  out.tasks = list(self.engine:tasks(filter), function(task)
    return task.key .. (self.wide and mark(task) or "")
  end)
  if self.wide then out.susp = "" end
  local instance = self.engine:instance(self.instance.id)
  if instance then
    local variables = {}
    for name, value in pairs(instance:variables()) do
      variables[#variables + 1] = name .. ":" .. shown(value)
    end
    out.active, out.vars, out.ended = join(self.instance:active()), join(variables), "0"
    if self.wide then out.susp = tostring(instance.suspended or false) end
  end
  if self.wide then self:waiting(out) end
  return out
end

local function ended(row)
  if row.canceled then return "x" end
  return row.ended_at and "" or "*"
end

function player:history()
  local id, out = self.instance.id, { hinst = "" }
  local function rows(verb, of)
    return list(self.engine[verb](self.engine, { instance = id }), function(row)
      return row.instance_id == id and of(row) or nil
    end)
  end
  out.hact = rows("history_activities", function(row)
    local whole = tostring(row.activity_id):find "#multiInstanceBody"
    return not whole and activity(row) .. ended(row) or nil
  end)
  out.hvar = rows("history_variables", function(row) return row.name .. ":" .. shown(row.value) end)
  out.htask = rows("history_tasks", function(row)
    return row.key .. ":" .. (row.ended_at and tostring(row.delete_reason) or "open")
  end)
  for _, row in ipairs(self.engine:history_instances { id = id }) do
    local how = row.state
    if self.record.engine == "flowable" then how = how:gsub("suspended", "active") end
    out.hinst = how .. ":" .. tostring(row.end_activity)
  end
  return out
end

-- ---- Actions ---------------------------------------------------------------------------------

local function missing(what) error({ kind = what }, 0) end

function player:job(name)
  for _, job in ipairs(self.engine:jobs {}) do
    if activity(job) == name then return job end
  end
  return missing "nojob"
end

--- The timer that is due first.
function player:due_timer()
  local now, best = self.engine:now(), nil
  for _, job in ipairs(self.engine:jobs { type = "timer" }) do
    local ready = job.due and job.due <= now and not job.suspended and job.retries > 0
    local sooner = ready and (not best or job.due < best.due
      or job.due == best.due and job.activity_id < best.activity_id)
    if sooner then best = job end
  end
  return best
end

--- Asks for all external tasks, does `how` to the first of that activity, and gives the rest back.
function player:work(name, how)
  local topic = { name = "tp", lock = 300000 }
  local fetched = self.engine:fetch_and_lock { worker = "w", max = 100, topics = { topic } }
  local mine
  for _, task in ipairs(fetched) do
    if not mine and task.activity_id == name then mine = task end
  end
  local ok, err = false, { kind = "noext" }
  if mine then ok, err = pcall(how, mine) end
  for _, task in ipairs(fetched) do
    if not ok or task.id ~= mine.id then pcall(task.unlock, task) end
  end
  if not ok then error(err, 0) end
end

local actions = {}

local function task_action(how)
  return function(self, action)
    local filter = { key = action.name, instance = not self.wide and self.instance.id or nil }
    how(self.engine:tasks(filter)[1] or missing "notask", action)
  end
end
actions.complete = task_action(function(task, action) task:complete(action.vars or {}) end)
actions.taskerror = task_action(function(task, action) task:bpmn_error(action.code, "m", {}) end)
actions.taskesc = task_action(function(task, action) task:escalation(action.code, {}) end)

function actions.message(self, action)
  self.engine:message(action.name, { instance = not self.wide and self.instance.id or nil })
end
function actions.signal(self, action) self.engine:signal(action.name .. "_" .. self.record.key) end
function actions.set(self, action) self.instance:set_all(action.vars) end
function actions.suspend(self) self.instance:suspend() end
function actions.activate(self) self.instance:activate() end
function actions.modify(self, action) self.instance:modify(action.list) end
function actions.job(self, action) self:job(action.name):execute() end

local TIMERS_MAX <const> = 20
function actions.advance(self, action)
  self.engine:advance(action.name)
  for _ = 1, TIMERS_MAX do
    local timer = self:due_timer()
    if not timer then break end
    timer:execute()
  end
end

function actions.ext(self, action)
  self:work(action.name, function(task) task:complete("w", action.vars or {}) end)
end
function actions.exterror(self, action)
  self:work(action.name, function(task) task:bpmn_error("w", action.code, "m") end)
end
function actions.extfail(self, action)
  self:work(action.name, function(task)
    task:fail("w", { message = "bad", retries = action.retries })
  end)
end

-- ---- Playing ---------------------------------------------------------------------------------

function player:begin()
  local record = self.record
  local files = { [record.key .. ".bpmn20.xml"] = record.xml }
  if not pcall(self.engine.deploy, self.engine, files, { name = record.key }) then
    return { deploy = "E" }
  end
  local options = { variables = record.vars }
  local ok, instance = pcall(self.engine.start, self.engine, record.key, options)
  if not ok then return { start = "E" } end
  self.instance = instance
  return self:state()
end

function player:step(action)
  if not action then return self:begin() end
  if action.what == "history" then return self:history() end
  local ok, err = pcall(actions[action.what], self, action)
  return self:state(not ok and text_of(err) or nil)
end

local function difference(expected, got)
  local names, out = {}, {}
  for name in pairs(expected) do names[name] = true end
  for name in pairs(got) do names[name] = true end
  for name in pairs(names) do
    if expected[name] ~= got[name] then
      out[#out + 1] = ("%s should be [%s] and is [%s]"):format(name, expected[name], got[name])
    end
  end
  return #out > 0 and join(out) or nil
end

local play = {}

--- The first difference, in words; nil when there is none.
function play.differs(record)
  local self = new(record)
  local out
  for i, step in ipairs(record.steps) do
    local expected = step.expect
    if record.engine == "flowable" then expected.hact = nil end
    local ok, got = pcall(self.step, self, step["do"])
    local what = step["do"] and step["do"].what or "start"
    local said = ok and difference(expected, normal.state(got, record)) or not ok and text_of(got)
    out = said and ("after step %d, %s: %s"):format(i - 1, what, said)
    if out then break end
  end
  self.engine:close()
  return out
end

return play
