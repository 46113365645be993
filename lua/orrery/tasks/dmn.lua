--- The decision task, in both of the forms that models have: Flowable's type="dmn", and Camunda's decisionRef.
--- docs/decisions.md describes the fields.
local core = require "orrery.core"
local decision = require "orrery.decision"
local errors = require "orrery.errors"
local view = require "orrery.view"

local dmn = {}

-- Fields ----------------------------------------------------------------------------------------------------------------------------

local function text(execution, name)
  local value = execution:field(name)
  if value == nil or value == core.null then return nil end
  value = tostring(value):match "^%s*(.-)%s*$"
  return value ~= "" and value or nil
end

local function flag(execution, name, otherwise)
  local value = text(execution, name)
  if value == nil then return otherwise end
  if value:lower() == "true" then return true end
  if value:lower() == "false" then return false end
  errors.raise("expression", ("the field \"%s\" is neither true nor false: %s"):format(name, value))
end

local function deployment_of(execution)
  local definition = execution.engine:definition(execution.definition_id)
  return definition and definition.deployment_id
end

--- A variable; a Date as a declared value, which is a date to a decision.
local function variable(execution, name)
  local value = execution:get(name)
  if not math.type(value) then return value end
  local typed = execution:get_typed(name)
  return typed and typed.type == "Date" and typed or value
end

--- The execution's variables by name, and the execution itself, which JUEL texts may ask.
local function variables(execution)
  return setmetatable({}, { __index = function(_, name)
    local value = variable(execution, name)
    if value == nil and execution:has(name) then return core.null end
    if value == nil and name == "execution" then return view.of(execution) end
    return value
  end })
end

--- Evaluates; nil when there is no such decision.
local function try(execution, key, options)
  options.execution, options.dialect = execution.id, execution.dialect
  local ok, answers = pcall(decision.results, execution.engine, key, variables(execution), options)
  if ok then return answers end
  if type(answers) == "table" and answers.kind == "not_found" then return nil, answers end
  error(answers, 0)
end

-- Camunda ---------------------------------------------------------------------------------------------------------------------------

local function whole_number(execution, name)
  local value = text(execution, name)
  local number = math.tointeger(tonumber(value))
  if number and number > 0 then return number end
  errors.raise("expression", ("%s is no version: %s"):format(name, tostring(value)))
end

local function camunda_options(execution)
  local binding = text(execution, "decisionRefBinding") or "latest"
  local options = { tenant = text(execution, "decisionRefTenantId") or execution.tenant }
  if binding == "deployment" then options.deployment = deployment_of(execution)
  elseif binding == "version" then options.version = whole_number(execution, "decisionRefVersion")
  elseif binding == "versionTag" then options.version_tag = text(execution, "decisionRefVersionTag") end
  return options
end

local function only(list, what)
  if #list > 1 then errors.raise("state", ("the decision gave %d results; %s takes one"):format(#list, what)) end
  return list[1]
end

local function only_entry(result, what)
  local entry
  local count = 0
  for _, value in pairs(result or {}) do entry, count = value, count + 1 end
  if count > 1 then errors.raise("state", ("the decision's result has %d entries; %s takes one"):format(count, what)) end
  return entry
end

local mappings = {
  singleEntry = function(results) return only_entry(only(results, "singleEntry"), "singleEntry") end,
  singleResult = function(results) return only(results, "singleResult") end,
  collectEntries = function(results)
    local list = {}
    for i, result in ipairs(results) do
      local entry = only_entry(result, "collectEntries")
      list[i] = entry == nil and core.null or entry
    end
    return setmetatable(list, core.array)
  end,
  resultList = function(results) return setmetatable(results, core.array) end,
}

local function camunda(execution, key)
  local answers, missing = try(execution, key, camunda_options(execution))
  if not answers then error(missing, 0) end
  local results = answers[1].results
  execution:set_transient_local("decisionResult", setmetatable(results, core.array))
  local value = mappings[text(execution, "mapDecisionResult") or "resultList"](results)
  if value == nil then return core.null end
  return value
end

-- Flowable --------------------------------------------------------------------------------------------------------------------------

--- Beside the process first (unless sameDeployment says no), then the latest of the tenant, then, if it may, of no tenant.
local function flowable_answers(execution, key)
  local answers, missing
  if flag(execution, "sameDeployment", true) then answers = try(execution, key, { deployment = deployment_of(execution) }) end
  if not answers then answers, missing = try(execution, key, { tenant = execution.tenant }) end
  if not answers and execution.tenant and flag(execution, "fallbackToDefaultTenant", false) then
    answers, missing = try(execution, key, { tenant = "" })
  end
  if not answers then error(missing, 0) end
  return answers
end

--- A single hit sets its outputs, several set a list under the decision's key.
local function set_results(execution, answer)
  if #answer.results > 1 or answer.several and answer.results[1] then
    execution:set(answer.key, setmetatable(answer.results, core.array))
    return
  end
  for name, value in pairs(answer.results[1] or {}) do execution:set(name, value) end
end

local function flowable(execution, key)
  local answers, hits = flowable_answers(execution, key), 0
  for _, answer in ipairs(answers) do hits = hits + #answer.results end
  if hits == 0 and flag(execution, "decisionTaskThrowErrorOnNoHits", false) then
    error { type = "org.flowable.common.engine.api.FlowableException", parents = { "java.lang.RuntimeException" },
      message = ("DMN decision with key %s did not hit any rules for the provided input."):format(key) }
  end
  for _, answer in ipairs(answers) do set_results(execution, answer) end
end

-- Both ------------------------------------------------------------------------------------------------------------------------------

function dmn:execute(execution)
  local key = text(execution, "decisionRef")
  if key then return camunda(execution, key) end
  key = text(execution, "decisionServiceReferenceKey") or text(execution, "decisionTableReferenceKey")
  if not key then errors.raise("expression", "the decision task names no decision") end
  flowable(execution, key)
end

return dmn
