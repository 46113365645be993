--- A loaded DMN model: its chunk, called for decisions.
local errors = require "orrery.errors"
local feel = require "orrery.feel"
local support = require "orrery.decision.support"

local model = {}

local Model = {}
Model.__index = Model

--- Makes a model of compiled code (orr_decision_compile, orr_engine_decision_code).
function model.load(code, name)
  local chunk, problem = load(code, "=" .. name, "t", {})
  if not chunk then error({ kind = "deployment", message = ("%s: %s"):format(name, problem) }, 0) end
  local self = setmetatable(chunk(feel, support), Model)
  self.by_id, self.by_name, self.by_number = {}, {}, {}
  for _, node in ipairs(self.nodes) do
    self.by_number[node.number] = node
    local prefix = table.concat(node.path or {}, ".")
    if prefix ~= "" then prefix = prefix .. "." end
    if node.first then self.by_id[node.id] = node end -- the others are those of imported models, known by their names with the imports'
    for _, name in ipairs { prefix .. node.name, prefix .. node.variable } do self.by_name[name] = self.by_name[name] or node end
  end
  return self
end

--- A decision, service, knowledge model or input by its id or name.
function Model:node(key) return self.by_id[key] or self.by_name[key] end

--- The FEEL value of a node for variables by name (FEEL values or Lua's). `trace`: a list that takes a row for each decision; `lookup`:
--- what JUEL asks for names that no variable has, and which gives found, value.
function Model:evaluate(node, vars, trace, lookup)
  local number = node.number
  if not trace then return self.evaluators[number] { vars = vars, lookup = lookup } end
  return support.traced({ vars = vars, lookup = lookup, trace = trace }, number, self.evaluators[number])
end

--- Raises what an evaluation raised as an error of the API's; Lua's stack, when it is used up, is a limit like others.
local function raise(problem)
  if type(problem) == "table" and problem.kind then errors.raise(problem.kind, problem.message) end
  if type(problem) == "string" and problem:find("stack overflow", 1, true) then
    errors.raise("limit", "the decision calls functions too deep: does a knowledge model call itself without end?")
  end
  error(problem, 0)
end

--- The value as `evaluate` gives it, with settings: now (seconds), zone, diagnostics, lookup, dialect (of the caller, which counts when the
--- file says none); errors are raised as tables.
function Model:run(node, vars, settings, trace)
  settings.dialect = self.dialect or settings.dialect
  local ok, value = pcall(feel.with, settings, self.evaluate, self, node, vars, trace, settings.lookup)
  if ok then return value end
  raise(value)
end

--- Calls a knowledge model, or a service, with arguments by name.
function Model:call(node, arguments, settings)
  local names, values = {}, { n = 0 }
  for name, value in pairs(arguments) do
    values.n = values.n + 1
    names[values.n], values[values.n] = name, feel.from_lua(value)
  end
  return feel.with(settings, feel.call_named, self.functions[node.number], names, values)
end

return model
