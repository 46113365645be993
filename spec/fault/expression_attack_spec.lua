--- Expressions that would go on for ever, or take all memory: each ends within the budget of a script, with what it calls.
local model = require "spec.bindings.model"
local orrery = require "orrery"

local function opened(sandbox)
  return orrery.open(nil, { clock = "manual", log = "none",
    sandbox = sandbox or { instructions = 2 * 1000 * 1000, memory = 16 * 1024 * 1024, seconds = 600 } })
end

local function escaped(text) return (text:gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" })) end

local function fails(what, f, ...)
  local ok, problem = pcall(f, ...)
  assert.is_false(ok, what)
  assert.equal("limit", problem.kind, what .. ": " .. tostring(problem))
  return problem
end

local JUEL <const> = {
  ["a text that grows"] = "'x'.repeat(8000000).replace('x', 'yyyyyyyyyy').replace('y', 'zzzzzzzzzz').length() == 1",
  ["texts put together"] = "s.concat(s).concat(s).concat(s).concat(s).concat(s).concat(s).concat(s).concat(s).concat(s).length() == 1",
  ["a pattern for each letter"] = "t.replaceAll('.', t).length() == 1",
  ["parts of parts"] = "t.repeat(200).split('').size() == 1",
  ["the program's function"] = "spin() == 1",
  ["the program's method"] = "tools.spin() == 1",
  ["the program's greed"] = "tools.hoard().size() == 1",
}

local FEEL <const> = {
  ["a loop in a loop"] = "count(for i in 1..900, k in 1..900 return i * k) = 1",
  ["a pattern, again and again"] = "count(for i in 1..100000 return matches(t, \"a+b\")) = 1",
  ["letters, again and again"] = "count(for i in 1..100000 return upper case(t)) = 1",
}

describe("an expression", function()
  local t = ("abc "):rep(2500)
  local variables = { t = t, s = ("x"):rep(2000000) }

  local function registered(engine)
    local function spin() while true do end end
    engine:register("spin", spin)
    engine:register("tools", { spin = spin, hoard = function()
      local all = {}
      for i = 1, 1000000 do all[i] = ("x"):rep(1000) .. i end
      return all
    end })
    return engine
  end

  for language, texts in pairs { JUEL = JUEL, FEEL = FEEL } do
    for name, text in pairs(texts) do
      it(("ends as a condition, a task's expression and by evaluate: %s in %s"):format(name, language), function()
        local engine <close> = registered(opened())
        local juel = language == "JUEL"
        engine:deploy(model.around(([[<exclusiveGateway id="t"/><sequenceFlow id="x" sourceRef="t" targetRef="wait">
          <conditionExpression xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="tFormalExpression" language="%s">%s
          </conditionExpression>
          </sequenceFlow>]]):format(juel and "juel" or "feel", escaped(juel and "${" .. text .. "}" or text))))
        assert.matches("the expression used up its", fails(name, engine.start, engine, "p", { variables = variables }).message)
        engine:deploy(model.around(('<scriptTask id="t" scriptFormat="%s" camunda:resultVariable="r"><script>%s</script></scriptTask>')
          :format(juel and "juel" or "feel", escaped(juel and "${" .. text .. "}" or text))))
        fails(name, engine.start, engine, "p", { variables = variables })
        if juel then fails(name, engine.evaluate, engine, "${" .. text .. "}", { variables = variables }) end
        assert.equal(3, engine:evaluate("${1 + 2}"))
      end)
    end
  end

  it("ends by the clock where no step counts", function()
    local engine <close> = opened { instructions = 0, memory = 0, seconds = 0.05 }
    registered(engine)
    assert.matches("used up its seconds", fails("spin", engine.evaluate, engine, "${spin()}").message)
  end)

  it("has a budget of its own where a delegate asks for a field, and the delegate goes on without one", function()
    local engine <close> = registered(opened())
    local seen = {}
    engine:register("asks", function(execution)
      local ok, problem = pcall(execution.field, execution, "f")
      seen.kind = not ok and problem.kind
      for _ = 1, 5000000 do seen.n = 1 end
      seen.greedy, seen.memory = pcall(execution.field, execution, "g")
      seen.size = #("x"):rep(64 * 1024 * 1024)
      seen.hook = debug.gethook()
    end)
    engine:deploy(model.around [[<serviceTask id="t" camunda:class="asks"><extensionElements>
      <camunda:field name="f"><camunda:expression>${spin()}</camunda:expression></camunda:field>
      <camunda:field name="g"><camunda:expression>${'x'.repeat(60000000)}</camunda:expression></camunda:field>
      </extensionElements></serviceTask>]])
    engine:start "p"
    assert.equal("limit", seen.kind)
    assert.equal("limit", seen.memory.kind)
    assert.equal(64 * 1024 * 1024, seen.size)
    assert.is_nil(seen.hook)
  end)

  it("leaves no budget to the delegate that it gives", function()
    local engine <close> = opened()
    engine:register("bean", { execute = function(_, execution)
      for _ = 1, 5000000 do end
      execution:set("size", #("x"):rep(64 * 1024 * 1024))
    end })
    engine:deploy(model.around '<serviceTask id="t" camunda:delegateExpression="${true ? bean : null}"/>')
    assert.equal(64 * 1024 * 1024, engine:start("p"):get "size")
  end)

  it("may wait, which does not count", function()
    local engine <close> = opened()
    local waiting = orrery.future()
    engine:register("slow", function() return orrery.await(waiting) end)
    engine:deploy(model.around [[<serviceTask id="t" camunda:expression="${slow()}" camunda:resultVariable="r"
      camunda:asyncBefore="true"/>]])
    local instance = engine:start "p"
    engine:poll()
    waiting:resolve(5)
    engine:poll()
    assert.equal(5, instance:get "r")
  end)
end)

describe("a type of FEEL that breaks off", function()
  it("is a syntax error, and nothing behind the text is read", function()
    local engine <close> = opened()
    for _, text in ipairs { "x instance of context<", "x instance of context< , a: number>", "x instance of context<a: number,",
      "x instance of context<1: number>", "x instance of list<", "x instance of function<", "x instance of range<" } do
      local ok, problem = pcall(engine.deploy, engine, model.around(
        ('<scriptTask id="t" scriptFormat="feel" camunda:resultVariable="r"><script>%s</script></scriptTask>'):format(escaped(text))))
      assert.is_false(ok, text)
      assert.equal("deployment", problem.kind, text)
      assert.matches("expected", problem.problems[1].message, nil, true)
    end
  end)
end)

describe("a decision", function()
  local function table_of(language, text)
    return { ["d.dmn"] = ([[<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="d" name="d" namespace="x">
      <decision id="d" name="d"><variable name="d"/>
      <literalExpression expressionLanguage="%s"><text>%s</text></literalExpression></decision>
      </definitions>]]):format(language, escaped(text)) }
  end

  it("has the budget, whoever asks for it, and leaves FEEL as it was", function()
    local engine <close> = opened()
    engine:register("asks", function(execution)
      local ok, problem = pcall(execution.engine.decide, execution.engine, "d", {})
      execution:set("kind", not ok and problem.kind)
      for _ = 1, 5000000 do end
    end)
    engine:deploy(model.class "asks")
    engine:deploy(table_of("feel", FEEL["a loop in a loop"]))
    for _ = 1, 3 do fails("decide", engine.decide, engine, "d", {}) end
    assert.equal(0, require "orrery.feel".state.depth)
    assert.is_nil(require "orrery.feel".state.now)
    assert.equal("limit", engine:start("p"):get "kind")
    engine:deploy(model.around '<businessRuleTask id="t" camunda:decisionRef="d"/>')
    fails("task", engine.start, engine, "p")
    assert.is_nil(debug.gethook())
    engine:deploy(table_of("feel", "1 + 2"))
    assert.equal(3, engine:decide("d", {}))
  end)

  for name, text in pairs { ["a pattern"] = 'string.find(("a"):rep(28), ("a?"):rep(28) .. ("a"):rep(28)) and 1',
    ["memory"] = '#string.rep("x", 1 << 30)', ["a loop"] = "(function() while true do end end)()" } do
    it("has it in Lua, too: " .. name, function()
      local engine <close> = opened()
      engine:deploy(table_of("lua", text))
      fails(name, engine.decide, engine, "d", {})
    end)
  end
end)
