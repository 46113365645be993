-- Lua modules of a deployment: what is told of them before a job reaches them.
local support = require "spec.support.process"

local model = support.model('<startEvent id="s"/>\z
  <serviceTask id="work" camunda:class="com.acme.Pay"/><endEvent id="e"/>', "s -> work work -> e")

describe("a deployment's module", function()
  local engine
  before_each(function() engine = support.engine() end)
  after_each(function() engine:close() end)

  it("has to be Lua, and is checked as the models are", function()
    local resources = { ["p.bpmn"] = model, ["other.lua"] = "\27Lua",
      ["com/acme/Pay.lua"] = "return function(e)\n  if e then\nend" }
    local err = support.refused("deployment", function() engine:deploy(resources) end)
    local said = {}
    for i, p in ipairs(err.problems) do
      said[i] = ("%s:%s: %s"):format(p.resource, p.line, p.message)
    end
    assert.same({ "com/acme/Pay.lua:3: this is not Lua: 'end' expected (to close 'function' at \z
      line 1) near <eof>", "other.lua:nil: this is Lua bytecode; only Lua text is accepted" }, said)
    assert.same({ "com/acme/Pay.lua", "other.lua" },
      support.each(engine:check(resources), "resource"))
    assert.same({}, engine:deployments {})
  end)

  it("may begin with a line for the system, and be longer than a script", function()
    local pay = "#!/usr/bin/env lua\nreturn function(e) e:set('line', \z
      debug.getinfo(1).linedefined) end"
    engine:deploy { ["p.bpmn"] = model, ["com/acme/Pay.lua"] = pay,
      ["long.lua"] = "return {}" .. (" "):rep(300 * 1024) }
    local id = engine:start("p").id
    assert.equal(2, engine:history_variables({ instance_id = id, name = "line" })[1].value)
  end)

  it("is told of when it returns nothing and a model asks for it", function()
    local function warnings(pay, more)
      local found = engine:check { ["p.bpmn"] = more or model, ["com/acme/Pay.lua"] = pay }
      return support.each(found, "message")
    end
    local nothing = { "it returns nothing, and p.bpmn asks for it: a delegate's module returns a \z
      function or a table" }
    assert.same(nothing, warnings "local function pay() return 1 end")
    assert.same(nothing, warnings "-- nothing")
    assert.same({}, warnings "local function pay() end return pay -- it")
    assert.same({ "this is not Lua: <name> expected near '('" }, warnings "function(e) end")
    assert.same({}, warnings("amount > 1", (model:gsub("com.acme.Pay", "com.acme.Other"))))
    assert.same({}, warnings("x = 1", (model:gsub("com.acme.Pay", "com.acme.Other"))))
    assert.same(nothing, warnings("x = 1", (model:gsub('camunda:class="com.acme.Pay"',
      'camunda:expression="${com.acme.Pay.now()}"'))))
  end)
end)
