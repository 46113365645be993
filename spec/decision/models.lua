-- Models for the specs of decisions, made of little text.
local orrery = require "orrery"
local core = require "orrery.core"
local model = require "orrery.decision.model"

local models = {}

local NAMESPACES = { ["1.1"] = "http://www.omg.org/spec/DMN/20151101/dmn.xsd", ["1.2"] = "http://www.omg.org/spec/DMN/20180521/MODEL/",
  ["1.3"] = "https://www.omg.org/spec/DMN/20191111/MODEL/", ["1.4"] = "https://www.omg.org/spec/DMN/20211108/MODEL/",
  ["1.5"] = "https://www.omg.org/spec/DMN/20230324/MODEL/" }
models.NAMESPACES = NAMESPACES

local function escape(text) return (text:gsub("[&<>]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" })) end
models.escape = escape

--- A file. options: version, attributes (of <definitions>).
function models.file(body, options)
  options = options or {}
  return ('<definitions xmlns="%s" id="file" name="file" namespace="%s" %s>%s</definitions>'):format(
    NAMESPACES[options.version or "1.5"], options.namespace or "urn:spec", options.attributes or "", body)
end

--- A literal expression.
function models.text(text, attributes)
  return ("<literalExpression %s><text>%s</text></literalExpression>"):format(attributes or "", escape(text))
end

--- A decision with an expression in FEEL (or an element), that requires others: "#id" of an input, decision or, with ():, knowledge.
function models.decision(name, logic, options)
  options = options or {}
  local out = { ('<decision id="%s" name="%s"><variable name="%s" %s/>'):format(options.id or name, name, name,
    options.type and ('typeRef="%s"'):format(options.type) or "") }
  for _, id in ipairs(options.inputs or {}) do
    out[#out + 1] = ('<informationRequirement><requiredInput href="#%s"/></informationRequirement>'):format(id)
  end
  for _, id in ipairs(options.decisions or {}) do
    out[#out + 1] = ('<informationRequirement><requiredDecision href="#%s"/></informationRequirement>'):format(id)
  end
  for _, id in ipairs(options.knowledge or {}) do
    out[#out + 1] = ('<knowledgeRequirement><requiredKnowledge href="#%s"/></knowledgeRequirement>'):format(id)
  end
  out[#out + 1] = logic:find "^%s*<" and logic or models.text(logic)
  out[#out + 1] = "</decision>"
  return table.concat(out)
end

function models.input(name, type)
  return ('<inputData id="%s" name="%s"><variable name="%s" %s/></inputData>'):format(name, name, name,
    type and ('typeRef="%s"'):format(type) or "")
end

local function cell(element, text) return ("<%s><text>%s</text></%s>"):format(element, escape(text), element) end

--- A decision table. inputs: { { "expression", "type" }, … }; outputs: { { name, type, values =, default = }, … };
--- rules: { { "cell", …, "output", … }, … }.
function models.table(options)
  local out = { ('<decisionTable hitPolicy="%s" %s>'):format(options.policy or "UNIQUE",
    options.aggregation and ('aggregation="%s"'):format(options.aggregation) or "") }
  for _, input in ipairs(options.inputs) do
    out[#out + 1] = ('<input %s><inputExpression %s %s><text>%s</text></inputExpression>%s</input>'):format(input.attributes or "",
      input[2] and ('typeRef="%s"'):format(input[2]) or "", input.language and ('expressionLanguage="%s"'):format(input.language) or "",
      escape(input[1]), input.values and cell("inputValues", input.values) or "")
  end
  for _, output in ipairs(options.outputs or { {} }) do
    out[#out + 1] = ('<output %s %s>%s%s</output>'):format(output[1] and ('name="%s"'):format(output[1]) or "",
      output[2] and ('typeRef="%s"'):format(output[2]) or "", output.values and cell("outputValues", output.values) or "",
      output.default and cell("defaultOutputEntry", output.default) or "")
  end
  for _, rule in ipairs(options.rules) do
    out[#out + 1] = "<rule>"
    for i, text in ipairs(rule) do
      local language = rule.language and (' expressionLanguage="%s"'):format(rule.language) or ""
      local element = i <= #options.inputs and "inputEntry" or "outputEntry"
      out[#out + 1] = ("<%s%s><text>%s</text></%s>"):format(element, language, escape(text), element)
    end
    out[#out + 1] = "</rule>"
  end
  out[#out + 1] = "</decisionTable>"
  return table.concat(out)
end

-- Compiling alone -------------------------------------------------------------------------------------------------------------------

--- The loaded model of a file, which has no problems; `others` are what it may import.
function models.load(text, others)
  local resources = { ["model.dmn"] = text }
  for name, other in pairs(others or {}) do resources[name] = other end
  local compiled = core.decision_compile(resources, "model.dmn", false)
  local problems = {}
  for _, p in ipairs(compiled.problems) do
    if not p.warning then problems[#problems + 1] = ("%d:%d: %s"):format(p.line, p.column or 0, p.message) end
  end
  assert(compiled.code, table.concat(problems, "\n"))
  return model.load(compiled.code, "model.dmn"), compiled
end

--- What a decision gives, as plain Lua.
function models.decide(text, name, vars, others)
  local feel = require "orrery.feel"
  local loaded = models.load(text, others)
  local diagnostics = {}
  local value = loaded:run(assert(loaded:node(name), name), vars or {}, { diagnostics = diagnostics })
  if feel.kind(value) ~= "null" then value = feel.to_plain(value) end
  return value, diagnostics
end

--- The problems of a file: "line:column: message", errors alone unless `warnings`.
function models.problems(text, warnings, others)
  local resources = { ["model.dmn"] = text }
  for name, other in pairs(others or {}) do resources[name] = other end
  local list = {}
  for _, p in ipairs(core.decision_compile(resources, "model.dmn", false).problems) do
    if (p.warning or false) == (warnings or false) then list[#list + 1] = ("%d:%d: %s"):format(p.line, p.column or 0, p.message) end
  end
  return list
end

-- With an engine --------------------------------------------------------------------------------------------------------------------

function models.engine(options)
  local given = { clock = "manual", log = "error" }
  for key, value in pairs(options or {}) do given[key] = value end
  return orrery.open(nil, given)
end

--- The error that f raises, which is of this kind.
function models.raises(kind, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok, "it raised nothing")
  assert(type(err) == "table" and err.kind == kind, ("expected %s, got %s"):format(kind, tostring(err)))
  return err
end

return models
