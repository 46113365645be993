-- What delegates and scripts get, and for how long.
-- Marks: threads
package.path = "spec/bindings/?.lua;" .. package.path
local orrery = require "orrery"
local model = require "model"

describe("delegates", function()
  local engine

  before_each(function() engine = orrery.open(nil, { clock = "manual", log = "none" }) end)
  after_each(function() engine:close() end)

  local function run(delegate)
    engine:register("d", delegate)
    engine:deploy(model.class "d")
    return engine:start("p", { variables = { name = "Ada" } })
  end

  it("read and write variables in three spellings", function()
    local pi = run(function(execution)
      execution:set("a", execution:get "name" .. "!")
      execution.vars.b = execution.vars.a
      execution:setVariable("c", execution.getVariable(execution, "b"))
    end)
    assert.equal("Ada!", pi:get "c")
  end)

  it("store null where nil is set, and remove by remove and by nil in vars", function()
    local pi = run(function(execution)
      execution.vars.name = nil
      assert.is_false(execution:has "name")
      execution:set("name", nil)
      execution:set("b", nil)
      execution:set("c", 1)
      execution:remove "c"
      assert.is_true(execution:has "name" and execution:has "b")
      assert.is_false(execution:has "c")
    end)
    assert.same({ name = orrery.null, b = orrery.null }, pi:variables())
  end)

  it("see the engine that runs them", function()
    local same
    run(function(execution) same = execution.engine == engine end)
    assert.is_true(same)
  end)

  it("cannot use an execution after their call", function()
    local kept
    run(function(execution) kept = execution end)
    assert.is_false((pcall(kept.get, kept, "name")))
    assert.is_false((pcall(function() return kept.id end)))
    assert.matches("its call has ended", tostring(kept))
  end)

  it("may sleep, await and defer without blocking what comes after", function()
    local pi = run(function(execution)
      orrery.sleep(0.01)
      local future = orrery.future()
      future:resolve(7)
      execution:set("r", orrery.await(future))
    end)
    assert.equal(7, pi:get "r")
  end)

  it("await what settles once: a second resolve or reject changes nothing and says so", function()
    local seconds = { resolve = function(f) return f:resolve "second" end, reject = function(f) return f:reject "second" end }
    for name, second in pairs(seconds) do
      local pi = run(function(execution)
        local good, bad = orrery.future(), orrery.future()
        local first = { good:resolve "first", bad:reject "first" }
        execution:set("first", first)
        execution:set("again", { second(good), second(bad) })
        execution:set("value", orrery.await(good))
        local ok, failure = pcall(orrery.await, bad)
        execution:set("failure", { ok, failure })
        execution:set("still", orrery.await(good))
      end)
      assert.same({ true, true }, pi:get "first", name)
      assert.same({ false, false }, pi:get "again", name)
      assert.same({ "first", "first" }, { pi:get "value", pi:get "still" }, name)
      assert.same({ false, "first" }, pi:get "failure", name)
    end
  end)

  it("await together what settles while they wait, each once", function()
    local woken = {}
    local pi = run(function(execution)
      local f = orrery.future()
      f:resolve(1)
      woken[#woken + 1] = orrery.await(f)
      f:resolve(2)
      woken[#woken + 1] = orrery.await(f)
      execution:set("done", true)
    end)
    assert.same({ 1, 1 }, woken)
    assert.is_true(pi:get "done")
  end)

  it("are told when they await what nothing will settle", function()
    local ok, err = pcall(run, function() orrery.await(orrery.future()) end)
    assert.is_false(ok)
    assert.matches("nothing will settle", tostring(err))
  end)

  it("that are nowhere are named with the file that one would be", function()
    engine:deploy(model.class "com.shop.Charge")
    local ok, err = pcall(engine.start, engine, "p")
    assert.is_false(ok)
    assert.matches("com/shop/Charge%.lua is neither among the deployment's resources nor on the package_path", err.message)
  end)

  it("in modules that return nothing, or no delegate, are told what they should return", function()
    local function message(text)
      local resources = model.class "charge"
      resources["charge.lua"] = text
      engine:deploy(resources)
      return select(2, pcall(engine.start, engine, "p")).message
    end
    assert.matches('the module "charge" returns nothing; a delegate\'s returns a function', message "function charge() end")
    assert.matches('"charge" gives a number, not a delegate', message "return 5")
  end)

  it("on the path are loaded once by each thread and anew by an executor that was stopped; new values of names count at once", function()
    local dir <close> = require "spec.cli.command".folder()
    local own <close> = orrery.open(nil, { package_path = dir.path .. "/?.lua", log = "none" })
    own:deploy(model.around '<serviceTask id="t" camunda:class="reloaded_delegate" camunda:asyncBefore="true"/>')
    local function says(value) dir.file("reloaded_delegate.lua", ("return function(x) x:set('v', %d) end"):format(value)) end
    local function played()
      local pi = own:start "p"
      if own:executor_active() then assert.is_true(own:wait_idle(120)) else own:run_jobs() end
      return own:history_variable({ instance = pi.id, name = "v" }).value
    end
    says(1)
    own:start_executor { threads = 1 }
    assert.equal(1, played())
    says(2)
    assert.equal(1, played())
    own:stop_executor()
    own:start_executor { threads = 1 }
    assert.equal(2, played())
    own:stop_executor()
    assert.equal(2, played()) -- by this thread
    says(3)
    assert.equal(2, played())
    package.loaded.reloaded_delegate = nil
    assert.equal(3, played())
    own:start_executor { threads = 1 }
    own:register("reloaded_delegate", function(x) x:set("v", 4) end)
    assert.equal(4, played())
    own:register("reloaded_delegate", function(x) x:set("v", 5) end)
    assert.equal(5, played())
    package.loaded.reloaded_delegate = nil
  end)

  it("come from the deployment's own resources", function()
    local resources = model.class "com.shop.Charge"
    resources["com/shop/Charge.lua"] = [[return function(execution) execution:set("u", require "com.shop.Util") end]]
    resources["com/shop/Util.lua"] = "return 42"
    engine:deploy(resources)
    assert.equal(42, engine:start("p"):get "u")
  end)

  it("come from a module by delegateExpression, too, and are named like that where they are not", function()
    local resources = model.around '<serviceTask id="t" camunda:delegateExpression="${charge}"/>'
    resources["charge.lua"] = "return function(execution) execution:set('charged', true) end"
    engine:deploy(resources)
    assert.is_true(engine:start("p"):get "charged")
    engine:deploy(model.around '<serviceTask id="t" camunda:delegateExpression="${refund}"/>')
    local ok, err = pcall(engine.start, engine, "p")
    assert.is_false(ok)
    assert.matches('nothing is registered as "refund", and there is no module of this name: refund%.lua', err.message)
    engine:register("refund", function(execution) execution:set("refunded", true) end)
    assert.is_true(engine:start("p"):get "refunded")
  end)

  it("survive a collector that runs at every step", function()
    collectgarbage "stop"
    engine:register("d", function(execution)
      collectgarbage()
      execution:set("map", { list = { 1, { deep = execution:get "name" } } })
      collectgarbage()
    end)
    engine:deploy(model.class "d")
    collectgarbage("setpause", 0)
    collectgarbage("setstepmul", 1000)
    collectgarbage "restart"
    for i = 1, 20 do
      local pi = engine:start("p", { variables = { name = "n" .. i } })
      assert.equal("n" .. i, pi:get("map").list[2].deep)
    end
    collectgarbage("setpause", 200)
    collectgarbage("setstepmul", 100)
  end)
end)

describe("scripts", function()
  it("see variables as globals, keep their own assignments, and no more of Lua than is safe", function()
    local engine <close> = orrery.open(nil, { clock = "manual", log = "none" })
    engine:deploy(model.script [[
      mine = n + 1
      execution:set("sum", mine)
      execution:set("unsafe", io ~= nil or debug ~= nil or package ~= nil or collectgarbage ~= nil or os.execute ~= nil)
      execution:set("time", os.time())
    ]])
    local pi = engine:start("p", { variables = { n = 4 } })
    assert.equal(5, pi:get "sum")
    assert.is_false(pi:get "unsafe")
    assert.equal(math.floor(engine:now()), pi:get "time")
    assert.is_nil(pi:get "mine")
  end)

  it("stop at their budget of instructions, pcall or not", function()
    local engine <close> = orrery.open(nil, { clock = "manual", log = "none", sandbox = { instructions = 100000 } })
    engine:deploy(model.script "while true do pcall(function() while true do end end) end")
    local ok, err = pcall(engine.start, engine, "p")
    assert.is_false(ok)
    assert.equal("limit", err.kind)
  end)
end)

describe("a condition in Lua", function()
  local orrery = require "orrery"

  it("may be one expression", function()
    local engine <close> = orrery.open(nil, { clock = "manual", log = "none" })
    engine:deploy { ["lua.bpmn"] = [[
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:orrery="urn:orrery:bpmn" targetNamespace="spec">
  <process id="p" isExecutable="true">
    <startEvent id="start" /><sequenceFlow id="f0" sourceRef="start" targetRef="add" />
    <scriptTask id="add" scriptFormat="lua" orrery:resultVariable="sum"><script>return a + b</script></scriptTask>
    <sequenceFlow id="f1" sourceRef="add" targetRef="which" />
    <exclusiveGateway id="which" default="f3" />
    <sequenceFlow id="f2" sourceRef="which" targetRef="much"><conditionExpression language="lua">sum > 100</conditionExpression>
    </sequenceFlow>
    <sequenceFlow id="f3" sourceRef="which" targetRef="little" />
    <userTask id="much" /><userTask id="little" />
  </process>
</definitions>]] }
    assert.same({ "much" }, engine:start("p", { variables = { a = 60, b = 50 } }):active())
    local instance = engine:start("p", { variables = { a = 1, b = 2 } })
    assert.same({ "little" }, instance:active())
    assert.equal(3, instance:get "sum")
  end)
end)
