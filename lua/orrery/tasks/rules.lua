--- The business rule task: rules in Lua, deployed beside the model as *.rules.lua, each file an array of
---   { name = "discount", salience = 10, when = function(fact) … end, run = function(facts, fact) … end }
--- A rule fires once for each fact for which `when` holds, in the order of salience, until nothing is left to fire.
local core = require "orrery.core"
local errors = require "orrery.errors"
local fields = require "orrery.tasks.fields"
local net = require "orrery.outside.net"
local sandbox = require "orrery.sandbox"

local rules = {}

local FIRINGS_MAX = 10000 -- rules that insert facts for each other would go on for ever

local function fail(kind, message, ...) error(net.failure("rules." .. kind, message:format(...)), 0) end

-- Loading -----------------------------------------------------------------------------------------------

local function check_rule(file, i, rule)
  local where = ("%s: rule %d"):format(file, i)
  if type(rule) ~= "table" then fail("broken", "%s is a %s, not a table", where, type(rule)) end
  if type(rule.name) ~= "string" then fail("broken", "%s has no name", where) end
  if type(rule.run) ~= "function" then fail("broken", "%s (\"%s\") has no function run", where, rule.name) end
  if rule.when ~= nil and type(rule.when) ~= "function" then
    fail("broken", "%s (\"%s\"): when is a %s, not a function", where, rule.name, type(rule.when))
  end
  if rule.salience ~= nil and type(rule.salience) ~= "number" then
    fail("broken", "%s (\"%s\"): salience is a %s, not a number", where, rule.name, type(rule.salience))
  end
end

local function load_file(engine, deployment, file, out)
  local env = setmetatable({}, { __index = sandbox.new(engine, core.libraries(engine.core)) })
  local chunk, problem = load(engine:resource(deployment, file), "@" .. file, "t", env)
  if not chunk then fail("broken", "%s", problem) end
  local list = chunk()
  if type(list) ~= "table" then fail("broken", "%s gives a %s, not an array of rules", file, type(list)) end
  for i, rule in ipairs(list) do
    check_rule(file, i, rule)
    out[#out + 1] = rule
  end
end

local loaded = setmetatable({}, { __mode = "k" }) -- by engine and deployment: what is deployed does not change

--- All rules of a deployment: highest salience first, then as they are written, file by file.
local function rules_of(engine, id)
  local by_deployment = loaded[engine] or {}
  loaded[engine] = by_deployment
  if by_deployment[id] then return by_deployment[id] end
  local out, files = {}, {}
  for _, name in ipairs(engine:resources(id)) do
    if name:find "%.rules%.lua$" then files[#files + 1] = name end
  end
  table.sort(files)
  if #files == 0 then fail("missing", "the deployment has no rules: a resource *.rules.lua") end
  for _, file in ipairs(files) do load_file(engine, id, file, out) end
  for i, rule in ipairs(out) do rule.place = i end
  table.sort(out, function(a, b)
    local x, y = a.salience or 0, b.salience or 0
    if x ~= y then return x > y end
    return a.place < b.place
  end)
  by_deployment[id] = out
  return out
end

--- Those whose names end with a listed one, or all but those.
local function chosen(all, listed, exclude)
  if #listed == 0 then return all end
  local out = {}
  for _, rule in ipairs(all) do
    local hit = false
    for _, name in ipairs(listed) do hit = hit or rule.name:sub(-#name) == name end
    if hit ~= exclude then out[#out + 1] = rule end
  end
  return out
end

-- Firing ------------------------------------------------------------------------------------------------

local methods = {}
local Facts = { __index = methods } -- apart, so that no rule gets hold of what all facts share

function methods:insert(value)
  if value == nil then error("a fact cannot be nil", 2) end
  self.entries[#self.entries + 1] = { value = value, fired = {} }
  return value
end

local function entry_of(self, value)
  for i, entry in ipairs(self.entries) do
    if rawequal(entry.value, value) then return entry, i end
  end
end

--- Takes the fact out; false when it is none.
function methods:retract(value)
  local _, i = entry_of(self, value)
  if i then table.remove(self.entries, i) end
  return i ~= nil
end

--- Lets every rule fire for the fact anew.
function methods:update(value)
  local entry = entry_of(self, value)
  if entry then entry.fired = {} end
  return entry ~= nil
end

function methods:list()
  local out = {}
  for i, entry in ipairs(self.entries) do out[i] = entry.value end
  return out
end

local function next_firing(facts, list)
  for _, rule in ipairs(list) do
    for _, entry in ipairs(facts.entries) do
      if not entry.fired[rule] and (not rule.when or rule.when(entry.value)) then return rule, entry end
    end
  end
end

local function fire_all(facts, list)
  for _ = 1, FIRINGS_MAX do
    local rule, entry = next_firing(facts, list)
    if not rule then return end
    entry.fired[rule] = true
    rule.run(facts, entry.value)
  end
  fail("limit", "more than %d rules fired; do two rules make facts for each other?", FIRINGS_MAX)
end

--- The list of all facts at the end, inputs included.
function rules.execute(_, execution)
  local task = fields.of(execution, "rules")
  local definition = execution.engine:definition(execution.definition_id)
  core.script_budget() -- what is deployed runs under the limits of scripts, from its first line on
  local list = chosen(rules_of(execution.engine, definition.deployment_id), task:list "rules", task:flag "exclude")
  local facts = setmetatable({ entries = {} }, Facts)
  local inputs = execution:connector_inputs()
  for i = 1, tonumber(inputs.n) do
    local value = inputs[tostring(i)]
    if value == nil then errors.raise("expression", ("input %d of the rules is null"):format(i)) end
    facts:insert(value)
  end
  fire_all(facts, list)
  local out = facts:list()
  return setmetatable(out, core.array)
end

return rules
