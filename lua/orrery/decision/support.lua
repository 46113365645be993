--- What the chunks of DMN models call, as D (runtime/decision/dmn/dmn_internal.h says how chunks are made).
---
--- The state of one evaluation, s: s.vars, what the caller gave by name; s[n] the value of decision n and s[-n] = true when it is null;
--- s.inputs, what inputs with structure became; s.scope; s.trace, a list, when history wants to know.
local core = require "orrery.core"
local feel = require "orrery.feel"
local foreign = require "orrery.decision.foreign"
local index = require "orrery.decision.index"
local policy = require "orrery.decision.policy"

local D = { mtype = math.type, type = type, policy = policy.policies, allowed = policy.allowed, constants = policy.constants,
  index_texts = index.texts, index_numbers = index.numbers, juel = foreign.juel, juel_test = foreign.juel_test, lua = foreign.lua,
  script = foreign.script, convert = foreign.convert }

-- Inputs ----------------------------------------------------------------------------------------------------------------------------

--- What stands in tables within tables by these names; nil when it is not there.
local function nested(vars, path, name)
  for _, step in ipairs(path) do
    vars = vars[step]
    if type(vars) ~= "table" then return nil end
  end
  return vars[name]
end

--- What the caller gave for an input. That of an imported model may stand in a table of the import's name, or under both names joined,
--- each with more or fewer of the imports on the way to it, the nearest last; else under its own name.
local function given(vars, spec)
  local path = spec.path
  for from = 1, #path do
    local steps = table.move(path, from, #path, 1, {})
    local value = nested(vars, steps, spec.name)
    if value == nil then value = vars[table.concat(steps, ".") .. "." .. spec.name] end
    if value ~= nil then return value end
  end
  return vars[spec.name]
end

-- Texts of a type's form, and numbers of seconds: Lua programs have no dates of their own.
local moments = { date = function(value) return feel.date_of(feel.moment(feel.to_lua(value))) end,
  ["date and time"] = function(value) return feel.moment(feel.to_lua(value)) end }
local readers = { date = feel.date, time = feel.time, ["date and time"] = feel.date_time, ["days and time duration"] = feel.duration,
  ["years and months duration"] = feel.duration }

--- Has a type temporal values in it?
local function is_temporal(type_)
  if readers[type_.kind] then return true end
  for _, member in ipairs(type_.members or {}) do
    if is_temporal(member[2]) then return true end
  end
  return type_.item ~= nil and is_temporal(type_.item)
end

local read_texts

local function read_list(list, item)
  local out = { n = list.n }
  for i = 1, list.n do out[i] = read_texts(list[i], item) end
  return feel.list(out)
end

local function read_context(context, members)
  local out = {}
  for key, value in pairs(context) do out[key] = value end
  for _, member in ipairs(members) do out[member[1]] = read_texts(context[member[1]], member[2]) end
  return feel.ctx(out)
end

--- The value with texts read as what the type has in their places; what cannot be read stays, and does not conform.
function read_texts(value, type_)
  local read = readers[type_.kind]
  if type(value) == "string" then return read and read(value) or value end
  if moments[type_.kind] and feel.is_number(value) then return moments[type_.kind](value) end
  if type_.kind == "list" and type_.item and feel.is_list(value) then return read_list(value, type_.item) end
  if type_.kind == "context" and type_.members and feel.is_context(value) then return read_context(value, type_.members) end
  return value
end

--- A variable of type Date is a date where one is wanted. To the peers it is a date and time whatever type an input names.
local function of_date(value, spec)
  if spec.peer then return value end
  return feel.coerce(spec.type.kind == "date" and feel.date_of(value) or value, spec.type)
end

local function converted(s, spec)
  local value = given(s.vars, spec)
  if value == nil then return nil end
  local dated = core.is_typed(value) and value.type == "Date"
  value = feel.from_lua(value)
  if not spec.type or value == nil then return value end
  if dated then return of_date(value, spec) end
  if spec.temporal == nil then spec.temporal = is_temporal(spec.type) end
  if spec.temporal then value = read_texts(value, spec.type) end
  return feel.coerce(value, spec.type)
end

--- The value of an input; what has structure is converted once in an evaluation.
function D.input(s, number, spec)
  local inputs = s.inputs
  local value = inputs and inputs[number]
  if value ~= nil then return value end
  value = converted(s, spec)
  if type(value) == "table" then
    if not inputs then
      inputs = {}
      s.inputs = inputs
    end
    inputs[number] = value
  end
  return value
end

--- The names that only the caller's variables may have, as FEEL asks for them; what has structure is converted once.
function D.scope(s)
  if not s then return foreign.no_names end
  local scope = s.scope
  if scope then return scope end
  local vars, seen = s.vars, {}
  scope = {
    get = function(name)
      local value = seen[name]
      if value ~= nil then return true, value end
      value = vars[name]
      if value == nil then return false end
      value = feel.from_lua(value)
      if type(value) == "table" then seen[name] = value end
      return true, value
    end,
  }
  s.scope = scope
  return scope
end

-- Decisions -------------------------------------------------------------------------------------------------------------------------

--- The value of decision n, evaluated at most once.
function D.value(s, n, evaluate)
  local value = s[n]
  if value ~= nil then return value end
  if s[-n] then return nil end
  if s.trace then value = D.traced(s, n, evaluate[n]) else value = evaluate[n](s) end
  if value == nil then s[-n] = true else s[n] = value end
  return value
end

--- A decision whose value is given to a service instead of being decided.
function D.give(s, n, spec)
  local value = D.input(s, n, spec)
  if value == nil then s[-n] = true else s[n] = value end
end

--- A service called as a function, which FEEL counts as any call: without end it meets FEEL's limit.
function D.serve(evaluate, vars) return evaluate { vars = vars } end

--- An output of a required decision by its name, as the peers' engines know it: of each hit when there are several.
function D.output(value, name)
  local kind = feel.kind(value)
  if kind == "context" then return value[name] end
  if kind ~= "list" then return value end
  local list = { n = value.n }
  for i = 1, value.n do list[i] = D.output(value[i], name) end
  return feel.list(list)
end

-- History ---------------------------------------------------------------------------------------------------------------------------

--- Evaluates with a row of history: what it decided from, which rules hit. Rows stand in the order in which evaluations began.
function D.traced(s, n, evaluate)
  local row, around = { number = n }, s.row
  s.trace[#s.trace + 1] = row
  s.row = row
  local value = evaluate(s)
  s.row = around
  row.result = value
  return value
end

--- A table's part of the row: its hits and the values of its inputs. The last table of a decision is the one that counts.
function D.trace_table(s, hits, n, inputs, n_inputs)
  local row = s.row
  if row then row.hits, row.n_hits, row.inputs, row.n_inputs = hits, n, inputs, n_inputs end
end

--- What its hits gave, before the hit policy made one value of it.
function D.trace_outputs(s, outputs)
  if s.row then s.row.outputs = outputs end
end

-- Diagnostics -----------------------------------------------------------------------------------------------------------------------

--- An input that is none of the values that the table allows: its result is null.
function D.refused(label, value)
  policy.note("%s: the input %s is none of the allowed values", label, feel.string(value) or "null")
  return nil
end

function D.collided(label, one, other)
  return policy.violated("%s: rules %d and %d both match; the hit policy UNIQUE allows only one", label, one, other)
end

-- Boxed iterators -------------------------------------------------------------------------------------------------------------------

function D.member(value, name)
  if feel.kind(value) == "context" then return value[name] end
  return nil
end

--- Only a match that is true or false for every item counts; the answer is always a list.
function D.filter(list, match)
  if list == nil then return nil end
  if feel.kind(list) ~= "list" then list = feel.list { n = 1, list } end
  local out, n = {}, 0
  for i = 1, list.n do
    local item = list[i]
    local fits = match(item)
    if fits ~= true and fits ~= false then
      policy.note("a filter's match is neither true nor false")
      return nil
    end
    if fits then
      n = n + 1
      out[n] = item
    end
  end
  out.n = n
  return feel.list(out)
end

function D.choose(condition, yes, no)
  if condition == true then return yes() end
  if condition == false then return no() end
  policy.note("the condition of a <conditional> is neither true nor false")
  return nil
end

function D.loop(list, body) return feel.loop(body, list) end

--- Every item's answer must be true or false, also behind the one that decides: boxed, unlike in a text, nothing else is let pass.
local function quantified(verb)
  return function(list, body)
    local strange = false
    local function checked(item)
      local answer = body(item)
      strange = strange or type(answer) ~= "boolean"
      if strange then return nil end
      return answer
    end
    local answers = feel.loop(checked, list)
    if answers == nil then return nil end
    if strange then
      policy.note("a condition of <%s> is neither true nor false", verb)
      return nil
    end
    local deciding = verb == "some"
    for i = 1, answers.n do
      if answers[i] == deciding then return deciding end
    end
    return not deciding
  end
end
D.some, D.every = quantified "some", quantified "every"

return D
