--- Hit policies: what several hits of a table come to, and what its output values say about them.
local feel = require "orrery.feel"

local policy = {}

--- A diagnostic of this evaluation.
function policy.note(...) return feel.nothing(...) end
local note = policy.note

--- A table's rules contradict its hit policy: null by the standard, an error in the peers' engines.
function policy.violated(...)
  local dialect = feel.state.dialect
  if dialect == "camunda" or dialect == "flowable" then error({ kind = "expression", message = (...):format(select(2, ...)) }, 0) end
  return feel.nothing(...)
end

-- Output values ---------------------------------------------------------------------------------------------------------------------

--- ranks: { { name of the output or false when it is the only one, function(value) -> place among the output values or nil }, … }
local function part(value, name)
  if not name then return value end
  return value ~= nil and value[name] or nil
end

local function is_allowed(value, ranks)
  for _, rank in ipairs(ranks) do
    local one = part(value, rank[1])
    if one ~= nil and not rank[2](one) then return false end
  end
  return true
end

--- The value, or null when it is none of the output values.
function policy.allowed(value, ranks, label)
  if is_allowed(value, ranks) then return value end
  note("%s: the output %s is none of the output values", label, feel.string(value) or "null")
  return nil
end

--- The same for all outputs of a table whose outputs never change.
function policy.constants(values, n, ranks)
  for i = 1, n do
    if not is_allowed(values[i], ranks) then values[i] = nil end
  end
  return values
end

--- Does `a` come before `b`? The first output decides, the next ones among equals.
local function before(a, b, ranks)
  for _, rank in ipairs(ranks) do
    local x, y = rank[2](part(a, rank[1])) or math.huge, rank[2](part(b, rank[1])) or math.huge
    if x ~= y then return x < y end
  end
  return nil
end

-- Policies: function(outputs { n =, … }, ranks or nil, label) -> result ---------------------------------------------------------------

local policies = {}
policy.policies = policies

local function checked(outputs, ranks, label)
  if not ranks then return true end
  for i = 1, outputs.n do
    if not is_allowed(outputs[i], ranks) then
      note("%s: the output %s is none of the output values", label, feel.string(outputs[i]) or "null")
      return false
    end
  end
  return true
end

function policies.A(outputs, ranks, label)
  for i = 2, outputs.n do
    if not feel.same(outputs[1], outputs[i]) then
      return policy.violated("%s: rules match with different outputs; the hit policy ANY allows only equal ones", label)
    end
  end
  if not checked(outputs, ranks, label) then return nil end
  return outputs[1]
end

function policies.P(outputs, ranks, label)
  if not checked(outputs, ranks, label) then return nil end
  local best = outputs[1]
  for i = 2, ranks and outputs.n or 1 do
    if before(outputs[i], best, ranks) then best = outputs[i] end
  end
  return best
end

function policies.R(outputs, ranks, label)
  if not checked(outputs, ranks, label) then return nil end
  return feel.list(outputs)
end
policies.C = policies.R

function policies.O(outputs, ranks, label)
  if not checked(outputs, ranks, label) then return nil end
  local order = {}
  for i = 1, outputs.n do order[i] = i end
  table.sort(order, function(a, b)
    local first = ranks and before(outputs[a], outputs[b], ranks)
    if first ~= nil then return first end
    return a < b
  end)
  local sorted = { n = outputs.n }
  for i, k in ipairs(order) do sorted[i] = outputs[k] end
  return feel.list(sorted)
end

-- Aggregations ----------------------------------------------------------------------------------------------------------------------

--- Over the values, or over each output of theirs when there are several.
local function aggregate(name)
  local builtin = feel.builtin(name)
  return function(outputs, ranks, label)
    if not checked(outputs, ranks, label) then return nil end
    local first = outputs[1]
    if feel.kind(first) ~= "context" then return builtin(feel.list(outputs)) end
    local result = { table.unpack(first) }
    for _, key in ipairs(first) do
      local column = { n = outputs.n }
      for i = 1, outputs.n do column[i] = outputs[i] and outputs[i][key] end
      result[key] = builtin(feel.list(column))
    end
    return feel.ctx(result)
  end
end

policies["+"], policies["<"], policies[">"] = aggregate "sum", aggregate "min", aggregate "max"
policies["#"] = function(outputs) return outputs.n end

return policy
