--- Tells what happened to an instance and those it called, from the history they write: each look prints what is new.
local inspect = require "orrery.inspect"
local orrery = require "orrery"

local Watch = {}
Watch.__index = Watch

local words = { enter = "wait", done = "good", cancel = "bad" }

--- `prefix` goes before times: what a manual clock shows need not be now.
function Watch.new(engine, instance, out, options)
  local self = setmetatable({ engine = engine, out = out, steps = 0, trace = options.trace, followed = {}, order = {} }, Watch)
  self.root = instance
  self:follow(instance.id, 0)
  return self
end

function Watch:follow(id, depth)
  if self.followed[id] then return end
  self.followed[id] = { id = id, depth = depth, from = 0, open = {}, variables = {} }
  self.order[#self.order + 1] = self.followed[id]
end

local function step_text(self, word, row, f)
  local label = ("%s%s"):format(("  "):rep(f.depth), row.activity_id)
  if row.name and row.name ~= "" and row.name ~= row.activity_id then label = label .. "  " .. row.name end
  local detail = row.type .. (row.assignee and ", " .. row.assignee or "")
  local time = orrery.format_time(word == "enter" and row.started_at or row.ended_at)
  local paint = self.out.paint
  return ("%s  %s %s  %s"):format(paint("other", time), paint(words[word], ("%-6s"):format(word)), label, paint("other", "(" .. detail .. ")"))
end

local function report(self, word, row, f)
  self.steps = self.steps + 1
  self.out:event({ event = word, time = word == "enter" and row.started_at or row.ended_at, instance = row.instance_id, activity = row.activity_id,
    name = row.name, type = row.type, assignee = row.assignee, called_instance = row.called_instance_id }, step_text(self, word, row, f))
end

--- Rows from the oldest one that was still open at the last look.
local function look_at(self, f)
  local rows = self.engine:history_activities { instance = f.id, sequence_ge = f.from, order_by = "sequence" }
  local first_open
  for _, row in ipairs(rows) do
    local state = f.open[row.sequence]
    if not row.ended_at then
      if not state then report(self, "enter", row, f) end
      f.open[row.sequence] = "open"
      first_open = first_open or row.sequence
    elseif state ~= "told" then
      report(self, row.canceled and "cancel" or "done", row, f)
      f.open[row.sequence] = "told"
    end
    if row.called_instance_id then self:follow(row.called_instance_id, f.depth + 1) end
    f.next = row.sequence + 1
  end
  local from = first_open or f.next or 0
  for sequence in pairs(f.open) do
    if sequence < from then f.open[sequence] = nil end
  end
  f.from = from
end

--- Variables that are new, changed or gone since the last look.
local function look_at_variables(self, f)
  local now = {}
  for _, row in ipairs(self.engine:history_variables { instance = f.id }) do
    now[("%s %s"):format(row.execution_id, row.name)] = { name = row.name, text = inspect.value(row.value), value = row.value, scope = row.activity_id }
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
  local i = 1
  while self.order[i] do -- looking may find called instances to follow
    look_at(self, self.order[i])
    if self.trace then look_at_variables(self, self.order[i]) end
    i = i + 1
  end
end

return Watch
