-- The way of tokens: flows, gateways, joins, order, and how it grows.
-- Marks: records
local support = require "spec.support.process"

local function process(body) return { ["a.bpmn"] = support.definitions('<process id="p" isExecutable="true">' .. body .. "</process>") } end

local function flow(id, from, to, condition)
  return ('<sequenceFlow id="%s" sourceRef="%s" targetRef="%s">%s</sequenceFlow>'):format(id, from, to,
    condition and "<conditionExpression>" .. condition .. "</conditionExpression>" or "")
end

-- start -> gateway g -> n tasks -> gateway j -> end
local function fan(gateway, n)
  local parts = { '<startEvent id="s"/>', flow("f", "s", "g"), ("<%s id='g'/><%s id='j'/>"):format(gateway, gateway) }
  for i = 1, n do
    parts[#parts + 1] = ("<manualTask id='m%d'/>"):format(i) .. flow("a" .. i, "g", "m" .. i) .. flow("b" .. i, "m" .. i, "j")
  end
  return process(table.concat(parts) .. flow("z", "j", "e") .. '<endEvent id="e"/>')
end

describe("flow", function()
  local engine
  before_each(function() engine = support.engine() end)
  after_each(function() engine:close() end)

  it("runs paths depth first, in document order", function()
    local seen = {}
    engine:register("see", function(execution) seen[#seen + 1] = execution.activity_id end)
    engine:deploy(process('<startEvent id="s"/><parallelGateway id="g"/>' .. flow("f", "s", "g") .. flow("f1", "g", "a") .. flow("f2", "g",
      "c")
      .. '<serviceTask id="a" o:class="see"/><serviceTask id="b" o:class="see"/><serviceTask id="c" o:class="see"/>' .. flow("f3", "a",
        "b")))
    assert.is_true(engine:start("p").ended)
    assert.same({ "a", "b", "c" }, seen)
  end)

  it("takes every flow whose condition holds, the default one only when none does", function()
    engine:deploy(process('<startEvent id="s"/><task id="t" default="d"/>' .. flow("f", "s", "t") .. flow("d", "t", "u0")
      .. flow("c1", "t", "u1", "${x &gt; 1}") .. flow("c2", "t", "u2",
        "${x &gt; 2}") .. '<userTask id="u0"/><userTask id="u1"/><userTask id="u2"/>'))
    assert.same({ "u0" }, engine:start("p", { variables = { x = 1 } }):active())
    assert.same({ "u1" }, engine:start("p", { variables = { x = 2 } }):active())
    assert.same({ "u1", "u2" }, engine:start("p", { variables = { x = 3 } }):active())
  end)

  it("names the gateway that no flow leads on from, and leaves nothing behind", function()
    engine:deploy(process('<startEvent id="s"/><exclusiveGateway id="which"/>' .. flow("f", "s", "which") .. flow("c", "which", "e", "${x}")
      .. flow("d", "which", "e", "${x}") .. '<endEvent id="e"/>'))
    local err = support.refused("state", function() engine:start("p", { variables = { x = false } }) end)
    assert.matches('"which"', err.message)
    assert.same({}, engine:instances {})
    assert.same({}, engine:history_instances {})
  end)

  it("joins unbalanced paths flow by flow", function()
    engine:deploy(process('<startEvent id="s"/><parallelGateway id="g"/><parallelGateway id="j"/>' .. flow("f", "s", "g") .. flow("a", "g",
      "u")
      .. flow("b", "g", "v") .. '<userTask id="u"/><userTask id="v"/>' .. flow("c", "u", "j") .. flow("d", "v", "j") .. flow("again", "g",
        "u")
      .. flow("z", "j", "w") .. '<userTask id="w"/>'))
    local pi = engine:start "p"
    assert.same({ "u", "u", "v" }, pi:active())
    for _, task in ipairs(engine:tasks { key = "u" }) do task:complete() end
    assert.same({ "j", "j", "v" }, pi:active())
    engine:task { key = "v" }:complete()
    assert.same({ "j", "w" }, pi:active())
  end)

  it("lets an inclusive join wait for whoever can still come, and for nobody else", function()
    engine:deploy(process('<startEvent id="s"/><inclusiveGateway id="g"/><inclusiveGateway id="j"/>' .. flow("f", "s", "g") .. flow("a",
      "g", "u")
      .. flow("b", "g", "v") .. flow("c", "g", "w") .. '<userTask id="u"/><userTask id="v"/><userTask id="w"/>' .. flow("d", "u",
        "j") .. flow("e", "v", "j")
      .. flow("z", "j", "done") .. '<userTask id="done"/>'))
    local pi = engine:start "p"
    engine:task { key = "u" }:complete()
    assert.same({ "j", "v", "w" }, pi:active())
    engine:task { key = "v" }:complete()
    assert.same({ "done", "w" }, pi:active())
  end)

  it("looks at a waiting inclusive join again when the last other token ends elsewhere", function()
    engine:deploy(process('<startEvent id="s"/><parallelGateway id="g"/><inclusiveGateway id="j"/>' .. flow("f", "s", "g") .. flow("a", "g",
      "j")
      .. flow("b", "g", "v") .. '<userTask id="v"/>' .. flow("c", "v", "x") .. '<exclusiveGateway id="x" default="d"/>' .. flow("d", "x",
        "j")
      .. flow("e", "x", "out", "${away}") .. '<endEvent id="out"/>' .. flow("z", "j", "done") .. '<userTask id="done"/>'))
    local pi = engine:start "p"
    assert.same({ "j", "v" }, pi:active())
    engine:task { key = "v" }:complete { away = true }
    assert.same({ "done" }, pi:active())
  end)

  describe("that waits at a parallel join", function()
    local heard, pi
    before_each(function()
      heard = {}
      engine:register("hear", function(execution) heard[#heard + 1] = execution.canceled and "canceled" or "done" end)
      engine:deploy(process('<startEvent id="s"/><parallelGateway id="g"/><userTask id="a"/><userTask id="b"/>' .. [[<parallelGateway
        id="j"><extensionElements><o:executionListener event="end" class="hear"/></extensionElements></parallelGateway>]]
        .. flow("f", "s", "g") .. flow("f1", "g", "a") .. flow("f2", "g", "b") .. flow("f3", "a", "j") .. flow("f4", "b", "j")
        .. flow("z", "j", "done") .. '<userTask id="done"/>'))
      pi = engine:start "p"
      engine:task({ key = "a" }):complete()
      assert.same({ "b", "j" }, pi:active())
      assert.same({}, heard)
    end)

    it("tells its end listeners when it is deleted with its instance", function()
      pi:delete "no more"
      assert.same({ "canceled" }, heard)
      assert.same({}, engine:verify())
    end)

    it("tells them when it is canceled, and makes room for another", function()
      pi:modify { { cancel = "j" } }
      assert.same({ "canceled" }, heard)
      assert.same({ "b" }, pi:active())
      engine:task({ key = "b" }):complete()
      assert.same({ "j" }, pi:active()) -- the one that was canceled does not count
      pi:modify { { start_before = "a" } }
      engine:task({ key = "a" }):complete()
      assert.same({ "done" }, pi:active())
      assert.same({ "canceled", "done" }, heard)
      assert.same({}, engine:verify())
    end)

    it("is one of several that came the same way: each is joined with one of the other, whichever was canceled", function()
      pi:modify { { start_before = "a" }, { start_before = "a" } }
      for _, task in ipairs(engine:tasks { key = "a" }) do task:complete() end
      assert.same({ "b", "j", "j", "j" }, pi:active())
      for _, node in ipairs(pi:tree().children) do
        if node.activity_id == "j" then
          pi:modify { { cancel_instance = node.id } }
          break
        end
      end
      assert.same({ "b", "j", "j" }, pi:active())
      engine:task({ key = "b" }):complete()
      assert.same({ "done", "j" }, pi:active())
      assert.same({}, engine:verify())
    end)
  end)

  it("goes round a loop as often as it must", function()
    local n = 0
    engine:register("count", function() n = n + 1 end)
    engine:register("more", function() return n < 20000 end)
    engine:deploy(process('<startEvent id="s"/>' .. flow("f", "s", "t") .. '<serviceTask id="t" o:class="count"/>' .. flow("g", "t", "x")
      .. '<exclusiveGateway id="x" default="out"/>' .. flow("back", "x", "t", "${more()}") .. flow("out", "x",
        "e") .. '<endEvent id="e"/>'))
    assert.is_true(engine:start("p").ended)
    assert.equal(20000, n)
  end)

  it("stops at the limit of steps that one transaction may run", function()
    local other = support.engine { steps_max = 1000 }
    finally(function() other:close() end)
    other:deploy(process('<startEvent id="s"/>' .. flow("f", "s", "t") .. '<task id="t"/>' .. flow("g", "t", "t")))
    assert.matches("1000 steps", support.refused("limit", function() other:start "p" end).message)
    assert.same({}, other:instances {})
  end)

  for _, gateway in ipairs { "parallelGateway", "inclusiveGateway" } do
    it("joins 10,000 branches of a " .. gateway, function()
      engine:deploy(fan(gateway, 10000))
      assert.is_true(engine:start("p").ended)
      assert.same({}, engine:executions {})
    end)
  end
end)
