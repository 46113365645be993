-- Variable mappers: what a call activity hands in and takes out by code.
local orrery = require "orrery"
local support = require "spec.support.process"

local CALLER = [[<process id="caller" isExecutable="true"><startEvent id="s"/>
  <callActivity id="call" calledElement="called" o:variableMappingClass="mapper"/>
  <boundaryEvent id="b" attachedToRef="call"><errorEventDefinition/></boundaryEvent><userTask id="after"/><userTask id="rescue"/>
  <sequenceFlow id="f1" sourceRef="s" targetRef="call"/><sequenceFlow id="f2" sourceRef="call" targetRef="after"/>
  <sequenceFlow id="f3" sourceRef="b" targetRef="rescue"/></process>]]

describe("a variable mapper", function()
  local engine

  before_each(function()
    engine = support.engine()
    engine:deploy { ["a.bpmn"] = support.definitions(CALLER), ["b.bpmn"] = support.definitions(support.waiting "called") }
  end)

  after_each(function() engine:close() end)

  local function start() return engine:start("caller", { variables = { price = 4 } }) end

  local function called() return engine:instance { key = "called" } end

  it("changes the variables for the called process in place", function()
    engine:register("mapper", { map_input = function(_, execution, variables) variables.cost = execution:get "price" end })
    start()
    assert.same({ cost = 4 }, called():variables())
  end)

  it("gives other variables", function()
    engine:register("mapper", { map_input = function() return { color = "red" } end })
    start()
    assert.same({ color = "red" }, called():variables())
  end)

  it("sees what the called process leaves, by any spelling", function()
    engine:register("mapper", { map_output = function(_, execution, process)
      execution:set("seen", { process:get "answer", process.answer, process:getVariable "answer", process:variables().answer })
      execution:set("missing", process:has "question")
    end })
    local pi = start()
    engine:task({ key = "wait" }):complete { answer = 42 }
    assert.same({ 42, 42, 42, 42 }, pi:get "seen")
    assert.is_false(pi:get "missing")
    assert.same({ "after" }, pi:active())
  end)

  it("also sees a called process that ends with an error", function()
    engine:register("mapper", { map_output = function(_, execution, process) execution:set("answer", process:get "answer") end })
    engine:deploy { ["b.bpmn"] = support.definitions((support.waiting("called"):gsub('<endEvent id="end"/>',
      '<endEvent id="end"><errorEventDefinition errorRef="E1"/></endEvent>'))) }
    local pi = start()
    engine:task({ key = "wait" }):complete { answer = 42 }
    assert.same({ "rescue" }, pi:active())
    assert.equal(42, pi:get "answer")
  end)

  it("raises BPMN errors past the call activity, to whoever gave the command", function()
    engine:register("mapper", { map_output = function() orrery.bpmn_error("refused", "not today") end })
    local pi = start()
    local task = engine:task { key = "wait" }
    assert.matches("not today", support.refused("bpmn_error", function() task:complete() end).message)
    assert.same({ "call" }, pi:active())
    assert.same({ "wait" }, called():active())
  end)

  it("that fails leaves nothing behind", function()
    engine:register("mapper", { map_input = function() error "out of order" end })
    assert.matches("out of order", support.refused("script", start).message)
    assert.same({}, engine:instances {})
  end)
end)

describe("a call activity that passes all variables on", function()
  for what, call in pairs {
    ["inheritVariables"] = 'o:inheritVariables="true"/>',
    ['variables="all"'] = '><extensionElements><o:in variables="all"/></extensionElements></callActivity>',
  } do
    it("leaves transient ones transient: " .. what, function()
      local engine <close> = support.engine()
      local names = {}
      engine:register("look", function(execution)
        for name, value in pairs(execution:variables()) do names[#names + 1] = name .. "=" .. tostring(value) end
      end)
      engine:deploy { ["a.bpmn"] = support.definitions('<process id="caller" isExecutable="true"><startEvent id="s"/>'
        .. '<sequenceFlow id="f" sourceRef="s" targetRef="c"/><callActivity id="c" calledElement="called" ' .. call .. "</process>"),
        ["b.bpmn"] = support.definitions(support.waiting("called",
          '<startEvent id="start"><extensionElements><o:executionListener event="end" class="look"/></extensionElements></startEvent>')) }
      local pi = engine:start("caller", { variables = { kept = 1 }, transient = { passing = 2 } })
      table.sort(names)
      assert.same({ "kept=1", "passing=2" }, names)
      assert.same({ kept = 1 }, engine:instance({ super = pi.id }):variables())
    end)
  end
end)
