--- Tells what happened to an instance and those it called, from the history they write: each look prints what is new.
local inspect = require "orrery.inspect"
local orrery = require "orrery"

local Watch = {}
Watch.__index = Watch

local words = { enter = "wait", done = "good", cancel = "bad" }

function Watch.new(engine, instance, out, options)
  local self = setmetatable({ engine = engine, out = out, steps = 0, trace = options.trace, followed = {}, order = {} }, Watch)
  self.root = instance
  self:follow(instance.id, 0)
  return self
end

function Watch:follow(id, depth)
  local f = self.followed[id]
  if f then return f end
  f = { id = id, depth = depth, from = 0, next = 0, told = {}, variables = {} } -- told: the last word by sequence, from `from` on
  self.followed[id], self.order[#self.order + 1] = f, f
  return f
end

local function step_text(self, word, row, f)
  local label = ("%s%s"):format(("  "):rep(f.depth), row.activity_id)
  if row.name and row.name ~= "" and row.name ~= row.activity_id then label = label .. "  " .. row.name end
  local detail = row.type .. (row.assignee and ", " .. row.assignee or "")
  local time = orrery.format_time(word == "enter" and row.started_at or row.ended_at)
  local paint = self.out.paint
  return ("%s  %s %s  %s"):format(paint("other", time), paint(words[word], ("%-6s"):format(word)), label, paint("other", "(" .. detail
    .. ")"))
end

local look_at

local function report(self, word, row, f)
  self.steps = self.steps + 1
  self.out:event({ event = word, time = word == "enter" and row.started_at or row.ended_at, instance = row.instance_id,
    activity = row.activity_id,
    name = row.name, type = row.type, assignee = row.assignee, called_instance = row.called_instance_id }, step_text(self, word, row, f))
end

--- A call activity begins before and ends after what it called.
local function tell(self, row, f)
  local word = not row.ended_at and "enter" or row.canceled and "cancel" or "done"
  local called = row.called_instance_id and self:follow(row.called_instance_id, f.depth + 1)
  if called and word ~= "enter" then look_at(self, called) end
  if f.told[row.sequence] ~= word then report(self, word, row, f) end
  f.told[row.sequence] = word
  if called and word == "enter" then look_at(self, called) end
end

local scopes = { subProcess = true, transaction = true, multiInstanceBody = true }

--- The ends of open scopes, inner ones first; rows begin in order, but only they say when they ended, and that to the millisecond.
local function close_scopes(self, rows, f)
  for i = #rows, 1, -1 do tell(self, table.remove(rows), f) end
end

--- Tells what is new among the rows from the oldest one on that was still open at the last look. What was open and ended comes first,
--- then what began since; a scope ends after an end event within.
function look_at(self, f)
  local new, ended_scopes, next_from = {}, {}, nil
  for _, row in ipairs(self.engine:history_activities { instance = f.id, sequence_ge = f.from, order_by = "sequence" }) do
    if not f.told[row.sequence] then new[#new + 1] = row
    elseif row.ended_at and scopes[row.type] and not row.canceled then ended_scopes[#ended_scopes + 1] = row
    else tell(self, row, f) end
    if not row.ended_at then next_from = next_from or row.sequence end
    f.next = row.sequence + 1
  end
  for _, row in ipairs(new) do
    tell(self, row, f)
    if row.type == "endEvent" then close_scopes(self, ended_scopes, f) end
  end
  close_scopes(self, ended_scopes, f)
  f.from = next_from or f.next
  for sequence in pairs(f.told) do
    if sequence < f.from then f.told[sequence] = nil end
  end
end

--- Variables that are new, changed or gone since the last look.
local function look_at_variables(self, f)
  local now = {}
  for _, row in ipairs(self.engine:history_variables { instance = f.id }) do
    now[("%s %s"):format(row.execution_id, row.name)] = { name = row.name, text = inspect.value(row.value), value = row.value,
      scope = row.activity_id }
  end
  local names = {}
  for key, variable in pairs(now) do
    if not f.variables[key] or f.variables[key].text ~= variable.text then names[#names + 1] = key end
  end
  table.sort(names)
  for _, key in ipairs(names) do
    local v = now[key]
    self.out:event({ event = "variable", instance = f.id, name = v.name, value = v.value, scope = v.scope },
      ("%22s%s%s = %s"):format("", ("  "):rep(f.depth), v.name, v.text))
  end
  f.variables = now
end

function Watch:look()
  look_at(self, self.order[1])
  for _, f in ipairs(self.trace and self.order or {}) do look_at_variables(self, f) end
end

return Watch
