-- The business rule task with rules in Lua: which fire, in which order, on which facts, and what stops them.
local orrery = require "orrery"
local model = require "spec.tasks.model"

describe("the business rule task", function()
  local engine
  before_each(function() engine = orrery.open(nil, { clock = "manual", log = "none" }) end)
  after_each(function() engine:close() end)

  local RULES = [[
    return {
      { name = "shop.rule1", when = function(order) return order.amount > 100 end,
        run = function(_, order) order.discount = 10; order.log = (order.log or "") .. "1" end },
      { name = "shop.rule2", salience = 5, run = function(_, order) order.log = (order.log or "") .. "2" end },
      { name = "shop.rule3", when = function(order) return order.discount == 10 end,
        run = function(facts, order) order.log = order.log .. "3"; facts:insert { amount = 0, log = "gift" } end },
    }]]

  local function xml(attributes) return model.task(nil, {}, { tag = "businessRuleTask", vendor = "flowable", attributes = attributes }) end

  local function run(attributes, variables, rules)
    local resources = { ["p.bpmn"] = xml(attributes) }
    for name, text in pairs(rules or { ["order.rules.lua"] = RULES }) do resources[name] = text end
    engine:deploy(resources)
    local ok, result = pcall(engine.start, engine, "p", { variables = variables })
    if ok then return result end
    return nil, result
  end

  local function logs(list)
    local out = {}
    for i, fact in ipairs(list) do out[i] = fact.log end
    return out
  end

  it("fires every rule once for each fact, by salience, until nothing is left", function()
    local instance = run('v:ruleVariablesInput="${order}" v:resultVariable="out"', { order = { amount = 200 } })
    assert.same({ "213", "gift2" }, logs(instance:get "out"))
    assert.same(10, instance:get("out")[1].discount)
    assert.is_nil(instance:get("order").discount) -- facts are copies, and come back as the result
  end)

  it("has a default name for the result, and takes several inputs", function()
    local instance = run('v:ruleVariablesInput="${a}, b"', { a = { amount = 1 }, b = { amount = 2 } })
    assert.same({ "2", "2" }, logs(instance:get "org.flowable.engine.rules.OUTPUT"))
  end)

  it("fires listed rules only, by the ends of their names, or all but those", function()
    local order = { order = { amount = 200 } }
    local with = 'v:ruleVariablesInput="${order}" v:resultVariable="out" v:rules="rule1, rule2"'
    assert.same({ "21" }, logs(run(with, order):get "out"))
    for _, exclude in ipairs { 'exclude="true"', 'v:exclude="true"' } do
      local instance = run('v:ruleVariablesInput="${order}" v:resultVariable="out" v:rules="rule2" ' .. exclude, order)
      assert.same("13", instance:get("out")[1].log)
    end
    assert.same({ "2" }, logs(run('v:ruleVariablesInput="order" v:resultVariable="out" v:rules="${which}"',
      { order = { amount = 1 }, which = "rule2" }):get "out"))
  end)

  it("lets rules change, take out and find facts; facts may be plain values", function()
    local instance = run('v:ruleVariablesInput="${n}" v:resultVariable="out"', { n = 3 }, { ["a.rules.lua"] = [[
      return { { name = "down", when = function(n) return n > 0 end, run = function(facts, n)
        facts:retract(n) facts:insert(n - 1) if #facts:list() ~= 1 then error "more than one" end end } }]] })
    assert.same({ 0 }, instance:get "out")
    instance = run('v:ruleVariablesInput="${f}" v:resultVariable="out"', { f = { n = 0 } }, { ["a.rules.lua"] = [[
      return { { name = "again", when = function(f) return f.n < 3 end,
        run = function(facts, f) f.n = f.n + 1 facts:update(f) end } }]] })
    assert.same(3, instance:get("out")[1].n)
  end)

  it("takes the rules of all files", function()
    local instance = run('v:ruleVariablesInput="${f}" v:resultVariable="out"', { f = { log = "" } }, {
      ["b.rules.lua"] = [[return { { name = "b", run = function(_, f) f.log = f.log .. "b" end } }]],
      ["x/a.rules.lua"] = [[return { { name = "a", salience = 1, run = function(_, f) f.log = f.log .. "a" end } }]] })
    assert.same({ "ab" }, logs(instance:get "out"))
  end)

  it("stops what goes on for ever, by number and by the budget of scripts", function()
    local _, problem = run('v:ruleVariablesInput="${n}"', { n = 1 }, { ["a.rules.lua"] =
      [[return { { name = "more", run = function(facts, n) facts:insert(n + 1) facts:retract(n) end } }]] })
    assert.same("rules.limit", problem.cause and problem.cause.type or problem.kind)
    engine:close()
    engine = orrery.open(nil, { clock = "manual", log = "none", sandbox = { instructions = 100000 } })
    _, problem = run('v:ruleVariablesInput="${n}"', { n = 1 }, { ["a.rules.lua"] =
      [[return { { name = "spin", run = function() while true do end end } }]] })
    assert.same("limit", problem.kind)
  end)

  it("gives rules no more than scripts have", function()
    local _, problem = run('v:ruleVariablesInput="${n}"', { n = 1 }, { ["a.rules.lua"] =
      [[return { { name = "x", run = function() io.open "/etc/passwd" end } }]] })
    assert.truthy(problem.message:find("io", 1, true))
  end)

  it("says what is wrong with rules", function()
    for text, expected in pairs { ["return 7"] = "array of rules", ["return { { name = 'x' } }"] = "no function run",
      ["return { { run = print } }"] = "has no name",
      ["return { { name = 'x', run = print, salience = 'high' } }"] = "salience" } do
      local _, problem = run('v:ruleVariablesInput="${n}"', { n = 1 }, { ["a.rules.lua"] = text })
      assert.same("rules.broken", problem.cause.type, text)
      assert.truthy(problem.message:find(expected, 1, true), problem.message)
    end
  end)

  it("refuses rules that are no Lua", function()
    local ok, refused = pcall(run, 'v:ruleVariablesInput="${n}"', { n = 1 },
      { ["a.rules.lua"] = "nonsense =" })
    assert.same({ false, "a.rules.lua" }, { ok, refused.problems[1].resource })
  end)

  it("has no rules: told at deployment, and an error when it is reached", function()
    local _, problem = run('v:ruleVariablesInput="${n}"', { n = 1 }, {})
    assert.same("rules.missing", problem.cause.type)
    local ok, refused = pcall(engine.deploy, engine, { ["p.bpmn"] = xml 'v:ruleVariablesInput="${n}"', ["r.drl"] = "rule" })
    assert.is_false(ok)
    assert.truthy(refused.problems[1].message:find(".rules.lua", 1, true))
    assert.truthy(model.problems(engine, xml 'v:rules="a" v:exclude="perhaps"'):find("exclude", 1, true))
  end)

  it("may be a service task in all but name", function()
    engine:register("own", function(execution) execution:set("x", 1) end)
    assert.same(1, run 'v:class="own"':get "x")
    assert.same(3, run('v:expression="${1 + 2}" v:resultVariable="x"'):get "x")
  end)
end)
