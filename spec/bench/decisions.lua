--- Decisions a second, on one thread: a small table by its loaded model and through the engine; 1,000 rules of three inputs whose last one
--- hits, scanned and by the index; what 3,700 scanned rules take; and how long 4,000 rules take from deployment to the first decision.
local support = require "support"
local core = require "orrery.core"
local model = require "orrery.decision.model"

local NAMESPACE = "https://www.omg.org/spec/DMN/20191111/MODEL/"

local function cells(element, texts)
  local out = {}
  for i, text in ipairs(texts) do out[i] = ("<%s><text>%s</text></%s>"):format(element, text, element) end
  return table.concat(out)
end

--- inputs: { { name, type }, … }; rule(i) gives the cells and the output of rule i.
local function table_of(inputs, count, rule)
  local out = { ('<definitions xmlns="%s" id="f" name="f" namespace="bench">'):format(NAMESPACE) }
  for _, input in ipairs(inputs) do
    out[#out + 1] = ('<inputData id="%s" name="%s"><variable name="%s" typeRef="%s"/></inputData>'):format(input[1], input[1], input[1],
      input[2])
  end
  out[#out + 1] = '<decision id="d" name="d"><variable name="d" typeRef="number"/>'
  for _, input in ipairs(inputs) do
    out[#out + 1] = ('<informationRequirement><requiredInput href="#%s"/></informationRequirement>'):format(input[1])
  end
  out[#out + 1] = '<decisionTable hitPolicy="FIRST">'
  for _, input in ipairs(inputs) do
    out[#out + 1] = ('<input><inputExpression typeRef="%s"><text>%s</text></inputExpression></input>'):format(input[2], input[1])
  end
  out[#out + 1] = '<output typeRef="number"/>'
  for i = 1, count do
    local tests, output = rule(i)
    out[#out + 1] = "<rule>" .. cells("inputEntry", tests) .. cells("outputEntry", { output }) .. "</rule>"
  end
  out[#out + 1] = "</decisionTable></decision></definitions>"
  return table.concat(out)
end

local three = { { "color", "string" }, { "age", "number" }, { "member", "boolean" } }

--- Few different cells in each input: no index.
local function few(i)
  return { ('"c%d"'):format(i % 5), ("&gt;= %d"):format(i % 7), i % 2 == 0 and "true" or "false" }, tostring(i)
end

--- The last rule alone takes these.
local function last_of(count, rule)
  return function(i)
    if i == count then return { '"last"', "&gt;= 3", "true" }, tostring(count) end
    return rule(i)
  end
end

local LAST = { color = "last", age = 20, member = true }

local function compiled(text)
  local code = assert(core.decision_compile({ ["d.dmn"] = text }, "d.dmn", false).code)
  local loaded = model.load(code, "d.dmn")
  return loaded.evaluators[loaded:node("d").number]
end

--- How often a second; `expected` is what each call must give.
local function rate(times, expected, decide)
  assert(decide() == expected)
  local before = os.clock()
  for _ = 1, times do decide() end
  return times / (os.clock() - before)
end

local function evaluated(times, text, vars, expected)
  local evaluate = compiled(text)
  return rate(times, expected, function() return evaluate { vars = vars } end)
end

local function through_engine(text)
  local engine <close> = support.open(support.directory "decisions")
  engine:deploy { ["d.dmn"] = text }
  return rate(500000, 5, function() return engine:decide("d", LAST) end)
end

local function deployed(text)
  local engine <close> = support.open(support.directory "decisions")
  local before = os.clock()
  engine:deploy { ["d.dmn"] = text }
  assert(engine:decide("d", LAST) == 4000)
  return os.clock() - before
end

return function()
  local five = table_of(three, 5, last_of(5, few))
  local scanned = table_of(three, 1000, last_of(1000, few))
  local indexed = table_of(three, 1000, last_of(1000, function(i) return { ('"k%d"'):format(i), ("&gt;= %d"):format(i % 7), "-" }, "0" end))
  local most = table_of(three, 3700, last_of(3700, few))
  return {
    { name = "decisions.five", value = evaluated(3000000, five, LAST, 5), unit = "decisions/s", bar = 1e6 },
    { name = "decisions.engine", value = through_engine(five), unit = "decisions/s", bar = 3e5 },
    { name = "decisions.scanned", value = evaluated(100000, scanned, LAST, 1000), unit = "decisions/s of 1,000 rules", bar = 5e4 },
    { name = "decisions.indexed", value = evaluated(2000000, indexed, LAST, 1000), unit = "decisions/s of 1,000 rules", bar = 1e6 },
    { name = "decisions.3700", value = 1000 / evaluated(20000, most, LAST, 3700), unit = "ms for 3,700 rules", bar = 0.2, most = true },
    { name = "decisions.deploy", value = deployed(table_of(three, 4000, last_of(4000, few))), unit = "s for 4,000 rules", bar = 2,
      most = true },
  }
end
