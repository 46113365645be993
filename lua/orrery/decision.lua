--- engine:decide: which decision, its model in this Lua state, what goes in and what comes out.
local feel = require "orrery.feel"
local core = require "orrery.core"
local errors = require "orrery.errors"
local model = require "orrery.decision.model"
local zero = require "orrery.zero"

local M = {}

-- Models of this Lua state ----------------------------------------------------------------------------------------------------------

local MODELS_MAX = 200 -- kept loaded for an engine; others are loaded again when they are asked for

--- What a Lua state keeps of an engine: found decisions and loaded models. Deployments do not change, so a model is good for ever; which
--- decision a key means is good until the store sees another commit.
local function new_cache(engine)
  local settings = engine.core:decision_settings()
  local function lookup(name) -- registered names, as in every other expression
    local value = core.named(name, engine.core, true)
    return value ~= nil, value
  end
  return { found = {}, models = {}, order = {}, recorded = settings.recorded, lookup = lookup }
end

local caches = setmetatable({}, { __mode = "k" })

local function cache_of(engine)
  local cache = caches[engine]
  if not cache then
    cache = new_cache(engine)
    caches[engine] = cache
  end
  return cache
end

local function model_of(engine, cache, record)
  local name = record.deployment_id .. "/" .. record.resource
  local loaded = cache.models[name]
  if loaded then return loaded end
  loaded = model.load(engine.core:decision_code(record.deployment_id, record.resource), record.resource)
  local order = cache.order
  if #order == MODELS_MAX then cache.models[table.remove(order, 1)] = nil end
  order[#order + 1] = name
  cache.models[name] = loaded
  return loaded
end

-- Which decision --------------------------------------------------------------------------------------------------------------------

--- { record =, model =, node = }
local function look_up(engine, cache, request)
  local record = engine.core:decision(request)[1]
  local loaded = model_of(engine, cache, record)
  return { record = record, model = loaded, node = loaded.by_id[record.key] }
end

local function found(engine, key, options)
  local cache = cache_of(engine)
  local changes = engine.core:changes()
  if changes ~= cache.changes or changes < 0 then cache.found, cache.changes = {}, changes end
  if options then -- rarely the same twice
    return look_up(engine, cache, { key = key, version = options.version, version_tag = options.version_tag, tenant = options.tenant,
      deployment = options.deployment })
  end
  local known = cache.found[key]
  if not known then
    known = look_up(engine, cache, { key = key })
    cache.found[key] = known
  end
  return known
end

-- Results and history ---------------------------------------------------------------------------------------------------------------

local function plain(value, options)
  local kind = type(value)
  if kind == "string" or kind == "boolean" or value == nil or math.type(value) == "integer" then return value end
  if options and options.exact then return value end
  return feel.to_plain(value)
end

local function storable(value)
  value = plain(value)
  if value == nil then return core.null end
  return value
end

--- A value of a result as a variable holds it: dates, and dates and times, are Dates. Midnight, and a time that says no zone, are by the
--- clocks of the engine's.
local function answer(value, zone)
  local kind = feel.kind(value)
  if kind ~= "date" and kind ~= "date and time" then return storable(value) end
  local seconds = feel.with({ zone = zone }, feel.seconds, value)
  local ok, typed = pcall(core.typed, "Date", seconds)
  return ok and typed or storable(value) -- a time so far off that no clock has it
end

local function inputs_of(row)
  local list = {}
  for i = 1, row.n_inputs or 0 do list[i] = storable(row.inputs[i]) end
  return setmetatable(list, core.array)
end

local function outputs_of(row)
  local list = {}
  for i = 1, row.outputs and row.outputs.n or 0 do list[i] = storable(row.outputs[i]) end
  return setmetatable(list, core.array)
end

local function rules_of(row)
  local list = {}
  for i = 1, row.n_hits or 0 do list[i] = row.hits[i] end
  return setmetatable(list, core.array)
end

--- The record of a decision that another one requires: those of the same file are definitions, too; of imported ones there is none.
local function required_record(engine, known, node)
  if not node.first then return nil end
  if not node.record then
    local record = known.record
    node.record = engine.core:decision({ key = node.id, deployment = record.deployment_id, tenant = record.tenant or "" })[1]
  end
  return node.record
end

--- A row of history for each decision that was evaluated.
local function rows_of(engine, known, trace)
  local rows = {}
  for i, row in ipairs(trace) do
    local node = known.model.by_number[row.number]
    local record = i == 1 and known.record or required_record(engine, known, node)
    rows[i] = { decision_id = record and tonumber(record.id) or nil, decision_key = node.id, name = node.name,
      version = record and record.version or nil, tenant = known.record.tenant, inputs = inputs_of(row), rules = rules_of(row),
      outputs = outputs_of(row), result = storable(row.result) }
  end
  return setmetatable(rows, core.array)
end

-- Deciding --------------------------------------------------------------------------------------------------------------------------

local options_known = { "version", "version_tag", "tenant", "deployment", "exact", "diagnostics", "execution" }

--- Evaluates what was found, and counts it.
local function run(engine, known, vars, settings, trace)
  local value = core.bounded(engine.core, known.model.run, known.model, known.node, vars, settings, trace)
  engine.core:count_decisions(known.node.decisions or 0, known.node.elements or 0)
  return value
end

--- The store's, which may change while the engine is open.
local function zone_of(engine) return engine.core:decision_settings().time_zone end

local function settings_of(engine, options)
  local cache = cache_of(engine)
  return { now = engine.core:now(), zone = zone_of(engine), lookup = cache.lookup,
    diagnostics = options and options.diagnostics, dialect = options and options.dialect }
end

--- What may be read as variables: a table, or what answers to names (the variables of an execution).
function M.decide(engine, key, vars, options)
  errors.check_type("decide", 1, key, "string")
  errors.check_type("decide", 2, vars, "table", "nil")
  if options then
    errors.check_options("decide", 3, options, options_known)
    zero.refuse("decide", 3, options, "version")
  end
  local known = found(engine, key, options)
  local trace = cache_of(engine).recorded and {} or nil
  local value = run(engine, known, vars or {}, settings_of(engine, options), trace)
  if trace then engine.core:record_decisions(rows_of(engine, known, trace), options and options.execution) end
  return plain(value, options)
end

-- For tasks -------------------------------------------------------------------------------------------------------------------------

--- One result by the names of its outputs.
local function named(value, outputs, otherwise, zone)
  if outputs and #outputs == 1 or not outputs then return { [outputs and outputs[1] or otherwise] = answer(value, zone) } end
  if not feel.is_context(value) then return value == nil and {} or plain(value) end
  local result = {}
  for _, name in ipairs(value) do result[name] = answer(value[name], zone) end
  return result
end

--- What a decision gave as the peers see it: an array with the outputs of each hit, by name; and whether there may be several hits.
local function results_of(node, value, row, zone)
  if not node.table then return { named(value, nil, node.variable, zone) }, false end
  if value == nil and (row.n_hits or 0) == 0 then return {}, node.several end
  local list = {}
  if node.several and feel.is_list(value) then
    for i = 1, value.n do list[i] = named(value[i], node.outputs, node.variable, zone) end
  else
    list[1] = named(value, node.outputs, node.variable, zone)
  end
  return list, node.several
end

local function row_of(trace, number)
  for _, row in ipairs(trace) do
    if row.number == number then return row end
  end
  return {}
end

--- What orr_engine_decision_evaluate answers: a map of outputs for each result; of a service, one with its output decisions.
function M.rows(engine, key, vars, options)
  local known = found(engine, key, options)
  local trace = {}
  local value = run(engine, known, vars or {}, settings_of(engine, options), trace)
  if cache_of(engine).recorded then engine.core:record_decisions(rows_of(engine, known, trace)) end
  local answers = known.node.answers
  local single = answers and #answers == 1
  local node = single and known.model.by_number[answers[1]] or known.node
  local zone = zone_of(engine)
  local results = answers and not single and { named(value, {}, node.variable, zone) }
    or (results_of(node, value, row_of(trace, node.number), zone))
  return setmetatable(results, core.array)
end

--- Evaluates for an execution: { { key =, results = { { output = value }, … }, several = }, … }, one for a decision, one for each output
--- decision of a service.
function M.results(engine, key, vars, options)
  local known = found(engine, key, options)
  local trace, loaded = {}, known.model
  local value = run(engine, known, vars, settings_of(engine, options), trace)
  if cache_of(engine).recorded then engine.core:record_decisions(rows_of(engine, known, trace), options.execution) end
  local answers = {}
  for i, number in ipairs(known.node.answers or { known.node.number }) do
    local node = loaded.by_number[number]
    local own = value
    if known.node.answers and #known.node.answers > 1 and value ~= nil then own = value[node.variable] end
    local results, several = results_of(node, own, row_of(trace, number), zone_of(engine))
    answers[i] = { key = node.id, results = results, several = several }
  end
  return answers
end

return M
